package transform_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
)

func parsed(t testing.TB, text string) expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// evalInt evaluates integer expressions directly, with Python's division.
func evalInt(e expr.Expr, at map[string]int64) int64 {
	switch x := e.(type) {
	case expr.Int:
		return x.Value
	case expr.Var:
		return at[x.Name]
	case *expr.Op:
		v := evalInt(x.Args[0], at)
		if x.Kind == expr.Neg {
			return -v
		}
		for _, a := range x.Args[1:] {
			w := evalInt(a, at)
			switch x.Kind {
			case expr.Add:
				v += w
			case expr.Sub:
				v -= w
			case expr.Mul:
				v *= w
			case expr.FloorDiv:
				v = intmath.FloorDiv(v, w)
			case expr.Mod:
				v -= w * intmath.FloorDiv(v, w)
			}
		}
		return v
	}
	panic("not an integer expression: " + e.String())
}

// indexExpr draws index expressions, affine but for products of parameters with inames.
func indexExpr(depth int) *rapid.Generator[expr.Expr] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.Int64Range(-9, 9), func(v int64) expr.Expr { return expr.Int{Value: v} }),
		rapid.Map(rapid.SampledFrom([]string{"i", "j", "n"}), func(s string) expr.Expr { return expr.Var{Name: s} }),
	)
	if depth == 0 {
		return leaf
	}
	sub := indexExpr(depth - 1)
	return rapid.OneOf(leaf,
		rapid.Custom(func(t *rapid.T) expr.Expr {
			return &expr.Op{Kind: expr.Add, Args: rapid.SliceOfN(sub, 2, 3).Draw(t, "args")}
		}),
		rapid.Custom(func(t *rapid.T) expr.Expr { return expr.Binary(expr.Sub, sub.Draw(t, "a"), sub.Draw(t, "b")) }),
		rapid.Custom(func(t *rapid.T) expr.Expr { return &expr.Op{Kind: expr.Neg, Args: []expr.Expr{sub.Draw(t, "a")}} }),
		rapid.Custom(func(t *rapid.T) expr.Expr {
			by := rapid.SampledFrom([]expr.Expr{expr.Int{Value: 3}, expr.Int{Value: -2}, expr.Var{Name: "n"}, expr.Binary(expr.Add, expr.Var{Name: "n"}, expr.Int{Value: 1})}).Draw(t, "by")
			return expr.Binary(expr.Mul, by, sub.Draw(t, "a"))
		}),
		rapid.Custom(func(t *rapid.T) expr.Expr {
			kind := rapid.SampledFrom([]expr.OpKind{expr.FloorDiv, expr.Mod}).Draw(t, "kind")
			return expr.Binary(kind, sub.Draw(t, "a"), expr.Int{Value: rapid.Int64Range(1, 5).Draw(t, "d")})
		}),
	)
}

// TestFlatIndex: the linear form has the value of the flattened index, and so has FromAffine where there is one.
func TestFlatIndex(t *testing.T) {
	k := apply(t, kernel.Spec{
		Domains: []string{"{[i,j]: 0<=i,j<n}"}, Instructions: "c[i,j] = 1.0f",
		Args: []*kernel.Array{{Name: "a", Shape: []expr.Expr{expr.Int{Value: 1000}, expr.Binary(expr.Add, expr.Var{Name: "n"}, expr.Int{Value: 2})}, Offset: expr.Int{Value: 5}}},
	})
	forms := 0
	rapid.Check(t, func(t *rapid.T) {
		index := []expr.Expr{indexExpr(2).Draw(t, "row"), indexExpr(2).Draw(t, "column")}
		at := map[string]int64{}
		for _, n := range []string{"i", "j", "n"} {
			at[n] = rapid.Int64Range(-20, 20).Draw(t, n)
		}
		for _, e := range index {
			if a, err := expr.ToAffine(e, nil); err == nil {
				if v, err := a.Eval(at); err != nil || v != evalInt(e, at) {
					t.Fatalf("%s is %s: %d, not %d", e, a, v, evalInt(e, at))
				}
				if back := expr.FromAffine(a); evalInt(back, at) != evalInt(e, at) {
					t.Fatalf("%s becomes %s", e, back)
				}
			}
		}
		f, err := k.FlatIndex(&expr.Access{Array: "a", Index: index})
		if err != nil {
			return
		}
		forms++
		want := 5 + (at["n"]+2)*evalInt(index[0], at) + evalInt(index[1], at)
		poly := func(p *expr.Poly) int64 {
			values := map[string]int64{}
			for _, name := range p.Params() { // some are floors of parameters
				e, err := expr.Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				values[name] = evalInt(e, at)
			}
			v, err := p.Eval(values)
			if err != nil {
				t.Fatal(err)
			}
			return v.Int64()
		}
		got := poly(f.Rest)
		for _, term := range f.Terms {
			got += poly(term.Coeff) * at[term.Iname]
		}
		for _, fl := range f.Floors {
			v, err := fl.Num.Eval(at)
			if err != nil {
				t.Fatal(err)
			}
			got += poly(fl.Coeff) * intmath.FloorDiv(v, fl.Den)
		}
		if got != want {
			t.Fatalf("a[%s, %s]: form %s is %d at %v, the index is %d", index[0], index[1], f, got, at, want)
		}
	})
	if forms == 0 {
		t.Error("no index was a linear form")
	}
}

func TestFlatIndexForms(t *testing.T) {
	for _, c := range []struct {
		steps []step
		of    string
		want  string
	}{
		{nil, "a", "n*i + k"},
		{[]step{split("i", 16), split("k", 16)}, "a", "n*i_inner + 16*n*i_outer + k_inner + 16*k_outer"},
		{[]step{layout("a", "N0,N1")}, "a", "i + n*k"},
		{[]step{layout("a", "stride:4,stride:2*n")}, "a", "4*i + 2*n*k"},
		{[]step{fixed(map[string]int64{"n": 64})}, "b", "j + 64*k"},
	} {
		k := apply(t, matmul, c.steps...)
		for _, r := range k.Reads(k.Statements[0]) {
			if r.Array != c.of {
				continue
			}
			f, err := k.FlatIndex(r)
			if err != nil || f.String() != c.want {
				t.Errorf("%s: got %v, %v, want %s", r, f, err, c.want)
			}
		}
	}
}

// TestFlatIndexOfSizes: what multiplies an iname may be a quotient of sizes.
func TestFlatIndexOfSizes(t *testing.T) {
	k := apply(t, kernel.Spec{
		Domains: []string{"{[i,j]: 0<=i<n and 0<=j<16}"}, Instructions: "a[16*(m // 16)*i + (n - 1)//4*j + m*(m // 3)] = 1.0f",
		Args: []*kernel.Array{{Name: "a", Shape: []expr.Expr{expr.Int{Value: 1 << 20}}}, {Name: "m", DType: expr.Int32, IsValue: true}},
	})
	f, err := k.FlatIndex(k.Writes(k.Statements[0])[0])
	if want := "16*(m // 16)*i + ((n - 1) // 4)*j + (m // 3)*m"; err != nil || f.String() != want {
		t.Errorf("got %v, %v, want %s", f, err, want)
	}
}

// TestTypes follows the rules that decide the dtype of a counted operation.
func TestTypes(t *testing.T) {
	k := &kernel.Kernel{Domains: []*polycount.Set{polycount.NewSet([]string{"n"}, []string{"i"})}}
	for _, dt := range []expr.DType{
		expr.Bool, expr.Int8, expr.Int16, expr.Int32, expr.Int64, expr.Uint8, expr.Uint16, expr.Uint32, expr.Uint64,
		expr.Float16, expr.Float32, expr.Float64, expr.Complex64, expr.Complex128,
	} {
		k.Args = append(k.Args, &kernel.Array{Name: map[string]string{"float": "f", "int": "s", "uint": "u", "complex": "c", "bool": "b"}[strings.TrimRight(string(dt), "0123456789")] + strings.TrimLeft(string(dt), "abcdefghijklmnopqrstuvwxyz"), DType: dt, Shape: []expr.Expr{}})
	}
	for _, c := range []struct {
		in   string
		want expr.DType
	}{
		{"1", expr.Int32},
		{"3000000000", expr.Int64},
		{"3.0", expr.Float32},
		{"0.5", expr.Float32},
		{"3.1", expr.Float32},
		{"3.1*f16", expr.Float16},
		{"1.0/3.0*f16", expr.Float16},
		{"(0.1 if i > 0 else 2)*f16", expr.Float16},
		{"sqrt(2)*f16", expr.Float16},
		{"0.1*i*f16", expr.Float64},
		{"(0.1*i)*f16", expr.Float32},
		{"(0.1*i)*f64", expr.Float64},
		{"0.1*s64", expr.Float64},
		{"0.1*f64", expr.Float64},
		{"0.1d*f32", expr.Float64},
		{"0.1f*f16", expr.Float32},
		{"3000000000*f32", expr.Float32},
		{"u32 + 5", expr.Uint32},
		{"u32 + -5", expr.Int64},
		{"u32 + 4294967296", expr.Int64},
		{"u64 % 10", expr.Uint64},
		{"u8*2", expr.Int32},
		{"b + 1", expr.Int32},
		{"3.1f", expr.Float32},
		{"2.0d", expr.Float64},
		{"i + n", expr.Int32},
		{"2*f16", expr.Float16},
		{"-2*f16", expr.Float16},
		{"2000*f32", expr.Float32},
		{"2000*f16", expr.Float64}, // an int32 that takes part
		{"i*f32", expr.Float32},
		{"s64*f32", expr.Float64},
		{"s16*f32", expr.Float32},
		{"s32*f64", expr.Float64},
		{"i*f16", expr.Float64},
		{"s8 + s8", expr.Int8},
		{"s8 + 1", expr.Int32}, // literals take no type of less than 32 bits
		{"s64 + 1", expr.Int64},
		{"u32 + s32", expr.Int64},
		{"u8 + s8", expr.Int16},
		{"u64 + s64", expr.Float64},
		{"b + s8", expr.Int8},
		{"i / 2", expr.Float64},
		{"f32 / 2", expr.Float32},
		{"1/f32", expr.Float32},
		{"s32 // 3", expr.Int32},
		{"s64 % 3", expr.Int64},
		{"f32**2", expr.Float32},
		{"f32**0.5", expr.Float32},
		{"f64*c64", expr.Complex128},
		{"f32*c64", expr.Complex64},
		{"f32 < f64", expr.Bool},
		{"f32 < 1 and b", expr.Bool},
		{"not b", expr.Bool},
		{"~u16", expr.Uint16},
		{"s64 << s32", expr.Int64},
		{"f32 if i > 0 else f64", expr.Float64},
		{"f32 if i > 0 else 0", expr.Float32},
		{"minimum(f32, 1)", expr.Float32},
		{"cast(float64, f32)*2", expr.Float64},
		{"sqrt(f64)", expr.Float64},
		{"sqrt(i)", expr.Float32},
		{"fmin(f32, f64)", expr.Float64},
		{"abs(s64)", expr.Int64},
		{"isnan(f64)", expr.Int32},
		{"sum(i, f16)", expr.Float16},
		{"any(i, f16 > 0)", expr.Bool},
	} {
		got, err := k.TypeOf(parsed(t, c.in))
		if err != nil || got != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.in, got, err, c.want)
		}
	}
}

func TestInference(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"<> t = 2*x[i]\ny[i] = t", "t:float32 y:float32"},
		{"<> s = 0 {id=a}\ns = s + x[i]\ny[i] = s", "s:float32 y:float32"},
		{"<> s = 0\ny[i] = s", "s:int32 y:int32"},
		{"<> c = x[i] > 0\ny[i] = 2 if c else 3.1", "c:bool y:float32"},
		{"<> s = 0.1 {id=a}\ns = s + cast(float64, x[i])\ny[i] = s", "s:float64 y:float64"},
		{"<> p = 0 {id=p0}\n<> q = 0 {id=q0}\np = q + x[i]\nq = p*2.5", "p:float32 q:float32"},
		{"y[i] = sum(j, x[j]*3)", "y:float32"},
		{"y[i] = max(j, i*j)", "y:int32"},
		{"f(z) := z/3\ny[i] = f(i)", "y:float64"},
	} {
		k, err := kernel.Make(kernel.Spec{Domains: []string{"{[i,j]: 0<=i,j<n}"}, Instructions: c.text})
		if err != nil {
			t.Fatal(err)
		}
		if k.Array("x") != nil {
			if k, err = k.AddDTypes(types("x")); err != nil {
				t.Fatal(err)
			}
		}
		p, err := transform.Prepare(k)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for _, w := range strings.Fields(c.want) {
			name, dtype, _ := strings.Cut(w, ":")
			if got := p.Array(name).DType; got != expr.DType(dtype) {
				t.Errorf("%s: %s is %s, want %s", c.text, name, got, dtype)
			}
		}
	}
}

// TestDomainOf: the points of a projection are those of the domain, enumerated.
func TestDomainOf(t *testing.T) {
	k := apply(t, kernel.Spec{
		Domains: []string{"{[i,j]: 0<=i<n and i<=j<n and (i+j) mod 2 = 0}", "[i] -> {[k]: 0<=k<=2*i}"}, Instructions: "c[i,j,k] = 1.0f",
	}, assume("n >= 2"))
	type point struct{ i, j, k int64 }
	for n := int64(2); n < 7; n++ {
		var points []point
		for i := int64(0); i < n; i++ {
			for j := i; j < n; j++ {
				for l := int64(0); l <= 2*i; l++ {
					if (i+j)%2 == 0 {
						points = append(points, point{i, j, l})
					}
				}
			}
		}
		for _, names := range [][]string{{}, {"i"}, {"j"}, {"k"}, {"j", "i"}, {"k", "j"}, {"i", "j", "k"}} {
			want := map[[3]int64]bool{}
			for _, p := range points {
				var at [3]int64
				for pos, name := range names {
					at[pos] = map[string]int64{"i": p.i, "j": p.j, "k": p.k}[name]
				}
				if len(names) == 1 && names[0] == "j" || len(names) > 0 {
					want[at] = true
				}
			}
			d, err := k.DomainOf(names)
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Points(map[string]int64{"n": n}, 10000)
			if err != nil {
				t.Fatal(err)
			}
			if len(names) > 0 && len(got) != len(want) {
				t.Errorf("n=%d %v: %d points, want %d", n, names, len(got), len(want))
			}
			for _, p := range got {
				var at [3]int64
				copy(at[:], p)
				if len(names) > 0 && !want[at] {
					t.Errorf("n=%d %v: unexpected %v", n, names, p)
				}
			}
		}
	}
}

// TestDomainOfCopies: the loops that interleave iterations are copies of one, in which a domain with parts of a split is not divided.
func TestDomainOfCopies(t *testing.T) {
	k := apply(t, kernel.Spec{
		Domains: []string{"{[i,k]: 0<=i<n and 0<=k<8}"}, Instructions: "d[i] = sum(k, x[i,k])", DTypes: map[string]expr.DType{"x": "float32"},
	}, split("i", 8), split("i_outer", 4), tagged("i_outer_inner:ilp, i_inner:l.0, i_outer_outer:g.0"))
	p, err := transform.Prepare(k)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Statements {
		d, err := p.DomainOf(s.Inames)
		if err != nil || len(d.Disjuncts()) != 1 {
			t.Errorf("statement %s: domain %v, %v", s.ID, d, err)
			continue
		}
		points, err := d.Points(map[string]int64{"n": 50}, 1000)
		if want := 50; err != nil || len(points) != want && len(points) != 8*want {
			t.Errorf("statement %s: %d points, %v", s.ID, len(points), err)
		}
	}
}

func TestKey(t *testing.T) {
	a, b := apply(t, matmul, split("i", 4)), apply(t, matmul, split("i", 4))
	if a.Key() != b.Key() {
		t.Error("equal kernels have different keys")
	}
	for _, s := range []step{split("j", 4), tagged("j:g.0"), assume("n > 3"), layout("a", "f"), prioritized("j, k")} {
		if c := apply(t, matmul, split("i", 4), s); c.Key() == a.Key() {
			t.Errorf("a changed kernel has the same key:\n%s", c)
		}
	}
}

func BenchmarkMakeMatmul(b *testing.B) {
	for b.Loop() {
		k, err := kernel.Make(matmul)
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range []step{
			split("i", 16), split("j", 16), split("k", 16), assume("n >= 1 and n % 16 = 0"),
			tagged("i_outer:g.1, i_inner:l.1, j_outer:g.0, j_inner:l.0"),
			prefetched("a", "i_inner, k_inner"), prefetched("b", "k_inner, j_inner"), prepared,
		} {
			if k, err = s(k); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestLiterals checks the types that literals take, as suffixes.
func TestLiterals(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"y[i] = 0.1*x[i]", "0.1f"},
		{"d[i] = 0.1*x[i]", "0.1f"},
		{"d[i] = 0.1*d[i] + 0.5", "0.1d 0.5f"}, // the conversion of 0.5 is exact
		{"d[i] = 0.1", "0.1d"},
		{"d[i] = 0.1*i", "0.1d"},
		{"y[i] = 0.1*i", "0.1f"},
		{"d[i] = 1.0/3.0", "1.0d 3.0d"},
		{"d[i] = sqrt(2)*d[i]", "2.0d"},
		{"y[i] = sqrt(2)*x[i]", ""},
		{"y[i] = sin(0.1)*d[i]", "0.1d"},
		{"d[i] = sum(i_, 0.1)", "0.0d 0.1d"}, // a sum starts from zero
		{"y[i] = 0.1 if d[i] > 0.2 else 0.3", "0.2d 0.1f 0.3f"},
		{"h[i] = 0.1*h[i] + 0.1f", "0.1h 0.1f"},
		{"y[i] = cast(float64, 0.1)*x[i]", "0.1d"},
		{"y[i] = f(0.1, 0.2)", "0.1d 0.2f"},
		{"<> c = 0.1\nd[i] = c", "0.1f"},
		{"y[i] = x[i] {if=d[i] > 0.1}", "0.1d"},
	} {
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[i,i_]: 0<=i,i_<n}"}, Instructions: c.text,
			Functions: []*kernel.Function{{Name: "f", Params: []kernel.FunctionParam{{Name: "a", DType: "float64"}, {Name: "b", DType: "float32"}}, Result: "float32", Def: parsed(t, "a*b")}},
		})
		if err != nil {
			t.Fatal(err)
		}
		k = k.Clone()
		for name, dtype := range map[string]expr.DType{"x": "float32", "y": "float32", "d": "float64", "h": "float16"} {
			k.ChangeArray(name, func(a *kernel.Array) { a.DType = dtype })
		}
		if k, err = transform.Prepare(k); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []string
		for _, s := range k.Statements {
			for _, e := range s.Exprs() {
				expr.Walk(e, func(e expr.Expr) bool {
					if x, ok := e.(expr.Float); ok {
						got = append(got, strings.TrimRight(x.Text, "fd")+map[expr.DType]string{"float16": "h", "float32": "f", "float64": "d"}[x.DType])
					}
					return true
				})
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.text, text, c.want)
		}
	}
}
