package native

import "fmt"

// statement writes one of many kinds.
func (g *generator) statement() {
	g.budget--
	deep := g.depth > 3
	switch k := g.Intn(45); {
	case k == 36:
		g.shadow()
	case k == 37:
		g.truth()
	case k == 38 && !deep:
		g.choose()
	case k < 4:
		g.line("%s %s %s;", g.assignable(), g.pick("=", "+=", "-=", "*="), g.value(2))
	case k < 6:
		g.store()
	case k < 11 && !deep && len(g.loops) < 3:
		g.loop()
	case k < 13 && !deep:
		g.branch()
	case k == 13 && !deep:
		g.dataBranch()
	case k == 14:
		g.indexVariable()
	case k == 15:
		name := g.name("f")
		t := g.pick(g.real, "float", "double")
		if t == "double" {
			g.mark("double")
		}
		if g.cuda && g.in(4) {
			g.mark("auto")
			t = "auto"
			g.line("auto %s = %s * 1.0f;", name, g.value(1))
		} else {
			g.line("%s%s %s = %s;", g.pick("", "", "const "), t, name, g.value(2))
			if g.in(3) {
				g.fixed = append(g.fixed, name)
			}
		}
		if g.in(2) {
			return // perhaps const: it is not used further
		}
	case k == 16:
		g.integerVariable()
	case k < 19 && g.cuda:
		g.reference()
	case k < 21:
		g.compound()
	case k == 21 && !deep:
		g.choose()
	case k == 22:
		g.vector()
	case k == 23:
		g.atomic()
	case k == 24:
		g.array()
	case k == 25:
		g.pointer()
	case k == 26:
		g.narrow()
	case k == 27:
		g.halves()
	case k < 30 && len(g.loops) > 0 && g.breaks:
		g.jump()
	case k == 30 && g.returns && g.in(2):
		g.mark("return")
		g.line("if (%s)", g.onIndices())
		g.line("\treturn;")
	case k == 31:
		g.effects()
	case k == 32 || k == 39:
		g.structure()
	case k == 40:
		g.castPointer()
	case k == 41 && g.cuda:
		g.specialized()
	case k == 42 && !deep:
		g.forward()
	case k == 33:
		g.macro()
	case k == 43:
		g.moving()
	case k == 44:
		g.outputs()
	default:
		g.line("%s += %s;", g.assignable(), g.value(1))
	}
}

func (g *generator) store() {
	switch g.Intn(5) {
	case 0:
		g.mark("double")
		g.line("%s[%s] %s %s;", g.param("w"), g.place(), g.pick("=", "+=", "*="), g.value(1))
	case 1:
		g.mark("integers from memory")
		g.line("%s[%s] %s %s;", g.param(g.pick("d", "u", "ll")), g.place(), g.pick("=", "+=", "-=", "^="), g.integer(1))
	default:
		g.line("%s[%s] %s %s;", g.param("y"), g.place(), g.pick("=", "=", "+=", "-=", "*=", "/="), g.value(2))
	}
}

func (g *generator) branch() {
	g.line("if (%s) {", g.onIndices())
	g.scope(g.some)
	if g.in(2) {
		if g.in(3) {
			g.line("} else if (%s) {", g.onIndices())
			g.scope(g.some)
		}
		g.line("} else {")
		g.scope(g.some)
	}
	g.line("}")
}

func (g *generator) dataBranch() {
	g.line("if (%s) {", g.onData())
	g.scope(func() {
		breaks, returns := g.breaks, g.returns
		if g.in(3) {
			g.held = false
		} else {
			g.breaks, g.returns = false, false
		}
		g.some()
		g.breaks, g.returns = breaks, returns
	})
	if g.in(3) {
		g.held = false
		g.line("} else {")
		g.scope(g.some)
	}
	g.line("}")
}

func (g *generator) indexVariable() {
	name := g.name("i")
	t := g.pick("int", "int", "unsigned int", "long", "const int")
	g.line("%s %s = %s;", t, name, g.index(2))
	if t == "const int" {
		g.fixed = append(g.fixed, name)
	} else {
		switch g.Intn(6) {
		case 0:
			g.line("%s += %s;", name, g.index(0))
		case 1:
			g.line("if (%s)", g.onIndices())
			g.line("\t%s = %s;", name, g.index(1))
		case 2:
			g.line("%s++;", name)
		case 3:
			g.line("%s %s %d;", name, g.pick(">>=", "/=", "%=", "&="), 1+g.Intn(3))
		}
	}
	g.indices = append(g.indices, name)
}

func (g *generator) integerVariable() {
	name := g.name("w")
	g.line("%s %s = %s;", g.pick("int", "int", "unsigned int", "long"), name, g.integer(1))
	g.wild = append(g.wild, name)
	if g.in(2) {
		g.line("%s %s %s;", name, g.pick("+=", "-=", "*=", "^=", "|="), g.integer(0))
	}
}

// reference writes through one, or a loop that one steers.
func (g *generator) reference() {
	g.mark("reference")
	name := g.name("r")
	switch g.Intn(7) {
	case 0:
		g.line("%s &%s = %s[%s];", g.real, name, g.param("y"), g.place())
		g.line("%s %s %s;", name, g.pick("=", "+=", "*="), g.value(1))
		g.floats = append(g.floats, name)
	case 1:
		g.line("auto &%s = %s[%s];", name, g.param("y"), g.index(1))
		g.line("%s += %s;", name, g.value(1))
		if g.in(2) {
			g.floats = append(g.floats, name)
		}
	case 2:
		if len(g.tiles) > 0 && !g.tiles[0].int {
			g.line("float &%s = %s;", name, g.ownElement(g.tiles[0]))
			g.line("%s %s %s;", name, g.pick("=", "+="), g.value(1))
			return
		}
		g.line("%s &%s = acc;", g.real, name)
		g.line("%s += %s;", name, g.value(1))
	case 3:
		if len(g.free()) == 0 {
			return
		}
		v := g.free()[g.Intn(len(g.free()))]
		g.line("auto &%s = %s;", name, v)
		g.line("%s += %d;", name, 1+g.Intn(2))
	case 4:
		if g.real != "float" {
			return
		}
		g.helper("inc", "__device__ void inc(float &a, float b) { a += b; }")
		g.line("inc(%s, %s);", g.pick(g.param("y")+"["+g.place()+"]", "acc"), g.value(1))
	case 5:
		g.helper("next", "__device__ int next(int &k, int by) { k += by; return k; }")
		k := g.name("k")
		g.line("for (int %[1]s = 0; %[1]s < %[2]s; next(%[1]s, %[3]d)) {", k, g.bound(), 1+g.Intn(2))
		g.line("\tacc += %s[%s];", g.param("x"), k)
		g.line("}")
	default:
		g.line("const %s &%s = %s[%s];", g.real, name, g.param("x"), g.place())
		g.line("acc += %[1]s * %[1]s;", name)
	}
}

// compound is an assignment whose left side has effects or reads memory.
func (g *generator) compound() {
	switch g.Intn(8) {
	case 0:
		g.mark("subscript from memory")
		g.line("%s[%s[%s]] %s %s;", g.param("y"), g.param("idx"), g.index(1), g.pick("+=", "*=", "-="), g.value(1))
	case 1:
		g.mark("subscript from memory")
		g.line("%s[%s[%s]]%s;", g.param("d"), g.param("idx"), g.index(1), g.pick("++", "--"))
	case 2:
		if len(g.free()) > 0 {
			g.mark("effect in a subscript")
			v := g.free()[g.Intn(len(g.free()))]
			g.line("%s[%s%s] %s %s;", g.param("y"), v, "++", g.pick("=", "+="), g.value(0))
		}
	case 3:
		if len(g.free()) > 0 {
			g.mark("effect in a subscript")
			v := g.free()[g.Intn(len(g.free()))]
			g.line("acc += %s[++%s];", g.param("x"), v)
		}
	case 4:
		g.mark("effect in a value")
		name := g.name("i")
		g.line("int %s = 0;", name)
		g.line("acc += %[1]s[%[2]s++] * %[1]s[%[2]s++];", g.param("x"), name)
	case 5:
		g.mark("subscript from memory")
		g.line("%s[%s[%s] & 7] %s %s;", g.param("d"), g.param("d"), g.index(0), g.pick("+=", "|=", "<<="), g.pick("1", "2"))
	case 6:
		g.mark("assignment in a value")
		g.line("acc += (%s[%s] = %s);", g.param("y"), g.index(1), g.value(1))
	default:
		g.mark("assignment in a value")
		g.line("%[1]s[%[2]s] = %[1]s[%[3]s + 1] = %[4]s;", g.param("y"), g.index(0), g.index(0), g.value(0))
	}
}

func (g *generator) choose() {
	g.mark("switch")
	what := g.index(1)
	onData := g.in(5)
	if onData {
		g.held = false
		what = g.integer(0)
	}
	g.line("switch (%s) {", what)
	breaks := g.breaks
	g.breaks = false
	through := g.in(5)
	for c := range 1 + g.Intn(3) {
		g.line("case %d:", 2*c)
		if g.in(3) {
			g.line("case %d:", 2*c+1)
		}
		g.arm(!through || g.in(2))
	}
	if g.in(2) {
		g.line("default:")
		g.arm(false)
	}
	g.breaks = breaks
	g.line("}")
}

// arm writes that of a switch, in braces, as what it declares may not be jumped over.
func (g *generator) arm(ends bool) {
	g.line("{")
	g.scope(func() {
		if g.some(); g.in(4) {
			g.mark("break within an arm")
			g.leaveTo("break")
			g.some()
		}
	})
	switch {
	case len(g.loops) > 0 && g.continues && g.in(4):
		g.mark("continue in a switch")
		g.line("\tcontinue;")
	case ends && g.in(2):
		g.line("\tbreak;")
	case ends:
		g.line("}")
		g.line("break;")
		return
	default:
		g.mark("switch that runs on")
	}
	g.line("}")
}

func (g *generator) vector() {
	g.mark("vectors")
	name := g.name("v")
	switch g.Intn(9) {
	case 8:
		g.three(name)
		return
	case 6:
		g.mark("narrow")
		g.line("uchar4 %s = %s[%s];", name, g.param("uv"), g.index(1))
		g.line("acc += %[1]s.x + %[1]s.%[2]s;", name, g.pick("y", "w"))
		return
	case 7:
		if !g.cuda && g.in(2) {
			g.mark("vectors of integers")
			g.line("uint4 %s = (uint4)(%s, 9, 7, 5) %s (uint4)(%s, 3, 2, 4);", name, g.integer(0), g.pick("/", "%"), g.integer(0))
			g.line("acc += %s.%s;", name, g.pick("x", "y"))
			return
		}
		g.mark("double")
		g.line("%[1]s[%[2]s].%[3]s %[4]s %[1]s[%[5]s].%[6]s;", g.param("d2"), g.index(1), g.pick("x", "y"), g.pick("=", "+=", "*="), g.index(0), g.pick("x", "y"))
		return
	case 0:
		g.line("float4 %s = %s[%s];", name, g.param("q"), g.index(1))
	case 1:
		switch {
		case g.cuda:
			g.line("float4 %s = reinterpret_cast<const float4 *>(%s)[%s];", name, g.param("z"), g.index(1))
		case g.real != "float":
			g.line("double4 of%[1]s = vload4(%[2]s, %[3]s), to%[1]s = of%[1]s * of%[1]s;", name, g.index(1), g.param("w"))
			g.line("float4 %[1]s = (float4)((float) to%[1]s.x, 1.0f, 0.5f, acc);", name)
		default:
			g.line("float4 %s = vload4(%s, %s);", name, g.index(1), g.param("z"))
		}
	case 2:
		if g.cuda {
			g.line("float4 %s = make_float4(%s, %s, 1.0f, acc);", name, g.value(1), g.value(0))
		} else {
			g.line("float4 %s = (float4)(%s, %s, 1.0f, acc);", name, g.value(1), g.value(0))
		}
	case 3:
		g.line("float2 t%s = %s[%s];", name, g.param("p2"), g.index(1))
		g.line("acc += t%[1]s.x * t%[1]s.y;", name)
		return
	case 4:
		if !g.cuda {
			g.line("float4 %s = %s[%s] * %s[%s] + 1.0f;", name, g.param("q"), g.index(1), g.param("v"), g.index(0))
		} else {
			g.line("float4 %s = *(const float4 *) (%s + 4 * %s);", name, g.param("z"), g.indices[0])
		}
	default:
		g.line("int4 %s = %s[%s];", name, g.param("iv"), g.index(1))
		g.line("acc += %s[%s.%s];", g.param("x"), name, g.pick("x", "w"))
		return
	}
	if g.real != "float" && g.in(2) {
		return
	}
	switch g.Intn(5) {
	case 0:
		g.line("%s.%s %s %s;", name, g.pick("x", "y", "w"), g.pick("=", "+=", "*="), g.value(1))
	case 1:
		g.line("%s[%s] = %s;", g.param("v"), g.index(1), name)
	case 2:
		g.line("%s[%s].%s = %s.%s;", g.param("v"), g.index(1), g.pick("x", "z"), name, g.pick("y", "w"))
	case 3:
		g.line("%s[%s].%s %s %s;", g.param("v"), g.place(), g.pick("x", "z"), g.pick("+=", "*="), g.value(0))
	}
	g.line("acc += %[1]s.x + %[1]s.%[2]s;", name, g.pick("y", "z", "w"))
}

func (g *generator) atomic() {
	g.mark("atomics")
	to := g.param("d")
	place := g.place()
	if len(g.tiles) > 0 && g.tiles[0].int {
		to, place = g.tiles[0].name, "l"
	}
	if g.in(5) {
		g.unsignedAtomic()
		return
	}
	call := fmt.Sprintf("%s(&%s[%s], %s)", g.pick("atomicAdd", "atomicAdd", "atomicMax", "atomicMin", "atomicExch"), to, place, g.pick("1", g.integer(0), "n"))
	switch g.Intn(4) {
	case 0:
		name := g.name("s")
		g.line("int %s = %s;", name, call)
		g.line("%s[%s & 15] = %s;", g.param("y"), name, g.value(0))
	case 1:
		if g.cuda {
			g.line("atomicAdd(%s, %s);", g.pick("&"+g.param("y")+"["+g.index(1)+"]", g.param("y")+" + "+g.index(0)), g.value(1)+" * 1.0f")
			return
		}
		g.line("%s;", call)
	default:
		g.line("%s;", call)
	}
}

func (g *generator) unsignedAtomic() {
	at := fmt.Sprintf("&%s[%s]", g.param("u"), g.index(1))
	switch g.Intn(3) {
	case 0:
		g.line("%s(%s, (unsigned int) %s);", g.pick("atomicAnd", "atomicOr", "atomicXor"), at, g.indices[g.Intn(len(g.indices))])
	case 1:
		g.line("%s[%s] = atomicSub(%s, 1u);", g.param("u"), g.index(0), at)
	default:
		g.line("atomicCAS(%s, 3u, (unsigned int) %s);", at, g.indices[g.Intn(len(g.indices))])
	}
}

// shadow declares a variable whose name another has outside.
func (g *generator) shadow() {
	g.mark("shadowed variable")
	name := g.indices[g.Intn(len(g.indices))]
	g.line("{")
	switch g.Intn(3) {
	case 0:
		g.line("\tint by = %s;", g.index(1))
		g.line("\tint %s = by;", name)
		g.line("\tacc += %s[%s];", g.param("x"), name)
	case 1:
		g.line("\tfor (int %s = 0; %[1]s < %s; %[1]s++)", name, g.pick("n", "3"))
		g.line("\t\tacc += %s[%s];", g.param("x"), name)
	default:
		g.line("\t%s inner = acc;", g.real)
		g.line("\tfloat acc = inner * 2.0f;")
		g.line("\t%s[%s] = acc;", g.param("y"), name)
	}
	g.line("}")
}

// truth keeps a condition in a variable.
func (g *generator) truth() {
	g.mark("condition in a variable")
	name := g.name("c")
	t := g.pick("bool", "int", "const bool")
	if g.in(4) {
		g.held = false
		g.line("%s %s = %s;", t, name, g.onData())
	} else {
		g.line("%s %s = %s;", t, name, g.onIndices()+g.pick("", " && "+g.onIndices0()))
	}
	switch g.Intn(3) {
	case 0:
		g.line("if (%s)", g.pick(name, "!"+name))
		g.line("\tacc += %s;", g.value(1))
	case 1:
		g.held = false
		g.line("acc += %s ? %s : %s;", name, g.value(1), g.value(0))
	default:
		g.line("if (%s && %s)", name, g.onIndices())
		g.line("\t%s[%s] = %s;", g.param("y"), g.index(0), g.value(1))
	}
}

func (g *generator) array() {
	g.mark("private array")
	name := g.name("e")
	if g.in(3) {
		g.line("%sfloat %s[4] = {1.0f, %s, 0.5f, 2.0f};", g.pick("", "const "), name, g.pick("2.0f", "acc"))
	} else {
		t := g.name("t")
		g.line("float %s[4];", name)
		g.line("for (int %s = 0; %[1]s < 4; %[1]s++)", t)
		g.line("\t%s[%s] = %s;", name, t, g.value(1))
		if g.in(2) {
			g.line("%s[%s & 3] %s %s;", name, g.indices[g.Intn(len(g.indices))], g.pick("+=", "*=", "="), g.value(1))
		}
	}
	g.arrays = append(g.arrays, name)
}

func (g *generator) pointer() {
	g.mark("pointer")
	name, k := g.name("a"), g.name("k")
	space := ""
	if !g.cuda {
		space = "__global "
	}
	switch g.Intn(3) {
	case 0:
		g.line("%sconst %s *%s = %s + %s;", space, g.real, name, g.param("x"), g.index(1))
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++)", k, g.bound())
		g.line("\tacc += *%s++;", name)
	case 1:
		g.line("%s%s *%s = &%s[%s];", space, g.real, name, g.param("y"), g.index(1))
		g.line("%s[%s] %s %s;", name, g.index(0), g.pick("=", "+="), g.value(1))
		g.line("%s += %s;", name, g.index(0))
		g.line("*%s = %s;", name, g.value(0))
	default:
		g.line("%s%s *%s = %s;", space, g.real, name, g.param("y"))
		g.line("if (%s)", g.onIndices())
		g.line("\t%s += %s;", name, g.index(0))
		g.line("%s[%s] = %s;", name, g.index(0), g.value(1))
	}
}

// narrow has integers that wrap around.
func (g *generator) narrow() {
	g.mark("narrow")
	name := g.name("c")
	switch g.Intn(5) {
	case 0:
		g.line("unsigned char %s = %s * %d;", name, g.index(0), 50+g.Intn(90))
		g.held = false // of numbers that wrap around nothing is known
		g.line("if (%s < %d)", name, 40+g.Intn(100))
		g.line("\tacc += %s;", g.value(1))
	case 1:
		g.line("for (unsigned char %[1]s = %[2]d; %[1]s %[3]s; %[1]s %[4]s) {", name, 200+g.Intn(50), g.pick("!= 3", "> 100", ">= 250"), g.pick("++", "+= 1"))
		g.line("\tacc += %s;", g.value(0))
		g.line("}")
	case 2:
		g.mark("unsigned")
		g.line("unsigned int %s = %s - %s;", name, g.indices[g.Intn(len(g.indices))], g.index(0))
		g.line("if (%s < %s)", name, g.bound())
		g.line("\tacc += %s[%s];", g.param("x"), name)
	case 3:
		g.line("short %s = (short) (%s * %d);", name, g.index(0), 3000+g.Intn(4000))
		g.held = false
		g.line("if (%s %s 0)", name, g.pick("<", ">"))
		g.line("\t%s[%s] = %s;", g.param("y"), g.index(0), g.value(1))
	default:
		g.line("%s[%s] %s %s;", g.param(g.pick("b", "s")), g.place(), g.pick("=", "+=", "*=", "^="), g.integer(1))
	}
}

func (g *generator) halves() {
	g.mark("half")
	if g.in(4) {
		g.mark("vectors")
		if g.cuda {
			g.line("%[1]s[%[2]s] = %[3]s(%[1]s[%[4]s], %[1]s[%[5]s]);", g.param("h2"), g.index(1), g.pick("__hadd2", "__hmul2"), g.index(0), g.index(1))
		} else {
			g.line("%[1]s[%[2]s] = %[1]s[%[3]s] %[4]s %[1]s[%[5]s];", g.param("h2"), g.index(1), g.index(0), g.pick("+", "*"), g.index(1))
		}
		return
	}
	if g.cuda {
		g.line("%[1]s[%[2]s] = %[3]s(%[1]s[%[4]s], %[1]s[%[5]s]);", g.param("h"), g.index(1), g.pick("__hadd", "__hmul", "__hsub"), g.index(0), g.index(1))
		if g.in(2) {
			g.line("%s[%s] = __float2half(%s);", g.param("h"), g.index(0), g.value(1)+" * 1.0f")
		}
		return
	}
	if g.in(3) {
		lanes := g.pick("", "4")
		g.line("vstore_half%[1]s(vload_half%[1]s(%[3]s, %[2]s) * 0.5f, %[4]s, %[2]s);", lanes, g.param("h"), g.index(0), g.index(1))
		return
	}
	g.line("%[1]s[%[2]s] = %[1]s[%[3]s] %[4]s %[1]s[%[5]s];", g.param("h"), g.index(1), g.index(0), g.pick("+", "*", "-"), g.index(1))
}

// effects are expressions in unusual places.
func (g *generator) effects() {
	switch g.Intn(5) {
	case 0:
		g.line("acc += %s, acc *= 2.0f;", g.value(1))
	case 1:
		if free := g.free(); len(free) > 0 {
			v := free[g.Intn(len(free))]
			g.line("%[1]s = %[2]s, %[1]s += 1;", v, g.index(1))
		}
	case 2:
		g.line("%s ? acc += %s : (acc -= 1.0f);", g.onIndices(), g.pick("1.0f", "2.0f"))
	case 3:
		g.line("(void) %s;", g.param("n"))
	default:
		name := g.name("i")
		g.line("int %[1]s, %[1]sb = 2;", name)
		g.line("%[1]s = %[1]sb = %[2]s;", name, g.index(0))
		g.indices = append(g.indices, name)
	}
}

func (g *generator) macro() {
	g.mark("macro")
	g.helper("AT", "#define AT(r, c) ((r) * n + (c))")
	g.helper("ADD", "#define ADD(to, what) do { to += what; } while (0)")
	if g.in(2) {
		g.line("%s[AT(%s, %s)] = %s;", g.param("y"), g.index(0), g.index(0), g.value(1))
	} else {
		g.line("ADD(acc, %s[AT(%s, %s)]);", g.param("x"), g.index(0), g.index(0))
	}
}

// jump leaves an iteration or a loop.
func (g *generator) jump() {
	what := "break"
	if g.continues && g.in(2) {
		what = "continue"
	}
	if g.returns && g.in(4) {
		what = "return"
	}
	g.mark(what + " in a loop")
	if g.in(6) {
		g.held = false
		g.mark(what + " on data")
		g.line("if (%s)", g.onData())
	} else {
		g.line("if (%s)", g.onIndices())
	}
	if g.in(4) {
		g.line("{")
		g.line("\tacc += %s;", g.value(0))
		g.line("\t%s;", what)
		g.line("}")
		return
	}
	g.line("\t%s;", what)
}

// helper writes a function or macro before the kernel, once.
func (g *generator) helper(name, text string) {
	if !g.helpers[name] {
		g.helpers[name] = true
		fmt.Fprintln(&g.file, text)
	}
}
