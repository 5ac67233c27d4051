package scoptest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Chain is a random C function with a region of loops whose iterations carry a few values forward: sums, products, extremes, the places of extremes and recurrences along an array, which
// other statements may use. Some elements are no numbers. It has the parameters of Own, and arrays that are as large.
func Chain(t *rapid.T) string {
	g := &chain{generator: generator{t: t, convex: true}, floats: rapid.Bool().Draw(t, "floats")}
	g.line("#include <math.h>")
	g.line("void f(int n, int m, double alpha, double A[120][120], double B[120][120], float C[120], int D[120])")
	g.line("{")
	g.line("  int p = 2, q = 1;")
	g.line("  double s = 0.25, u = 1;")
	g.line("  float v = 0.5f;")
	g.line("#pragma scop")
	if g.chance("no number", 3) {
		g.line("  A[%s][23] = sqrt(-1 - alpha * alpha);", g.pick("where", "20", "21", "41"))
	}
	for range rapid.IntRange(1, 2).Draw(t, "loops") {
		low, high, _ := strings.Cut(g.pick("bounds", "0 n", "1 n", "1 n-1", "0 n-2", "2 m", "1 n+m"), " ")
		step := g.pick("step", "1", "1", "1", "1", "1", "1", "1", "1", "2", "3")
		if g.chance("down", 5) {
			g.line("  for (int i = %s - 1; i >= %s; i -= %s) {", high, low, step)
		} else {
			g.line("  for (int i = %s; i < %s; i += %s) {", low, high, step)
		}
		if g.chance("some", 8) {
			g.line("  if (%s)", g.pick("condition", "i < m", "2 * i != n", "n > m", "i % 3 == 1", "i > 2"))
		}
		if g.chance("over several", 6) {
			g.line("    for (int j = %s; j < %s; j++)", g.pick("from", "0", "1", "i"), g.pick("to", "m", "i", "n"))
			g.line("      A[50][50] %s= B[i + 20][j + 20] * %s;", g.pick("operator", "+", "-"), g.pick("factor", "0.5", "C[j + 20]", "alpha"))
			g.line("  }")
			continue
		}
		if g.chance("lines", 3) {
			g.lines()
			g.line("  }")
			continue
		}
		for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "statements") {
			g.carrying()
		}
		g.line("  }")
	}
	g.line("  B[30][30] = s + u;")
	g.line("  C[30] = v;")
	g.line("  D[30] = p + q;")
	g.line("#pragma endscop")
	g.line("}")
	return g.text.String()
}

type chain struct {
	generator
	// floats: sums go along C, whose roundings nothing else sees then.
	floats bool
}

// lines writes loops whose values are fractions of those before, of lines that may have nothing to do with each other.
func (g *chain) lines() {
	array, other := "A", "B"
	if rapid.Bool().Draw(g.t, "other") {
		array, other = other, array
	}
	for range rapid.IntRange(1, 2).Draw(g.t, "sweeps") {
		at, before, head := "j + 21", "j + 20", "for (int j = %s; j < %s; j++)"
		if rapid.Bool().Draw(g.t, "back") {
			at, before, head = before, at, "for (int j = %[2]s - 1; j >= %[1]s; j--)"
		}
		place := g.pick("place", "[i + 20][%s]", "[%s][i + 20]")
		x, now := array+fmt.Sprintf(place, before), array+fmt.Sprintf(place, at)
		if rapid.Bool().Draw(g.t, "begin") {
			g.line("    %s = %s;", array+fmt.Sprintf(place, "20"), g.pick("first", "1", "alpha", "B[i + 20][20]"))
		}
		g.line("    "+head+" {", g.pick("from", "0", "1", "2"), g.pick("to", "n", "m", "n - 1"))
		y := g.pick("y", other+"[i + 20][j + 20]", other+"[j + 20][21]", "alpha", "C[j + 20]", "D[i + 20]")
		g.line("      %s = %s;", now, fmt.Sprintf(g.pick("fraction",
			"0.5 / (4 - %[1]s)", "%[2]s / (%[2]s + 2 - 0.25 * %[1]s)", "(%[2]s + 0.5 * %[1]s) / (2 + %[2]s)", "0.25 * %[1]s + %[2]s", "%[2]s - %[1]s", "(%[1]s + 1) / (2 * %[1]s + %[2]s * %[2]s)",
			"%[3]s * 0.5 + %[1]s / 3", "3 * %[1]s + %[2]s", "-%[1]s * %[2]s / 4 + j", "1 + 1 / (%[1]s * %[1]s + 1)"), x, y, now))
		if g.chance("beside", 3) {
			g.line("      %s[90][j + 20] = %s[90][j + 19] * 0.5 + %s;", other, other, x)
		}
		g.line("    }")
	}
}

// term is what an iteration has to say.
func (g *chain) term() string {
	e := g.pick("term", "A[20][i + 20]", "A[i + 20][21]", "B[i + 20][22]", "A[i + 20][23]", "D[i + 20]", "B[21][i + 20]", "i", "C[i + 20]", "C[99 - i]")
	if g.floats && e[0] == 'C' {
		e = "A[24][i + 20]"
	}
	if g.chance("of two", 3) {
		e = fmt.Sprintf("%s * %s", e, g.pick("factor", "alpha", "0.5", "B[23][i + 20]", "A[i + 20][20]"))
	}
	return e
}

// carrying writes a statement that carries a value, or one that uses what others carry.
func (g *chain) carrying() {
	scalar := g.pick("scalar", "s", "u", "v", "D[50]", "A[50][50]")
	array := g.pick("along", "C", "D", "A[25]", "B[25]")
	form := rapid.IntRange(0, 10).Draw(g.t, "form")
	if exact := form == 5; array == "C" && !exact && !g.floats {
		array = "A[25]"
	}
	along, before := array+"[i + 21]", array+"[i + 20]"
	wide := []string{along, before}
	if array == "C" {
		wide = nil
	}
	less := g.pick("less", "<", "<=", ">", ">=")
	switch form {
	case 0, 1:
		g.line("    %s %s= %s;", scalar, g.pick("operator", "+", "+", "-", "*"), g.term())
	case 2:
		x := g.pick("exact", "A[i + 20][23]", "B[i + 20][22]", "A[20][i + 20]")
		to := g.pick("of that type", "s", "u", "A[50][50]")
		g.line("    if (%s %s %s) { %s = %s; %s = %s; }", x, less, to, to, x, g.pick("place", "p", "q", "D[51]"), g.pick("beside", "i", "2 * i", "D[i + 20]"))
	case 3:
		x := "C[99 - i]"
		g.line("    if (v %s %s) { v = %s; p = i; u = B[i + 20][22]; }", less, x, x)
	case 4:
		g.line("    %s = %s %s %s;", along, before, g.pick("operator", "+", "-", "*"), g.term())
	case 5:
		x := g.term()
		g.line("    %s = %s %s %s ? %s : %s;", along, x, less, before, x, before)
	case 6:
		g.line("    %s %s= %s;", along, g.pick("operator", "+", "-"), before)
	case 7:
		g.line("    %s = %s(%[1]s, %[3]s);", scalar, g.pick("extreme", "fmax", "fmin"), g.term())
	case 8:
		g.line("    %s = %s * %s %s %s;", along, g.pick("factor", "0.5", "-0.25", "0.96875f"), before, g.pick("operator", "+", "-"), g.term())
	case 9:
		g.line("    s = %s - 0.75 * s;", g.term())
	default:
		g.line("    B[26][i + 20] = %s %s %s;", g.pick("carried", append(wide, "s", "u", "p")...), g.pick("operator", "+", "-"), g.term())
	}
}
