package emit_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

type step func(*kernel.Kernel) (*kernel.Kernel, error)

// testCase is a kernel, transformed, with the sizes at which it is run.
type testCase struct {
	name  string
	spec  kernel.Spec
	steps []step
	sizes []map[string]int64
}

func parsed(text string) expr.Expr {
	e, err := expr.Parse(text)
	if err != nil {
		panic(err)
	}
	return e
}

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

func tag(text string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.TagInames(k, text) }
}

func fetch(array, sweep string, opt transform.Prefetch) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.AddPrefetch(k, array, strings.Fields(sweep), opt)
	}
}

func fix(values map[string]int64) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.FixParameters(k, values) }
}

func prioritize(inames ...string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.PrioritizeLoops(k, inames) }
}

func duplicate(inames, match string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.DuplicateInames(k, []string{inames}, match)
	}
}

func layout(array, axes string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.TagDataAxes(k, array, axes) }
}

func within(iname, match string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.AddInamesToInsn(k, []string{iname}, match)
	}
}

func privatize(iname string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.PrivatizeTemporaries(k, []string{iname})
	}
}

func realize(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RealizeReduction(k) }

// The kernel of Stevens and Klöckner, section 2.1, stage by stage.
var (
	matmul = kernel.Spec{
		Name: "matmul", Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c[i,j] = sum(k, a[i,k]*b[k,j])",
		DTypes: map[string]expr.DType{"a": "float32", "b": "float32"},
	}
	splits  = []step{split("i", 16), split("j", 16), split("k", 16)}
	divides = assume("n >= 1 and n % 16 = 0")
	mapped  = tag("i_outer:g.1, i_inner:l.1, j_outer:g.0, j_inner:l.0")
	tiles   = []step{fetch("a", "i_inner k_inner", transform.Prefetch{}), fetch("b", "k_inner j_inner", transform.Prefetch{})}
)

// Differentiation of section 8.4 and the stencil of section 8.5.
var (
	dg = kernel.Spec{
		Name: "dg", Domains: []string{"{[m,k,i,j]: 0<=m<nmatrices and 0<=k<nelements and 0<=i,j<nunit_nodes}"},
		Instructions: "res[m,k,i] = sum(j, diff_mat[m,i,j] * u[k,j])",
		DTypes:       map[string]expr.DType{"diff_mat": "float32", "u": "float32"},
	}
	dgMapped = []step{split("i", 4, "g.1", "l.1"), split("k", 4, "g.0", "l.0")}
	stencil  = kernel.Spec{
		Name: "stencil", Domains: []string{"{[i,j]: 0<=i,j<n}"},
		Instructions: "res[i,j] = u[i,j+1] + u[i+1,j] - 4*u[i+1,j+1] + u[i+1,j+2] + u[i+2,j+1]",
		DTypes:       map[string]expr.DType{"u": "float32"},
	}
)

func stages(lists ...[]step) []step {
	var out []step
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

func at(name string, values ...int64) []map[string]int64 {
	var out []map[string]int64
	for _, v := range values {
		out = append(out, map[string]int64{name: v})
	}
	return out
}

func dgAt(values ...int64) []map[string]int64 {
	var out []map[string]int64
	for i := 0; i < len(values); i += 2 {
		out = append(out, map[string]int64{"nelements": values[i], "nunit_nodes": values[i+1], "nmatrices": 3})
	}
	return out
}

var cases = []testCase{
	{"matmul-sequential", matmul, nil, at("n", 1, 7)},
	{"matmul-split", matmul, stages(splits, []step{divides}), at("n", 16)},
	{"matmul-mapped", matmul, stages(splits, []step{divides, mapped}), at("n", 16, 48)},
	{"matmul-prefetch", matmul, stages(splits, []step{divides, mapped}, tiles), at("n", 16, 48)},
	{"matmul-guards", matmul, stages(splits, []step{mapped}, tiles), at("n", 1, 15, 16, 17, 40)},
	{"dg-plain", dg, stages(dgMapped, []step{fix(map[string]int64{"nmatrices": 3})}), dgAt(7, 8, 5, 3)},
	{"dg-prefetch-u", dg, stages(dgMapped, []step{
		split("j", 4), fetch("u", "k_inner j_inner", transform.Prefetch{}), fix(map[string]int64{"nmatrices": 3}),
		within("i_outer", "id:*fetch*"), realize, privatize("m"), duplicate("m", "id:*init*"), duplicate("m", "writes:res"),
		prioritize("j_outer", "j_inner", "m"),
	}), dgAt(8, 8, 7, 6)},
	{"dg-prefetch-diff-mat", dg, stages(dgMapped, []step{
		split("j", 4), fetch("diff_mat", "j_inner i_inner", transform.Prefetch{}), fix(map[string]int64{"nmatrices": 3}), prioritize("m", "j_outer", "j_inner"),
	}), dgAt(8, 8, 7, 6)},
	{"dg-transposed", dg, stages(dgMapped, []step{
		split("j", 4), fetch("diff_mat", "j_inner i_inner", transform.Prefetch{}), fix(map[string]int64{"nmatrices": 3}), prioritize("m", "j_outer", "j_inner"),
		layout("u", "N0,N1"), layout("res", "N2,N0,N1"),
	}), dgAt(8, 8, 7, 6)},
	{"stencil-16", stencil, []step{
		split("i", 14, "g.1", "l.1"), split("j", 14, "g.0", "l.0"),
		fetch("u", "i_inner j_inner", transform.Prefetch{BoundingBox: true}), tag("u_dim_0:l.1, u_dim_1:l.0"),
	}, at("n", 5, 14, 30)},
	{"stencil-fits", stencil, []step{
		assume("n % 14 = 0 and n >= 1"), split("i", 14, "g.1", "l.1"), split("j", 14, "g.0", "l.0"),
		fetch("u", "i_inner j_inner", transform.Prefetch{BoundingBox: true}), tag("u_dim_0:l.1, u_dim_1:l.0"),
	}, at("n", 28)},
	{"unrolled", kernel.Spec{
		Name: "unrolled", Domains: []string{"{[i,u]: 0<=i<n and 0<=u<4}"}, Instructions: `
			<> s = x[i]   {id=init}
			s = s*x[i] + u   {id=step, dep=init}
			y[i] = s  {dep=step}`,
		DTypes: map[string]expr.DType{"x": "float32"},
	}, []step{tag("u:unr"), split("i", 8, "g.0", "l.0")}, at("n", 3, 16)},
	{"extents-of-one", kernel.Spec{
		Name: "ones", Domains: []string{"{[i,l,g,u,v]: 0<=i<n and 0<=l<1 and 0<=g<1 and 2<=u<=2 and 0<=v<3}"}, Instructions: `
			y[i, l, v] = x[i + l + g, (u + v)//2] + l + 2*u if i + l < n else g  {inames=i:l:g:u:v}
			z[i % 4 + 4*((i % 4 + 12)//16), l + g] = v + 1  {if=i < 4, inames=i:l:g:v}`,
		DTypes: map[string]expr.DType{"x": "float32", "z": "int32"},
	}, []step{tag("l:l.1, g:g.1"), split("i", 4, "g.0", "l.0"), prioritize("v", "u")}, at("n", 1, 6)},
	{"integers", kernel.Spec{
		Name: "integers", Domains: []string{"{[i]: 0<=i<n}"}, Instructions: `
			y[i] = (x[i] - 9)//4 + (x[i] - 9)%5*100 + (i - 3)//2 + ((i + 7)%3)*1000 + min(x[i], 5) + (x[i] << 2) - (x[i] ^ 3)
			z[i] = x[i]**3 + (~x[i] & 15) + (1 if x[i] > 7 and not (i == 2) else -1)
			w[(i*3 + 1) % n] = cast(int8, 50*x[i])`,
		DTypes: map[string]expr.DType{"x": "int32", "y": "int32", "z": "int64", "w": "int32"},
		Args:   []*kernel.Array{{Name: "w", DType: "int32", Space: kernel.Global, Shape: []expr.Expr{expr.Var{Name: "n"}}}},
	}, []step{split("i", 4, "g.0", "l.0")}, at("n", 7, 16)},
	{"floats", kernel.Spec{
		Name: "floats", Domains: []string{"{[i]: 0<=i<n}"}, Instructions: `
			y[i] = exp(x[i]) + x[i]**2 + sqrt(x[i])/3 - max(x[i], 1)*alpha + (x[i] if x[i] < 1 else 2*x[i])
			z[i] = x[i]*0.1 + n/(i + 1)
			h[i] = abs(x[i] - 1) + fma(x[i], x[i], 2.5f) + x[i]%0.75f`,
		DTypes: map[string]expr.DType{"x": "float32", "alpha": "float32", "z": "float64"},
	}, []step{split("i", 4, "g.0", "l.0")}, at("n", 7, 16)},
	{"literals", kernel.Spec{
		Name: "literals", Domains: []string{"{[i]: 0<=i<n}"}, Instructions: `
			y[i] = 0.1*x[i] + 1.0/3.0 - sqrt(2)*x[i] + (0.7 if x[i] > 8.1 else -0.7)*x[i]
			z[i] = 0.1*z[i] + 1.0/3.0 - sqrt(2)*z[i] + sin(0.1)*(0.3*i) + (0.1 if x[i] > 8.1 else 2)
			w[i] = 0.1d*x[i] + 0.1f*z[i] + maximum(0.1, z[i])**2.1 + cast(float64, 0.1)
			v[i] = 0.1*i + scale(0.1, 0.1)
			<> c = 0.1
			s[i] = c*x[i] + 3000000000*x[i]
			u[i] = (u[i]*1664525 + 1013904223) % 4294967295 - 1 {id=u}
			l[i] = (u[i] + 18446744073)%1000 + l[i] % 10 + 5 {dep=u}`,
		DTypes: map[string]expr.DType{
			"x": "float32", "y": "float32", "z": "float64", "w": "float64", "v": "float64", "s": "float32", "u": "uint32", "l": "uint64",
		},
		Functions: []*kernel.Function{{
			Name: "scale", Params: []kernel.FunctionParam{{Name: "a", DType: "float64"}, {Name: "b", DType: "float32"}}, Result: "float64",
			Lets: []kernel.FunctionLet{{Name: "c", Expr: parsed("0.3*a")}}, Def: parsed("c*0.1 + 0.7*b"),
		}},
	}, []step{split("i", 4, "g.0", "l.0")}, at("n", 7, 16)},
	{"predicates", kernel.Spec{
		Name: "predicates", Domains: []string{"{[i,k]: 0<=i<n and 0<=k<=i}"}, Instructions: `
			y[i] = 0 {id=zero}
			y[i] = y[i] + x[k] {id=add, dep=zero, if=k%2 == 0 and x[k] > 0.7f}`,
		DTypes: map[string]expr.DType{"x": "float32", "y": "float32"},
	}, []step{split("i", 8, "g.0", "l.0")}, at("n", 3, 20)},
	{"reserved-names", kernel.Spec{
		Name: "kernel", Domains: []string{"{[half,i]: 0<=half<n and 0<=i<half}"}, Instructions: "float[half] = sum(i, exp[i])",
		DTypes: map[string]expr.DType{"exp": "float32"},
	}, nil, at("n", 5)},
	{"built-in-names", kernel.Spec{
		Name: "mix", Domains: []string{"{[dot,i]: 0<=dot<n and 0<=i<dot}"}, Instructions: "step[dot] = sum(i, clamp[i])",
		DTypes: map[string]expr.DType{"clamp": "float32"},
	}, nil, at("n", 5)},
	{"strides", kernel.Spec{
		Name: "strides", Domains: []string{"{[i,k]: 0<=i<n and i % 3 = 1 and 0<=k<n and (k + i) % 2 = 0}"},
		Instructions: `
			y[i] = 0 {id=zero}
			y[i] = y[i] + x[k//2] {dep=zero}`,
		DTypes: map[string]expr.DType{"x": "float32", "y": "float32"},
	}, nil, at("n", 2, 11)},
	{"strides-mapped", kernel.Spec{
		Name: "strides", Domains: []string{"{[i,k]: 0<=i<n and i % 3 = 1 and 0<=k<n and (k + i) % 2 = 0}"},
		Instructions: `
			y[i] = 0 {id=zero}
			y[i] = y[i] + x[(k + 5*i)%4] {dep=zero}`,
		DTypes: map[string]expr.DType{"x": "float32", "y": "float32"},
	}, []step{split("i", 8, "g.0", "l.0")}, at("n", 2, 21)},
	{"pipeline", kernel.Spec{
		Name: "pipeline", Domains: []string{"{[g,l,m,t]: 0<=g<n and 0<=l,m<8 and 0<=t<5}"}, Instructions: `
			<> s[l] = x[g, l]             {id=fill}
			<> v = s[7 - l]*0.5f + l      {id=read, dep=fill, inames=g:l:t}
			s[l] = v + s[l]               {id=write, dep=read, inames=g:l:t}
			y[g, m] = s[7 - m]            {id=use, dep=write}`,
		DTypes: map[string]expr.DType{"x": "float32"},
	}, []step{tag("g:g.0, l:l.0, m:l.0"), func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.SetTemporaryAddressSpace(k, []string{"s"}, kernel.Local)
	}}, at("n", 3)},
	{"histogram", kernel.Spec{
		Name: "histogram", Domains: []string{"{[g,l,m,k,t]: 0<=g<n and 0<=l,m<64 and 0<=k<4 and 0<=t<16}"}, Instructions: `
			s[m] = 0                                                {id=clear, if=m < 16, inames=g:m}
			s[x[256*g + 64*k + l] % 16] = s[x[256*g + 64*k + l] % 16] + 1    {id=add, dep=clear, atomic}
			h[m] = h[m] + s[m]                                      {id=out, dep=add, if=m < 16, inames=g:m, atomic}
			most[0] = max(most[0], s[m])                            {id=most, dep=add, if=m < 16, inames=g:m, atomic}`,
		DTypes: map[string]expr.DType{"x": "int32", "h": "int32", "most": "int32"},
		Args:   []*kernel.Array{{Name: "h", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 16}}}, {Name: "most", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 1}}}},
		Temps:  []*kernel.Array{{Name: "s", DType: "int32", Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: 16}}}},
	}, []step{tag("g:g.0, l:l.0, m:l.0")}, at("n", 1, 3)},
	{"argmax", kernel.Spec{
		Name: "extremes", Domains: []string{"{[i]: 0<=i<n}", "{[j,k]: 0<=j,k<m}"}, Instructions: `
			v[i], at[i] = argmax(j, x[i,j], j)
			<> low, <> where = argmin((j, k), x[i,j] - p[i,k], j*m + k)
			y[i] = where + (1 if low < 0 else 0)`,
		DTypes: map[string]expr.DType{"x": "float32", "p": "int32"},
	}, []step{split("i", 4, "g.0", "l.0")}, []map[string]int64{{"n": 6, "m": 5}, {"n": 9, "m": 1}}},
	{"tree", kernel.Spec{
		Name: "norms", Domains: []string{"{[i,l,k,m]: 0<=i<n and 0<=l,m<11 and 0<=k<3}"}, Instructions: `
			<> s = sum((k, l), x[i,l,k]*x[i,l,k])
			y[i,m] = x[i,m,0] / s`,
		DTypes: map[string]expr.DType{"x": "float32"},
	}, []step{split("i", 2, "g.0", "l.1"), tag("l:l.0, m:l.0")}, at("n", 3, 8)},
	{"tree-guards", kernel.Spec{
		Name: "totals", Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[0] = max(i, x[i])\nz[0] = 1 if any(i, x[i] > 1.5f) else 0",
		DTypes: map[string]expr.DType{"x": "float32"},
	}, []step{split("i", 8), tag("i_inner:l.0")}, at("n", 1, 7, 21)},
	{"sparse-rows", kernel.Spec{ // device data are integers from 1 to 16: rows of up to 15 entries, and empty ones
		Name: "sparse_rows", Domains: []string{"{[i]: 0<=i<n}", "{[j]: start<=j<stop}"},
		Instructions: "<int32> start = p[i]\n<int64> stop = p[i + 1]\ny[i] = sum(j, val[j]*x[col[j]])",
		DTypes:       map[string]expr.DType{"x": "float32", "p": "int32", "col": "int32", "val": "float32"},
		Args: []*kernel.Array{
			{Name: "x", Shape: []expr.Expr{expr.Int{Value: 17}}},
			{Name: "val", Shape: []expr.Expr{expr.Int{Value: 17}}},
			{Name: "col", Shape: []expr.Expr{expr.Int{Value: 17}}},
		},
	}, []step{split("i", 4, "g.0", "l.0"), split("j", 3)}, at("n", 6, 8)},
	{"functions", kernel.Spec{
		Name: "functions", Domains: []string{"{[i]: 0<=i<n}"}, Instructions: `
			y[i] = axpy(x[i], 2, p[i]) + inside(p[i])*step(x[i])
			w[i] = inside(cast(int32, 2*x[i]) - 1)`,
		DTypes: map[string]expr.DType{"x": "float32", "p": "int32", "w": "float64"},
		Functions: []*kernel.Function{
			{Name: "step", Params: []kernel.FunctionParam{{Name: "float", DType: "float32"}}, Result: "float32", Def: parsed("float - 1")},
			{Name: "twice", Params: []kernel.FunctionParam{{Name: "v", DType: "float32"}}, Result: "float32", Def: parsed("2*v")},
			{
				Name: "axpy", Params: []kernel.FunctionParam{{Name: "x", DType: "float32"}, {Name: "a", DType: "float32"}, {Name: "y", DType: "float32"}}, Result: "float32",
				Body: "float r = a*x;\nreturn r + y;", Def: parsed("a*x + y"),
			},
			{Name: "inside", Params: []kernel.FunctionParam{{Name: "i_inner", DType: "int32"}}, Result: "int32", Lets: []kernel.FunctionLet{{Name: "half", Expr: parsed("(i_inner - 3)//2")}, {Name: "t", Expr: parsed("twice(half)")}}, Def: parsed("half + (7 if i_inner > 2 else i_inner % 5) + t")},
		},
	}, []step{split("i", 4, "g.0", "l.0")}, at("n", 7, 16)},
	{"vectors", kernel.Spec{
		Name: "vectors", Domains: []string{"{[i,l]: 0<=i<n and 0<=l<4}"}, Instructions: `
			<> v = x[16*i + 4*l; 4]*2 + alpha      {id=v}
			<> w = fmax(v, x[16*i + 4*l + 1; 4]) - sqrt(v)/3   {id=w, dep=v}
			t[4*l; 4] = shift(w, v) + (v if l > 1 else 1)  {id=t, dep=w}
			y[i, 4*l; 4] = t[12 - 4*l; 4]  {id=y, dep=t}
			z[i, 4*l] = t[4*l + 3] {dep=t}
			q[i, 4*l + 1; 2] = cast(int32x2, 3*x[i + 5*l; 2]) - p[2*l; 2]
			u[i, 4*l; 4] = c[4*i; 4]`,
		Functions: []*kernel.Function{{
			Name: "shift", Params: []kernel.FunctionParam{{Name: "a", DType: "float32x4"}, {Name: "b", DType: "float32x4"}}, Result: "float32x4",
			Body: "return a + 0.5f*b;", Def: parsed("a + 0.5f*b"),
		}},
		DTypes: map[string]expr.DType{"x": "float32", "alpha": "float32", "p": "int32", "q": "int32", "t": "float32", "c": "float32"},
		Args: []*kernel.Array{
			{Name: "q", DType: "int32", Shape: []expr.Expr{expr.Var{Name: "n"}, expr.Int{Value: 17}}},
			{Name: "x", DType: "float32", Shape: []expr.Expr{parsed("16*n + 16")}},
			{Name: "c", DType: "float32", Constant: true, Shape: []expr.Expr{parsed("16*n + 16")}},
		},
		Temps: []*kernel.Array{{Name: "t", DType: "float32", Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: 16}}}},
	}, []step{tag("i:g.0, l:l.0")}, at("n", 1, 5)},
	{"private-vectors", kernel.Spec{
		Name: "privates", Domains: []string{"{[i,k,u]: 0<=i<n and 0<=k<m and 0<=u<4}"}, Instructions: `
			<float32x4> acc = 0  {id=init, inames=i}
			acc = acc + x[i, 4*k; 4]*x[i, 4*k; 4] {id=up, dep=init, inames=i:k}
			s[0; 4] = acc {id=s, dep=up, inames=i}
			<> r = 0.0f {id=r0, inames=i}
			r = r + s[u] {id=r, dep=s:r0, inames=i:u}
			y[i] = r {dep=r, inames=i}
			z[i] = sum(k, x[i, 4*k]*2)`,
		DTypes: map[string]expr.DType{"x": "float32", "s": "float32"},
		Args:   []*kernel.Array{{Name: "x", DType: "float32", Shape: []expr.Expr{expr.Var{Name: "n"}, parsed("4*m")}}},
		Temps:  []*kernel.Array{{Name: "s", DType: "float32", Space: kernel.Private, Shape: []expr.Expr{expr.Int{Value: 4}}}},
	}, []step{split("i", 8, "g.0", "l.0"), tag("u:unr")}, []map[string]int64{{"n": 3, "m": 2}, {"n": 10, "m": 5}}},
	{"half", kernel.Spec{
		Name: "half_kernel", Domains: []string{"{[i,k]: 0<=i<n and 0<=k<m}"}, Instructions: `
			y[i] = x[i]*x[i] - x[i]/0.3 + 0.1f {id=y}
			z[i] = exp(x[i]) + max(x[i], 0.75)*fma(x[i], x[i], x[i])
			w[i] = sum(k, x[k]*x[i]) + f[i] {id=w}
			f[i] = x[i]*f[i] + abs(-x[i]) {id=f, dep=w}
			c[i] = cast(int32, 100*x[i]) + (1 if x[i] > 1 and isfinite(x[i]) else 0) {id=c}
			v[i] = average(x[i], 0.3f) + i + c[i] % 3 {dep=c}
			<> t = x[i] {id=t}
			d[i] = cast(float16, d[i])*t {dep=t}`,
		DTypes: map[string]expr.DType{
			"x": "float16", "y": "float16", "z": "float16", "w": "float16", "f": "float32", "c": "int32", "v": "float16", "d": "float64",
		},
		Functions: []*kernel.Function{{
			Name: "average", Params: []kernel.FunctionParam{{Name: "a", DType: "float16"}, {Name: "b", DType: "float16"}}, Result: "float16",
			Lets: []kernel.FunctionLet{{Name: "s", Expr: parsed("a + b")}}, Def: parsed("0.5f*s"),
		}},
	}, []step{split("i", 4, "g.0", "l.0")}, []map[string]int64{{"n": 7, "m": 2}, {"n": 16, "m": 5}}},
	{"half-vectors", kernel.Spec{
		Name: "half_vectors", Domains: []string{"{[i]: 0<=i<n}"}, Instructions: `
			y[4*i; 4] = x[4*i; 4]*x[4*i; 4] + 2*x[4*i + 1; 4]
			z[4*i; 4] = sqrt(x[4*i; 4])`,
		DTypes: map[string]expr.DType{"x": "float16", "y": "float16", "z": "float16"},
		Args: []*kernel.Array{
			{Name: "x", DType: "float16", Shape: []expr.Expr{parsed("4*n + 4")}},
			{Name: "y", DType: "float16", Shape: []expr.Expr{parsed("4*n")}},
			{Name: "z", DType: "float16", Shape: []expr.Expr{parsed("4*n")}},
		},
	}, []step{split("i", 8, "g.0", "l.0")}, at("n", 3, 20)},
	{"blocks", kernel.Spec{
		Name: "blocks", Domains: []string{"{[i,j]: 0<=i,j<n}"}, Instructions: "b[i,j] = a[j,i]", DTypes: map[string]expr.DType{"a": "float32", "b": "float32"},
	}, []step{
		split("i", 16, "g.1", ""), split("j", 16, "g.0", ""), split("i_inner", 4, "", "l.1"), split("j_inner", 4, "", "l.0"),
		assume("n >= 1 and n % 16 = 0"),
	}, at("n", 16, 48)},
	{"large-local", kernel.Spec{
		Name: "large", Domains: []string{"{[g,l,k]: 0<=g<n and 0<=l<16 and 0<=k<800}"}, Instructions: `
			a[l + 16*k] = x[k] + l {id=a}
			b[l] = 0.5*a[12799 - l] {id=b, dep=a, inames=g:l}
			y[16*g + l] = b[15 - l] + a[l + 160*g] {dep=a:b}`,
		DTypes: map[string]expr.DType{"x": "float32", "y": "float32", "a": "float32", "b": "float64"},
		Args:   []*kernel.Array{{Name: "y", DType: "float32", Shape: []expr.Expr{parsed("16*n")}}},
		Temps: []*kernel.Array{
			{Name: "a", DType: "float32", Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: 12800}}},
			{Name: "b", DType: "float64", Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: 16}}},
		},
	}, []step{tag("g:g.0, l:l.0")}, at("n", 1, 3)},
	{"gather", kernel.Spec{
		Name: "gather", Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = x[p[i] - 1, i]",
		DTypes: map[string]expr.DType{"x": "float32", "p": "int32"},
		Args:   []*kernel.Array{{Name: "x", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 16}, expr.Var{Name: "n"}}}},
	}, []step{split("i", 4, "g.0", "l.0")}, at("n", 6)},
}

func (c testCase) nest(t testing.TB) *linear.Nest {
	t.Helper()
	k, err := kernel.Make(c.spec)
	for i, s := range c.steps {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		k, err = s(k)
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
