package native

import (
	"fmt"
	"slices"
)

// index is an integer that is small and not negative.
func (g *generator) index(depth int) string {
	v := g.indices[g.Intn(len(g.indices))]
	if depth <= 0 {
		return g.pick(v, v, fmt.Sprint(g.Intn(5)))
	}
	w := g.index(depth - 1)
	switch g.Intn(16) {
	case 0:
		return v + " + " + w
	case 1:
		return fmt.Sprintf("%d * %s", 2+g.Intn(3), v)
	case 2:
		return fmt.Sprintf("%s / %d", v, 2+g.Intn(3))
	case 3:
		return fmt.Sprintf("%s %% %d", v, 2+g.Intn(5))
	case 4:
		g.mark("shift")
		return fmt.Sprintf("(%s >> %d)", v, 1+g.Intn(2))
	case 5:
		g.mark("shift")
		return fmt.Sprintf("(%s << %d)", v, 1+g.Intn(2))
	case 6:
		g.mark("bits")
		return fmt.Sprintf("(%s & %d)", v, []int{1, 3, 7, 6}[g.Intn(4)])
	case 7:
		return fmt.Sprintf("%s * n + %s", v, w)
	case 8:
		g.mark("?: on indices")
		return fmt.Sprintf("(%s ? %s : %s)", g.onIndices(), v, w)
	case 9:
		g.mark("cast")
		return fmt.Sprintf("(%s) %s", g.pick("int", "unsigned int", "long", "size_t"), v)
	case 10:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max"), "(int) ("+v+")", "(int) ("+w+")")
	case 11:
		g.mark("bits")
		return fmt.Sprintf("(%s ^ %d)", v, 1+g.Intn(3))
	}
	return v
}

// place is a subscript of an array of the kernel.
func (g *generator) place() string {
	switch g.Intn(9) {
	case 0:
		g.mark("subscript from memory")
		return fmt.Sprintf("%s[%s]", g.param("idx"), g.index(1))
	case 1:
		return fmt.Sprintf("%s * n + %s", g.index(0), g.index(0))
	case 2:
		if len(g.wild) > 0 {
			g.mark("subscript from memory")
			return fmt.Sprintf("%s & 7", g.wild[g.Intn(len(g.wild))])
		}
	case 3:
		return fmt.Sprintf("n - 1 - %s", g.indices[g.Intn(len(g.indices))])
	}
	return g.index(1)
}

// load is an element of an array of floats.
func (g *generator) load() string {
	switch g.Intn(14) {
	case 0:
		if len(g.tiles) > 0 {
			return g.tileElement()
		}
	case 1:
		if len(g.arrays) > 0 {
			return fmt.Sprintf("%s[%s & 3]", g.arrays[g.Intn(len(g.arrays))], g.indices[g.Intn(len(g.indices))])
		}
	case 2:
		g.mark("vectors")
		return fmt.Sprintf("%s[%s].%s", g.param("q"), g.index(1), g.pick("x", "y", "z", "w"))
	case 3:
		g.mark("pointer")
		return fmt.Sprintf("*(%s + %s)", g.param("x"), g.index(1))
	case 4:
		g.mark("pointer")
		return fmt.Sprintf("(%s + %s)[%s]", g.param("x"), g.index(0), g.index(0))
	}
	return fmt.Sprintf("%s[%s]", g.param(g.pick("x", "x", "z", "y")), g.place())
}

// value is one in floating point.
func (g *generator) value(depth int) string {
	if depth <= 0 {
		switch g.Intn(5) {
		case 0:
			return g.pick("1.0f", "0.5f", "2.f", "1e-2f", "3")
		case 1, 2:
			return g.load()
		}
		return g.floats[g.Intn(len(g.floats))]
	}
	a, b := g.value(depth-1), g.value(depth-1)
	switch g.Intn(19) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", a, g.pick("+", "-", "*", "/"), b)
	case 3, 4:
		return fmt.Sprintf("%s %s %s", a, g.pick("+", "*"), b)
	case 5:
		g.mark("functions")
		return fmt.Sprintf("%s(%s)", g.pick("sqrtf", "fabsf", "expf", "sinf"), a+" + 0.5f")
	case 6:
		g.mark("functions")
		return fmt.Sprintf("%s(%s * 1.0f, %s * 1.0f)", g.pick("fminf", "fmaxf"), a, b)
	case 7:
		g.mark("functions")
		return fmt.Sprintf("fmaf(%s * 1.0f, %s * 1.0f, %s * 1.0f)", a, b, g.value(0))
	case 8:
		g.mark("cast")
		return fmt.Sprintf("(%s) %s", g.pick("float", "double", g.real), g.integer(0))
	case 9:
		g.mark("?: on indices")
		return fmt.Sprintf("(%s ? %s : %s)", g.onIndices(), a, b)
	case 10:
		g.mark("?: on data")
		if g.in(3) {
			g.held = false
			return fmt.Sprintf("(%s ? %s : %s)", g.onData(), a, b)
		}
		return fmt.Sprintf("(%s ? acc : 1.0f)", g.onData())
	case 11:
		return fmt.Sprintf("%s * %s", g.index(1), a)
	case 12:
		return "-" + g.value(0)
	case 13:
		return g.call(a, b)
	case 14:
		g.mark("cast")
		if g.cuda && g.in(2) {
			return fmt.Sprintf(g.pick("static_cast<float>(%s)", "float(%s)", "static_cast<double>(%s)"), g.pick(a, g.integer(0)))
		}
		return fmt.Sprintf("(float) (int) (%s)", a)
	case 15:
		if g.in(3) {
			g.mark("half")
			if g.cuda {
				return fmt.Sprintf("__half2float(%s[%s])", g.param("h"), g.index(1))
			}
			return fmt.Sprintf("(float) %s[%s]", g.param("h"), g.index(1))
		}
		g.mark("double")
		return fmt.Sprintf("%s[%s]", g.param("w"), g.index(1))
	}
	return a
}

// integer is one from memory, of any value.
func (g *generator) integer(depth int) string {
	if depth <= 0 {
		if len(g.wild) > 0 && g.in(2) {
			return g.wild[g.Intn(len(g.wild))]
		}
		g.mark("integers from memory")
		one := g.pick("d", "d", "idx", "u", "b", "s", "ll")
		if one == "b" || one == "s" {
			g.mark("narrow")
		}
		return fmt.Sprintf("%s[%s]", g.param(one), g.place())
	}
	a := g.integer(depth - 1)
	switch g.Intn(12) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", a, g.pick("+", "-", "*"), g.integer(0))
	case 2:
		return fmt.Sprintf("(%s %s %d)", a, g.pick("/", "%"), 2+g.Intn(5))
	case 3:
		g.mark("bits")
		return fmt.Sprintf("(%s %s %s)", a, g.pick("&", "|", "^"), g.integer(0))
	case 4:
		g.mark("shift")
		return fmt.Sprintf("(%s %s %d)", a, g.pick("<<", ">>"), 1+g.Intn(4))
	case 5:
		g.mark("narrow")
		return fmt.Sprintf("(%s) (%s)", g.pick("unsigned char", "short", "char", "unsigned int", "long long"), a)
	case 6:
		return fmt.Sprintf("(%s + %s)", a, g.index(0))
	case 7:
		return fmt.Sprintf("(%s * %d)", g.index(0), 2+g.Intn(3))
	case 8:
		g.mark("bits")
		return "~" + g.integer(0)
	case 9:
		return fmt.Sprintf("(int) (%s)", g.value(0))
	case 10:
		g.mark("integer extremes")
		return fmt.Sprintf("%s((int) (%s), (int) (%s))", g.pick("min", "max"), a, g.integer(0))
	}
	return a
}

// onIndices is a condition on sizes and work-items.
func (g *generator) onIndices() string {
	v := g.indices[g.Intn(len(g.indices))]
	w := g.indices[g.Intn(len(g.indices))]
	switch g.Intn(15) {
	case 0:
		return fmt.Sprintf("%s < %s", v, g.bound())
	case 1:
		return fmt.Sprintf("%s %s %d", v, g.pick("<", ">", "<=", ">=", "==", "!="), g.Intn(6))
	case 2:
		return fmt.Sprintf("%s %% %d == %d", v, 2+g.Intn(3), g.Intn(2))
	case 3:
		return fmt.Sprintf("%s %s %s", v, g.pick("<", ">", "<=", "!=", "=="), w)
	case 4:
		g.mark("&& and ||")
		return fmt.Sprintf("%s < %d %s %s > %d", v, 1+g.Intn(8), g.pick("&&", "||"), w, g.Intn(4))
	case 5:
		return fmt.Sprintf("!(%s < %d)", v, 1+g.Intn(6))
	case 6:
		g.mark("bits")
		return fmt.Sprintf("(%s & %d) == 0", v, []int{1, 2, 3}[g.Intn(3)])
	case 7:
		return v
	case 8:
		g.mark("unsigned")
		return fmt.Sprintf("(unsigned int) (%s - %d) < (unsigned int) %s", v, 1+g.Intn(3), g.bound())
	case 9:
		return fmt.Sprintf("%s + %s < %s", v, w, g.bound())
	case 10:
		return fmt.Sprintf("%d * %s + 1 < n", 2+g.Intn(2), v)
	case 11:
		g.mark("narrow")
		g.held = false
		return fmt.Sprintf("(%s) (%s * %d) < %d", g.pick("unsigned char", "char", "short"), v, 10+g.Intn(60), 20+g.Intn(80))
	}
	return fmt.Sprintf("%s < n", v)
}

// bound is a bound of loops.
func (g *generator) bound() string {
	switch g.Intn(7) {
	case 6:
		if g.width != "" {
			return g.pick("WIDTH", "WIDTH + 1", "n / WIDTH")
		}
	case 0:
		return g.param("m")
	case 1:
		return fmt.Sprint(1 + g.Intn(6))
	case 2:
		if g.axes == 1 {
			g.mark("narrow parameter")
			return g.param(map[bool]string{true: "cp", false: "bp"}[g.cuda]) + " + 1"
		}
		return g.param("m") + " + 1"
	case 3:
		if g.cuda && g.in(2) {
			g.mark("unsigned")
			return g.param("un")
		}
	}
	return "n"
}

// onData is a condition on what is in memory.
func (g *generator) onData() string {
	g.mark("condition on data")
	switch g.Intn(6) {
	case 0:
		return fmt.Sprintf("%s > %s", g.integer(1), g.integer(0))
	case 1:
		g.mark("&& and ||")
		return fmt.Sprintf("%s > 1.0f && %s < 3.0f", g.load(), g.load())
	case 2:
		g.mark("&& and ||")
		return fmt.Sprintf("%s && %s > 1.0f", g.onIndices0(), g.load())
	case 3:
		g.mark("&& and ||")
		g.held = false
		return fmt.Sprintf("%s > 1.0f || %s < 3.0f", g.load(), g.load())
	}
	return fmt.Sprintf("%s %s %s", g.value(1), g.pick("<", ">"), g.value(0))
}

func (g *generator) onIndices0() string {
	return fmt.Sprintf("%s < %s", g.indices[g.Intn(len(g.indices))], g.bound())
}

// assignable is a variable in floating point.
func (g *generator) assignable() string { return g.floats[g.Intn(len(g.floats))] }

// free are the integers that may be assigned to.
func (g *generator) free() []string {
	return slices.DeleteFunc(slices.Clone(g.indices), func(v string) bool { return slices.Contains(g.fixed, v) })
}
