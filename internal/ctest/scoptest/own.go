package scoptest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Own is a random C function with a region whose sums, products and extremes go into elements of arrays that their operands read at other subscripts: a[i] += a[j], and
// the like in triangular, reversed, strided and imperfect nests, under conditions, beside other statements and with scalars. It has the parameters of Program, and arrays that are
// as large.
func Own(t *rapid.T) string {
	g := &own{generator: generator{t: t, convex: true}}
	g.line("#include <math.h>")
	g.line("void f(int n, int m, double alpha, double A[120][120], double B[120][120], float C[120], int D[120])")
	g.line("{")
	g.line("  int i, j, k;")
	g.line("  double s;")
	g.line("#pragma scop")
	g.line("  s = alpha;")
	for range rapid.IntRange(1, 2).Draw(t, "nests") {
		g.array = g.pick("array", "A", "A", "B", "C", "C", "D")
		g.nest(rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "loops"))
	}
	g.line("#pragma endscop")
	g.line("}")
	return g.text.String()
}

type own struct {
	generator
	array string // that most statements of a nest are about
}

// nest writes loops around statements, some of which stand before and after the inner loop.
func (g *own) nest(loops int) {
	if loops == 0 {
		g.guarded()
		if g.chance("another", 4) {
			g.guarded()
		}
		return
	}
	outer := g.open
	i := []string{"i", "j", "k"}[len(outer)]
	bounds := []string{"0 n", "1 n", "0 m"}
	if len(outer) > 0 {
		x := g.pick("around", outer...)
		bounds = append(bounds, x+" n", x+"+1 n", x+"+1 n", "0 "+x, "0 "+x, "0 "+x+"+1", "1 "+x)
	}
	low, high, _ := strings.Cut(g.pick("bounds", bounds...), " ")
	step := g.pick("step", "1", "1", "1", "1", "2")
	if g.chance("down", 4) {
		g.line("for (%[1]s = %[2]s - 1; %[1]s >= %[3]s; %[1]s -= %[4]s) {", i, high, low, step)
	} else {
		g.line("for (%[1]s = %[3]s; %[1]s < %[2]s; %[1]s += %[4]s) {", i, high, low, step)
	}
	g.open = append(outer[:len(outer):len(outer)], i)
	if loops > 1 && g.chance("before", 5) {
		g.guarded()
	}
	g.nest(loops - 1)
	if loops > 1 && g.chance("after", 5) {
		g.guarded()
	}
	g.open = outer
	g.line("}")
}

// plus are names with each of several endings.
func plus(names []string, endings ...string) (out []string) {
	for _, n := range names {
		for _, e := range endings {
			out = append(out, n+e)
		}
	}
	return out
}

func (g *own) guarded() {
	if g.chance("data", 6) {
		g.line("if (%s + 0.5 %s %s) {", g.operand(1), g.pick("comparison", "<", ">="), g.operand(1))
		g.assignment()
		if g.chance("else", 3) {
			g.line("} else {")
			g.assignment()
		}
		g.line("}")
		return
	}
	if g.chance("if", 6) {
		g.line("if (%s)", g.pick("condition", plus(g.open, " > 1", " < m", " != 2", " < n - "+g.open[0])...))
	}
	g.assignment()
}

// accumulations put operands into an element. %[1]s is the element, %[2]s and %[3]s are operands.
var accumulations = []string{
	"%[1]s += %[2]s;", "%[1]s += %[2]s;", "%[1]s -= %[2]s;", "%[1]s *= %[2]s;",
	"%[1]s = %[1]s + %[2]s;", "%[1]s = %[2]s + %[1]s;", "%[1]s = %[1]s - %[2]s;", "%[1]s = %[2]s * %[1]s;",
	"%[1]s = %[1]s + %[2]s - %[3]s;", "%[1]s += %[2]s * %[3]s;", "%[1]s -= %[2]s * %[3]s;", "%[1]s = %[3]s - (%[2]s + %[1]s);",
	"%[1]s = fmax(%[1]s, %[2]s);", "%[1]s = fmin(%[2]s, %[1]s);",
	"%[1]s = %[2]s < %[1]s ? %[2]s : %[1]s;", "%[1]s = %[1]s < %[2]s ? %[2]s : %[1]s;", "%[1]s = %[2]s < %[1]s ? %[3]s : %[1]s;",
}

func (g *own) assignment() {
	to := g.element(g.array)
	switch {
	case g.chance("scalar", 8):
		g.line("s += %s;", g.operand(0))
	case g.chance("plain", 6):
		g.line("%s = %s;", to, g.operand(0))
	default:
		g.line(g.pick("accumulation", accumulations...), to, g.operand(0), g.operand(1))
	}
}

// operand reads the array of the nest more often than others.
func (g *own) operand(depth int) string {
	if depth < 2 && g.chance("deeper", 3) {
		return fmt.Sprintf("(%s %s %s)", g.operand(depth+1), g.pick("operator", "+", "-", "*"), g.operand(depth+1))
	}
	switch rapid.IntRange(0, 9).Draw(g.t, "operand") {
	case 0:
		return g.pick("literal", "alpha", "0.5", "s")
	case 1, 2, 3:
		return g.element(g.pick("other", "A", "B", "C", "D"))
	}
	return g.element(g.array)
}

func (g *own) element(array string) string {
	if array == "A" || array == "B" {
		return fmt.Sprintf("%s[%s][%s]", array, g.near(), g.near())
	}
	return fmt.Sprintf("%s[%s]", array, g.near())
}

// near is one of few subscripts, so that accesses often meet.
func (g *own) near() string {
	return g.pick("near", append(plus(g.open, "", "", "", " + 1"), "2")...) + " + 40"
}
