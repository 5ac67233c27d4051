package models

import (
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"pgregory.net/rapid"
)

// evaluate is the reference for tapes: the tree, computed as it is written.
func evaluate(e *Expr, v map[string]float64) float64 {
	switch e.Op {
	case Const:
		return e.Value
	case Feature, Param, TermRef:
		return v[e.Name]
	}
	var a [3]float64
	for i, x := range e.Args {
		a[i] = evaluate(x, v)
	}
	return ops[e.Op].eval(a[0], a[1], a[2])
}

func TestValues(t *testing.T) {
	v := map[string]float64{"f_x": 3, "f_y": 0.5, "p_a": 2, "p_b": -1, "f_mem_access_tag:aLD": 7}
	for _, c := range []struct {
		text string
		want float64
	}{
		{"1 + 2 * 3 ** 2", 19},
		{"-f_x ** 2", -9},
		{"(-f_x) ** 2", 9},
		{"2 ** 3 ** 2", 512},
		{"f_x - f_y - 1", 1.5},
		{"f_x / f_y / 2", 3},
		{"2 * -f_x", -6},
		{"f_x ** -1", 1.0 / 3},
		{"+f_x", 3},
		{"1e3 + .5", 1000.5},
		{"2*f_mem_access_tag:aLD+1", 15},
		{"exp(log(f_x))", 3},
		{"sqrt(f_x + 1)", 2},
		{"abs(p_b) + min(f_x, 1) + max(f_x, 1, 10)", 12},
		{"sin(0) + cos(0) + atan(0) + tanh(0)", 1},
		{"ceil(1.25) + ceil(-1.25) + ceil(3)", 4},
		{"step(0, 5)", 0.5},
		{"step(1, 100)", 1},
		{"overlap(10, 1, 1000)", 10},
		{"overlap(1, 10, 1000)", 10},
		{"overlap(4, 4, 1000)", 4},
		{"overlap(0, 0, 1000)", 0},
		{"overlap(3, 1, 0)", 2},
		{"pnorm(3, 4, 2)", 5},
		{"pnorm(3e200, 4e200, 2)", 5e200},
		{"pnorm(3e-200, 4e-200, 2)", 5e-200},
		{"pnorm(0, 0, 2)", 0},
		{"pnorm(2, 3, 1)", 5},
		{"pi", math.Pi},
		{"f_x > 2 ? 1 : 0", 1},
		{"f_x<=2?1:f_x==3?4:5", 4},
		{"f_x >= 3 and not f_y >= 1 ? 1 : 0", 1},
		{"not f_x > 4 or f_y > 1 ? 1 : 0", 1},
		{"!(f_x > 2) || p_a != 2 ? 1 : 0", 0},
		{"0 < f_y < 1 < p_a ? 1 : 0", 1},
		{"0 < f_y < 1 < p_b ? 1 : 0", 0},
		{"1 + (f_y < f_x && p_b < 0 ? p_a : 7) * 2", 5},
		{"f_x > 5 ? log(p_b) : 2", 2},
		{"2 ^ 3 ^ 2", 512},
		{"1_000 + 0x10 + 0b11 + 1e-1", 1019.1},
		{"10000000000000000000000", 1e22},
		{"floor(1.5) + floor(-1.5) + round(2.5) + round(-2.4)", 0},
	} {
		e, err := ParseExpr(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := evaluate(e, v); math.Abs(got-c.want) > 1e-12*math.Abs(c.want) {
			t.Errorf("%s = %v, want %v", c.text, got, c.want)
		}
	}
}

func TestDerivativesAreWrittenOut(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"p_a * f_x + p_b", "f_x"},
		{"p_b + 3", "0"},
		{"p_a ** 2", "2 * p_a"},
		{"p_a / f_x", "1 / f_x"},
		{"f_x / p_a", "-(f_x / p_a / p_a)"},
		{"exp(-p_a * f_x)", "-(exp(-p_a * f_x) * f_x)"},
		{"f_x ** p_a", "powlog(f_x, p_a)"},
		{"max(p_a, f_x)", "below(f_x, p_a)"},
		{"overlap(p_a * f_x, f_y, p_e)", "(step(contrast(p_a * f_x, f_y), p_e) + p_e * contrast(p_a * f_x, f_y) * (1 - contrast(p_a * f_x, f_y)) * (0.5 * (1 - tanh(p_e * contrast(p_a * f_x, f_y)) ** 2))) * f_x"},
		{"pnorm(p_a, f_x, 3)", "share(p_a, f_x, 3) ** 2"},
		{"p_a * ceil(f_x / 132)", "ceil(f_x / 132)"},
		{"ceil(p_a)", "0"},
		{"f_x < 1 ? p_a * f_x : p_b", "f_x < 1 ? f_x : 0"},
		{"f_x > 0 ? p_a * log(f_x) : 0", "0 < f_x ? log(f_x) : 0"},
		{"f_x < 1 or p_b > 2 ? p_a : p_a + f_x", "1"},
	} {
		e, err := ParseExpr(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Derivative("p_a").String(); got != c.want {
			t.Errorf("d(%s)/dp_a = %s, want %s", c.text, got, c.want)
		}
	}
}

var leaves = []string{"f_x", "f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:0}_afr:>1", "p_a", "p_b"}

// drawExpr makes expressions whose values and derivatives are of ordinary size where all leaves are: costs that add, multiply,
// divide and hide each other, and curves of them.
func drawExpr(t *rapid.T, depth int) *Expr {
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "leaf") == 0 {
		switch i := rapid.IntRange(0, len(leaves)).Draw(t, "which"); {
		case i == len(leaves):
			return num(float64(rapid.IntRange(1, 30).Draw(t, "tenths")) / 10)
		case i < 2:
			return &Expr{Op: Feature, Name: leaves[i]}
		default:
			return &Expr{Op: Param, Name: leaves[i]}
		}
	}
	op := rapid.SampledFrom([]Op{
		Add, Sub, Mul, Div, Pow, Neg, Exp, Log, Sqrt, Tanh, Sin, Cos, Atan, Abs, Min, Max, Step, Contrast, Overlap, PNorm, Share, PowLog, Choose, Floor,
	}).Draw(t, "op")
	if op == Choose {
		return &Expr{Op: Choose, Args: []*Expr{drawCondition(t, depth-1), drawExpr(t, depth-1), drawExpr(t, depth-1)}}
	}
	e := &Expr{Op: op}
	for i := range ops[op].arity {
		a := drawExpr(t, depth-1)
		if op == Neg && a.Op == Const {
			return num(-a.Value)
		}
		if i == ops[op].arity-1 && (op == PNorm || op == Share) {
			a = num(float64(rapid.IntRange(1, 4).Draw(t, "p")))
		}
		e.Args = append(e.Args, a)
	}
	return e
}

// drawCondition makes conditions of comparisons.
func drawCondition(t *rapid.T, depth int) *Expr {
	op := rapid.SampledFrom([]Op{Less, AtMost, Equals, Differs, Not, And, Or}).Draw(t, "condition")
	draw := drawCondition
	if depth <= 0 || op <= Differs {
		op, draw = min(op, Differs), drawExpr
	}
	e := &Expr{Op: op}
	for range ops[op].arity {
		e.Args = append(e.Args, draw(t, max(0, depth-1)))
	}
	return e
}

func drawValues(t *rapid.T) map[string]float64 {
	v := make(map[string]float64)
	for i, n := range leaves { // never two alike: between them lie the kinks
		v[n] = rapid.Float64Range(0.2, 3).Draw(t, n) + 0.0137*float64(i+1)
	}
	return v
}

// smooth tells whether a value changes little and evenly around v, so that differences are to be trusted.
func smooth(f func(x float64) float64, x float64) (derivative float64, ok bool) {
	coarse := fd.Derivative(f, x, &fd.Settings{Formula: fd.Central, Step: 2e-4})
	fine := fd.Derivative(f, x, &fd.Settings{Formula: fd.Central, Step: 1e-4})
	left := fd.Derivative(f, x, &fd.Settings{Formula: fd.Backward, Step: 1e-4})
	right := fd.Derivative(f, x, &fd.Settings{Formula: fd.Forward, Step: 1e-4})
	if math.Abs(left-right) > 1e-2*(1+math.Abs(fine)) { // a kink, or too curved
		return 0, false
	}
	if math.IsNaN(fine) || math.Abs(f(x)) > 1e6 || math.Abs(fine) > 1e3 || math.Abs(coarse-fine) > 1e-5*(1+math.Abs(fine)) {
		return 0, false
	}
	return (4*fine - coarse) / 3, true
}

// ordinary tells whether every value on the way is of a size that leaves differences some digits, and no cost is negative: costs of both signs have norms of 0.
func ordinary(e *Expr, v map[string]float64) bool {
	ok := true
	e.walk(func(n *Expr) {
		size := math.Abs(evaluate(n, v))
		ok = ok && size < 1e4 && (size == 0 || size > 1e-9)
		if n.Op == PNorm || n.Op == Share {
			ok = ok && evaluate(n.Args[0], v) >= 0 && evaluate(n.Args[1], v) >= 0
		}
	})
	return ok
}

func TestDerivativeAgainstDifferences(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpr(t, 4)
		v := drawValues(t)
		for _, name := range leaves {
			f := func(x float64) float64 {
				old := v[name]
				v[name] = x
				defer func() { v[name] = old }()
				return evaluate(e, v)
			}
			want, ok := smooth(f, v[name])
			if !ok || !ordinary(e, v) {
				continue
			}
			compared++
			got := evaluate(e.Derivative(name), v)
			if math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("d(%s)/d%s = %s = %v, differences give %v at %v", e, name, e.Derivative(name), got, want, v)
			}
		}
	})
	if compared < 50 {
		t.Errorf("only %d derivatives were compared", compared)
	}
}

func TestEveryPartialAgainstDifferences(t *testing.T) {
	for op, o := range ops {
		if o.partial == nil {
			continue
		}
		for i := range o.arity {
			args := []float64{1.3, 0.7, 2.1}
			e := &Expr{Op: Op(op)}
			v := make(map[string]float64)
			for k := range o.arity {
				name := string(rune('a' + k))
				e.Args = append(e.Args, &Expr{Op: Param, Name: name})
				v[name] = args[k]
			}
			want := fd.Derivative(func(x float64) float64 {
				b := [3]float64{args[0], args[1], args[2]}
				b[i] = x
				return o.eval(b[0], b[1], b[2])
			}, args[i], &fd.Settings{Formula: fd.Central})
			if got := evaluate(o.partial(e, i), v); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s by argument %d: %v, differences give %v", o.name, i, got, want)
			}
		}
	}
}

func TestPrintedFormParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpr(t, 5)
		for _, x := range []*Expr{e, e.Derivative("p_a")} {
			back, err := ParseExpr(x.String())
			if err != nil {
				t.Fatalf("%s: %v", x, err)
			}
			if !back.Equal(x) {
				t.Fatalf("%s parses as %s", x, back)
			}
		}
	})
}

// TestCompiledAgainstTree evaluates at values, then at others of the features alone, then at others of all.
func TestCompiledAgainstTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpr(t, 5)
		m, err := New("m", "f_out", e.String())
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Compile()
		if err != nil {
			t.Fatal(err)
		}
		again, v := c.Clone(), drawValues(t)
		againstTree(t, m, c, c.Clone(), v)
		further := drawValues(t)
		for _, p := range c.Parameters {
			further[p] = v[p]
		}
		againstTree(t, m, c, again, further)
		againstTree(t, m, c.Clone(), again, drawValues(t))
	})
}

// againstTree compares a value and, of another compilation of the model, the gradient.
func againstTree(t *rapid.T, m *Model, c, slopes *Compiled, v map[string]float64) {
	e := m.Expr()
	at := func(names []string) []float64 {
		out := make([]float64, len(names))
		for i, n := range names {
			out[i] = v[n]
		}
		return out
	}
	same := func(a, b float64) bool {
		return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*(math.Abs(a)+math.Abs(b))
	}
	x, p := at(c.Features), at(c.Parameters)
	want := evaluate(e, v)
	if got := c.Eval(x, p); !same(got, want) {
		t.Fatalf("%s = %v, compiled %v", e, want, got)
	}
	grad := make([]float64, len(p))
	if got := slopes.Gradient(x, p, grad); !same(got, want) {
		t.Fatalf("%s = %v, compiled with gradient %v", e, want, got)
	}
	for i, name := range c.Parameters {
		if want := evaluate(e.Derivative(name), v); !math.IsNaN(want) && !same(grad[i], want) && math.Abs(want) < 1e100 {
			t.Fatalf("d(%s)/d%s = %v, compiled %v", e, name, want, grad[i])
		}
	}
}

// TestCostsAreHomogeneous: k times the costs give k times the time, whatever the unit.
func TestCostsAreHomogeneous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(1e-9, 10).Draw(t, "a"), rapid.Float64Range(1e-9, 10).Draw(t, "b")
		p := rapid.Float64Range(0.5, 300).Draw(t, "p")
		k := math.Pow(10, rapid.Float64Range(-12, 12).Draw(t, "log k"))
		for _, f := range []func(a, b, p float64) float64{overlap, pnorm} {
			if got, want := f(k*a, k*b, p), k*f(a, b, p); math.Abs(got-want) > 1e-9*want {
				t.Fatalf("f(%g a, %g b) = %g, want %g", k, k, got, want)
			}
		}
	})
}

// TestWhereCostsVanish: a kernel without one of the costs, or without both, must not spoil a fit with NaN.
func TestWhereCostsVanish(t *testing.T) {
	for _, text := range []string{
		"overlap(p_a * f_x, p_b * f_y, p_e)", "pnorm(p_a * f_x, p_b * f_y, p_e)", "p_a * f_x ** p_e + p_b * f_y", "p_a * max(f_x, f_y) + p_b * abs(f_x) + p_e",
	} {
		m, err := New("m", "f_out", text)
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range [][]float64{{0, 0}, {1, 0}, {0, 1}} {
			grad := make([]float64, len(c.Parameters))
			p := make([]float64, len(grad))
			for i := range p {
				p[i] = 2
			}
			if v := c.Gradient(x, p, grad); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s = %v at %v", text, v, x)
			}
			for i, g := range grad {
				if math.IsNaN(g) || math.IsInf(g, 0) {
					t.Errorf("d(%s)/d%s = %v at %v", text, c.Parameters[i], g, x)
				}
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	m := mustParse(t, matmul)
	c, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	x, p := make([]float64, len(c.Features)), make([]float64, len(c.Parameters))
	grad, terms := make([]float64, len(p)), make([]float64, len(c.TermNames))
	if n := testing.AllocsPerRun(100, func() {
		c.Eval(x, p)
		c.Gradient(x, p, grad)
		c.Terms(x, p, terms)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSharedTermsStaySmall has terms that double 60 times: as a tree it would have 2⁶⁰ nodes.
func TestSharedTermsStaySmall(t *testing.T) {
	text := "version: 1\nname: doubling\noutput: f_t\nterms:\n  t0: p_a * f_x\n"
	for i := range 60 {
		text += "  t" + strconv.Itoa(i+1) + ": t" + strconv.Itoa(i) + " + t" + strconv.Itoa(i) + " / 2\n"
	}
	m := mustParse(t, text+"expression: t60\n")
	c, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float64, 1)
	if got, want := c.Gradient([]float64{2}, []float64{3}, grad), 6*math.Pow(1.5, 60); math.Abs(got-want) > 1e-9*want || math.Abs(grad[0]*3-want) > 1e-9*want {
		t.Errorf("value %g, derivative %g, want %g and %g", got, grad[0], want, want/3)
	}
}
