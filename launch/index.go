package launch

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// variable is the variable of a box that corresponds to a slot of a linearized program.
func variable(slot int) int {
	if slot < linear.GroupSlot {
		return slot
	}
	return slot + startVars
}

// condition leaves out the terms of a conjunction that depend on data.
func condition(x *linear.Index) *linear.Index {
	if x.Kind != linear.LogicIndex || x.Op != expr.And {
		return x
	}
	out := *x
	out.Args, out.Data = nil, true
	for _, arg := range x.Args {
		if c := condition(arg); !c.Data {
			out.Args, out.Data = append(out.Args, c), false
		}
	}
	return &out
}

// scene is the environment of an evaluation: a box, the values of variables as forms over it, and the sizes.
type scene struct {
	box
	env   [maxVars]form // by slot
	sizes []int64
	// centre, where it is set, decides selects, least and greatest values, and remainders that leave their period only at a
	// border, by the values that the variables have in the middle of the launch.
	centre *centre
	why    cut // of the last evaluation that was not decided
}

// centre is a point, by slot, and how far the variables reach.
type centre struct {
	at     [maxVars]int64
	lo, hi [maxVars]int64
	// unrolled marks the counters of unrolled loops.
	unrolled [maxVars]bool
}

// eval is the value as a form over the box; ok is false where the box must be divided first, as why says.
func (s *scene) eval(x *linear.Index) (f form, ok bool) {
	switch x.Kind {
	case linear.AffineIndex:
		return s.affine(x.Form)
	case linear.CastIndex:
		return s.eval(x.Args[0])
	case linear.SelectIndex:
		holds, ok := s.decide(x.Args[0])
		if !ok {
			return f, false
		}
		if holds {
			return s.eval(x.Args[1])
		}
		return s.eval(x.Args[2])
	case linear.LogicIndex:
		holds, ok := s.decide(x)
		if holds {
			f.c = 1
		}
		return f, ok
	}
	for i, a := range x.Args {
		g, ok := s.eval(a)
		if !ok {
			return f, false
		}
		switch {
		case x.Op == expr.Neg, x.Op == expr.Sub && i > 0:
			f.addScaled(&g, -1)
		case i == 0, x.Op == expr.Add:
			f.addScaled(&g, 1)
		default:
			if f, ok = s.combine(x, &f, &g, i); !ok {
				return f, false
			}
		}
	}
	return f, true
}

// affine is the value of an affine expression.
func (s *scene) affine(x *linear.Form) (f form, ok bool) {
	f.c = x.Constant
	for _, t := range x.Terms {
		if t.Slot < 0 {
			f.c += t.Coeff * s.sizes[-1-t.Slot]
		} else {
			f.addScaled(&s.env[variable(t.Slot)], t.Coeff)
		}
	}
	for i := range x.Floors {
		t := &x.Floors[i]
		num, ok := s.affine(t.Num)
		if !ok {
			return f, false
		}
		q, ok := s.quotient(&num, t.Den, t.Num)
		if !ok {
			return f, false
		}
		f.addScaled(&q, t.Coeff)
	}
	return f, true
}

// combine applies a binary operator to f, the value of the arguments before argument n, and g, that of argument n.
func (s *scene) combine(x *linear.Index, f, g *form, n int) (out form, ok bool) {
	switch x.Op {
	case expr.Mul:
		if !s.constant(f) {
			f, g = g, f
		}
		if !s.constant(f) {
			return out, s.narrow(f)
		}
		out.addScaled(g, f.c)
		return out, true
	case expr.Min, expr.Max:
		d := *f
		d.addScaled(g, -1)
		var positive bool
		if s.centre != nil {
			best, second := s.point(x.Args[0]), s.point(x.Args[n])
			for _, a := range x.Args[1:n] {
				if v := s.point(a); v < best == (x.Op == expr.Min) {
					best = v
				}
			}
			positive = best >= second
		} else {
			lo, hi := s.interval(&d, 0)
			if lo < 0 && hi > 0 {
				s.why = s.cutAt(&d, 0)
				return out, false
			}
			positive = lo >= 0
		}
		if positive == (x.Op == expr.Max) {
			return *f, true
		}
		return *g, true
	case expr.FloorDiv, expr.Mod:
		if !s.constant(g) {
			return out, s.narrow(g)
		}
		if g.c <= 0 {
			return out, true // no value; kernels that run do not come here
		}
		q, ok := s.quotient(f, g.c, x.Args[0].Form)
		if !ok || x.Op == expr.FloorDiv {
			return q, ok
		}
		out = *f
		out.addScaled(&q, -g.c)
		return out, true
	}
	return out, true
}

// narrow asks for a box on which f is constant.
func (s *scene) narrow(f *form) bool {
	s.why = cut{v: -1}
	for v := s.nv - 1; v >= 0; v-- {
		if f.k[v] != 0 && s.n[v] > 1 {
			s.why = cut{v: v, at: s.n[v] / 2}
		}
	}
	return false
}

// quotient is floor(f/den), f the value of num, which is nil where it is not affine.
func (s *scene) quotient(f *form, den int64, num *linear.Form) (form, bool) {
	if s.centre != nil && num != nil {
		if at, ok := s.usual(num, den); ok {
			return form{c: at}, true
		}
	}
	q, why, ok := s.box.quotient(f, den)
	s.why = why
	return q, ok
}

// usual is the quotient in the middle of the launch where num leaves that period only at a border.
func (s *scene) usual(num *linear.Form, den int64) (int64, bool) {
	if len(num.Floors) > 0 {
		return 0, false
	}
	lo, hi := num.Constant, num.Constant
	for _, t := range num.Terms {
		v := variable(t.Slot)
		switch {
		case t.Slot < 0:
			lo, hi = lo+t.Coeff*s.sizes[-1-t.Slot], hi+t.Coeff*s.sizes[-1-t.Slot]
		case t.Coeff > 0:
			lo, hi = lo+t.Coeff*s.centre.lo[v], hi+t.Coeff*s.centre.hi[v]
		default:
			lo, hi = lo+t.Coeff*s.centre.hi[v], hi+t.Coeff*s.centre.lo[v]
		}
	}
	at := intmath.FloorDiv(s.middle(num), den)
	inside := min(hi, at*den+den-1) - max(lo, at*den) + 1
	return at, intmath.FloorDiv(hi, den)-intmath.FloorDiv(lo, den) <= 2 && 4*inside >= 3*(hi-lo+1)
}

// decide evaluates a condition; what depends on data holds.
func (s *scene) decide(x *linear.Index) (holds, ok bool) {
	switch {
	case s.centre != nil:
		return s.point(x) != 0, true
	case x.Data:
		return true, true
	case x.Kind != linear.LogicIndex:
		f, ok := s.eval(x)
		if !ok {
			return false, false
		}
		return s.sign(&f, expr.Ne, 0)
	}
	switch x.Op {
	case expr.Not:
		holds, ok = s.decide(x.Args[0])
		return !holds, ok
	case expr.And, expr.Or:
		for _, a := range x.Args {
			if holds, ok = s.decide(a); !ok || holds == (x.Op == expr.Or) {
				return holds, ok
			}
		}
		return x.Op == expr.And, true
	}
	f, ok := s.difference(x)
	if !ok {
		return false, false
	}
	return s.sign(&f, x.Op, 0)
}

// difference is the left side less the right one.
func (s *scene) difference(x *linear.Index) (form, bool) {
	f, ok := s.eval(x.Args[0])
	if !ok {
		return f, false
	}
	g, ok := s.eval(x.Args[1])
	if !ok {
		return f, false
	}
	f.addScaled(&g, -1)
	return f, true
}

// sign compares f with 0 over the variables from v on.
func (s *scene) sign(f *form, op expr.OpKind, from int) (holds, ok bool) {
	lo, hi := s.interval(f, from)
	g := *f
	switch op {
	case expr.Ge, expr.Lt:
		if lo >= 0 || hi < 0 {
			return (lo >= 0) == (op == expr.Ge), true
		}
	case expr.Gt, expr.Le:
		if lo > 0 || hi <= 0 {
			return (lo > 0) == (op == expr.Gt), true
		}
		g.c--
	default:
		if lo > 0 || hi < 0 || lo == 0 && hi == 0 {
			return (lo == 0 && hi == 0) == (op == expr.Eq), true
		}
		if lo == 0 {
			g.c--
		}
	}
	s.why = s.cutAt(&g, from)
	return false, false
}

// middle is the value of an affine expression in the middle of the launch.
func (s *scene) middle(f *linear.Form) int64 {
	sum := f.Constant
	for _, t := range f.Terms {
		if t.Slot < 0 {
			sum += t.Coeff * s.sizes[-1-t.Slot]
		} else {
			sum += t.Coeff * s.centre.at[variable(t.Slot)]
		}
	}
	for _, t := range f.Floors {
		sum += t.Coeff * intmath.FloorDiv(s.middle(t.Num), t.Den)
	}
	return sum
}

// point is the value in the middle of the launch; what depends on data holds.
func (s *scene) point(x *linear.Index) int64 {
	switch {
	case x.Data:
		return 1
	case x.Kind == linear.AffineIndex:
		return s.middle(x.Form)
	case x.Kind == linear.CastIndex:
		return s.point(x.Args[0])
	case x.Kind == linear.SelectIndex:
		if s.point(x.Args[0]) != 0 {
			return s.point(x.Args[1])
		}
		return s.point(x.Args[2])
	}
	v := s.point(x.Args[0])
	switch {
	case x.Op == expr.Neg:
		return -v
	case x.Op == expr.Not:
		return truth(v == 0)
	}
	for _, a := range x.Args[1:] {
		w := s.point(a)
		switch x.Op {
		case expr.And:
			v = truth(v != 0 && w != 0)
		case expr.Or:
			v = truth(v != 0 || w != 0)
		default:
			if holds, err := expr.Compare(x.Op, cmp.Compare(v, w)); err == nil {
				v = truth(holds)
			} else if u, err := expr.IntOp(x.Op, v, w); err == nil {
				v = u
			}
		}
	}
	return v
}

func truth(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

// tested are the comparisons of variables that a straight line of code has made, with the variables that each reads. Code that comes to the same
// comparison again was led there by the first one, and does not test it.
type tested map[string][]string

// sides are comparisons that one test decides.
var sides = map[expr.OpKind]string{expr.Eq: "==", expr.Ne: "==", expr.Lt: "<", expr.Ge: "<", expr.Gt: ">", expr.Le: ">"}

// again reports whether all comparisons of a condition are known, and notes them.
func (t tested) again(e expr.Expr) bool {
	x, ok := e.(*expr.Op)
	if !ok {
		return false
	}
	if x.Kind == expr.And || x.Kind == expr.Or || x.Kind == expr.Not {
		all := true
		for _, arg := range x.Args {
			all = t.again(arg) && all
		}
		return all
	}
	side, names := sides[x.Kind], []string(nil)
	if side == "" {
		return false
	}
	for _, arg := range x.Args {
		expr.FreeVars(arg, func(name string) { names = append(names, name) })
		side += " " + arg.String()
		if len(expr.Accesses(arg)) > 0 {
			return false
		}
	}
	_, known := t[side]
	t[side] = names
	return known
}

// set forgets what was compared with a variable that changes.
func (t tested) set(to expr.Expr) {
	if v, ok := to.(expr.Var); ok {
		maps.DeleteFunc(t, func(_ string, names []string) bool { return slices.Contains(names, v.Name) })
	}
}

// under runs do, which goes through nodes that are executed under a condition: what is compared there is known there alone.
func (t *tested) under(list []linear.Node, do func()) {
	before := maps.Clone(*t)
	do()
	*t = before
	t.change(list)
}

// change forgets what was compared with variables that nodes set.
func (t tested) change(list []linear.Node) {
	for _, n := range list {
		for _, s := range within(n) {
			if s.LHS != nil {
				t.set(s.LHS)
			}
		}
	}
}

// held are the results of loads that guarded code finds at hand, as it comes after them: by the text of the access.
type held struct {
	at    map[string]atHand
	level int // of guards
}

// atHand is the result of a load at a level of guards, with the arrays and variables on which it depends.
type atHand struct {
	names []string
	level int
}

// has reports whether the result of a load was at hand before the innermost guard. It is from now on.
func (h *held) has(a *expr.Access) bool {
	key := a.String()
	if old, ok := h.at[key]; ok {
		return old.level < h.level
	}
	var names []string
	expr.FreeVars(a, func(name string) { names = append(names, name) })
	for _, x := range expr.Accesses(a) {
		names = append(names, x.Array)
	}
	h.at[key] = atHand{names, h.level}
	return false
}

// guarded runs do, which goes through nodes that are executed under a condition: what is loaded there is at hand there alone.
func (h *held) guarded(list []linear.Node, do func()) {
	before := maps.Clone(h.at)
	h.level++
	do()
	h.level--
	h.at = before
	h.change(list)
}

// change forgets what depends on what nodes store and set.
func (h *held) change(list []linear.Node) {
	for _, n := range list {
		for _, s := range within(n) {
			if s.LHS != nil {
				maps.DeleteFunc(h.at, func(_ string, r atHand) bool { return slices.Contains(r.names, s.Target()) })
			}
		}
	}
}

// fresh leaves out the loads of compiled code whose results are at hand, and notes the others.
func (b *builder) fresh(list []access) []access {
	if !b.p.opt.Compiled {
		return list
	}
	return slices.DeleteFunc(list, func(a access) bool {
		return !a.write && b.p.arrays[a.array].Space == kernel.Global && len(a.under) == 0 && b.held.has(a.from.access)
	})
}

// changes forgets what a statement changes.
func (b *builder) changes(n linear.Node) {
	b.change([]linear.Node{n})
	b.held.change([]linear.Node{n})
}
