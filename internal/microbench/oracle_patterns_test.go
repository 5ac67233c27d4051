package microbench

import (
	"math"
	"testing"
)

// streamOracle adds up what the elements of a work-item have in all arrays that are read.
func streamOracle(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
	each, size, reads := v.integer("each"), v.integer("lsize_0"), v.integer("reads")
	read := func(i int) float64 {
		return sum(reads, func(k int) float64 { return b["in"+string(rune('0'+k))].At(i * v.integer("load_stride")) })
	}
	b.want(t, "result", func(i int) float64 {
		if i%v.integer("store_stride") != 0 {
			t.Errorf("result[%d] was written", i)
		}
		i /= v.integer("store_stride")
		if v.text("writes") == "each" {
			switch {
			case reads > 0:
				return read(i)
			case v.text("place") == "apart":
				return float64(i % size % 8)
			}
			return float64(i / each % size % 8)
		}
		if v.integer("local_bytes") > 0 { // mirrored in its work-group
			i += size - 1 - 2*(i%size)
		}
		return sum(each, func(e int) float64 {
			if v.text("place") == "apart" {
				return read(i/size*size*each + e*size + i%size)
			}
			return read(i*each + e)
		})
	})
}

// walkOracle adds up rows, columns, or what each work-item of a group meets.
func walkOracle(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
	lines, m, size := int(v.Sizes["lines"]), int(v.Sizes["m"]), v.integer("lsize_0")
	along := v.text("along")
	b.want(t, "result", func(i int) float64 {
		n := m
		if v.text("writes") == "each" { // element i is of a work-item after so many elements
			last := map[string]int{"rows": i % m, "columns": i / lines, "groups": i / size % m}[along]
			i, n = map[string]int{"rows": i / m, "columns": i % lines, "groups": i/size/m*size + i%size}[along], last+1
		}
		return sum(n, func(k int) float64 {
			at := map[string]int{"rows": i*m + k, "columns": k*lines + i, "groups": (i/size*m+k)*size + i%size}[along]
			if weight := b["weight"]; weight != nil {
				return b["in0"].At(at) * weight.At(k)
			}
			return b["in0"].At(at)
		})
	})
}

// tileOracle adds up parts of the rows or columns of all tiles.
func tileOracle(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
	edge, width := v.integer("edge"), v.integer("edge")*int(v.Sizes["groups"])
	shared := v.value("shared").Int != 0
	if shared {
		width = edge
	}
	b.want(t, "result", func(i int) float64 {
		group, l0 := i/edge/edge, i%edge
		return sum(int(v.Sizes["m"]), func(k int) float64 {
			return sum(v.integer("reuse"), func(r int) float64 {
				row, column := r, l0
				if v.text("across") == "rows" {
					row, column = l0, r
				}
				if !shared {
					column += edge * group
				}
				return b["in0"].At((edge*k+row)*width + column)
			})
		})
	})
}

// stencilOracle adds up a star in arrays whose borders are as wide as the radius.
func stencilOracle(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
	n, radius := int(v.Sizes["n"]), v.integer("radius")
	b.want(t, "result", func(i int) float64 {
		at, strides := 0, []int{}
		for stride, dim := 1, 0; dim < v.integer("dims"); dim++ {
			at += (i%n + radius) * stride
			i /= n
			strides = append(strides, stride)
			stride *= n + 2*radius
		}
		total := b["in0"].At(at)
		for _, stride := range strides {
			total += sum(radius, func(k int) float64 { return b["in0"].At(at-(k+1)*stride) + b["in0"].At(at+(k+1)*stride) })
		}
		return total
	})
}

// productOracle adds up the part of the product that a work-item computes.
func productOracle(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
	each, edge := v.integer("each"), v.integer("edge")
	wide := each * edge
	b.want(t, "result", func(i int) float64 {
		l1, l0 := i/edge%edge, i%edge
		return sum(int(v.Sizes["m"])*v.integer("depth"), func(row int) float64 {
			return sum(each, func(k int) float64 { return b["a"].At(row*wide + each*l1 + k) }) *
				sum(each, func(k int) float64 { return b["b"].At(row*wide + edge*k + l0) })
		})
	})
}

// opsOracle updates each chain by itself.
func opsOracle(t *testing.T, v Variant, b arrays, _ map[string][]float64) {
	update := map[string]func(x float64) float64{
		"add": func(x float64) float64 { return x + 1 }, "mul": func(x float64) float64 { return -x },
		"madd": func(x float64) float64 { return 5 - x }, "div": func(x float64) float64 { return 6 / x },
		"exp": func(x float64) float64 { return math.Exp(-x) }, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
		"sqrt": func(x float64) float64 { return math.Sqrt(x + 1) }, "sin": math.Sin,
		"convert": func(x float64) float64 { return 5 - math.Trunc(x) }, "widen": func(x float64) float64 { return 5 - x },
		"select": func(x float64) float64 {
			if x < 3 {
				return x + 1
			}
			return x - 1
		},
		"divide": func(x float64) float64 { return math.Floor(72 / x) },
		"modulo": func(x float64) float64 { return 2 + math.Mod(7, x) },
		"bits":   func(x float64) float64 { return float64(int(x) ^ 1) },
	}[v.text("function")]
	total := sum(v.integer("chains"), func(k int) float64 {
		x := 2 + float64(k)/4
		if v.text("dtype") == "int32" {
			x = 2 + float64(k)
		}
		for range v.Sizes["m"] {
			x = update(x)
		}
		return x
	})
	b.want(t, "result", func(i int) float64 {
		if got := b["result"].At(i); math.Abs(got-total) <= 1e-5*math.Abs(total) {
			return got
		}
		return total
	})
}
