package interp_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"

	"pgregory.net/rapid"
)

// subject is a kernel with what it computes, in plain Go on small integers, which float32 sums exactly in any order.
type subject struct {
	name   string
	spec   kernel.Spec
	inames []string
	params func(t *rapid.T) map[string]int64
	// sizes of the arrays, inputs first; the last is the result.
	arrays []string
	sizes  func(p map[string]int64) map[string]int
	want   func(p map[string]int64, in map[string][]float64) []float64
	// prefetches that may be asked for: array and the swept inames before splitting.
	prefetch map[string][]string
}

var subjects = []subject{
	{
		name: "matmul",
		spec: kernel.Spec{
			Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c[i,j] = sum(k, a[i,k]*b[k,j])",
			DTypes: map[string]expr.DType{"a": "float32", "b": "float32"},
		},
		inames: []string{"i", "j", "k"},
		params: func(t *rapid.T) map[string]int64 { return map[string]int64{"n": rapid.Int64Range(0, 11).Draw(t, "n")} },
		arrays: []string{"a", "b", "c"},
		sizes: func(p map[string]int64) map[string]int {
			n := int(p["n"])
			return map[string]int{"a": n * n, "b": n * n, "c": n * n}
		},
		want: func(p map[string]int64, in map[string][]float64) []float64 {
			n := int(p["n"])
			c := make([]float64, n*n)
			for i := range n {
				for j := range n {
					for k := range n {
						c[n*i+j] += in["a"][n*i+k] * in["b"][n*k+j]
					}
				}
			}
			return c
		},
		prefetch: map[string][]string{"a": {"i", "k"}, "b": {"k", "j"}},
	},
	{
		name: "stencil",
		spec: kernel.Spec{
			Domains:      []string{"{[i,j]: 0<=i<n and 0<=j<m}"},
			Instructions: "res[i,j] = u[i,j+1] + u[i+1,j] - 4*u[i+1,j+1] + u[i+1,j+2] + u[i+2,j+1]",
			DTypes:       map[string]expr.DType{"u": "float32"},
			Args: []*kernel.Array{{Name: "u", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{
				&expr.Op{Kind: expr.Add, Args: []expr.Expr{expr.Var{Name: "n"}, expr.Int{Value: 2}}},
				&expr.Op{Kind: expr.Add, Args: []expr.Expr{expr.Var{Name: "m"}, expr.Int{Value: 2}}},
			}}},
		},
		inames: []string{"i", "j"},
		params: func(t *rapid.T) map[string]int64 {
			return map[string]int64{"n": rapid.Int64Range(1, 9).Draw(t, "n"), "m": rapid.Int64Range(1, 9).Draw(t, "m")}
		},
		arrays: []string{"u", "res"},
		sizes: func(p map[string]int64) map[string]int {
			return map[string]int{"u": int((p["n"] + 2) * (p["m"] + 2)), "res": int(p["n"] * p["m"])}
		},
		want: func(p map[string]int64, in map[string][]float64) []float64 {
			n, m, u := int(p["n"]), int(p["m"]), in["u"]
			res := make([]float64, n*m)
			at := func(i, j int) float64 { return u[(m+2)*i+j] }
			for i := range n {
				for j := range m {
					res[m*i+j] = at(i, j+1) + at(i+1, j) - 4*at(i+1, j+1) + at(i+1, j+2) + at(i+2, j+1)
				}
			}
			return res
		},
		prefetch: map[string][]string{"u": {"i", "j"}},
	},
	{
		name: "triangle",
		spec: kernel.Spec{
			Domains: []string{"{[i,k]: 0<=i<n and 0<=k<=i}"}, Instructions: "y[i] = sum(k, l[i,k]*x[k])",
			DTypes: map[string]expr.DType{"l": "float32", "x": "float32"},
		},
		inames: []string{"i", "k"},
		params: func(t *rapid.T) map[string]int64 { return map[string]int64{"n": rapid.Int64Range(1, 12).Draw(t, "n")} },
		arrays: []string{"l", "x", "y"},
		sizes: func(p map[string]int64) map[string]int {
			n := int(p["n"])
			return map[string]int{"l": n * n, "x": n, "y": n}
		},
		want: func(p map[string]int64, in map[string][]float64) []float64 {
			n := int(p["n"])
			y := make([]float64, n)
			for i := range n {
				for k := range i + 1 {
					y[i] += in["l"][n*i+k] * in["x"][k]
				}
			}
			return y
		},
		prefetch: map[string][]string{"x": {"k"}},
	},
}

// TestTransformedKernelsCompute: whatever is split, mapped, prefetched and reordered, the program computes the same, at
// sizes that divide and sizes that do not.
func TestTransformedKernelsCompute(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkSubject(t, s) })
		})
	}
}

func checkSubject(t *rapid.T, s subject) {
	k, err := kernel.Make(s.spec)
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	step := func(what string, next *kernel.Kernel, err error) bool {
		log = append(log, what)
		if err != nil {
			log[len(log)-1] += " (refused: " + err.Error() + ")"
			return false
		}
		if err := next.Check(); err != nil {
			t.Fatalf("%s: %v", strings.Join(log, "; "), err)
		}
		k = next
		return true
	}
	reduced := s.inames[len(s.inames)-1]
	if s.name == "stencil" {
		reduced = ""
	}
	inner := map[string]string{}
	axis := 0
	var sequential []string
	for _, i := range s.inames {
		inner[i] = i
		if !rapid.Bool().Draw(t, "split "+i) {
			sequential = append(sequential, i)
			continue
		}
		length := rapid.SampledFrom([]int64{1, 2, 3, 4}).Draw(t, "length")
		next, err := transform.SplitIname(k, i, length, transform.Split{})
		if !step(fmt.Sprintf("split %s by %d", i, length), next, err) {
			t.Fatal(log)
		}
		inner[i] = i + "_inner"
		sequential = append(sequential, i+"_outer")
		tags := ""
		switch {
		case i != reduced && axis < 2:
			tags = rapid.SampledFrom([]string{"", fmt.Sprintf("%s_outer:g.%d, %s_inner:l.%d", i, axis, i, axis), fmt.Sprintf("%s_inner:l.%d", i, axis)}).Draw(t, "tags")
			axis++
		case i == reduced:
			tags = rapid.SampledFrom([]string{"", i + "_inner:unr"}).Draw(t, "tags")
		}
		if tags != "" {
			next, err := transform.TagInames(k, tags)
			if !step("tag "+tags, next, err) {
				t.Fatal(log)
			}
		} else {
			sequential = append(sequential, i+"_inner")
		}
	}
	for _, a := range s.arrays {
		sweep, ok := s.prefetch[a]
		if !ok || !rapid.Bool().Draw(t, "prefetch "+a) {
			continue
		}
		var names []string
		for _, i := range sweep {
			if inner[i] != i {
				names = append(names, inner[i])
			}
		}
		if len(names) == 0 {
			continue
		}
		next, err := transform.AddPrefetch(k, a, names, transform.Prefetch{BoundingBox: rapid.Bool().Draw(t, "box")})
		if err == nil {
			// A tile outside a loop that the sum's initialization needs has no place; that is refused, and by name.
			if _, nested := linear.New(next); nested != nil {
				if !strings.Contains(nested.Error(), "cannot be nested") {
					t.Fatalf("%s: %v", strings.Join(log, "; "), nested)
				}
				continue
			}
		}
		step(fmt.Sprintf("prefetch %s over %v", a, names), next, err)
	}
	if rapid.Bool().Draw(t, "prioritize") {
		next, err := transform.PrioritizeLoops(k, rapid.Permutation(sequential).Draw(t, "order")[:min(2, len(sequential))])
		if err == nil {
			if _, err = linear.New(next); err == nil {
				step("prioritize", next, nil)
			}
		}
	}
	nest, err := linear.New(k)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(log, "; "), err, k)
	}
	params := s.params(t)
	in := map[string][]float64{}
	buffers := map[string]*interp.Buffer{}
	for n, a := range s.arrays {
		size := s.sizes(params)[a]
		b := interp.NewBuffer("float32", size)
		in[a] = make([]float64, size)
		for i := range size {
			in[a][i] = float64((i*7+3*n+1)%11 - 5)
			if n < len(s.arrays)-1 {
				b.Set(i, in[a][i])
			}
		}
		buffers[a] = b
	}
	if _, err := interp.Run(nest, params, buffers); err != nil {
		t.Fatalf("%s at %v: %v\n%s", strings.Join(log, "; "), params, err, nest)
	}
	result := buffers[s.arrays[len(s.arrays)-1]]
	for i, want := range s.want(params, in) {
		if !result.Defined(i) || result.At(i) != want {
			t.Fatalf("%s at %v: element %d is %v (defined: %v), want %v\n%s", strings.Join(log, "; "), params, i, result.At(i), result.Defined(i), want, nest)
		}
	}
}
