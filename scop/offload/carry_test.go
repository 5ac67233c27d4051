package offload

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/scop/schedule"
)

// TestCarried: what an iteration stores for the next one is kept in a variable where that is sure, and kernels compute what the text does.
func TestCarried(t *testing.T) {
	const head = "void f(int n, int m, double A[n][m], double B[n][m], double C[m][n]) {\n#pragma scop\nfor (int i = 0; i < n; i++) {\n%s\n}\n#pragma endscop\n}\n"
	for name, x := range map[string]struct {
		text string
		kept int
	}{
		"up":            {"for (int j = 1; j < m; j++) A[i][j] = A[i][j-1] * 0.5 + B[i][j];", 1},
		"down":          {"for (int j = m - 2; j >= 0; j--) A[i][j] = A[i][j+1] * 0.5 + B[i][j];", 1},
		"along rows":    {"for (int j = 1; j < m; j++) C[j][i] = C[j-1][i] * 0.5 + 1;", 1},
		"two":           {"A[i][0] = C[0][i]; for (int j = 1; j < m; j++) { A[i][j] = 1 / (A[i][j-1] + 2); B[i][j] = B[i][j-1] / (A[i][j-1] + 2) + A[i][j]; }", 2},
		"read before":   {"for (int j = 1; j < m; j++) { B[i][j] = A[i][j-1]; A[i][j] = A[i][j] + B[i][j]; }", 1},
		"a later begin": {"for (int j = 3; j < m; j++) A[i][j] = A[i][j-1] * 0.5 + A[i][j-3];", 1},
		"from the edge": {"for (int j = 0; j < m; j++) A[i][j] = j > 0 ? A[i][j-1] + B[i][j] : B[i][j];", 1},
		"after others":  {"for (int j = 0; j < m; j++) { if (j > 0) B[i][j] = A[i][j-1]; A[i][j] = B[i][j] * 2; }", 1},
		"by two":        {"for (int j = 2; j < m; j++) A[i][j] = A[i][j-2] * 0.5;", 1},
		"every second":  {"for (int j = 1; j < m; j += 2) A[i][j] = A[i][j-1] * 0.5 + A[i][j];", 0},
		"conditional":   {"for (int j = 1; j < m; j++) { if (j != 4) A[i][j] = A[i][j-1] * 0.5; }", 0},
		"stored twice":  {"for (int j = 1; j < m; j++) { A[i][j] = A[i][j-1] * 0.5; A[i][j] = A[i][j] + B[i][j]; }", 0},
		"maybe empty":   {"B[i][0] = 1; for (int j = n; j < m - i; j++) A[i][j] = A[i][j-1] * 0.5;", 1},
		"triangle":      {"for (int j = i + 1; j < m; j++) A[i][j] = A[i][j-1] * 0.5 + B[i][j];", 1},
		"nested":        {"for (int j = 1; j < m; j++) for (int k = 1; k < j; k++) A[i][k] = A[i][k-1] * 0.5 + B[i][j];", 0},
	} {
		t.Run(name, func(t *testing.T) {
			n := nestOf(t, "carry.c", fmt.Sprintf(head, x.text))
			p, err := find(n, schedule.Smart, Options{Map: unchained})
			if err != nil {
				t.Fatal(err)
			}
			kept := 0
			for _, k := range p.Kernels {
				kept += strings.Count(k.String(), "_begin, inames")
			}
			if kept != x.kept {
				t.Errorf("%d variables, not %d: %v", kept, x.kept, p.Kernels)
			}
			for _, at := range []map[string]int64{{"n": 9, "m": 11}, {"n": 3, "m": 1}, {"n": 5, "m": 2}} {
				if ok, err := n.Context.Contains(at); err == nil && ok {
					check(t, p, at)
				}
			}
		})
	}
}

// TestTermless: points that have no terms of a sum add nothing to an element that others add to, or that is not there, and terms may read nothing.
func TestTermless(t *testing.T) {
	const head = "void f(int n, int m, double A[n][n], double s[1], double y[n]) {\n#pragma scop\n%s\n#pragma endscop\n}\n"
	for name, text := range map[string]string{
		"one element": "for (int i = 0; i < n; i++) y[i] = i - 3; for (int i = 0; i < 1; i++) for (int j = 0; j < n; j++) s[0] += A[i][j];",
		"no element":  "for (int i = 0; i < n; i++) { y[i] = i; if (i >= 2) for (int j = 0; j < n; j++) y[i-2] += A[i][j]; }",
		"a number":    "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s[0] += 0.5;",
		"some":        "for (int i = 0; i < n; i += 2) for (int j = 0; j < n; j++) s[0] += A[i][j]; for (int i = 1; i < n; i += 2) s[0] += y[i];",
		"at no size":  "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (m > 5) s[0] += A[i][j]; for (int i = 0; i < n; i++) if (m > 5) s[0] += y[i];",
		"by a size":   "for (int i = 0; i < n; i++) y[i] = i - 3; for (int i = 0; i <= m - m; i++) for (int j = 0; j < m; j++) s[0] += A[i][j];",
	} {
		n := nestOf(t, "termless.c", fmt.Sprintf(head, text))
		for _, m := range []func(Form) Mapping{small, ahead} {
			p, err := find(n, schedule.Smart, Options{Map: m})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(name, func(t *testing.T) { check(t, p, map[string]int64{"n": 9, "m": 5}) })
		}
	}
}
