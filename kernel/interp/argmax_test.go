package interp_test

import (
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/transform"

	"pgregory.net/rapid"
)

// TestArgmax compares the first greatest and least values and their indices with a plain loop over random values with many ties.
func TestArgmax(t *testing.T) {
	split := func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.SplitIname(k, "j", 4, transform.Split{})
	}
	for _, c := range []struct {
		name, instructions string
		loads              int64 // of x, per value
		step               func(*kernel.Kernel) (*kernel.Kernel, error)
	}{
		{"pair", "v[i], at[i] = argmax(j, x[i,j], j)", 1, nil},
		{"pair of temporaries", "<> best, <> p = argmax(j, x[i,j], j)  {id=am}\n v[i] = best {dep=am}\n at[i] = p {dep=am}", 1, nil},
		{"pair, of which one target is not indexed", "<> best, at[i] = argmax(j, x[i,j], j)\n v[i] = best", 1, nil},
		{"pair, split", "v[i], at[i] = argmax(j, x[i,j], j)", 1, split},
		{"index alone", "at[i] = argmax(j, x[i,j], j)\n v[i] = sum(k, x[i,k]*(1 if k == at[i] else 0))", 2, nil},
		{"by itself and within an expression", "v[i] = max(j, x[i,j])\n at[i] = 2*argmax(j, x[i,j], j) - argmax(k, x[i,k], k)", 2, nil},
		{"twice", "v[i], at[i] = argmax(j, x[i,j], j)\n w[i], at2[i] = argmin(j, x[i,j], j)", 2, nil},
		{"again to the same", "v[i], at[i] = argmin(j, x[i,j], j)\n v[i], at[i] = argmax(j, x[i,j], j)", 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := makeKernel(t, kernel.Spec{
				Domains: []string{"{[i,j,k]: 0<=i<n and 0<=j,k<m}"}, Instructions: c.instructions, Assumptions: "n >= 1 and m >= 1",
				DTypes: map[string]expr.DType{"x": "int32"},
			}, "")
			if c.step != nil {
				var err error
				if k, err = c.step(k); err != nil {
					t.Fatal(err)
				}
			}
			nest := nestOf(t, k)
			rapid.Check(t, func(t *rapid.T) {
				n, m := rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(1, 9).Draw(t, "m")
				buffers := map[string]*interp.Buffer{}
				for _, name := range []string{"v", "at", "w", "at2"} {
					buffers[name] = interp.NewBuffer("int32", n)
				}
				x := interp.NewBuffer("int32", n*m)
				for i := range n * m {
					x.Set(i, float64(rapid.IntRange(-2, 2).Draw(t, "x")))
				}
				buffers["x"] = x
				r, err := interp.Run(nest, map[string]int64{"n": int64(n), "m": int64(m)}, buffers)
				if err != nil {
					t.Fatal(err)
				}
				for i := range n {
					most, least := 0, 0
					for j := range m {
						if x.At(i*m+j) > x.At(i*m+most) {
							most = j
						}
						if x.At(i*m+j) < x.At(i*m+least) {
							least = j
						}
					}
					if buffers["v"].At(i) != x.At(i*m+most) || buffers["at"].At(i) != float64(most) {
						t.Fatalf("row %d: %v at %v, want %v at %d", i, buffers["v"].At(i), buffers["at"].At(i), x.At(i*m+most), most)
					}
					if c.name == "twice" && (buffers["w"].At(i) != x.At(i*m+least) || buffers["at2"].At(i) != float64(least)) {
						t.Fatalf("row %d: least %v at %v, want %v at %d", i, buffers["w"].At(i), buffers["at2"].At(i), x.At(i*m+least), least)
					}
				}
				if r.Loads["x"] != c.loads*int64(n*m) {
					t.Fatalf("%d loads of x for %d values, want %d each", r.Loads["x"], n*m, c.loads)
				}
			})
		})
	}
}

// TestArgmaxOfNothing: no value is beyond the neutral element.
func TestArgmaxOfNothing(t *testing.T) {
	k := makeKernel(t, kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}", "{[j]: 0<=j<i}"}, Instructions: "v[i], at[i] = argmin(j, x[j], j + 3)",
		DTypes: map[string]expr.DType{"x": "float32"},
	}, "")
	buffers := map[string]*interp.Buffer{"x": filled("float32", 3), "v": interp.NewBuffer("float32", 3), "at": interp.NewBuffer("int32", 3)}
	if _, err := interp.Run(nestOf(t, k), map[string]int64{"n": 3}, buffers); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{-1, 3, 3} {
		if got := buffers["at"].At(i); got != want {
			t.Errorf("at[%d] is %v, want %v", i, got, want)
		}
	}
}
