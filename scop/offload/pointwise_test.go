package offload

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/scop/schedule"
)

// TestJam: sums of several points of a work-item are what the text computes, whatever they are over and what follows them, and those that would not be are left to others.
func TestJam(t *testing.T) {
	const head = "void f(int n, int m, double A[n][m], double B[n + 4][m + 4], double C[n][m][n], double w[3][3], double x[n + 4], double y[m]) {\n#pragma scop\n%s\n#pragma endscop\n}\n"
	for name, c := range map[string]struct {
		statements string
		jammed     bool
	}{
		"window":      {"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { A[i][j] = 0; for (int k = 0; k < 3; k++) for (int l = 0; l < 3; l++) A[i][j] += w[k][l] * B[i + k][j + l]; }", true},
		"filter":      {"for (int i = 0; i < n; i++) { A[i][0] = 1; for (int k = 0; k < 4; k++) A[i][0] += x[i + k] * 0.5; A[i][0] /= 4; }", true},
		"columns":     {"for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) y[j] += A[i][j] * x[i];", true},
		"products":    {"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { A[i][j] = B[i][j]; for (int k = 1; k < 4; k++) A[i][j] *= B[i + k][j]; }", true},
		"tiles":       {"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < n; k++) A[i][j] += x[k] * C[i][j][k];", false},
		"several":     {"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { for (int k = 0; k < 3; k++) A[i][j] += B[i + k][j]; B[i][j] = x[i]; }", false},
		"conditional": {"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < 4; k++) for (int l = 0; l < 2; l++) A[i][j] += B[i][j + k] > y[j] ? B[i + l][j] : 1;", true},
		"triangle":    {"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < i; k++) for (int l = 0; l < 2; l++) A[i][j] += B[k + l][j];", false},
		"some points": {"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { A[i][j] = x[i]; for (int k = 0; k < 4; k++) for (int l = 0; l < 2; l++) if (2 * i < n) A[i][j] += B[i + k][j + l]; }", false},
		"none":        {"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 3; k < n - 2; k++) for (int l = 0; l < 2; l++) A[i][j] += B[k + l][j];", true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := find(nestOf(t, "sums.c", fmt.Sprintf(head, c.statements)), schedule.Smart, Options{Map: ahead})
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(p.Kernels); strings.Contains(text, "_sums[") != c.jammed {
				t.Errorf("%v", p.Kernels)
			}
			for _, at := range []map[string]int64{{"n": 9, "m": 14}, {"n": 12, "m": 8}, {"n": 1, "m": 3}} {
				check(t, p, at)
			}
		})
	}
}

// TestPointwise: kernels whose work-items have several points compute what the text does, at borders too, and have no conditions for each point inside.
func TestPointwise(t *testing.T) {
	const head = "void f(int n, int m, double A[n][m], double B[n][m], double C[n][m][n], double x[n], double y[m]) {\n#pragma scop\n%s\n#pragma endscop\n}\n"
	for name, statements := range map[string]string{
		"one loop":     "for (int i = 0; i < n; i++) x[i] = x[i] * 2 + 1;",
		"in place":     "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] += x[i] * y[j];",
		"inside":       "for (int i = 1; i < n - 1; i++) for (int j = 2; j < m - 3; j++) A[i][j] = B[i-1][j] + B[i+1][j] + B[i][j-2] + B[i][j+3];",
		"three loops":  "for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < n - 1; k++) C[i][j][k] = A[i-1][j] * x[k+1];",
		"statements":   "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { A[i][j] = x[i] + y[j]; B[i][j] += A[i][j] * A[i][j]; }",
		"triangle":     "for (int i = 0; i < n; i++) for (int j = 0; j < m - i; j++) A[i][j] = B[i][j] + A[i][j];",
		"band":         "for (int i = 0; i < n; i++) for (int j = i; j < i + 3 && j < m; j++) A[i][j] = 2 * A[i][j];",
		"conditional":  "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { A[i][j] = 1; if (j > i) B[i][j] = A[i][j] + y[j]; }",
		"variables":    "double s, t; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { s = A[i][j] * x[i]; t = s + y[j]; A[i][j] = t * s; if (j > 1) B[i][j] = t; }",
		"every second": "for (int i = 0; i < n; i += 2) for (int j = 0; j < m; j++) A[i][j] = x[i/2] + B[i][j];",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := find(nestOf(t, "points.c", fmt.Sprintf(head, statements)), schedule.Smart, Options{Map: small})
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(p.Kernels)
			if floors := name == "every second"; strings.Contains(text, "_whole, ") == floors || !strings.Contains(text, "_values") {
				t.Errorf("%v", p.Kernels)
			}
			for _, at := range []map[string]int64{{"n": 13, "m": 17}, {"n": 24, "m": 16}, {"n": 1, "m": 5}, {"n": 2, "m": 1}} {
				if ok, err := p.Nest.Context.Contains(at); err == nil && ok {
					check(t, p, at)
				}
			}
		})
	}
}

// TestStoresAcross: work-groups whose work-items store across the lines of a matrix are as wide as a sector, and others as wide as a line of work-items.
func TestStoresAcross(t *testing.T) {
	const text = "void f(int n, %s A[n][n], %s B[n][n], %s C[n][n]) {\n#pragma scop\nfor (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { A[i][j] = 2*B[i][j]; %s = A[i][j]; }\n#pragma endscop\n}\n"
	for _, c := range []struct{ dtype, to, block string }{{"float", "C[j][i]", "8x32"}, {"double", "C[j][i]", "4x64"}, {"float", "C[i][j]", "32x8"}, {"float", "C[j][j]", "32x8"}} {
		n := nestOf(t, "across.c", fmt.Sprintf(text, c.dtype, c.dtype, c.dtype, c.to))
		p, err := Find(t.Context(), n, Options{Sizes: map[string]int64{"n": 4000}})
		if err != nil {
			t.Fatal(err)
		}
		if got := written(Default(p.asked[0].form).Block); got != c.block {
			t.Errorf("%s of %s: work-groups of %s", c.to, c.dtype, got)
		}
	}
}
