package inline_test

import (
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/cfront/inline"
)

// TestExpanded: what stands in the place of calls and jumps.
func TestExpanded(t *testing.T) {
	for _, c := range []struct{ functions, body, want string }{
		{"int h(int x) { x = 2 * x; return x; }", "a[0] = h(n);", "int32 h_result int32 x = n x = (2 * x):int32 h_result = x a[0] = h_result"},
		{"void r(double *p, int k) { p[k] = 1; }", "r(&a[n], 2);", "int32 k = 2 a[(n + k):int32] = 1"},
		{"double c(double x) { if (x < 0) return 1; x += 2; return x; }", "a[0] = c(a[1]);", "if (x < 0):int32 c_result = 1 else x += 2 c_result = x a[0] = c_result"},
		{"", "for (int i = 0; i < n; i++) { if (a[i] < 0) continue; a[i] = 1; }", "if (a[i] < 0):int32 else a[i] = 1"},
		{"", "for (int i = 0; i < n; i++) { if (a[i] < 0) break; a[i] = 1; }", "if (going != 0):int32 if (a[i] < 0):int32 going = 0 else a[i] = 1"},
		{"", "if (n > 2) goto past; a[0] = 1; past: a[1] = 2;", "if (n > 2):int32 else a[0] = 1 a[1] = 2"},
		{"", "a[n++] = 3;", "a[n] = 3 n +after="},
		{"int w(int x) { while (x > 1) { if (x == 7) return 3; x--; } return x; }", "a[0] = w(n);", "a[0] = w(n):int32"},
	} {
		f, err := cfront.Parse(t.Context(), "test.c", c.functions+"\nvoid f(int n, double *a) { "+c.body+" }", cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		own := *f.Function("f")
		own.Body = &cfront.Block{Pos: own.Body.Pos, Items: inline.Expanded(f, own.Body.Items), Last: own.Body.Last}
		if got := own.String(); !strings.Contains(flat(got), c.want) {
			t.Errorf("%s: got\n%s\nwant %s", c.body, got, c.want)
		}
	}
}

// flat is the text of a function in one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
