package microbench

import (
	"math"
	"slices"
	"testing"

	"gpuperf/kernel/interp"
)

// arrays are the buffers of a run, after it.
type arrays map[string]*interp.Buffer

// oracles compute the results by themselves. Inputs are small integers, so that sums and products do not round.
var oracles = map[string]func(t *testing.T, v Variant, b arrays, start map[string][]float64){
	"flops_madd_pattern": flopsOracle(1, 0, func(_ int, x float64) float64 { return 5 - x }),
	"flops_mul_pattern":  flopsOracle(1, 0, func(_ int, x float64) float64 { return -x }),
	"flops_add_pattern":  flopsOracle(1, 0, func(i int, x float64) float64 { return x + float64(1-2*(i%2)) }),
	"flops_div_pattern":  flopsOracle(1, 1e-5, func(_ int, x float64) float64 { return 6 / x }),
	"flops_pow_pattern":  flopsOracle(0.3, 1e-5, func(_ int, x float64) float64 { return 1 / x }),
	"flops_func_pattern": func(t *testing.T, v Variant, b arrays, start map[string][]float64) {
		f := map[string]func(float64) float64{
			"exp":   func(x float64) float64 { return math.Exp(-x) },
			"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
			"sin":   math.Sin, "cos": math.Cos, "sqrt": math.Sqrt, "tanh": math.Tanh,
		}[v.text("function")]
		flopsOracle(1e-3, 1e-5, func(_ int, x float64) float64 { return f(x) })(t, v, b, start)
	},
	"gmem_pattern": func(t *testing.T, v Variant, b arrays, start map[string][]float64) {
		result := b["result"]
		b.want(t, "result", func(i int) float64 {
			total := 0.0
			for name, in := range b {
				if name != "result" && result.Defined(i) {
					total += in.At(i)
				}
			}
			return total
		})
	},
	"cache_pattern": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		size, stride, step := v.integer("lsize_0"), v.integer("lid_stride"), v.integer("step")
		b.want(t, "result", func(i int) float64 {
			return sum(int(v.Sizes["m"]), func(k int) float64 {
				return b["in0"].At(i/size*size + i%size*stride + k*step + v.integer("shift"))
			})
		})
	},
	"lmem_pattern": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		// a column holds l0 to l0+16; each of the m/16 sweeps brings the next element down, the last one stays
		b.want(t, "result", func(i int) float64 {
			return float64(i%v.integer("lsize_0")) + math.Min(16, float64(v.Sizes["m"]/16))
		})
	},
	"overlap_ratio": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		b.want(t, "result", func(i int) float64 { return b["in0"].At(i) })
	},
	"matmul_sq": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		n := int(v.Sizes["n"])
		b.want(t, "c", func(at int) float64 {
			return sum(n, func(k int) float64 { return b["a"].At(at/n*n+k) * b["b"].At(k*n+at%n) })
		})
	},
	"dg_diff": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		elements, nodes := int(v.Sizes["nelements"]), v.integer("nunit_nodes")
		b.want(t, "res", func(at int) float64 {
			m, k, i := at/nodes/elements, at/nodes%elements, at%nodes
			u := func(j int) float64 { return b["u"].At(k*nodes + j) }
			if v.text("variant") == "prefetch_diff_mat_T" {
				i, k = at/elements%nodes, at%elements
				u = func(j int) float64 { return b["u"].At(j*elements + k) }
			}
			return sum(nodes, func(j int) float64 { return b["diff_mat"].At((m*nodes+i)*nodes+j) * u(j) })
		})
	},
	"finite_diff": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		n := int(v.Sizes["n"])
		u := func(i, j int) float64 { return b["u"].At(i*(n+2) + j) }
		b.want(t, "res", func(at int) float64 {
			i, j := at/n+1, at%n+1
			return u(i-1, j) + u(i, j-1) + u(i, j+1) + u(i+1, j) - 4*u(i, j)
		})
	},
	"transpose": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		n := int(v.Sizes["n"])
		b.want(t, "b", func(at int) float64 { return b["a"].At(at%n*n + at/n) })
	},
	"convolution": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		n, w := int(v.Sizes["n"]), v.integer("filter_size")
		b.want(t, "result", func(at int) float64 {
			return sum(w*w, func(pq int) float64 {
				return b["weights"].At(pq) * b["image"].At((at/n+pq/w)*(n+w-1)+at%n+pq%w)
			})
		})
	},
	"axpy": func(t *testing.T, v Variant, b arrays, start map[string][]float64) {
		b.want(t, "y", func(i int) float64 { return b["alpha"].At(0)*b["x"].At(i) + start["y"][i] })
	},
	"vary_flops": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		b.want(t, "result", func(i int) float64 {
			x := b["in0"].At(i)
			return sum(v.integer("n_flops")+1, func(k int) float64 { return math.Pow(x, float64(k+1)) })
		})
	},
	"stream_pattern":  streamOracle,
	"walk_pattern":    walkOracle,
	"tile_pattern":    tileOracle,
	"stencil_pattern": stencilOracle,
	"product_pattern": productOracle,
	"ops_pattern":     opsOracle,
	"tree_pattern": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		size := v.integer("lsize_0")
		b.want(t, "result", func(i int) float64 {
			return sum(size, func(l int) float64 { return b["in0"].At(i*size + l) })
		})
	},
	"gather_pattern": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		run, seen := v.integer("run"), map[int64]bool{}
		b.want(t, "result", func(i int) float64 {
			at := b["at"].Int(i)
			if seen[at] || i%run > 0 && at != b["at"].Int(i-1)+1 {
				t.Errorf("place %d of %d follows %d", at, i, b["at"].Int(i-1))
			}
			seen[at] = true
			return b["in0"].At(int(at))
		})
	},
	"rounds_pattern": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		batch, step, stride := v.integer("batch"), v.integer("step"), v.integer("lid_stride")
		b.want(t, "result", func(i int) float64 {
			return sum(batch, func(k int) float64 { return b["in0"].At(i*stride + (int(v.Sizes["m"])-1)*batch*step + k*step) })
		})
	},
	"guard_pattern": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		width := int(v.Sizes["width"])
		b.want(t, "result", func(i int) float64 {
			c := i % width
			return float64(c) + sum(min(v.integer("guards")+1, width-c), func(k int) float64 { return b["in0"].At(i + k) })
		})
	},
	"vary_subs": func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		b.want(t, "result", func(i int) float64 { return b["in0"].At(i) - b["in1"].At(i) - b["in2"].At(i) })
	},
}

func sum(n int, term func(int) float64) float64 {
	total := 0.0
	for i := range n {
		total += term(i)
	}
	return total
}

func (v Variant) value(name string) Value {
	return v.Args[slices.IndexFunc(v.Args, func(a NamedValue) bool { return a.Name == name })].Value
}

func (v Variant) text(name string) string { return v.value(name).Text }
func (v Variant) integer(name string) int { return int(v.value(name).Int) }

// want compares the elements of an array that were written. A kernel writes all of them, or one for each of its
// work-items.
func (b arrays) want(t *testing.T, name string, value func(i int) float64) {
	t.Helper()
	defined := 0
	for i := range b[name].Len() {
		if !b[name].Defined(i) {
			continue
		}
		defined++
		if got, want := b[name].At(i), value(i); got != want {
			t.Fatalf("%s[%d] = %v, want %v", name, i, got, want)
		}
	}
	if defined == 0 {
		t.Errorf("%s was not written", name)
	}
}

// flopsOracle updates 32 variables in place, as the paper's kernels do: values stay between least and 4 in size, and a
// step rounds by at most the tolerance, relative, in all.
func flopsOracle(least, tolerance float64, f func(i int, x float64) float64) func(*testing.T, Variant, arrays, map[string][]float64) {
	return func(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
		var x [32]float64
		for i := range x {
			x[i] = 2 + float64(i)/32
		}
		for range v.Sizes["m"] {
			for i := range x {
				if x[i] = f(i, x[(i+11)%32]); math.Abs(x[i]) < least || math.Abs(x[i]) > 4 {
					t.Fatalf("variable %d becomes %v", i, x[i])
				}
			}
		}
		total := sum(32, func(i int) float64 { return x[i] })
		b.want(t, "result", func(i int) float64 {
			if got := b["result"].At(i); math.Abs(got-total) <= tolerance*math.Abs(total) {
				return got
			}
			return total
		})
	}
}
