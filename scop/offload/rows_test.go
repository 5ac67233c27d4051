package offload

import (
	"testing"

	"gpuperf/scop/schedule"
)

// TestRows: a work-group makes all that is done to a row, with its sums and extremes shared, and computes what the text does; where that is worse, there are launches.
func TestRows(t *testing.T) {
	const head = "void f(int n, int m, double A[n][m], double B[n][m], double C[m][n], double s[n], double t[n]) {\n#pragma scop\n"
	for name, x := range map[string]struct {
		text     string
		launches int
	}{
		"moments": {"for (int i = 0; i < n; i++) { s[i] = 0; for (int j = 0; j < m; j++) s[i] += A[i][j]; s[i] /= m; for (int j = 0; j < m; j++) B[i][j] = A[i][j] - s[i]; }", 1},
		"greatest": {`for (int i = 0; i < n; i++) { s[i] = A[i][0]; for (int j = 1; j < m; j++) s[i] = fmax(s[i], A[i][j]); t[i] = 0; for (int j = 0; j < m; j++) t[i] += A[i][j] - s[i];
			for (int j = 0; j < m; j++) B[i][j] = (A[i][j] - s[i]) / (1 + t[i] * t[i]); }`, 1},
		"columns": {"for (int i = 0; i < n; i++) { s[i] = 0; for (int j = 0; j < m; j++) s[i] += C[j][i]; for (int j = 0; j < m; j++) C[j][i] -= s[i]; }", 2},
		"itself":  {"for (int i = 0; i < n; i++) { s[i] = A[i][0]; for (int j = 1; j < m; j++) s[i] = fmin(s[i], A[i][j] - s[i]); for (int j = 0; j < m; j++) B[i][j] = A[i][j] - s[i]; }", 2},
	} {
		t.Run(name, func(t *testing.T) {
			n := nestOf(t, "rows.c", head+x.text+"\n#pragma endscop\n}\n")
			p, err := find(n, schedule.Smart, Options{Sizes: map[string]int64{"n": 4096, "m": 4096}})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Kernels) != x.launches {
				t.Errorf("%d launches, not %d", len(p.Kernels), x.launches)
			}
			for _, at := range []map[string]int64{{"n": 3, "m": 70}, {"n": 5, "m": 1}, {"n": 2, "m": 257}} {
				check(t, p, at)
			}
		})
	}
}
