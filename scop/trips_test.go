package scop_test

import (
	"slices"
	"testing"

	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/scop"
)

// TestTrips: loops whose steps are parameters, or whose bounds or conditions are data, do what they do, where the parameter for their trips is at least as large as needed. Those of data do not
// run elsewhere.
func TestTrips(t *testing.T) {
	const n, m = 5, 2
	for _, c := range []struct {
		body  string
		trips string
		most  int64
		runs  bool
		want  func(a, b []float64, at []int64)
	}{
		{"for (i = 1; i < n; i += m) a[i] = b[i - 1] + i;", "i_trips", 2, true, func(a, b []float64, _ []int64) {
			for i := 1; i < n; i += m {
				a[i] = b[i-1] + float64(i)
			}
		}},
		{"for (i = n; i > 0; i -= m) { a[i - 1] += b[i]; if (b[i] > 0) b[i] = 1; }", "i_trips", 3, true, func(a, b []float64, _ []int64) {
			for i := n; i > 0; i -= m {
				if a[i-1] += b[i]; b[i] > 0 {
					b[i] = 1
				}
			}
		}},
		{"for (i = 0; i < n; i++) for (j = 0; j <= i; j += m) a[j] += b[i];", "j_trips", 4, false, func(a, b []float64, _ []int64) {
			for i := range n {
				for j := 0; j <= i; j += m {
					a[j] += b[i]
				}
			}
		}},
		{"for (i = 0; i < n; i += m) { int k = i; if (b[i] > 0) k = 3; a[k] += b[i]; }", "i_trips", 3, true, func(a, b []float64, _ []int64) {
			for i := 0; i < n; i += m {
				k := i
				if b[i] > 0 {
					k = 3
				}
				a[k] += b[i]
			}
		}},
		{"for (i = 0; i < n; i++) for (j = at[i]; j < at[i] + 3; j++) a[i] += b[(j % 5 + 5) % 5];", "j_trips", 5, false, func(a, b []float64, at []int64) {
			for i := range n {
				for j := at[i]; j < at[i]+3; j++ {
					a[i] += b[(j%5+5)%5]
				}
			}
		}},
		{"for (i = 0; i < n; i++) for (j = 9; j >= at[i]; --j) a[i] += j;", "j_trips", 40, false, func(a, _ []float64, at []int64) {
			for i := range n {
				for j := int64(9); j >= at[i]; j-- {
					a[i] += float64(j)
				}
			}
		}},
		{"for (i = 0; i < n; i++) { j = at[i]; while (j * j > 2) { j = j / 2; a[i] += j; } b[i] = j; }", "line_3_trips", 6, false, func(a, b []float64, at []int64) {
			for i := range n {
				j := at[i]
				for j*j > 2 {
					j /= 2
					a[i] += float64(j)
				}
				b[i] = float64(j)
			}
		}},
		{"for (i = 0; i < n; i++) { j = at[i]; do { j = j / 2; a[i] += j; } while (j > 1); b[i] = j; }", "line_3_trips", 6, false, func(a, b []float64, at []int64) {
			for i := range n {
				j := at[i] / 2
				for a[i] += float64(j); j > 1; a[i] += float64(j) {
					j /= 2
				}
				b[i] = float64(j)
			}
		}},
	} {
		t.Run(c.body, func(t *testing.T) {
			f, r := parseRegion(t, "void f(int n, int m, double a[9], double b[9], int at[9]) { int i, j;\n#pragma scop\n"+c.body+"\n#pragma endscop\n}\n")
			nest, err := scop.Build(f, r)
			if err != nil {
				t.Fatal(err)
			}
			if runs := nest.Ordered() == nil; runs != c.runs || runs != (nest.Given[c.trips] != nil) {
				t.Fatalf("it runs: %v\n%s", nest.Ordered(), nest)
			}
			k, err := nest.Kernel()
			if err != nil {
				t.Fatal(err)
			}
			program, err := linear.New(k)
			if err != nil {
				t.Fatal(err)
			}
			at, want := make([]int64, 9), map[string][]float64{"a": make([]float64, 9), "b": make([]float64, 9)}
			buffers := map[string]*interp.Buffer{}
			for _, x := range k.Arrays() {
				if x.IsValue || x.Space != "global" {
					continue
				}
				b := interp.NewBuffer(x.DType, 9)
				for i := range 9 {
					v := start(x.Name, position(int64(i), []int64{9}))
					if b.Set(i, v); x.Name == "at" {
						at[i] = int64(v)
					} else {
						want[x.Name][i] = v
					}
				}
				buffers[x.Name] = b
			}
			buffers["m"] = interp.NewBuffer(expr.Int32, 1)
			buffers["m"].Set(0, m)
			params := map[string]int64{}
			for _, p := range k.Params() {
				params[p] = map[string]int64{"n": n, "m": m, c.trips: c.most}[p]
			}
			if _, err := interp.Run(program, params, buffers); err != nil {
				t.Fatalf("%v\n%s", err, program)
			}
			c.want(want["a"], want["b"], at)
			for name, list := range want {
				if b := buffers[name]; b != nil {
					var got []float64
					for i := range 9 {
						got = append(got, b.At(i))
					}
					if !slices.Equal(got, list) {
						t.Errorf("%s is %v, want %v\n%s", name, got, list, program)
					}
				}
			}
		})
	}
}
