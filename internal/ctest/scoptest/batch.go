package scoptest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Batch is a random C function with a region that does the same for each of m problems of n elements, in steps that follow each other: an element depends on others of its problem alone, which
// steps before have stored, or earlier statements of the same step. It has the parameters of Program, and arrays that are as large.
func Batch(t *rapid.T) string {
	g := &generator{t: t, convex: true}
	g.line("#include <math.h>")
	g.line("void f(int n, int m, double alpha, double A[20][24][24], double B[20][24], double C[24][24])")
	g.line("{")
	g.line("#pragma scop")
	g.line("  for (int p = %d; p < m; p++)", rapid.IntRange(0, 1).Draw(t, "first"))
	g.line("    for (int k = 0; k < n - %d; k++) {", rapid.IntRange(0, 1).Draw(t, "last"))
	sums := rapid.Bool().Draw(t, "sums")
	for range rapid.IntRange(1, 4).Draw(t, "statements") {
		if sums {
			g.substituted()
		} else {
			g.batched()
		}
	}
	g.line("    }")
	g.line("#pragma endscop")
	g.line("}")
	return g.text.String()
}

// substituted writes a sum of a step over elements that steps before have stored, as in a triangular system, or what follows one.
func (g *generator) substituted() {
	of := g.pick("row", "k", "k", "k + 1")
	if g.chance("no sum", 4) {
		g.line("      B[p][%s] = B[p][%[1]s] * 0.5 + C[%[1]s][k];", of)
		return
	}
	low, high, _ := strings.Cut(g.pick("terms", "0 k", "0 k", "1 k", "k+1 n", "0 n"), " ")
	g.line("      for (int q = %s; q < %s; q++)", low, high)
	matrix := g.pick("matrix", "A[p][%s][q]", "A[p][q][%s]", "C[%s][q]", "C[q][%s]")
	g.line("        B[p][%s] %s 0.125 * %s * B[p][q + %d];", of, g.pick("operator", "+=", "-="), fmt.Sprintf(matrix, g.pick("column", "k", "k + 1")), rapid.IntRange(0, 1).Draw(g.t, "shift"))
}

// batched writes a statement of a step, in none, one or two loops of its own.
func (g *generator) batched() {
	open := []string{"k"}
	for i := range rapid.IntRange(0, 2).Draw(g.t, "loops") {
		name := []string{"i", "j"}[i]
		g.line("      %sfor (int %s = %s; %[2]s < n; %[2]s++)", strings.Repeat("  ", i), name, g.pick("from", "0", "k", "k + 1", "k + 1", "1"))
		open = append(open, name)
	}
	at := func(what string) string {
		shift := rapid.IntRange(0, 2).Draw(g.t, "shift")
		return fmt.Sprintf("%s + %d", g.pick(what, open...), shift)
	}
	element := func() string {
		switch g.pick("array", "A", "A", "A", "B", "C") {
		case "B":
			return fmt.Sprintf("B[p][%s]", at("i"))
		case "C":
			return fmt.Sprintf("C[%s][%s]", at("i"), at("j"))
		}
		return fmt.Sprintf("A[p][%s][%s]", at("i"), at("j"))
	}
	last := open[len(open)-1]
	to := fmt.Sprintf("A[p][%s][%s + 1]", at("i"), last)
	if len(open) == 3 {
		to = "A[p][i + 1][j + 1]"
	} else if rapid.Bool().Draw(g.t, "vector") {
		to = fmt.Sprintf("B[p][%s + 1]", last)
	}
	value := fmt.Sprintf("%s %s 0.25 * %s", element(), g.pick("operator", "+", "-"), element())
	if rapid.Bool().Draw(g.t, "itself") {
		value = fmt.Sprintf("%s - 0.5 * %s * %s", to, element(), g.pick("factor", "alpha", "0.125"))
	}
	g.line("      %s%s = %s;", strings.Repeat("  ", len(open)-1), to, value)
}
