package transform_test

import (
	"strings"
	"testing"

	"gpuperf/internal/golden"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"

	"github.com/google/go-cmp/cmp"
)

// step is one transformation of a kernel.
type step func(*kernel.Kernel) (*kernel.Kernel, error)

func split(iname string, n int64, tags ...string) step {
	opt := transform.Split{}
	if len(tags) == 2 {
		opt.OuterTag, opt.InnerTag = tags[0], tags[1]
	}
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.SplitIname(k, iname, n, opt) }
}

func assume(text string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return k.Assume(text) }
}

func tagged(text string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.TagInames(k, text) }
}

func prefetched(array, sweep string, box ...bool) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.AddPrefetch(k, array, splitNames(sweep), transform.Prefetch{BoundingBox: len(box) > 0})
	}
}

func fixed(values map[string]int64) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.FixParameters(k, values) }
}

func within(inames, match string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.AddInamesToInsn(k, splitNames(inames), match)
	}
}

func realized(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RealizeReduction(k) }

func privatized(inames string, only ...string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.PrivatizeTemporaries(k, splitNames(inames), only...)
	}
}

func duplicated(inames, match string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.DuplicateInames(k, splitNames(inames), match)
	}
}

func prioritized(inames string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.PrioritizeLoops(k, splitNames(inames))
	}
}

func layout(array, axes string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.TagDataAxes(k, array, axes) }
}

func joined(inames string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.JoinInames(k, splitNames(inames), "", "")
	}
}

func chunked(iname string, n int64) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.ChunkIname(k, iname, n, transform.Split{})
	}
}

func mapped(text string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.MapDomain(k, text) }
}

func extracted(name, template, parameters string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.ExtractSubst(k, name, template, splitNames(parameters))
	}
}

func precomputed(rule, sweep string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.Precompute(k, rule, splitNames(sweep), transform.Prefetch{})
	}
}

func prepared(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.Prepare(k) }

// apply makes a kernel and transforms it; every kernel on the way must pass Check.
func apply(t *testing.T, spec kernel.Spec, steps ...step) *kernel.Kernel {
	t.Helper()
	k, err := kernel.Make(spec)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range steps {
		before := k.String()
		next, err := s(k)
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if after := k.String(); after != before {
			t.Fatalf("step %d changed its argument: %s", i, cmp.Diff(before, after))
		}
		if err := next.Check(); err != nil {
			t.Fatalf("after step %d: %v\n%s", i, err, next)
		}
		k = next
	}
	return k
}

func types(names string) map[string]expr.DType {
	out := map[string]expr.DType{}
	for _, n := range strings.Fields(names) {
		out[n] = expr.Float32
	}
	return out
}

// The kernels of Stevens and Klöckner.
var (
	matmul = kernel.Spec{
		Name: "matmul", Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"},
		Instructions: "c$cST[i,j] = sum(k, a$aLD[i,k]*b$bLD[k,j])", DTypes: types("a b"),
	}
	dg = kernel.Spec{
		Name: "dg", Domains: []string{"{[m,k,i,j]: 0<=m<nmatrices and 0<=k<nelements and 0<=i,j<nunit_nodes}"},
		Instructions: "res[m,k,i] = sum(j, diff_mat[m,i,j]*u[k,j])", DTypes: types("diff_mat u"),
	}
	stencil = kernel.Spec{
		Name: "fd", Domains: []string{"{[i,j]: 0<=i,j<n}"},
		Instructions: "res[i,j] = u[i,j+1] + u[i+1,j] - 4*u[i+1,j+1] + u[i+1,j+2] + u[i+2,j+1]", DTypes: types("u"),
	}
)

// TestListings shows what transformations make of a kernel, beyond those of the paper's kernels.
func TestListings(t *testing.T) {
	blurred := kernel.Spec{ // neighbours take neighbours of the row, although the first access has no stride along it
		Name: "blurred", Domains: []string{"{[i,j,p,q]: 0<=i,j<n and 0<=p,q<3}"}, DTypes: types("w a"),
		Instructions: "row(y, x) := sum(q, w[q]*a[y,x + q])\nc[i,j] = sum(p, w[p]*row(i + p, j))",
	}
	tabulated := kernel.Spec{
		Name: "tabulated", Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "f(x) := a$aLD[x]*a$aLD[x] + b[x]\nc[i] = f(i)*f(i+1)", DTypes: types("a b"),
	}
	for _, c := range []struct {
		name  string
		spec  kernel.Spec
		steps []step
	}{
		{"join_inames", matmul, []step{split("i", 16), joined("i_outer, i_inner"), split("i_outer_i_inner", 32, "g.0", "l.0")}},
		{"chunk_iname", matmul, []step{fixed(map[string]int64{"n": 100}), chunked("i", 3), tagged("i_outer:g.0, i_inner:l.0")}},
		{"map_domain", matmul, []step{mapped("{[i,j] -> [t,s]: t = i + j and s = j}"), mapped("[n] -> {[k] -> [r]: r = n - 1 - k}")}},
		{"extract_subst", matmul, []step{extracted("f", "a$aLD[p,q]*b$bLD[q,r]", "p, q, r")}},
		{"precompute", tabulated, []step{split("i", 16, "g.0", "l.0"), precomputed("f", "i_inner"), prepared}},
		{"precompute_neighbours", blurred, []step{split("i", 8, "g.1", "l.1"), split("j", 32, "g.0", "l.0"), precomputed("row", "i_inner, j_inner, p"), prepared}},
		{"extract_and_precompute", matmul, []step{
			split("i", 16, "g.1", "l.1"), split("j", 16, "g.0", "l.0"), split("k", 16), extracted("f", "a$aLD[p,q]", "p, q"), precomputed("f", "i_inner, k_inner"), prepared,
		}},
		{"add_barrier", kernel.Spec{
			Name: "reversal", Domains: []string{"{[g,l,m]: 0<=g<n and 0<=l,m<16}"}, DTypes: types("a"),
			Instructions: "<> t[l] = a[16*g + l] {id=fill}\nc[16*g + m] = t[15 - m] {id=use}",
		}, []step{tagged("g:g.0, l:l.0, m:l.0"), func(k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddBarrier(k, "id:fill", "id:use", "", kernel.Local)
		}, prepared}},
		{"ilp", matmul, []step{split("i", 4, "g.0", "ilp"), split("j", 16, "g.1", "l.0"), prepared}},
		{"unused_axes", kernel.Spec{
			Name: "scaled", Domains: []string{"{[i,j]: 0<=i<n and 0<=j<16}"}, Instructions: "<> t = a[i] {id=t}\nc[i,j] = t*b[j] {id=c}", DTypes: types("a b"),
		}, []step{tagged("i:g.0, j:l.0"), func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.AddInamesForUnusedAxes(k, "id:t") }, prepared}},
		{"tree", kernel.Spec{
			Name: "total", Domains: []string{"{[g,l]: 0<=g<n and 0<=l<5}"}, Instructions: "c[g] = sum(l, a[g,l])", DTypes: types("a"),
		}, []step{tagged("g:g.0, l:l.0"), prepared}},
		{"bounds", kernel.Spec{
			Name: "spmv", Domains: []string{"{[i]: 0<=i<n}", "{[j]: start<=j<stop}"}, DTypes: map[string]expr.DType{"p": expr.Int32, "val": expr.Float32},
			Instructions: "<int32> start = p[i]\n<int32> stop = p[i + 1]\ny[i] = sum(j, val[j])",
			Args:         []*kernel.Array{{Name: "val", Shape: []expr.Expr{expr.Var{Name: "nnz"}}}, {Name: "nnz", DType: expr.Int32, IsValue: true}},
		}, []step{
			split("i", 16, "g.0", "l.0"), func(k *kernel.Kernel) (*kernel.Kernel, error) { return k.AssumeAverage("j", "nnz/n") }, prepared, split("j", 4),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden.Check(t, "testdata/"+c.name+".txt", apply(t, c.spec, c.steps...).String())
		})
	}
}

func TestPaperKernels(t *testing.T) {
	tiles := []step{split("i", 16), split("j", 16), split("k", 16)}
	axes := tagged("i_outer:g.1, i_inner:l.1, j_outer:g.0, j_inner:l.0")
	fetches := []step{prefetched("a", "i_inner, k_inner"), prefetched("b", "k_inner, j_inner")}
	dgTiles := []step{split("i", 16, "g.1", "l.1"), split("k", 16, "g.0", "l.0")}
	list := func(parts ...any) []step {
		var out []step
		for _, p := range parts {
			switch p := p.(type) {
			case step:
				out = append(out, p)
			case []step:
				out = append(out, p...)
			case func(*kernel.Kernel) (*kernel.Kernel, error):
				out = append(out, p)
			}
		}
		return out
	}
	for _, c := range []struct {
		name  string
		spec  kernel.Spec
		steps []step
	}{
		{"matmul_plain", matmul, list(prepared)},
		{"matmul_tiled", matmul, list(tiles, axes, prepared)},
		{"matmul_prefetch", matmul, list(tiles, assume("n >= 1 and n % 16 = 0"), axes, fetches, prepared)},
		{"matmul_prefetch_guards", matmul, list(tiles, axes, fetches, prepared)},
		{"dg_1", dg, list(dgTiles, prepared)},
		{"dg_2_u", dg, list(dgTiles, split("j", 16), prefetched("u", "k_inner, j_inner"),
			fixed(map[string]int64{"nmatrices": 3}), within("i_outer", "id:*fetch*"), realized,
			privatized("m"), duplicated("m", "id:*init*"), duplicated("m", "writes:res"),
			prioritized("j_outer, j_inner, m"), prepared)},
		{"dg_3_diff_mat", dg, list(dgTiles, split("j", 16), prefetched("diff_mat", "j_inner, i_inner"),
			prioritized("m, j_outer, j_inner"), prepared)},
		{"dg_4_transposed", dg, list(dgTiles, split("j", 16), prefetched("diff_mat", "j_inner, i_inner"),
			prioritized("m, j_outer, j_inner"), layout("u", "N0,N1"), layout("res", "N2,N0,N1"), prepared)},
		{"fd_16", stencil, list(split("i", 14, "g.1", "l.1"), split("j", 14, "g.0", "l.0"),
			prefetched("u", "i_inner, j_inner", true), tagged("u_dim_0:l.1, u_dim_1:l.0"), prepared)},
		{"fd_18", stencil, list(split("i", 16, "g.1", "l.1"), split("j", 16, "g.0", "l.0"),
			prefetched("u", "i_inner, j_inner", true), tagged("u_dim_0:l.1, u_dim_1:l.0"), assume("n >= 1 and n % 16 = 0"), prepared)},
		{"fd_16_auto", stencil, list(assume("n >= 1 and n % 14 = 0"), split("i", 14, "g.1", "l.1"), split("j", 14, "g.0", "l.0"),
			prefetched("u", "i_inner, j_inner", true), prepared)},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden.Check(t, "testdata/"+c.name+".txt", apply(t, c.spec, c.steps...).String())
		})
	}
}

// splitNames reads a list of names separated by commas or blanks.
func splitNames(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}
