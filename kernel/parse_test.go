package kernel

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/source"
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
		e, err := ParseExpr(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := e.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
		again, err := ParseExpr(e.String())
		if err != nil || again.String() != e.String() {
			t.Errorf("%s: printed as %s, which reads as %v, %v", c.in, e, again, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		in           string
		line, column int
		msg          string
	}{
		{"a[i] = ", 1, 8, "expected an expression"},
		{"a[i] = b[i", 1, 11, `expected ","`},
		{"a[i] = b[i] c", 1, 13, "unexpected"},
		{"\n\n  a[i] = 2 ** ", 3, 15, "expected an expression"},
		{"a[i] = b {ids=x}", 1, 11, "unknown attribute"},
		{"a[i] = b {id=3x}", 1, 11, `"3x" is no statement id`},
		{"a[i] = b {nosync=x@gloal}", 1, 11, `"gloal" is no scope`},
		{"a[i] = b {priority=high}", 1, 11, "no integer"},
		{"a[] = 1", 1, 2, "empty index"},
		{"a$x_y[i] = 1", 1, 3, "underscore"},
		{"<float31> t = 1", 1, 2, "unknown element type"},
		{"<> t = 1\n<> t = 2", 2, 4, "declared twice"},
		{"a + 1 = 2", 1, 1, "cannot assign"},
		{"a, b = f(x)", 1, 2, "several values"},
		{"for i\n a[i] = 1", 2, 10, "for block is not closed"},
		{"end", 1, 1, "end without a block"},
		{"if a > 0\n x = 1\nelse y\nend", 3, 6, "unexpected"},
		{"... barrier", 1, 5, "lbarrier"},
		{"x = 3.1q", 1, 5, "malformed number"},
		{"x = 99999999999999999999", 1, 5, "64 bits"},
		{"x = a ? b", 1, 7, "unexpected"},
		{"x = ä", 1, 5, "unexpected character"},
		{"x = argmax(j, x[j])", 1, 19, "takes a value and its index"},
		{"a, b = max(j, x[j])", 1, 2, "only argmax"},
		{"x[0], b = argmax(j, x[j], j)", 1, 5, "x must not be used"},
		{"a, x[a] = argmax(j, y[j], j)", 1, 2, "a must not be used"},
		{"x[0], x[1] = argmax(j, y[j], j)", 1, 5, "must differ"},
		{"a, 2 = argmax(j, y[j], j)", 1, 4, "cannot assign"},
		{"x = sum(a[i], 2)", 1, 9, "inames to reduce over"},
		{"x = if(a, b)", 1, 5, "3 operands"},
		{"f(1) := 2", 1, 1, "bad argument"},
		{"x = " + strings.Repeat("(", 1000), 1, 4 + maxDepth, "nested"},
	} {
		_, err := ParseInstructions(c.in)
		var e *source.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: got %v, want an error with a place", c.in, err)
			continue
		}
		if e.Pos.Line != c.line || e.Pos.Column != c.column || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%.40q: got %v, want %d:%d %s", c.in, err, c.line, c.column, c.msg)
		}
	}
}

// anExpr draws expressions of every kind of node.
func anExpr(depth int) *rapid.Generator[Expr] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.Int64Range(-2000, 2000), func(v int64) Expr { return Int{v} }),
		rapid.Map(rapid.SampledFrom([]string{"2.0f", "0.1", "-1e-3", "3.", "-inf"}), func(s string) Expr {
			e, err := ParseExpr(s)
			if err != nil {
				panic(err)
			}
			return e
		}),
		rapid.Map(rapid.SampledFrom([]string{"i", "n", "x1"}), func(s string) Expr { return Var{s} }),
	)
	if depth == 0 {
		return leaf
	}
	sub := anExpr(depth - 1)
	var binaryKinds, chains []OpKind
	for _, kind := range sortedKeys(binaryOps) {
		if binaryOps[kind].chain {
			chains = append(chains, kind)
		}
		binaryKinds = append(binaryKinds, kind)
	}
	chains = append(chains, Min, Max)
	return rapid.OneOf(leaf,
		rapid.Custom(func(t *rapid.T) Expr {
			return binary(rapid.SampledFrom(binaryKinds).Draw(t, "op"), sub.Draw(t, "a"), sub.Draw(t, "b"))
		}),
		rapid.Custom(func(t *rapid.T) Expr {
			return &Op{rapid.SampledFrom(chains).Draw(t, "op"), rapid.SliceOfN(sub, 2, 4).Draw(t, "args")}
		}),
		rapid.Custom(func(t *rapid.T) Expr {
			return &Op{rapid.SampledFrom([]OpKind{Neg, Not, BitNot}).Draw(t, "op"), []Expr{sub.Draw(t, "a")}}
		}),
		rapid.Custom(func(t *rapid.T) Expr {
			return &Access{
				"a", rapid.SampledFrom([]string{"", "aLD"}).Draw(t, "tag"), rapid.SliceOfN(sub, 1, 3).Draw(t, "index"),
				rapid.SampledFrom([]int64{0, 0, 4, 16}).Draw(t, "lanes"),
			}
		}),
		rapid.Custom(func(t *rapid.T) Expr { return &Cond{sub.Draw(t, "if"), sub.Draw(t, "then"), sub.Draw(t, "else")} }),
		rapid.Custom(func(t *rapid.T) Expr { return &Cast{Float64, sub.Draw(t, "arg")} }),
		rapid.Custom(func(t *rapid.T) Expr { return &Call{"pow", []Expr{sub.Draw(t, "a"), sub.Draw(t, "b")}} }),
		rapid.Custom(func(t *rapid.T) Expr {
			r := &Reduce{Kind: rapid.SampledFrom([]string{"sum", "max", "argmin"}).Draw(t, "kind"), Inames: []string{"k", "l"}, Body: sub.Draw(t, "body")}
			if r.Kind == "argmin" {
				r.Index = sub.Draw(t, "index")
			}
			return r
		}),
	)
}

// shape prints the tree, so that two expressions of different grouping differ though their values may not.
func shape(e Expr) string {
	var b strings.Builder
	if op, ok := e.(*Op); ok {
		b.WriteString(string(op.Kind))
	} else if len(e.children()) == 0 {
		return e.String()
	}
	b.WriteByte('(')
	for _, c := range e.children() {
		b.WriteString(shape(c) + ";")
	}
	b.WriteByte(')')
	return b.String()
}

func TestExprParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anExpr(3).Draw(t, "e")
		back, err := ParseExpr(e.String())
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		// a chain of comparisons in the text is a conjunction: never printed for a comparison of comparisons
		if shape(back) != shape(e) {
			t.Fatalf("%s reads back as %s\n%s\n%s", e, back, shape(e), shape(back))
		}
	})
}

func FuzzParseInstructions(f *testing.F) {
	for _, s := range []string{
		"c[i,j] = sum(k, a$aLD[i,k]*b[k,j]) {id=mm, dep=x*:y, if=i<n}", "<> t = 2.0f*i", "<float32> t[i] = 1",
		"f(x) := x**2\nfor i, j\n if i > 0\n  a[i] = f(i)\n elif i < 0\n a[i]=1\n else\n a[i]=2\n end\nend",
		"... lbarrier {id=b}", "x = 1 {priority=-3, nosync@local=a:b*, nosync=*}", "with {dep=*}\nx = y if z else 3.1\nend", "x = a[i] \\\n + 1 # c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ins, err := ParseInstructions(text)
		if err != nil {
			var e *source.Error
			if !errors.As(err, &e) || e.Pos.Line == 0 {
				t.Fatalf("%q: error without a place: %v", text, err)
			}
			return
		}
		for _, s := range ins.Statements {
			s := *s
			if s.ID == "" {
				s.ID = "insn"
			}
			again, err := ParseInstructions(s.String())
			if err != nil || len(again.Statements) != 1 {
				t.Fatalf("%q: printed as %q: %v", text, s.String(), err)
			}
			if s.RHS != nil && again.Statements[0].RHS.String() != s.RHS.String() {
				t.Fatalf("%q: %s reads back as %s", text, s.RHS, again.Statements[0].RHS)
			}
		}
		_, _ = Make(Spec{Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: text})
	})
}
