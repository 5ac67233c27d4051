package expr_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel/expr"
)

func TestParseExpr(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"1", "1"},
		{"-1", "-1"},
		{"- x", "-x"},
		{"a+b+c", "a + b + c"},
		{"(a+b)+c", "(a + b) + c"},
		{"a+(b+c)", "a + (b + c)"},
		{"a-b+c", "a - b + c"},
		{"a-(b+c)", "a - (b + c)"},
		{"a*b/c*d", "a*b/c*d"},
		{"a/(b*c)", "a/(b*c)"},
		{"-2*x*y", "-2*x*y"},
		{"-2**x", "-2**x"},
		{"(-2)**x", "(-2)**x"},
		{"2**-x**y", "2**-x**y"},
		{"(a**b)**c", "(a**b)**c"},
		{"a // 16 % 4", "a // 16 % 4"},
		{"a$aLD[i, k]*b[k,j]", "a$aLD[i, k]*b[k, j]"},
		{"sum(k, a[i,k])", "sum(k, a[i, k])"},
		{"sum((k,l), k*l) + 1", "sum((k, l), k*l) + 1"},
		{"sum([k,l], k*l)", "sum((k, l), k*l)"},
		{"reduce(max, k, x[k])", "max(k, x[k])"},
		{"max(x[i], 0)", "maximum(x[i], 0)"},
		{"maximum(a, b, c)", "maximum(a, b, c)"},
		{"min((a), b)", "min(a, b)"}, // a list of one name: a reduction, which Make may turn into the operator
		{"if(a < b, a, b)", "a if a < b else b"},
		{"a if c else b if d else e", "a if c else b if d else e"},
		{"(a if c else b)*2", "(a if c else b)*2"},
		{"not (a and b) or c", "not (a and b) or c"},
		{"0 <= i < n", "0 <= i and i < n"},
		{"a << 2 >> b", "a << 2 >> b"},
		{"a | b & c ^ ~d", "a | b & c ^ ~d"},
		{"cast(float64, x)", "cast(float64, x)"},
		{"cast('float16', x)", "cast(float16, x)"},
		{"cast(np.int8, x)", "cast(int8, x)"},
		{"2.0f + .5 + 1e-3 + 1.", "2.0f + .5 + 1e-3 + 1."},
		{"sqrt(exp(x[i]))", "sqrt(exp(x[i]))"},
		{"x[i]\n", "x[i]"},
		{"(a +\n b) # comment", "a + b"},
	} {
		e, err := expr.Parse(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := e.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
		again, err := expr.Parse(e.String())
		if err != nil || again.String() != e.String() {
			t.Errorf("%s: printed as %s, which reads as %v, %v", c.in, e, again, err)
		}
	}
}

// anExpr draws expressions of every kind of node.
func anExpr(depth int) *rapid.Generator[expr.Expr] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.Int64Range(-2000, 2000), func(v int64) expr.Expr { return expr.Int{v} }),
		rapid.Map(rapid.SampledFrom([]string{"2.0f", "0.1", "-1e-3", "3.", "-inf"}), func(s string) expr.Expr {
			e, err := expr.Parse(s)
			if err != nil {
				panic(err)
			}
			return e
		}),
		rapid.Map(rapid.SampledFrom([]string{"i", "n", "x1"}), func(s string) expr.Expr { return expr.Var{s} }),
	)
	if depth == 0 {
		return leaf
	}
	sub := anExpr(depth - 1)
	binaryKinds, chains := expr.Operators(), []expr.OpKind{expr.Or, expr.And, expr.BitOr, expr.BitXor, expr.BitAnd, expr.Add, expr.Mul, expr.Min, expr.Max}
	return rapid.OneOf(leaf,
		rapid.Custom(func(t *rapid.T) expr.Expr {
			return expr.Binary(rapid.SampledFrom(binaryKinds).Draw(t, "op"), sub.Draw(t, "a"), sub.Draw(t, "b"))
		}),
		rapid.Custom(func(t *rapid.T) expr.Expr {
			return &expr.Op{rapid.SampledFrom(chains).Draw(t, "op"), rapid.SliceOfN(sub, 2, 4).Draw(t, "args")}
		}),
		rapid.Custom(func(t *rapid.T) expr.Expr {
			return &expr.Op{rapid.SampledFrom([]expr.OpKind{expr.Neg, expr.Not, expr.BitNot}).Draw(t, "op"), []expr.Expr{sub.Draw(t, "a")}}
		}),
		rapid.Custom(func(t *rapid.T) expr.Expr {
			return &expr.Access{
				"a", rapid.SampledFrom([]string{"", "aLD"}).Draw(t, "tag"), rapid.SliceOfN(sub, 1, 3).Draw(t, "index"),
				rapid.SampledFrom([]int64{0, 0, 4, 16}).Draw(t, "lanes"), rapid.SampledFrom([]expr.DType{"", "", expr.Float64}).Draw(t, "as"),
			}
		}),
		rapid.Custom(func(t *rapid.T) expr.Expr {
			return &expr.Cond{sub.Draw(t, "if"), sub.Draw(t, "then"), sub.Draw(t, "else")}
		}),
		rapid.Custom(func(t *rapid.T) expr.Expr { return &expr.Cast{expr.Float64, sub.Draw(t, "arg")} }),
		rapid.Custom(func(t *rapid.T) expr.Expr { return &expr.Call{"pow", []expr.Expr{sub.Draw(t, "a"), sub.Draw(t, "b")}} }),
		rapid.Custom(func(t *rapid.T) expr.Expr {
			r := &expr.Reduce{Kind: rapid.SampledFrom([]string{"sum", "max", "argmin"}).Draw(t, "kind"), Inames: []string{"k", "l"}, Body: sub.Draw(t, "body")}
			if r.Kind == "argmin" {
				r.Index = sub.Draw(t, "index")
			}
			return r
		}),
	)
}

// shape prints the tree, so that two expressions of different grouping differ though their values may not.
func shape(e expr.Expr) string {
	var b strings.Builder
	if op, ok := e.(*expr.Op); ok {
		b.WriteString(string(op.Kind))
	} else if len(expr.Children(e)) == 0 {
		return e.String()
	}
	b.WriteByte('(')
	for _, c := range expr.Children(e) {
		b.WriteString(shape(c) + ";")
	}
	b.WriteByte(')')
	return b.String()
}

func TestExprParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anExpr(3).Draw(t, "e")
		back, err := expr.Parse(e.String())
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		// a chain of comparisons in the text is a conjunction: never printed for a comparison of comparisons
		if shape(back) != shape(e) {
			t.Fatalf("%s reads back as %s\n%s\n%s", e, back, shape(e), shape(back))
		}
	})
}

func TestToAffine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"16*i + j - 2*(i - 1)", "14*i + j + 2"},
		{"i*4 // 8 + n % 3", "i // 2 + n % 3"},
		{"-(i + 2)", "-i - 2"},
		{"cast(int32, i) + 1", "i + 1"},
		{"0*(i + j)", "0"},
		{"cast(int32, i)", "i"},
		{"cast(int32, cast(int8, i))", "error: cast(int8, i) is not affine: numbers of a narrow type wrap around"},
		{"cast(uint16, i)", "error: cast(uint16, i) is not affine: numbers of a narrow type wrap around"},
		{"i*j", "error: i*j is not affine: it multiplies two variables"},
		{"i // n", "error: i // n is not affine: the divisor is not a positive constant"},
		{"i // -2", "error: i // -2 is not affine: the divisor is not a positive constant"},
		{"a[i] + 1", "error: a[i] is not affine: it is read from memory"},
		{"i / 2", "error: i/2 is not affine: operator /"},
		{"t + 1", "error: t is not affine: t is neither an iname nor a parameter"},
		{"sqrt(i)", "error: sqrt(i) is not affine"},
		{"9223372036854775807*i*4", "error: 9223372036854775807*i*4"},
	} {
		a, err := expr.ToAffine(parsedExpr(t, c.in), func(n string) bool { return n != "t" })
		if want, bad := strings.CutPrefix(c.want, "error: "); bad {
			if err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "64-bit") {
				t.Errorf("%s: got %v, %v", c.in, a, err)
			}
			continue
		}
		want, err2 := expr.ToAffine(parsedExpr(t, c.want), nil)
		if err != nil || err2 != nil || !a.Equal(want) {
			t.Errorf("%s: got %v, want %v (%v, %v)", c.in, a, want, err, err2)
		}
	}
}

func parsedExpr(t testing.TB, text string) expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
