package native

// forward writes a jump to a label further down, which may lead out of a loop.
func (g *generator) forward() {
	g.mark("goto")
	label := g.name("end")
	g.line("{")
	g.scope(func() {
		g.some()
		g.leaveTo("goto " + label)
		g.line("{")
		g.scope(g.some)
		g.line("}")
	})
	g.line("%s: ;", label)
	g.line("}")
}

// leaveTo writes a jump under a condition.
func (g *generator) leaveTo(jump string) {
	if g.in(5) {
		g.held = false
		g.mark(jump[:4] + " on data")
		g.line("if (%s)", g.onData())
	} else {
		g.line("if (%s)", g.onIndices())
	}
	g.line("\t%s;", jump)
}
