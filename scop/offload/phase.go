package offload

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// phases add the terms, in steps of Depth terms, from the first that a point of the tile needs: steps in which the sums of some points have not begun, steps in which all terms
// are in all sums, and steps in which some have ended. Operands of the next step are on their way while a step is computed, if Ahead. Of a sum in parts, each has a step after as many others as
// there are other parts.
func (b *blocks) phases() {
	d := b.m.Depth
	first := b.corner(b.lower, false)
	late := b.corner(b.lower, true).Sub(first).Constant() // where all sums have begun
	begun := (late + d - 1) / d
	var all []*phase
	make := func(suffix string, of func(base polycount.Affine, n polycount.Affine) []polycount.Constraint) *phase {
		p := &phase{b: b, suffix: suffix, step: b.over + "_step" + suffix}
		n := named(b.part).AddScaled(max(1, b.parts), polycount.Name(p.step)) // the number of the step
		p.first = first.Add(n.Scale(d))
		b.to.Domains = append(b.to.Domains, polycount.NewSet(nil, []string{p.step}, append(of(p.first, n), polycount.GE(polycount.Name(p.step), polycount.Int(0)))...))
		all = append(all, p)
		return p
	}
	last, end := b.corner(b.upper, false), b.corner(b.upper, true)
	if late > 0 {
		p := make("_begin", func(base, n polycount.Affine) []polycount.Constraint {
			return []polycount.Constraint{polycount.GE(n, polycount.Int(0)), polycount.GE(polycount.Int(begun-1), n), polycount.GE(end, base)}
		})
		p.begins, p.ends = true, true
	}
	make("", func(base, n polycount.Affine) []polycount.Constraint {
		return []polycount.Constraint{polycount.GE(n, polycount.Int(begun)), polycount.GE(last, base.AddInt(d-1))}
	})
	make("_rest", func(base, n polycount.Affine) []polycount.Constraint {
		return []polycount.Constraint{polycount.GE(n, polycount.Int(begun)), polycount.GE(base.AddInt(d-2), last), polycount.GE(end, base)}
	}).ends = true
	if b.m.Ahead {
		b.fetches(&phase{b: b, suffix: "_first", first: first.AddScaled(d, named(b.part))}, (*fetch).take)
	}
	for _, p := range all {
		p.add()
	}
}

// phase is some of the steps of a sum.
type phase struct {
	b      *blocks
	suffix string
	step   string           // iname, "" for one step
	first  polycount.Affine // term of the step
	// begins: sums of some points begin in its steps; ends: they end.
	begins, ends bool
}

func (p *phase) loops() []string {
	if p.step == "" {
		return nil
	}
	return []string{p.step}
}

// fetches does something for each operand.
func (b *blocks) fetches(p *phase, do func(*fetch) error) {
	for i, a := range b.operands {
		f := &fetch{point: point{b, "_update" + p.suffix, b.order}, phase: p, access: a, name: fmt.Sprintf("%s_tile_%d", a.Array, i)}
		f.find()
		throw.If(do(f))
	}
}

func (p *phase) add() {
	b := p.b
	term := p.term()
	t := polycount.Name(term)
	cs := []polycount.Constraint{polycount.GE(t, polycount.Int(0)), polycount.GE(polycount.Int(b.m.Depth-1), t)}
	if !p.ends {
		b.to.Tags[term] = kernel.Tag{Kind: kernel.Unroll}
	} else {
		cs = append(cs, polycount.GE(b.corner(b.upper, true), p.first.Add(t)))
	}
	b.to.Domains = append(b.to.Domains, polycount.NewSet(nil, []string{term}, cs...))
	fill := (*fetch).load
	if b.m.Ahead {
		fill = (*fetch).put
	}
	by := map[string]expr.Expr{}
	b.fetches(p, func(f *fetch) error { by[f.access.String()] = f.element(); return fill(f) })
	if b.m.Twice {
		p.barrier()
	}
	if b.m.Ahead {
		next := &phase{b: b, suffix: p.suffix + "_next", step: p.step, first: p.first.AddInt(max(1, b.parts) * b.m.Depth)}
		p.takes(next)
	}
	x := b.points("_update" + p.suffix)
	number := p.first.Add(t)
	s := &kernel.Stmt{ID: b.sum.ID + "_update" + p.suffix, LHS: x.at(), Inames: x.inames(append(p.loops(), term)...)}
	if s.Predicates = p.guarded(x, number, s.Inames); len(s.Predicates) > 0 {
		b.fetches(p, func(f *fetch) error { by[f.access.String()] = f.here(x); return nil })
	}
	value := expr.Rewrite(b.term, func(e expr.Expr) expr.Expr {
		if element := by[e.String()]; element != nil {
			return element
		}
		return e
	})
	value = expr.Subst(x.moved(value), map[string]expr.Expr{b.over: expr.FromAffine(number)})
	s.RHS = expr.Binary(expr.Add, x.at(), value)
	b.add(s)
}

// barrier lets the tiles of a step be read, and those of the step before be overwritten in the next one.
func (p *phase) barrier() {
	b := p.b
	b.add(&kernel.Stmt{ID: b.to.FreshID(b.over + "_there" + p.suffix), Kind: kernel.LocalBarrier, Inames: p.shared()})
}

// shared are the inames whose values all work-items of a work-group share in a step.
func (p *phase) shared() []string {
	inames := append(p.loops(), nameset.Remove([]string{p.b.part}, "")...)
	for _, name := range p.b.order {
		inames = append(inames, p.b.loops[name].group)
	}
	return nameset.Sorted(inames)
}

// takes copies what the next step needs to registers. Most steps have tiles all of whose elements are there: these are copied without asking for each.
func (p *phase) takes(next *phase) {
	b := p.b
	var there []polycount.Constraint
	written := false
	b.fetches(next, func(f *fetch) error {
		there, written = append(there, f.there()...), written || len(b.from.Writers(f.access.Array)) > 0
		return nil
	})
	around := throw.Get(b.to.DomainOf(p.shared()))
	whole := throw.Get(polycount.NewSet(nil, p.shared(), there...).Gist(around))
	if list, _ := whole.Constraints(); !b.m.Twice || p.begins || p.ends || written || len(list) == 0 {
		b.fetches(next, (*fetch).take)
		return
	}
	b.fetches(next, func(f *fetch) error {
		f.when, f.whole = cexpr.Predicates(whole), true
		return f.take()
	})
	rest := *next
	rest.suffix += "_some"
	b.fetches(&rest, func(f *fetch) error {
		f.when = []expr.Expr{&expr.Op{Kind: expr.Not, Args: []expr.Expr{cexpr.Disjunction(whole)}}}
		return f.take()
	})
}

// guarded are the conditions for a term to be in the sum of a point.
func (p *phase) guarded(x point, term polycount.Affine, inames []string) []expr.Expr {
	by := map[string]polycount.Affine{}
	for name, t := range p.b.loops {
		by[name] = x.value(t)
	}
	var cs []polycount.Constraint
	if lower := p.b.lower; p.begins {
		cs = append(cs, polycount.GE(term, lower.Subst(by)))
	}
	if upper := p.b.upper; p.ends && slices.ContainsFunc(p.b.order, upper.Has) {
		cs = append(cs, polycount.GE(upper.Subst(by), term))
	}
	if len(cs) == 0 {
		return nil
	}
	return cexpr.Predicates(polycount.NewSet(nil, inames, cs...))
}

// term is the iname of the terms of a phase, from its first one.
func (p *phase) term() string { return p.b.over + "_term" + p.suffix }
