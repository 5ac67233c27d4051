package sweep

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// staged makes the iterations of a sweep in steps of some: what a step loads is on its way to registers while the step before it is computed. Where one axis of work-items makes the sweeps of a
// work-group, others help: all of them load, and store what lies in lines of their own, through local memory, so that they share each line.
type staged struct {
	*Sweep
	to    *kernel.Kernel
	depth int64 // iterations of a step
	step  string
	// item is the iname of the work-items that sweep, of so many; lane takes the place of it and help numbers the others beside it, where all of a work-group load and store; "" where none help.
	item, lane, help string
	items, helpers   int64
	own, now         []string        // arrays for each load: what is on its way, and what a step reads
	out              []string        // for each store: what a step computed; "" for one that is made at once
	linear           *transition     // not nil where all make parts of the iterations of a step
	tiles            []*kernel.Array // in local memory, of sweeps before too
	list             []*kernel.Stmt
}

// Stage makes the sweeps of a kernel, which is on axes, in steps of so many iterations, with so many work-items for each that sweeps.
func Stage(k *kernel.Kernel, depth, helpers int64, parts bool) *kernel.Kernel {
	sweeps := throw.Get(Find(k, nil))
	out := k.Clone()
	sole, tiles := "", []*kernel.Array(nil)
	for _, x := range slices.Backward(sweeps) {
		s := &staged{Sweep: x, to: out, depth: depth, helpers: helpers, tiles: tiles}
		if s.shared(); s.item == "" && len(s.Loads) == 0 {
			continue
		}
		if s.item != "" && parts && helpers > 1 {
			s.linear = x.transition()
		}
		s.make()
		if tiles = s.tiles; s.item != "" && sole == "" {
			sole = out.FreshName(s.item + "_sole")
			s.box(sole, 1)
			out.Tags[sole] = kernel.Tag{Kind: kernel.LocalAxis, Axis: 1}
		}
	}
	for i, s := range out.Statements { // in their order; what no others help with is done by the first of them
		if s.Deps = nil; i > 0 {
			s.Deps = []string{out.Statements[i-1].ID}
		}
		if helped := slices.ContainsFunc(s.Inames, func(n string) bool { return out.Tags[n] == kernel.Tag{Kind: kernel.LocalAxis, Axis: 1} }); sole != "" && !helped && s.Kind != kernel.LocalBarrier {
			s.Inames = nameset.Add(slices.Clone(s.Inames), sole)
		}
	}
	throw.If(out.CheckForm())
	return out
}

// shared finds the work-items that sweep, where others can help: all of a work-group make the same iterations, and steps are parts or multiples of their number.
func (s *staged) shared() {
	item := ""
	for _, n := range s.Around {
		switch t := s.k.Tags[n]; {
		case t.Kind == kernel.LocalAxis && t.Axis == 0 && item == "":
			item = n
		case t.Kind != kernel.GroupAxis:
			return
		}
	}
	if item == "" || s.lower.Has(item) || s.upper.Has(item) || s.depth%s.helpers != 0 {
		return
	}
	_, last, _, ok, err := s.k.Interval(polycount.Name(item), []string{item})
	if s.items = last + 1; ok && err == nil && (s.items%s.depth == 0 || s.depth%s.items == 0) {
		s.item = item
	}
}

// turns reports that what an access is to is moved by work-items that share its lines.
func (s *staged) turns(a *expr.Access) bool { return s.item != "" && s.Across(a, s.item) }

// make puts the steps in the place of the loop.
func (s *staged) make() {
	if s.item != "" {
		s.lane, s.help = s.to.FreshName(s.item+"_lane"), s.to.FreshName(s.item+"_help")
		s.box(s.lane, s.items)
		s.box(s.help, s.helpers)
		s.to.Tags[s.lane], s.to.Tags[s.help] = s.k.Tags[s.item], kernel.Tag{Kind: kernel.LocalAxis, Axis: 1}
		s.barrier("before", kernel.Global)
	}
	for _, a := range s.Loads {
		s.own = append(s.own, s.declare("own", a, false))
		s.now = append(s.now, s.declare("now", a, s.item != ""))
	}
	for _, x := range s.Stores {
		name := ""
		if a := x.LHS.(*expr.Access); s.turns(a) {
			name = s.declare("out", a, true)
		}
		s.out = append(s.out, name)
	}
	s.take("first", s.lower)
	s.steps()
	if s.item != "" {
		s.barrier("behind", kernel.Global)
	}
	rest := s.to.Statements[:len(s.to.Statements)-len(s.list)]
	s.to.Statements = slices.Replace(slices.Clone(rest), s.first, s.end, s.list...)
	at := s.to.DomainIndex(s.Loop)
	s.to.Domains = slices.Delete(s.to.Domains, at, at+1)
}

// steps adds the loop over the steps, of which the last may have less iterations.
func (s *staged) steps() {
	s.step = s.to.FreshName(s.Loop + "_step")
	defer func() { s.step = "" }()
	n := polycount.Name(s.step)
	base := s.lower.AddScaled(s.depth, n)
	s.to.Domains = append(s.to.Domains, polycount.NewSet(nil, []string{s.step}, polycount.GE(n, polycount.Int(0)), polycount.GE(s.upper, base)))
	s.put(base)
	if s.item != "" {
		s.barrier("there", kernel.Global)
	}
	s.take("next", base.AddInt(s.depth))
	if s.linear != nil {
		s.inParts(base)
	} else {
		s.compute("step", base, polycount.GE(s.upper, base.AddInt(s.depth-1)), false)
		s.compute("rest", base, polycount.GE(base.AddInt(s.depth-2), s.upper), true)
	}
	if s.item != "" {
		s.barrier("done", kernel.Global)
	}
	s.write(base)
}

// declare declares an array for the elements of an access in a step: of a work-item, or in local memory of all, whose lines are one longer for other banks. Sweeps that follow each other
// share local memory.
func (s *staged) declare(what string, of *expr.Access, local bool) string {
	a := &kernel.Array{DType: s.k.Array(of.Array).DType, Space: kernel.Private, Shape: []expr.Expr{expr.Int{Value: s.parts()}}}
	if local {
		a.Space, a.Shape = kernel.Local, []expr.Expr{expr.Int{Value: s.items}, expr.Int{Value: s.depth + 1}}
		used := slices.Concat(s.now, s.out)
		if i := slices.IndexFunc(s.tiles, func(t *kernel.Array) bool { return t.DType == a.DType && !slices.Contains(used, t.Name) }); i >= 0 {
			return s.tiles[i].Name
		}
		s.tiles = append(s.tiles, a)
	}
	a.Name = s.to.FreshName(s.Loop + "_" + what)
	s.to.Temps = append(s.to.Temps, a)
	return a.Name
}

// parts is how many elements of an access in a step a work-item moves.
func (s *staged) parts() int64 {
	if s.item == "" {
		return s.depth
	}
	return s.depth / s.helpers
}

func (s *staged) box(name string, extent int64) {
	x := polycount.Name(name)
	s.to.Domains = append(s.to.Domains, polycount.NewSet(nil, []string{name}, polycount.GE(x, polycount.Int(0)), polycount.GE(polycount.Int(extent-1), x)))
}

// unrolled makes an iname of so many parts of a step.
func (s *staged) unrolled(what string, extent int64) string {
	name := s.to.FreshName(s.Loop + "_" + what)
	s.box(name, extent)
	s.to.Tags[name] = kernel.Tag{Kind: kernel.Unroll}
	return name
}

func (s *staged) add(x *kernel.Stmt) {
	x.ID = s.to.FreshID(x.ID)
	x.Inames = nameset.Sorted(slices.Clone(x.Inames))
	s.list = append(s.list, x)
	s.to.Statements = append(s.to.Statements, x) // so that the name is taken
}

func (s *staged) barrier(what string, memory kernel.Space) {
	s.add(&kernel.Stmt{ID: s.Loop + "_" + what, Kind: kernel.LocalBarrier, Memory: memory, Inames: s.inames()})
}

// inames are those with that of the step.
func (s *staged) inames(list ...string) []string {
	if s.step != "" {
		list = append(list, s.step)
	}
	return list
}

// moved is where a part of a step moves an element of an access: iteration and work-item of it, its inames, and the conditions for it to be there.
type moved struct {
	by     map[string]polycount.Affine // the loop, and work-items where lines are turned round
	part   polycount.Affine            // of a work-item's elements
	inames []string
	when   []expr.Expr
	line   []expr.Expr // the element in local memory
}

// element finds what a work-item moves of an access in a step from a base.
func (s *staged) element(a *expr.Access, what string, base polycount.Affine) (m moved, err error) {
	part := s.unrolled(what, s.parts())
	m.part = polycount.Name(part)
	at := m.part
	m.by = map[string]polycount.Affine{}
	if s.item != "" {
		m.by[s.item], at = s.place(a, m.part)
		m.line = []expr.Expr{expr.FromAffine(m.by[s.item]), expr.FromAffine(at)}
	}
	m.by[s.Loop] = base.Add(at)
	m.inames = s.everyone(part)
	m.when, err = s.there(m.by, m.inames)
	return m, err
}

// everyone are the inames of all work-items, with others.
func (s *staged) everyone(with ...string) []string {
	around := slices.Clone(s.Around)
	if s.item != "" {
		around = append(nameset.Remove(around, s.item), s.lane, s.help)
	}
	return s.inames(append(around, with...)...)
}

// there are the conditions for an iteration to be one of a sweep, or without one for the sweep.
func (s *staged) there(by map[string]polycount.Affine, inames []string) ([]expr.Expr, error) {
	var cs []polycount.Constraint
	add := func(list []polycount.Constraint, has string) {
		for _, c := range list {
			if c.Affine.Has(has) {
				cs = append(cs, polycount.Constraint{Affine: c.Affine.Subst(by), Equality: c.Equality})
			}
		}
	}
	if s.item != "" {
		domain, err := s.k.DomainOf(s.Around)
		if err != nil {
			return nil, err
		}
		list, _ := domain.Constraints()
		add(list, s.item)
	}
	if at, is := by[s.Loop]; is {
		cs = append(cs, polycount.GE(s.upper, at))
		add(s.whether, s.Loop)
	}
	return s.conditions(inames, cs)
}

// place is the sweep and the iteration of a step of which a work-item moves a part: work-items that are next to each other have neighbouring elements.
func (s *staged) place(a *expr.Access, part polycount.Affine) (row, at polycount.Affine) {
	lane := polycount.Name(s.lane)
	part = part.AddScaled(s.parts(), polycount.Name(s.help))
	switch {
	case !s.turns(a):
		return lane, part
	case s.depth > s.items:
		lines := s.depth / s.items // that a sweep has
		row = part.FloorDiv(lines)
		return row, lane.AddScaled(s.items, part.AddScaled(-lines, row))
	}
	row = lane.FloorDiv(s.depth)
	return row.AddScaled(s.items/s.depth, part), lane.AddScaled(-s.depth, row)
}

// conditions are constraints beyond what is so for all values of inames.
func (s *staged) conditions(inames []string, cs []polycount.Constraint) (_ []expr.Expr, err error) {
	defer throw.Catch(&err)
	if len(cs) == 0 {
		return nil, nil
	}
	around := throw.Get(s.to.DomainOf(inames))
	if s.to.Assumptions != nil {
		around = throw.Get(around.IntersectParams(s.to.Assumptions))
	}
	set, err := polycount.NewSet(nil, inames, cs...).Gist(around)
	return cexpr.Predicates(set), err
}

// take loads what a step from a base needs.
func (s *staged) take(kind string, base polycount.Affine) {
	for i, a := range s.Loads {
		m := throw.Get(s.element(a, "take", base))
		s.add(&kernel.Stmt{
			ID: s.Loop + "_take_" + kind, LHS: &expr.Access{Array: s.own[i], Index: []expr.Expr{expr.FromAffine(m.part)}}, RHS: expr.Subst(a, affine(m.by)), Inames: m.inames, Predicates: m.when,
		})
	}
}

// put hands it over to the step.
func (s *staged) put(base polycount.Affine) {
	for i, a := range s.Loads {
		m := throw.Get(s.element(a, "put", base))
		own := []expr.Expr{expr.FromAffine(m.part)}
		to := &expr.Access{Array: s.now[i], Index: own}
		if m.line != nil {
			to.Index = m.line
		}
		s.add(&kernel.Stmt{ID: s.Loop + "_put", LHS: to, RHS: &expr.Access{Array: s.own[i], Index: own}, Inames: m.inames, Predicates: m.when})
	}
}

// unroll is how many iterations of a step in local memory are written out.
const unroll = 8

// inner are iterations of a step: at is the first of some that are written out, own the one among them.
type inner struct {
	at, own polycount.Affine
	outer   string // iname; "" where all are written out
	inames  []string
}

// iterations makes the loops over those of a step.
func (s *staged) iterations(outer string) inner {
	if s.item == "" || s.depth <= unroll {
		name := s.unrolled("part", s.depth)
		return inner{polycount.Int(0), polycount.Name(name), "", []string{name}}
	}
	if outer == "" {
		outer = s.to.FreshName(s.Loop + "_parts")
		s.box(outer, s.depth/unroll)
	}
	name := s.unrolled("part", unroll)
	return inner{polycount.Name(outer).Scale(unroll), polycount.Name(name), outer, []string{outer, name}}
}

// read copies from local memory what some iterations need, all at once: what a step stores there is not known to be elsewhere.
func (s *staged) read(kind, outer string, when func(at polycount.Affine, inames []string) []expr.Expr) (names []string) {
	for i, a := range s.Loads {
		p := s.iterations(outer)
		array := &kernel.Array{Name: s.to.FreshName(s.Loop + "_here"), DType: s.k.Array(a.Array).DType, Space: kernel.Private, Shape: []expr.Expr{expr.Int{Value: min(unroll, s.depth)}}}
		s.to.Temps = append(s.to.Temps, array)
		names = append(names, array.Name)
		own := &kernel.Stmt{
			ID: s.Loop + "_here_" + kind, LHS: &expr.Access{Array: array.Name, Index: []expr.Expr{expr.FromAffine(p.own)}},
			RHS: &expr.Access{Array: s.now[i], Index: []expr.Expr{expr.Var{Name: s.item}, expr.FromAffine(p.at.Add(p.own))}}, Inames: s.inames(append(slices.Clone(s.Around), p.inames...)...),
		}
		own.Predicates = when(p.at.Add(p.own), own.Inames)
		s.add(own)
	}
	return names
}

// compute does the statements of a step if a condition holds, each where its iteration is one of the loop if others are not.
func (s *staged) compute(kind string, base polycount.Affine, condition polycount.Constraint, others bool) {
	when := func(at polycount.Affine, inames []string) []expr.Expr {
		all := cexpr.Predicates(polycount.NewSet(nil, inames, condition))
		if others && s.item == "" {
			all = append(all, cexpr.Predicates(polycount.NewSet(nil, inames, polycount.GE(s.upper, base.Add(at))))...)
		}
		for _, c := range s.whether {
			c.Affine = c.Affine.Subst(map[string]polycount.Affine{s.Loop: base.Add(at)})
			all = append(all, cexpr.Predicates(polycount.NewSet(nil, inames, c))...)
		}
		return all
	}
	var p inner
	if others && s.item != "" { // one after the other
		name := s.to.FreshName(s.Loop + "_part")
		s.to.Domains = append(s.to.Domains, polycount.NewSet(nil, []string{name}, polycount.GE(polycount.Name(name), polycount.Int(0)), polycount.GE(polycount.Int(s.depth-1), polycount.Name(name)), polycount.GE(s.upper, base.Add(polycount.Name(name)))))
		p = inner{own: polycount.Name(name), inames: []string{name}}
	} else {
		p = s.iterations("")
	}
	at := p.at.Add(p.own)
	by := map[string]expr.Expr{s.Loop: expr.FromAffine(base.Add(at))}
	from := s.now
	if s.item != "" && !others {
		from = s.read(kind, p.outer, when)
	}
	for _, x := range s.statements() {
		own := &kernel.Stmt{ID: x.ID + "_" + kind, LHS: expr.Subst(x.LHS, by), At: x.At, Inames: s.inames(append(slices.Clone(s.Around), p.inames...)...)}
		own.RHS = expr.Subst(expr.Rewrite(x.RHS, func(e expr.Expr) expr.Expr {
			if a, ok := e.(*expr.Access); ok && s.takes(x, a) {
				out := &expr.Access{Array: from[slices.IndexFunc(s.Loads, func(l *expr.Access) bool { return a.String() == l.String() })], Index: []expr.Expr{expr.FromAffine(p.own)}}
				if s.item != "" && others {
					out.Index = []expr.Expr{expr.Var{Name: s.item}, out.Index[0]}
				}
				return out
			}
			return e
		}), by)
		if i := slices.IndexFunc(s.Stores, func(o *kernel.Stmt) bool { return o.ID == x.ID }); i >= 0 && s.out[i] != "" {
			own.LHS = &expr.Access{Array: s.out[i], Index: []expr.Expr{expr.Var{Name: s.item}, expr.FromAffine(at)}}
		}
		own.Predicates = when(at, own.Inames)
		for _, c := range x.Predicates {
			own.Predicates = append(own.Predicates, expr.Subst(c, by))
		}
		s.add(own)
	}
}

// write stores what was turned round.
func (s *staged) write(base polycount.Affine) {
	for i, x := range s.Stores {
		if s.out[i] == "" {
			continue
		}
		m := throw.Get(s.element(x.LHS.(*expr.Access), "write", base))
		s.add(&kernel.Stmt{ID: x.ID + "_write", LHS: expr.Subst(x.LHS, affine(m.by)), RHS: &expr.Access{Array: s.out[i], Index: m.line}, Inames: m.inames, Predicates: m.when, At: x.At})
	}
}

// affine are affine values as expressions.
func affine(by map[string]polycount.Affine) map[string]expr.Expr {
	out := map[string]expr.Expr{}
	for name, a := range by {
		out[name] = expr.FromAffine(a)
	}
	return out
}
