package scoptest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Program is a random C function with a region: nests that are rectangular, triangular, skewed or reversed, with strides, guards, switches and statements
// between loops, over arrays and scalars, with compound and chained assignments and ?:. Every subscript is within bounds that all arrays
// have, and every loop ends. Convex programs have no quotients and no conditions that are unions, and fewer statements, for analyses that
// compare points of statements with each other.
func Program(t *rapid.T, convex bool) string {
	g := &generator{t: t, convex: convex, most: 9}
	if convex {
		g.most = 5
	}
	g.line("void f(int n, int m, double alpha, double A[120][120], double B[120][120], float C[120], int D[120])")
	g.line("{")
	g.line("  int i, j, k, p = 3, q = 5, z = 7;")
	g.line("  double s, u;")
	g.line("  double L[120];")
	g.integers, g.scattered = !convex && rapid.Bool().Draw(t, "integers"), rapid.Bool().Draw(t, "scattered")
	g.line("#pragma scop")
	g.line("  s = u = 1;")
	g.line("  for (i = 0; i < 120; i++) L[i] = i - 3;")
	for range rapid.IntRange(1, 3).Draw(t, "nests") {
		g.block(0)
	}
	g.line("#pragma endscop")
	if g.integers && rapid.Bool().Draw(t, "read") {
		g.line("  D[0] = p + q;")
	}
	if rapid.Bool().Draw(t, "used") {
		g.line("  A[0][0] = s;")
	}
	g.line("}")
	return g.text.String()
}

type generator struct {
	t          *rapid.T
	text       strings.Builder
	open       []string // iterators
	statements int
	convex     bool
	most       int  // statements, about
	integers   bool // p and q are assigned
	scattered  bool // subscripts may depend on data, or have products
}

func (g *generator) line(format string, args ...any) {
	g.text.WriteString(strings.Repeat("  ", len(g.open)))
	fmt.Fprintf(&g.text, format+"\n", args...)
}

func (g *generator) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(g.t, label)
}

func (g *generator) chance(label string, of int) bool {
	return rapid.IntRange(1, of).Draw(g.t, label) == 1
}

// block writes a loop, a branch or a statement.
func (g *generator) block(depth int) {
	switch kind := rapid.IntRange(0, 9).Draw(g.t, "kind"); {
	case g.statements >= g.most || depth > 4 || depth > 0 && kind < 4:
		g.statement()
	case depth < 3 && len(g.open) < 3 && kind < 8:
		g.loop(depth)
	case depth > 0:
		g.branch(depth)
	default:
		g.statement()
	}
}

func (g *generator) body(depth int) {
	for range rapid.IntRange(1, 3).Draw(g.t, "body") {
		g.block(depth + 1)
	}
}

// bound is an affine expression in outer iterators and parameters, small at small parameters.
func (g *generator) bound() string {
	choices := []string{"n", "m", "n - 1", "m + 1", "5", "n + m", "(n < m ? n : m)"}
	if !g.convex {
		choices = append(choices, "n/2")
	}
	for _, i := range g.open {
		if choices = append(choices, i, i+" + 2", "n - "+i, "m + "+i+" - 1"); !g.convex {
			choices = append(choices, "n - "+i+"/3")
		}
	}
	return g.pick("bound", choices...)
}

func (g *generator) low() string {
	choices := []string{"0", "1", "0", "2"}
	if !g.convex {
		choices = append(choices, "(n > 2 ? 1 : 0)")
	}
	for _, i := range g.open {
		if choices = append(choices, i, i+" + 1"); !g.convex {
			choices = append(choices, i+"/2", i+" % 3")
		}
	}
	return g.pick("low", choices...)
}

func (g *generator) loop(depth int) {
	i := []string{"i", "j", "k"}[len(g.open)]
	low, high := g.low(), g.bound()
	step := g.pick("step", "1", "1", "1", "2", "3")
	form := rapid.IntRange(0, 5).Draw(g.t, "form")
	if !g.convex && g.chance("free", 3) {
		form = rapid.IntRange(6, 9).Draw(g.t, "free form")
	}
	last := ""
	switch form {
	case 0:
		g.line("for (%s = %s; %s < %s; %s++) {", i, low, i, high, i)
	case 1:
		g.line("for (%s = %s; %s <= %s - 1; ++%s) {", i, low, i, high, i)
	case 2:
		g.line("for (%s = %s; %s < %s; %s += %s) {", i, low, i, high, i, step)
	case 3:
		g.line("for (%s = %s - 1; %s >= %s; %s--) {", i, high, i, low, i)
	case 4:
		g.line("for (%s = %s - 1; %s > %s - 1; %s = %s - %s) {", i, high, i, low, i, i, step)
	case 6:
		g.line("for (%s = %s; %s-- > %s; ) {", i, high, i, low)
	case 7:
		g.line("for (%s = %s, z = %s; %s < z; %s++, z--) {", i, low, high, i, i)
	case 8:
		g.line("for (%s = 0; %s != n; %s++) {", i, i, i)
	case 9:
		g.line("%s = %s;", i, low)
		g.line("while (%s < %s) {", i, high)
		last = i + "++;"
	default:
		g.line("for (%s = %s; %s < %s && %s < %s; %s++) {", i, low, i, high, i, g.bound(), i)
	}
	g.open = append(g.open, i)
	if g.body(depth); last != "" {
		g.line("%s", last)
	}
	g.open = g.open[:len(g.open)-1]
	g.line("}")
}

func (g *generator) condition() string {
	i := g.affine()
	simple := []string{i + " < n", i + " >= 2", i + " == " + g.affine(), "n > m", i + " + " + g.affine() + " < n + 1"}
	if g.convex {
		return g.pick("condition", simple...)
	}
	simple = append(simple, i+" != m", "("+i+" + 120) % 2 == 0", "("+i+" - 3) % 2 == 0", "("+i+" - n) % 3 == -1", "("+i+" - 4)/3 >= "+g.affine(), "n - "+i+" > m/2")
	c := g.pick("condition", simple...)
	switch rapid.IntRange(0, 5).Draw(g.t, "joined") {
	case 0:
		return c + " && " + g.pick("condition", simple...)
	case 1:
		return "(" + c + " || " + g.pick("condition", simple...) + ")"
	case 2:
		return "!(" + c + ")"
	}
	return c
}

// onData is a condition on what arrays and scalars hold.
func (g *generator) onData() string {
	c := fmt.Sprintf("%s %s %s", g.target(), g.pick("comparison", "<", ">=", "!=", "=="), g.pick("against", "s", "1.5", g.target()))
	switch rapid.IntRange(0, 5).Draw(g.t, "joined") {
	case 0:
		return g.condition() + " && " + c
	case 1:
		return "!(" + c + ")"
	}
	return c
}

// arms writes a switch.
func (g *generator) arms(depth int) {
	g.line("switch (%s) {", g.affine())
	for _, label := range []string{"case 1: case 3:", "case 2:", "default:"} {
		if g.chance("arm", 4) {
			continue
		}
		g.line(label)
		g.body(depth)
		g.line("break;")
	}
	g.line("}")
}

func (g *generator) branch(depth int) {
	if !g.convex && g.chance("switch", 4) {
		g.arms(depth)
		return
	}
	if g.chance("data", 3) {
		g.line("if (%s) {", g.onData())
	} else {
		g.line("if (%s) {", g.condition())
	}
	g.body(depth)
	if rapid.Bool().Draw(g.t, "else") {
		g.line("} else {")
		g.body(depth)
	}
	g.line("}")
}

// affine is an expression in the iterators.
func (g *generator) affine() string {
	if len(g.open) == 0 {
		return g.pick("constant", "0", "1", "3", "n")
	}
	i, j := g.pick("iterator", g.open...), g.pick("iterator", g.open...)
	return g.pick("affine", i, i, i, i+" + 1", i+" - 1", i+" + "+j, i+" - "+j, "2*"+i, "n - "+i, "3")
}

// subscript is an affine expression that is moved into the array.
func (g *generator) subscript() string {
	if g.integers && g.chance("integer", 3) {
		return g.pick("integer", "p % 30 + 40", "q % 30 + 40", "(p - q) % 30 + 40", "i % 30 + 40")
	}
	if g.scattered && len(g.open) > 0 && g.chance("data", 8) {
		return g.pick("data", "D["+g.pick("at", g.open...)+" + 40] % 30 + 40", "("+g.affine()+")*("+g.affine()+") % 30 + 45")
	}
	return g.affine() + " + 40"
}

// integer assigns to an integer variable.
func (g *generator) integer() {
	p, q := "p", "q"
	if rapid.Bool().Draw(g.t, "other") {
		p, q = q, p
	}
	g.line("%s", strings.NewReplacer("P", p, "Q", q, "X", g.affine()).Replace(g.pick("integer", "P = X;", "P = X;", "P = Q + X;", "P += 2;", "P++;", "P--;", "P = Q;", "P = P + Q;", "P = 2*X - 1;")))
}

func (g *generator) target() string {
	switch rapid.IntRange(0, 5).Draw(g.t, "target") {
	case 0:
		return g.pick("scalar", "s", "u")
	case 1:
		return fmt.Sprintf("C[%s]", g.subscript())
	case 2:
		return fmt.Sprintf("L[%s]", g.subscript())
	case 3:
		return fmt.Sprintf("D[%s]", g.subscript())
	}
	return fmt.Sprintf("%s[%s][%s]", g.pick("array", "A", "B"), g.subscript(), g.subscript())
}

func (g *generator) operand(depth int) string {
	if depth < 2 && g.chance("deeper", 2) {
		switch rapid.IntRange(0, 8).Draw(g.t, "operation") {
		case 0:
			return fmt.Sprintf("(%s ? %s : %s)", g.condition(), g.operand(depth+1), g.operand(depth+1))
		case 1:
			return fmt.Sprintf("(%s < %s ? %s : %s)", g.operand(depth+1), g.operand(depth+1), g.operand(depth+1), g.operand(depth+1))
		case 2:
			return fmt.Sprintf("sqrt(fabs(%s))", g.operand(depth+1))
		case 3:
			return fmt.Sprintf("(float)(%s)", g.operand(depth+1))
		case 4:
			return fmt.Sprintf("(D[%s] / (2 + n))", g.subscript())
		case 5:
			return fmt.Sprintf("-(%s)", g.operand(depth+1))
		}
		return fmt.Sprintf("(%s %s %s)", g.operand(depth+1), g.pick("operator", "+", "-", "*"), g.operand(depth+1))
	}
	if g.integers && g.chance("integer", 6) {
		return g.pick("integer", "(p + 0.5)", "(q - 0.5)")
	}
	if g.chance("literal", 4) {
		return g.pick("literal", "alpha", "2.5", "1.5f", "3", "n")
	}
	return g.target()
}

func (g *generator) statement() {
	if g.integers && g.chance("integer", 3) {
		g.integer()
		return
	}
	g.statements++
	op := g.pick("assign", "=", "=", "+=", "-=", "*=")
	switch to := g.target(); {
	case g.chance("chained", 8):
		g.line("%s %s %s = %s;", to, op, g.target(), g.operand(0))
	case g.chance("step", 10):
		g.line("%s++;", to)
	default:
		g.line("%s %s %s;", to, op, g.operand(0))
	}
}
