package cfront

import "maps"

// instantiated reads at a token, in a scope, and tells its error.
func (p *parser) instantiated(f func(), start int, s *scope) error {
	return p.attempt(func() { p.at(start, s, f) })
}

// deduced adds to the arguments of a template what the arguments of a call tell of the others, and the type of the value of a specialization.
func (p *parser) deduced(t *template, given []argument, args []value, result *ctype) []argument {
	all := make([]argument, len(t.params))
	copy(all, given)
	open, s := p.holes(t.params, all, t.scope)
	copies := maps.Clone(p.lifted)
	err := p.attempt(func() {
		p.at(t.start, s, func() {
			d := p.declarator(p.specifiers().t)
			if d.function == nil {
				return
			}
			t.open = 0
			for _, x := range d.function.params {
				if _, any := open[x.t.name]; any && x.t.form == otherForm {
					t.open++
				}
			}
			for i := range min(len(d.function.params), len(args)) {
				p.match(d.function.params[i].t, args[i].t, open, all)
			}
			p.match(d.t, result, open, all)
		})
	})
	p.lifted = copies
	if err != nil {
		return given
	}
	return all
}

// match compares the type of a parameter with that of an argument, and notes what parameters of the template are.
func (p *typer) match(x, t *ctype, open map[string]int, all []argument) {
	if t == nil {
		return
	}
	if x.form == otherForm {
		if i, ok := open[x.name]; ok && all[i].t == nil {
			if !x.alias {
				t = t.pointed()
			}
			all[i].t = t.with(func(t *ctype) { t.alias, t.constant = false, false })
		}
		return
	}
	switch {
	case x.form == pointerForm && (t.form == pointerForm || t.form == arrayForm):
		p.match(x.elem, t.elem, open, all)
	case x.form == arrayForm && t.form == arrayForm:
		if r, ok := x.extent.(*Ref); ok {
			if i, ok := open[r.Var.Name]; ok {
				all[i].value, _ = t.extent.(*Int)
			}
		}
		p.match(x.elem, t.elem, open, all)
	case x.form == groupForm && t.form == groupForm:
		if r, ok := x.extent.(*Ref); ok {
			if i, ok := open[r.Var.Name]; ok {
				all[i].value, _ = t.extent.(*Int)
			}
		}
	case x.form == arrayForm && t.form == pointerForm:
		p.match(x.elem, t.elem, open, all)
	case x.form == recordForm && t.form == recordForm && x.record.of != nil && x.record.of == t.record.of:
		for i, a := range x.record.args {
			switch b := t.record.args[i]; {
			case a.t != nil && b.t != nil:
				p.match(a.t, b.t, open, all)
			case a.hole != nil && b.value != nil:
				if n, ok := open[a.hole.Name]; ok {
					all[n].value = b.value
				}
			}
		}
	}
}

// classInstance reads the arguments of a class template, and is the record.
func (p *parser) classInstance(c *class, at Pos) *ctype {
	s, all, name := p.instanceOf(c.name, c.params, c.scope, at)
	if t := c.instances[name]; t != nil {
		return t
	}
	p.copy(at)
	start := c.start
	if found, bound := p.matching(c, all); found != nil {
		start, s = found.start, bound
	}
	t := newRecord(name, p.tokens[start].Is("union"))
	t.record.of, t.record.args = c, all
	c.instances[name] = t
	p.at(start, s, func() {
		p.next()
		sp := &specifiers{}
		p.attributes(sp)
		t.record.packed, t.record.aligned = sp.packed, sp.align
		p.next()
		if p.is("<") { // of a specialization
			p.templateArguments()
		}
		s.set(c.name, t) // the name of the template alone is this instance
		p.bases(t)
		if p.is("{") {
			p.members(t)
		}
	})
	if fields := t.record.fields; p.lifted[c.name] && len(fields) == 1 && fields[0].t.form == arrayForm {
		array := fields[0].t
		if n, ok := array.extent.(*Int); ok && array.elem.dtype.Vector(n.Value).Known() && n.Value > 1 {
			*t = ctype{form: numberForm, name: name, dtype: array.elem.dtype.Vector(n.Value)}
		}
	}
	return t
}
