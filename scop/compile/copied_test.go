package compile

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCopied: what goes to the device is what is read before all of it is written, and what comes back is what is written; the output says so.
func TestCopied(t *testing.T) {
	for _, c := range []struct {
		body    string
		in, out []string
		says    string
	}{
		{"for (int i = 0; i < n; i++) b[i] = 2*a[i];", []string{"a"}, []string{"b"}, "to the device: a; back: b"},
		{"for (int i = 0; i < n; i++) b[i] += a[i];", []string{"a", "b"}, []string{"b"}, "to the device: b, a; back: b"},
		{"for (int i = 0; i < n; i++) { a[i] = 1; b[i] = 2*a[i]; }", nil, []string{"a", "b"}, "back: a, b"},
		{"for (int i = 1; i < n; i++) b[i] = a[i];", []string{"a", "b"}, []string{"b"}, "back: b"}, // b[0] stays as it is
		{"for (int i = 0; i < n; i++) { b[i] = a[i]; c[i] = b[i] + a[i]; }", []string{"a"}, []string{"b", "c"}, "to the device: a; back: "},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "f.c")
		write(t, file, "void f(int n, double a[n], double b[n], double c[n]) {\n#pragma scop\n"+c.body+"\n#pragma endscop\n}\n")
		result, err := File(t.Context(), file, filepath.Join(dir, "out"), Options{Language: "opencl"})
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		var text strings.Builder
		if err := result.Print(&text); err != nil {
			t.Fatal(err)
		}
		r := result.Regions[0]
		slices.Sort(r.CopiedIn)
		slices.Sort(r.CopiedOut)
		if !slices.Equal(r.CopiedIn, c.in) || !slices.Equal(r.CopiedOut, c.out) || !strings.Contains(text.String(), c.says) {
			t.Errorf("%s: %v go to the device and %v come back, want %v and %v\n%s", c.body, r.CopiedIn, r.CopiedOut, c.in, c.out, text.String())
		}
	}
}
