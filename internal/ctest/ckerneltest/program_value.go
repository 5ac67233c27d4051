package ckerneltest

import (
	"fmt"

	"pgregory.net/rapid"
)

// index is an integer that is not negative.
func (g *generator) index() string {
	k := g.pick("k", g.linear...)
	i, j := g.pick("i", g.indices...), g.pick("j", g.indices...)
	return g.pick("index", i, i, i+" + 1", i+" + "+j, "2 * "+i, i+" * n + "+j, i+" * m", k+" / 4", k+" % 4", "("+k+" + 1) / 2", i+" + n", "place("+i+", "+j+", n)",
		"("+k+" >> 1)", "("+k+" & 7)", "min("+k+", 5)", "max("+k+", 3)", "("+k+" < m ? "+k+" : "+j+")")
}

// integer is a value that is computed of integers.
func (g *generator) integer() string {
	i := g.index()
	return g.pick("integer", "D["+i+"]", "D["+i+"] * 3 + D[0]", "(D["+i+"] & 3) << 2", "D["+i+"] % 5", "D["+i+"] / 3", "max(D["+i+"], 4)", i, i+" + D[1]")
}

func (g *generator) condition() string {
	i, j := g.pick("i", g.linear...), g.pick("j", g.linear...)
	simple := func() string {
		return g.pick("condition", i+" < m", i+" >= 2", i+" == "+j, i+" + "+j+" < n", i+" % 2 == 0", "n > 4", i+" != 1", i+" < "+j+" + 3")
	}
	switch rapid.IntRange(0, 5).Draw(g.t, "joined") {
	case 0:
		return simple() + " && " + simple()
	case 1:
		return simple() + " || " + simple()
	case 2:
		return "!(" + simple() + ")"
	}
	return simple()
}

// value is a float.
func (g *generator) value(depth int) string {
	if depth < 2 && g.chance("deeper", 2) {
		x, y := g.value(depth+1), g.value(depth+1)
		switch rapid.IntRange(0, 9).Draw(g.t, "operation") {
		case 0:
			return fmt.Sprintf("(%s ? %s : %s)", g.condition(), x, y)
		case 1:
			return fmt.Sprintf("(%s < %s ? %s : %s)", x, y, g.value(depth+1), g.value(depth+1))
		case 2:
			return fmt.Sprintf("fabs(%s)", x)
		case 3:
			return fmt.Sprintf("(float)(%s)", g.integer())
		case 4:
			return "-(" + x + ")"
		case 5:
			return fmt.Sprintf("blend(%s, %s)", x, y)
		}
		return fmt.Sprintf("(%s %s %s)", x, g.pick("operator", "+", "-", "*", "+", "*", "/"), y)
	}
	if len(g.vectors) > 0 && g.chance("lane", 4) {
		return g.pick("vector", g.vectors...) + "." + g.pick("lane", "x", "y", "z", "w")
	}
	switch rapid.IntRange(0, 3).Draw(g.t, "leaf") {
	case 0:
		return g.pick("literal", "2.5f", "1.0f", "3.0f")
	case 1:
		return g.pick("variable", g.floats...)
	}
	at := g.index()
	if g.chance("gather", 10) {
		at = "D[" + at + "] % 8"
	}
	if g.chance("mask", 12) {
		return fmt.Sprintf("mask[%s %% 16]", g.pick("i", g.linear...))
	}
	return fmt.Sprintf("%s[%s]", g.pick("array", "A", "B"), at)
}
