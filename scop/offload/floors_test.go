package offload

import (
	"fmt"
	"testing"

	"gpuperf/scop/schedule"
)

// TestFloors: subscripts and bounds that are rounded quotients are right in kernels of all forms.
func TestFloors(t *testing.T) {
	const head = "void f(int n, int m, double A[n][m], double B[m][n], double C[n][n], double x[n], double y[n]) {\n#pragma scop\n%s\n#pragma endscop\n}\n"
	product := func(bounds, term string) string {
		return fmt.Sprintf("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { C[i][j] = 0; for (int k = %s; k++) C[i][j] += %s; }", bounds, term)
	}
	for name, text := range map[string]string{
		"an operand":     product("0; k < m", "A[i][k] * B[k][j/2]"),
		"both operands":  product("0; k < m", "A[i/3][k] * B[k][(i + j)/2]"),
		"the sum's loop": product("0; k < m", "A[i][k/2] * B[k/3][j]"),
		"bounds":         product("i/2; k < m - j/3", "A[i][k] * B[k][j]"),
		"a time loop":    "for (int s = 0; s < m; s++) { for (int i = 1; i < n - 1; i++) y[i] = 0.3 * (x[i-1] + x[i] + x[i+1]) + x[i/2]; for (int i = 1; i < n - 1; i++) x[i] = 0.3 * (y[i-1] + y[i] + y[i+1]); }",
		"every second":   "for (int s = 0; s < m; s++) { for (int i = 1; i < n - 1; i++) y[i] = 0.3 * (x[i-1] + x[i] + x[i+1]); for (int i = 1; i < n - 1; i += 2) x[i] = 0.3 * (y[i-1] + y[i] + y[i+1]); }",
		"a wavefront":    "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) C[i][j] = C[i-1][j] + C[i][j-1] + x[i/2] * y[(i + j)/3];",
	} {
		n := nestOf(t, "floors.c", fmt.Sprintf(head, text))
		for _, m := range []func(Form) Mapping{small, ahead} {
			p, err := find(n, schedule.Smart, Options{Map: m})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			t.Run(name, func(t *testing.T) { check(t, p, map[string]int64{"n": 17, "m": 9}) })
		}
	}
}
