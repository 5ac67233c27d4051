package offload

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/scop/schedule"
)

// TestSweeps: loops inside parallel ones compute what the text does with whatever steps they are made in, whoever helps, and in chunks; what may depend on each other stays in its order.
func TestSweeps(t *testing.T) {
	const head = "void f(int n, int m, double A[n][m], double B[n][m], double C[m][n]) {\n#pragma scop\nfor (int i = 0; i < n; i++) {\n%s\n}\n#pragma endscop\n}\n"
	for name, x := range map[string]struct {
		text          string
		swept, linear bool
	}{
		"rows":           {"for (int j = 1; j < m; j++) A[i][j] = A[i][j-1] * 0.5 + B[i][j];", true, true},
		"backwards":      {"for (int j = m - 2; j >= 0; j--) A[i][j] = A[i][j+1] * 0.5 + B[i][j];", true, true},
		"columns":        {"for (int j = 1; j < m; j++) C[j][i] = C[j-1][i] * 0.5 + B[i][j];", true, true},
		"in place":       {"for (int j = 1; j < m; j++) A[i][j] += A[i][j-1] * 0.5;", true, true},
		"there and back": {"for (int j = 1; j < m; j++) A[i][j] = A[i][j-1] * 0.5 + B[i][j]; for (int j = m - 2; j >= 0; j--) B[i][j] = B[i][j+1] * 0.25 + A[i][j];", true, true},
		"divided":        {"for (int j = 1; j < m; j++) { A[i][j] = (C[j][i] - 0.5 * (A[i][j-1] - B[i][j])) / (2 + B[i][j]); }", true, true},
		"great":          {"for (int j = 1; j < m; j++) A[i][j] = A[i][j-1] * (j == j / 3 * 3 ? 1e100 : j == j / 3 * 3 + 1 ? 1e-300 : 1e200) * B[i][0];", true, true},
		"squared":        {"for (int j = 1; j < m; j++) A[i][j] = A[i][j-1] * A[i][j-1] + B[i][j];", true, false},
		"second order":   {"for (int j = 2; j < m; j++) A[i][j] = A[i][j-1] * 0.5 + A[i][j-2] * 0.25 + B[i][j];", true, false},
		"two":            {"A[i][0] = 1; for (int j = 1; j < m; j++) { A[i][j] = 1 / (A[i][j-1] + 2); B[i][j] = B[i][j-1] / (A[i][j-1] + 2) + A[i][j]; }", true, false},
		"triangle":       {"for (int j = i + 1; j < m; j++) A[i][j] = A[i][j-1] * 0.5 + B[i][j];", true, false},
		"far":            {"for (int j = 5; j < m; j++) A[i][j] = A[i][j-5] * 0.5 + B[i][j];", true, false},
		"conditional":    {"for (int j = 1; j < m; j++) { if (j > 2) A[i][j] = A[i][j-1] * 0.5; B[i][j] = A[i][j] + C[j][i]; }", true, true},
		"sometimes":      {"A[i][0] = 2; if (i < n - i) for (int j = 1; j < m; j++) A[i][j] = A[i][j-1] * 0.5 + B[i][j];", false, false},
		"doubled":        {"for (int j = 0; j < m/2; j++) A[i][2*j] = A[i][j] + B[i][j];", false, false},
		"stored later":   {"for (int j = 0; j < m - 1; j++) { B[i][j] = A[i][j+1] + 1; A[i][j] = B[i][j] * C[j][i]; }", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			n := nestOf(t, "sweep.c", fmt.Sprintf(head, x.text))
			var p *Program
			for _, m := range []Mapping{{Block: []int64{4, 1}, Depth: 2}, {Block: []int64{4, 2}, Depth: 4}, {Block: []int64{4, 2}, Depth: 8}, {Block: []int64{2, 4}, Depth: 16}, {Block: []int64{4, 1}, Depth: 3}, {Block: []int64{4, 2}, Depth: 8, Scan: true}, {Block: []int64{2, 4}, Depth: 16, Scan: true}} {
				opt := Options{Map: func(f Form) Mapping {
					own := unchained(f)
					if m.Depth == 8 && f.Chain.Terms > 0 { // what makes chunks has sweeps of several parallel loops
						own.Chunk = 8
					}
					if !f.Sweep.some() {
						return own
					}
					return m
				}}
				if p == nil {
					var err error
					if p, err = find(n, schedule.Smart, opt); err != nil {
						t.Fatal(err)
					}
				} else {
					p = again(t, p, opt)
				}
				if strings.Contains(fmt.Sprint(p.Kernels), "_step] : ") != x.swept && m.Depth != 3 { // of which 4 work-items have no parts
					t.Errorf("%v", p.Kernels)
				}
				if parts := strings.Contains(fmt.Sprint(p.Kernels), "_factors"); parts != (m.Scan && x.linear) && name != "two" { // of which one of two loops is
					t.Errorf("in parts: %v", parts)
				}
				for _, at := range []map[string]int64{{"n": 9, "m": 23}, {"n": 3, "m": 1}, {"n": 5, "m": 2}, {"n": 4, "m": 9}, {"n": 6, "m": 17}} {
					if ok, err := n.Context.Contains(at); err == nil && ok {
						check(t, p, at)
					}
				}
			}
		})
	}
}

// A sweep for which nothing is loaded ahead has a work-group along all axes, as any launch.
func TestSweepsOfNothingAhead(t *testing.T) {
	for parallel := 1; parallel <= 3; parallel++ {
		f := Form{Parallel: parallel, Serial: true, Bytes: 8, Extent: [3]int64{8, 4, 2}, Sweep: Sweep{Loads: 1, Across: 1, Terms: 1, Helped: true}}
		if m := Default(f); m.Depth == 1 && len(m.Block) != parallel {
			t.Errorf("%d loops: %+v", parallel, m)
		}
	}
}
