package native

// moving has a pointer that moves by data, or by another amount in each iteration.
func (g *generator) moving() {
	g.mark("pointer that moves by data")
	name, k := g.name("a"), g.name("k")
	space := ""
	if !g.cuda {
		space = "__global "
	}
	switch g.Intn(4) {
	case 0:
		g.line("%sconst %s *%s = %s + %s;", space, g.real, name, g.param("x"), g.index(1))
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++) {", k, g.bound())
		g.line("\tacc += *%s++;", name)
		g.line("\tif (%s)", g.onData())
		g.line("\t\t%s += %s[%s] & 1;", name, g.param("idx"), k)
		g.line("}")
		g.line("acc += *%s;", name)
	case 1:
		g.line("%s%s *%s = %s + %s;", space, g.real, name, g.param("y"), g.index(1))
		g.line("%[1]s = %[2]s ? %[1]s + 1 : %[1]s;", name, g.onData())
		g.line("*%s %s %s;", name, g.pick("=", "+="), g.value(1))
	case 2:
		g.line("%sconst %s *%s = %s;", space, g.real, name, g.param("x"))
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++) {", k, g.bound())
		g.line("\t%s += %s;", name, k)
		g.line("\tacc += %[1]s[0] * %[1]s[1];", name)
		g.line("}")
	default:
		g.line("%sconst %s *%s = %s;", space, g.real, name, g.param("z"))
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++) {", k, g.bound())
		g.line("\t%s = %s + %s;", name, g.param("x"), k)
		g.line("\tif (%s)", g.onData())
		g.line("\t\t%s++;", name)
		g.line("\tacc += *%s;", name)
		g.line("}")
	}
}

// outputs has a function with two results.
func (g *generator) outputs() {
	g.mark("function with two results")
	sine, cosine := g.name("s"), g.name("c")
	if g.cuda {
		g.line("float %s, %s;", sine, cosine)
		g.line("sincosf(%s * 1.0f, &%s, &%s);", g.value(1), sine, cosine)
		g.line("acc += %s * %s;", sine, cosine)
		return
	}
	g.line("float %s;", cosine)
	g.line("acc += sincos((float) (%s * 1.0f), &%s);", g.value(1), cosine)
	g.line("acc *= %s;", cosine)
}

// three has a vector of three lanes, which CUDA C has as a structure.
func (g *generator) three(name string) {
	if g.cuda {
		return
	}
	g.mark("vectors of three lanes")
	switch g.Intn(3) {
	case 0:
		g.line("float3 %s = %s[%s].%s * 2.0f + 1.0f;", name, g.param("q"), g.index(1), g.pick("xyz", "zyx"))
	case 1:
		if g.real != "float" {
			return
		}
		g.line("float3 %s = vload3(%s, %s) / 3.0f;", name, g.index(1), g.param("z"))
	default:
		g.line("float3 %s = (float3)(%s, 1.0f, acc);", name, g.value(1))
	}
	g.line("float3 of%[1]s = -%[1]s * (float3)(0.5f);", name)
	g.line("of%s.%s %s %s;", name, g.pick("x", "y", "z"), g.pick("=", "+=", "*="), g.value(0))
	g.line("acc += of%[1]s.x + %[1]s.%[2]s;", name, g.pick("y", "z"))
}
