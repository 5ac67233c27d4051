package scoptest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Eliminate is a random C function with a region whose steps each take rows and columns of a matrix to change what is left of it, or all of it: eliminations with steps outermost or inside, triangular
// systems, closures, and the like with random bounds, shifts and operators. It has the parameters of Program, and arrays that are as large.
func Eliminate(t *rapid.T) string {
	g := &generator{t: t, convex: true}
	g.line("#include <math.h>")
	g.line("void f(int n, int m, double alpha, double A[40][40], double B[40][40], double x[40])")
	g.line("{")
	g.line("#pragma scop")
	if g.chance("rows outermost", 3) {
		g.rowsOutermost()
	} else {
		g.line("  for (int k = %d; k < n; k++) {", rapid.IntRange(0, 1).Draw(t, "first"))
		for range rapid.IntRange(1, 3).Draw(t, "statements") {
			g.eliminated()
		}
		g.line("  }")
	}
	g.line("#pragma endscop")
	g.line("}")
	return g.text.String()
}

// scaled is a change of an element by a product of two others.
func (g *generator) scaled(to, a, b string) string {
	return fmt.Sprintf("%s %s %s * %s * %s;", to, g.pick("operator", "-=", "-=", "+="), g.pick("factor", "0.125", "0.0625"), a, b)
}

// eliminated writes a statement of a step, in up to two loops.
func (g *generator) eliminated() {
	loop := func(name string, depth int, from ...string) string {
		low, high, _ := strings.Cut(g.pick("range "+name, from...), " ")
		return fmt.Sprintf("%sfor (int %s = %s; %[2]s < %[4]s; %[2]s++)", strings.Repeat("  ", depth), name, low, high)
	}
	switch g.pick("kind", "divide", "update", "update", "update", "vector", "diagonal", "other") {
	case "divide":
		g.line("%s", loop("i", 2, "k+1 n", "k+1 n", "0 n", "0 k"))
		to := g.pick("column", "A[i][k]", "A[k][i]")
		g.line("      %s = %s * 0.5 / (2.0 + fabs(A[k][k]));", to, to)
	case "update":
		g.line("%s", loop("i", 2, "k+1 n", "k+1 n", "k n", "0 n"))
		g.line("%s", loop("j", 3, "k+1 n", "k+1 n", "k+1 i+1", "i n", "0 n", "0 k"))
		a, b := g.pick("left", "A[i][k]", "A[i][k]", "A[k][i]", "B[i][k]"), g.pick("right", "A[k][j]", "A[k][j]", "A[j][k]", "B[k][j]")
		g.line("        %s", g.scaled(g.pick("target", "A[i][j]", "A[i][j]", "A[j][i]", "B[i][j]"), a, b))
	case "vector":
		g.line("%s", loop("i", 2, "k+1 n", "k+1 n", "0 n", "0 k"))
		g.line("      %s", g.scaled(g.pick("target", "x[i]", "x[i]", "x[k]"), g.pick("left", "A[i][k]", "A[k][i]"), g.pick("right", "x[k]", "x[k]", "x[i]")))
	case "diagonal":
		g.line("    %s = %s * 0.5 + alpha;", "A[k][k]", g.pick("value", "A[k][k]", "x[k]", "B[k][k]"))
	default:
		g.line("%s", loop("i", 2, "k n", "0 n"))
		g.line("      B[%s][%s] = 0.5 * A[i][k] + x[%s];", g.pick("row", "i", "k"), g.pick("column", "i", "k"), g.pick("at", "i", "k"))
	}
}

// rowsOutermost writes a factorization or a triangular system that makes a row after the other, from all rows before it.
func (g *generator) rowsOutermost() {
	g.line("  for (int i = 0; i < n; i++) {")
	if g.chance("system", 3) {
		g.line("    x[i] = alpha * x[i];")
		g.line("    for (int j = 0; j < i; j++)")
		g.line("      %s", g.scaled("x[i]", g.pick("left", "A[i][j]", "A[j][i]"), "x[j]"))
		g.line("    x[i] = x[i] / (2.0 + fabs(A[i][i]));")
	} else {
		g.line("    for (int j = 0; j < i; j++) {")
		g.line("      for (int k = 0; k < j; k++)")
		g.line("        %s", g.scaled("A[i][j]", "A[i][k]", g.pick("right", "A[k][j]", "A[j][k]")))
		g.line("      A[i][j] = A[i][j] * 0.5 / (2.0 + fabs(A[j][j]));")
		g.line("    }")
		g.line("    for (int j = i; j < %s; j++)", g.pick("rest", "n", "n", "i+1"))
		g.line("      for (int k = 0; k < i; k++)")
		g.line("        %s", g.scaled("A[i][j]", "A[i][k]", g.pick("upper", "A[k][j]", "A[j][k]")))
		if g.chance("root", 2) {
			g.line("    A[i][i] = sqrt(2.0 + fabs(A[i][i]));")
		}
	}
	g.line("  }")
}
