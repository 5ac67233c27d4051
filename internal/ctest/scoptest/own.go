package scoptest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Own is a random C function with a region whose sums, products and extremes go into elements of arrays that their operands read at other subscripts: a[i] += a[j], and
// the like in triangular, reversed, strided and imperfect nests, under conditions, beside other statements and with scalars. It has the parameters of Program, and arrays that are
// as large.
func Own(t *rapid.T) string { return ownText(t, false) }

// Calls is Own with calls of functions that have bodies and with integers that are assigned, for comparisons by a compiler.
func Calls(t *rapid.T) string { return ownText(t, true) }

// functions are what nests call.
const functions = `#ifndef FUNCTIONS
#define FUNCTIONS
#include <stdlib.h>
struct record { double x; float y[3]; int k; };
static double bent(double x, int k) { if (x < 0) return k - x; double y = x * 0.5; if (k > 2) { y += 1; } return y + k; }
static void into(double M[120][120], int i, int j, double v) { for (int l = 0; l < 2; l++) M[i + l + 40][j + 40] += v; }
static void row(double r[120], int at, const double *from) { r[at] = from[1] - r[at]; at += 1; r[at] = at; }
static int twice(int i) { int j = i; j += i; return j; }
#endif
`

func ownText(t *rapid.T, calls bool) string {
	g := &own{generator: generator{t: t, convex: true}, calls: calls}
	g.line("#include <math.h>")
	if calls {
		g.text.WriteString(functions)
	}
	g.line("void f(int n, int m, double alpha, double A[120][120], double B[120][120], float C[120], int D[120])")
	g.line("{")
	g.line("  int i, j, k, p = 0;")
	g.line("  double s;")
	if calls {
		g.line("  struct record R[20];")
		g.line("  double F[400];")
		g.line("  double **P = malloc(20 * sizeof *P);")
		g.line("  for (i = 0; i < 20; i++) { R[i].x = B[i + 40][30]; R[i].k = i; P[i] = malloc((i + 12) * sizeof **P); for (j = 0; j < i + 12; j++) P[i][j] = A[i + 30][j + 30];")
		g.line("    for (j = 0; j < 3; j++) R[i].y[j] = B[i + 40][j + 25]; for (j = 0; j < 20; j++) F[20*i + j] = B[i + 30][j + 30]; }")
	}
	g.line("#pragma scop")
	g.line("  s = alpha;")
	if calls {
		g.line("  p = 3;")
	}
	for range rapid.IntRange(1, 2).Draw(t, "nests") {
		if calls && g.chance("other types", 4) {
			g.otherTypes()
		}
		g.array = g.pick("array", "A", "A", "B", "C", "C", "D")
		g.nest(rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "loops"))
	}
	g.line("#pragma endscop")
	if calls {
		if g.line("  D[60] = p;"); !g.stepped { // what the counter has after a loop of such a step is not known
			g.line("  D[60] += i;")
		}
		g.line("  for (i = 0; i < 20; i++) { B[i + 40][30] += R[i].x; C[i + 40] += R[i].k; for (j = 0; j < i + 12; j++) A[i + 30][j + 30] += P[i][j]; free(P[i]);")
		g.line("    for (j = 0; j < 3; j++) B[i + 40][j + 25] += R[i].y[j]; for (j = 0; j < 20; j++) B[i + 30][j + 30] += F[20*i + j]; }")
		g.line("  free(P);")
	}
	g.line("}")
	return g.text.String()
}

type own struct {
	generator
	array  string // that most statements of a nest are about
	calls  bool
	labels int
	// stepped: a loop has a parameter as its step.
	stepped bool
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
	if g.calls && len(outer) == 0 && g.chance("by a parameter", 5) {
		step, g.stepped = "m", true
	}
	if g.chance("down", 4) {
		g.line("for (%[1]s = %[2]s - 1; %[1]s >= %[3]s; %[1]s -= %[4]s) {", i, high, low, step)
	} else {
		g.line("for (%[1]s = %[3]s; %[1]s < %[2]s; %[1]s += %[4]s) {", i, high, low, step)
	}
	g.open = append(outer[:len(outer):len(outer)], i)
	if g.calls && g.chance("leaves", 5) {
		condition := g.pick("condition", plus(g.open, " > 2", " < m", " == 1")...)
		if rapid.Bool().Draw(g.t, "by data") {
			condition = fmt.Sprintf("%s + 0.5 < %s", g.operand(1), g.operand(1))
		}
		if g.guarded(); g.chance("over", 3) {
			g.line("if (%s) goto over_%d;", condition, g.labels)
			g.assignment()
			g.line("over_%d:", g.labels)
			g.labels++
		} else {
			g.line("if (%s) %s;", condition, g.pick("leaves", "break", "continue"))
		}
	}
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

// otherTypes writes a loop whose iterator is no int, with values of several types: C takes those below 0 for large ones where it compares or divides without a sign.
func (g *own) otherTypes() {
	t := g.pick("type", "unsigned", "unsigned", "long", "unsigned long", "short", "unsigned char")
	g.line("for (%s e = 0; e < 20; e++)", t)
	g.line("B[%s][e + 30] %s %s;", g.pick("row", "40", "41"), g.pick("assigns", "=", "+="), g.pick("value", "D[e + 40] * e", "D[e + 40] - e", "(D[e + 41] - e) / 3", "D[e + 40] < e",
		"D[e + 40] > e ? D[e + 40] : e", "e * 4000000000u % 7", "(unsigned)D[e + 40] * -1 / 2", "D[e + 40] >= 0u", "(e << 28) / 3", "e * 100000 % 9 * 30000", "D[e + 40] + (e - m) >> 1", "D[e + 40] / 2 * 0.5f"))
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
	i := g.pick("argument", g.open...)
	switch {
	case g.calls && g.chance("call", 3):
		g.line(g.pick("called", "into(A, %[1]s, 2, %[2]s);", "into(B, 1, %[1]s + 1, %[2]s);", "row(A[%[1]s + 40], 41, &B[42][%[1]s + 40]);", "row(B[43], %[1]s + 40, A[40]);",
			"C[twice(%[1]s) + 40] = bent(%[2]s, %[1]s);", "A[40][%[1]s + 40] += bent(bent(%[2]s, 1), p);"), i, g.operand(0))
	case g.calls && g.chance("integer", 4):
		g.line(g.pick("integer", "p = %[1]s + 1;", "p = 2*%[1]s;", "p = p + 0*%[1]s;", "p = twice(%[1]s);"), i)
	case g.calls && g.chance("scattered", 4):
		g.line(g.pick("scattered", "C[D[%[1]s + 40] %% 20 + 45] += %[2]s;", "C[%[1]s + 40] += A[41][D[%[1]s + 41] %% 20 + 45];", "B[D[%[1]s + 40] %% 20 + 45][%[1]s + 40] = %[2]s;", "A[44][%[1]s*%[1]s %% 30 + 45] = %[2]s;"), i, g.operand(0))
	case g.calls && g.chance("layout", 3):
		g.line(g.pick("layout", "R[%[1]s].x += %[2]s;", "R[%[1]s + 1].y[1] = R[%[1]s].y[2] + %[2]s;", "R[%[1]s].k += 1;", "C[%[1]s + 40] += R[%[3]s].x * R[%[1]s].k;",
			"F[%[1]s*m + 2] += %[2]s;", "F[%[3]s*m + %[1]s] = F[%[1]s*m + %[3]s] + %[2]s;", "F[%[3]s + n*%[1]s] += %[2]s;", "F[%[1]s*n*2 + 2*%[3]s + 1] = F[%[1]s*n*2] + %[2]s;",
			"P[%[1]s][%[3]s] += %[2]s;", "P[%[1]s][%[1]s + 1] = P[%[1]s + 1][2] * %[2]s;", "P[%[3]s + 1][%[1]s] += P[%[1]s][%[3]s] + %[2]s;"), i, g.operand(0), g.pick("other argument", g.open...))
	case g.calls && g.chance("by", 4):
		g.line("C[p + 40] += %s;", g.operand(0))
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
