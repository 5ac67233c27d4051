package transform_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

// result is what a run leaves in the global arrays, by array and logical index; elements never written are absent.
type result map[string]float64

// run executes the kernel by the reference interpreter on data that depend only on the array and the logical index, and
// checks bounds, races and uninitialized reads on the way.
func run(k *kernel.Kernel, params map[string]int64) (result, error) {
	nest, err := linear.New(k)
	if err != nil {
		return nil, fmt.Errorf("linearize: %w", err)
	}
	buffers := map[string]*interp.Buffer{}
	type layout struct{ shape, strides []int64 }
	layouts := map[string]layout{}
	eval := func(e expr.Expr) (int64, error) {
		a, err := expr.ToAffine(e, nil)
		if err != nil {
			return 0, err
		}
		return a.Eval(params)
	}
	each := func(l layout, f func(name string, flat int64)) {
		index := make([]int64, len(l.shape))
		for {
			flat := int64(0)
			for i, x := range index {
				flat += x * l.strides[i]
			}
			f(fmt.Sprint(index), flat)
			i := len(index) - 1
			for ; i >= 0; i-- {
				if index[i]++; index[i] < l.shape[i] {
					break
				}
				index[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
	for _, a := range nest.Kernel.Args {
		if a.IsValue {
			continue
		}
		strides, err := a.Strides()
		if err != nil {
			return nil, err
		}
		l, size := layout{}, int64(1)
		for i := range a.Shape {
			n, err := eval(a.Shape[i])
			if err != nil {
				return nil, err
			}
			s, err := stride(strides[i], params)
			if err != nil {
				return nil, err
			}
			l.shape, l.strides, size = append(l.shape, n), append(l.strides, s), size*n
		}
		layouts[a.Name] = l
		b := interp.NewBuffer(a.DType, int(size))
		written := false
		for _, s := range nest.Kernel.Statements {
			for _, w := range nest.Kernel.Writes(s) {
				written = written || w.Array == a.Name
			}
		}
		if !written {
			each(l, func(name string, flat int64) {
				// small integers, so that sums are exact in any order
				h := rand.New(rand.NewPCG(uint64(len(name)), hash(a.Name+name)))
				b.Set(int(flat), float64(h.IntN(17)-8))
			})
		}
		buffers[a.Name] = b
	}
	if _, err := interp.Run(nest, params, buffers); err != nil {
		return nil, err
	}
	out := result{}
	for name, l := range layouts {
		each(l, func(index string, flat int64) {
			if b := buffers[name]; b.Defined(int(flat)) {
				out[name+index] = b.At(int(flat))
			}
		})
	}
	return out, nil
}

// stride evaluates a product of sizes.
func stride(e expr.Expr, params map[string]int64) (int64, error) {
	switch x := e.(type) {
	case expr.Int:
		return x.Value, nil
	case expr.Var:
		return params[x.Name], nil
	case *expr.Op:
		v, err := stride(x.Args[0], params)
		for _, a := range x.Args[1:] {
			w, err2 := stride(a, params)
			if err == nil {
				err = err2
			}
			switch x.Kind {
			case expr.Mul:
				v *= w
			case expr.Add:
				v += w
			case expr.Sub:
				v -= w
			default:
				err = fmt.Errorf("stride %s", e)
			}
		}
		return v, err
	}
	return 0, fmt.Errorf("stride %s", e)
}

func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(s) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

func same(a, b result) error {
	for name, v := range a {
		if w, ok := b[name]; !ok || v != w {
			return fmt.Errorf("%s is %v, and %v (written: %t) after the transformations", name, v, w, ok)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			return fmt.Errorf("%s is written only after the transformations", name)
		}
	}
	return nil
}

func prefetch(array string, opt transform.Prefetch, sweep ...string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.AddPrefetch(k, array, sweep, opt) }
}

func prioritize(inames ...string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.PrioritizeLoops(k, inames) }
}

var (
	f32   = map[string]expr.DType{"a": "float32", "b": "float32"}
	onlyA = map[string]expr.DType{"a": "float32"}
)

// TestTransformationsKeepResults runs each kernel before and after its transformations, at sizes that divide and sizes
// that do not.
func TestTransformationsKeepResults(t *testing.T) {
	matmul := kernel.Spec{
		Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c[i,j] = sum(k, a$aLD[i,k]*b[k,j])", DTypes: f32,
	}
	dg := kernel.Spec{
		Domains:      []string{"{[m,k,i,j]: 0<=m<3 and 0<=k<n and 0<=i,j<p}"},
		Instructions: "res[m,k,i] = sum(j, a[m,i,j]*b[k,j])", DTypes: f32,
	}
	stencil := kernel.Spec{
		Domains:      []string{"{[i,j]: 0<=i,j<n}"},
		Instructions: "res[i,j] = a[i,j+1] + a[i+1,j] - 4*a[i+1,j+1] + a[i+1,j+2] + a[i+2,j+1]", DTypes: onlyA,
	}
	box := transform.Prefetch{BoundingBox: true}
	none := transform.Prefetch{}
	small := []map[string]int64{{"n": 1}, {"n": 3}, {"n": 4}, {"n": 7}, {"n": 8}}
	both := []map[string]int64{{"n": 1, "p": 1}, {"n": 4, "p": 8}, {"n": 5, "p": 3}, {"n": 8, "p": 4}}
	grid := []step{split("i", 4), split("j", 4), tagged("i_outer:g.1, i_inner:l.1, j_outer:g.0, j_inner:l.0")}
	dgGrid := []step{split("i", 4, "g.1", "l.1"), split("k", 4, "g.0", "l.0"), split("j", 4)}
	for _, c := range []struct {
		name  string
		spec  kernel.Spec
		sizes []map[string]int64
		steps []step
	}{
		{"splits", matmul, small, []step{split("i", 4), split("j", 3), split("k", 2)}},
		{"splits of splits", matmul, small, []step{split("i", 4), split("i_inner", 3), split("i_outer", 2), split("k", 5), split("k_outer", 2)}},
		{"grid", matmul, small, grid},
		{"matmul with tiles", matmul, small, append(grid, split("k", 4), prefetch("a", none, "i_inner", "k_inner"), prefetch("b", none, "k_inner", "j_inner"))},
		{"tiles of another depth", matmul, small, append(grid, split("k", 3), prefetch("a", none, "i_inner", "k_inner"), prefetch("b", none, "k_inner", "j_inner"))},
		{"deeper than the group", matmul, small, append(grid, split("k", 6), prefetch("a", none, "i_inner", "k_inner"), prefetch("b", none, "k_inner", "j_inner"))},
		{"tiles before tags", matmul, small, []step{
			split("i", 4), split("j", 4), split("k", 4), prefetch("a", none, "i_inner", "k_inner"),
			tagged("i_outer:g.1, i_inner:l.1, j_outer:g.0, j_inner:l.0"),
		}},
		{"a tile's outer loop split", matmul, small, append(grid, split("k", 2), prefetch("a", none, "i_inner", "k_inner"), split("k_outer", 2), split("k_inner", 2))},
		{"one tile in boxes", matmul, small, append(grid, split("k", 4), prefetch("a", box, "i_inner", "k_inner"))},
		{"private tile", matmul, small, append(grid, split("k", 4), prefetch("a", transform.Prefetch{Tag: "for"}, "k_inner"))},
		{"sequential tile", matmul, small, []step{split("k", 4), split("i", 2), prefetch("a", transform.Prefetch{Tag: "for", OuterInames: []string{"i_outer", "i_inner", "j", "k_outer"}}, "k_inner")}},
		{"scalar fetch", matmul, small, append(grid, prefetch("a", none))},
		{"column-major", matmul, small, append(grid, layout("a", "f"), layout("c", "N0,N1"))},
		{"unrolled", matmul, small, append(grid, split("k", 4), tagged("k_inner:unr"))},
		{"realized", matmul, small, append(grid, realized)},
		{"dg without tiles", dg, both, dgGrid},
		{"dg with a tile of u", dg, both, append(dgGrid, prefetch("b", none, "k_inner", "j_inner"),
			func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.AddInamesToInsn(k, []string{"i_outer"}, "id:*fetch*")
			},
			realized,
			func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.PrivatizeTemporaries(k, []string{"m"})
			},
			func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.DuplicateInames(k, []string{"m"}, "id:*init*")
			},
			func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.DuplicateInames(k, []string{"m"}, "writes:res")
			},
			prioritize("j_outer", "j_inner", "m"))},
		{"dg with a tile of the matrix", dg, both, append(dgGrid, prefetch("a", none, "j_inner", "i_inner"), prioritize("m", "j_outer", "j_inner"))},
		{"dg transposed", dg, both, append(dgGrid, prefetch("a", none, "j_inner", "i_inner"), prioritize("m", "j_outer", "j_inner"), layout("b", "N0,N1"), layout("res", "N2,N0,N1"))},
		{"stencil on part of the group", stencil, small, []step{
			split("i", 4, "g.1", "l.1"), split("j", 4, "g.0", "l.0"), prefetch("a", box, "i_inner", "j_inner"), tagged("a_dim_0:l.1, a_dim_1:l.0"),
		}},
		{"stencil with automatic axes", stencil, small, []step{
			split("i", 4, "g.1", "l.1"), split("j", 4, "g.0", "l.0"), prefetch("a", box, "i_inner", "j_inner"),
		}},
		{"strided access", kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "c[i] = a[3*i] + a[3*i+3]", DTypes: onlyA,
		}, small, []step{split("i", 4, "g.0", "l.0"), prefetch("a", box, "i_inner")}},
		{"reversed access", kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "c[i] = a[n-1-i]", DTypes: onlyA,
		}, small, []step{split("i", 4, "g.0", "l.0"), prefetch("a", none, "i_inner")}},
		{"guarded access", kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}"}, Args: []*kernel.Array{{Name: "a", Shape: []expr.Expr{expr.Var{Name: "n"}}}},
			Instructions: "c[i] = a[i-1] if i > 0 else 0.0f", DTypes: onlyA,
		}, small, []step{split("i", 4, "g.0", "l.0"), prefetch("a", none, "i_inner")}},
		{"triangle", kernel.Spec{
			Domains: []string{"{[i,j]: 0<=j<=i<n}"}, Instructions: "c[i] = sum(j, a[i,j]*b[j])", DTypes: f32,
		}, small, []step{split("i", 4, "g.0", "l.0"), split("j", 2), prefetch("b", none, "j_inner")}},
		{"two domains", kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}", "[i] -> {[j]: 0<=j<=i}"}, Instructions: "c[i] = sum(j, a[i,j]*b[j])", DTypes: f32,
		}, small, []step{split("i", 4, "g.0", "l.0"), split("j", 3)}},
		{"rules and several reductions", kernel.Spec{
			Domains:      []string{"{[i,j,k]: 0<=i,j,k<n}"},
			Instructions: "f(x) := x*x + a[x, x]\nc[i] = sum((j, k), a[i,j]*b[k]) + max(j, f(j)) {id=s}\nd[i] = min((k), product(j, b[k]))",
			DTypes:       f32,
		}, []map[string]int64{{"n": 1}, {"n": 3}, {"n": 5}}, []step{split("i", 2, "g.0", "l.0"), split("j", 2)}},
		{"rows of data", ragged, small, []step{split("i", 4, "g.0", "l.0")}},
		{"rows of data, split", ragged, small, []step{split("i", 4, "g.0", "l.0"), split("j", 3)}},
		{"rows of data, unrolled pieces", ragged, small, []step{split("i", 4, "g.0", "l.0"), split("j", 3), tagged("j_inner:unr")}},
		{"rows of data, realized and renamed", ragged, small, []step{realized, split("j", 2), func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.RenameIname(k, "j_inner", "jj")
		}}},
		{"rows of data, a tile", ragged, small, []step{split("i", 4, "g.0", "l.0"), split("j", 2), prefetch("a", transform.Prefetch{Tag: "for"}, "j_inner")}},
		{"renamed and fixed", matmul, []map[string]int64{{"n": 5}}, []step{
			func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RenameIname(k, "k", "l") },
			func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.FixParameters(k, map[string]int64{"n": 5})
			}, split("l", 2),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain, err := kernel.Make(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			k := plain
			for i, s := range c.steps {
				if k, err = s(k); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				if err := k.Check(); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			for _, params := range c.sizes {
				want, err := run(plain, params)
				if err != nil {
					t.Fatalf("%v: untransformed: %v", params, err)
				}
				got, err := run(k, params)
				if err != nil {
					t.Fatalf("%v: %v\n%s", params, err, k)
				}
				if err := same(want, got); err != nil {
					t.Fatalf("%v: %v\n%s", params, err, k)
				}
			}
		})
	}
}
