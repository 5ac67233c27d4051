package offload

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
)

// pointwise makes kernels whose work-items have several points each, where a launch has no loops but those of sums: what the points of a work-item load is on its way together, and what
// several of them load is loaded once. The sums of all points of a work-item are in registers (jam). Where all points of a work-item are in the domain, it has no conditions for each.
type pointwise struct {
	*blocks
	set   *polycount.Set         // where points are in the domain
	whole []polycount.Constraint // for all points of a work-item to be; nil where that cannot be said
}

// findPointwise is nil where a kernel has another form: the parallel loops alone, of one domain, and no arrays of a work-item.
func findPointwise(k *kernel.Kernel, order []string) *pointwise {
	if len(order) == 0 || slices.ContainsFunc(k.Temps, func(a *kernel.Array) bool { return len(a.Shape) > 0 || a.Space == kernel.Local }) {
		return nil
	}
	own := nameset.Sorted(slices.Clone(order))
	for _, s := range k.Statements {
		if !slices.Equal(s.Inames, own) || s.Atomic {
			return nil
		}
		if ok, err := jams(k, s, order); !ok || err != nil {
			throw.If(err)
			return nil
		}
	}
	domain, err := k.DomainOf(order)
	if err != nil || len(domain.Disjuncts()) != 1 {
		throw.If(err)
		return nil
	}
	return &pointwise{blocks: &blocks{from: k, order: order, loops: map[string]*tiled{}, domain: domain}}
}

// make makes the kernel. Along the fastest axis the points of neighbouring work-items are next to each other, along others those of one.
func (s *pointwise) make(m Mapping) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	s.frame(m, func(axis int, points int64) int64 {
		if axis == 0 {
			return 1
		}
		return points
	})
	s.grid()
	s.set = s.inside()
	s.whole = s.least()
	s.to.Temps, s.own = nil, map[string]string{}
	for _, a := range s.from.Temps {
		s.own[a.Name] = s.private(a.Name, a.DType, s.order).Name
	}
	for _, x := range s.from.Statements {
		s.statement(x)
	}
	s.independent()
	s.to.ExplicitBarriers = true
	return s.to, s.to.CheckForm()
}

// least are the conditions of the domain at those points of a work-item where they are least.
func (s *pointwise) least() (whole []polycount.Constraint) {
	list, _ := s.set.Constraints()
	for _, c := range list {
		if c.Equality || c.Affine.HasFloor() {
			return nil
		}
		by := map[string]polycount.Affine{}
		for p, t := range s.loops {
			by[p] = polycount.Name(t.group).Scale(t.extent()).AddScaled(t.lanes, polycount.Name(t.item))
			if c.Affine.Coeff(p) < 0 {
				by[p] = by[p].AddInt((t.parts-1)*t.items*t.lanes + t.lanes - 1)
			}
		}
		whole = append(whole, polycount.Constraint{Affine: c.Affine.Subst(by)})
	}
	return whole
}

// statement adds a statement at all points of a work-item that are in the domain.
func (s *pointwise) statement(x *kernel.Stmt) {
	each := cexpr.Predicates(s.set)
	if list, _ := s.set.Constraints(); len(list) == 0 {
		s.at(x, "", nil, nil)
		return
	}
	if len(s.whole) == 0 {
		s.at(x, "", each, nil)
		return
	}
	var inames []string
	for _, p := range s.order {
		inames = append(inames, s.loops[p].group, s.loops[p].item)
	}
	all := polycount.NewSet(nil, inames, s.whole...)
	s.at(x, "_whole", nil, cexpr.Predicates(all))
	s.at(x, "", each, []expr.Expr{&expr.Op{Kind: expr.Not, Args: []expr.Expr{cexpr.Disjunction(all)}}})
}

// at adds a statement at the points of a work-item where conditions of each hold, if those of the work-item do: first the values of all points, then their stores, as a device does not load
// what may have been stored before.
func (s *pointwise) at(x *kernel.Stmt, suffix string, each, item []expr.Expr) {
	dtype := throw.Get(s.from.TypeOf(x.LHS))
	id := x.ID + suffix
	values := s.private(id+"_values", dtype, s.order)
	value, store := s.points("_"+id+"_value"), s.points("_"+id)
	conditions := func(at point) (all []expr.Expr) {
		all = slices.Clone(item)
		for _, e := range slices.Concat(each, x.Predicates) {
			all = append(all, at.moved(e))
		}
		return all
	}
	from := s.jam(x, id, conditions)
	s.add(&kernel.Stmt{ID: id + "_value", LHS: value.of(values.Name), RHS: from(value), Inames: value.inames(), Predicates: conditions(value)})
	s.add(&kernel.Stmt{ID: id, LHS: store.moved(x.LHS), RHS: store.of(values.Name), Inames: store.inames(), Predicates: conditions(store)})
}

// Sums of several points of a work-item, whose loops are jammed into one (unroll-and-jam: Callahan, Cocke and Kennedy, Estimating interlock and improving balance for pipelined machines, 1988):
// each term of all of them, then the next one, so that an element that several points read is loaded once for them. So are windows, whose sums are over several loops, or over too few terms to
// be worth tiles in local memory.

// jams reports that a statement has no sum, or one whose loops have the same iterations at all points, which no condition of the value chooses.
func jams(k *kernel.Kernel, s *kernel.Stmt, order []string) (_ bool, err error) {
	defer throw.Catch(&err)
	over := s.ReductionInames()
	if len(over) == 0 {
		return true, nil
	}
	sum := sumOf(s)
	if sum == nil || len(expr.Reductions(s.RHS)) != 1 || sum.Index != nil {
		return false, nil
	}
	if dtype, err := k.TypeOf(sum); err != nil {
		return false, err
	} else if _, _, ok := transform.Accumulation(sum.Kind, dtype); !ok {
		return false, nil
	}
	whole := throw.Get(k.DomainOf(append(slices.Clone(order), over...)))
	points := throw.Get(k.DomainOf(order))
	list, exact := whole.Constraints()
	for _, c := range list {
		if !slices.ContainsFunc(order, c.Affine.Has) {
			continue
		}
		if slices.ContainsFunc(over, c.Affine.Has) {
			return false, nil
		}
		if always, err := points.Implies(c); err != nil || !always { // some points have no terms
			return false, err
		}
	}
	return exact, nil
}

// sumOf is the sum of a statement that is computed whatever conditions say; nil where it has none.
func sumOf(s *kernel.Stmt) (sum *expr.Reduce) {
	expr.Walk(s.RHS, func(e expr.Expr) bool {
		if r, ok := e.(*expr.Reduce); ok {
			sum = r
		}
		_, choice := e.(*expr.Cond)
		return !choice && sum == nil
	})
	return sum
}

// jam adds the sums of a statement at all points of a work-item, and returns what the value of a point is then.
func (s *pointwise) jam(x *kernel.Stmt, id string, conditions func(point) []expr.Expr) func(point) expr.Expr {
	sum := sumOf(x)
	if sum == nil {
		return func(at point) expr.Expr { return at.moved(x.RHS) }
	}
	dtype := throw.Get(s.from.TypeOf(sum))
	neutral, step, _ := transform.Accumulation(sum.Kind, dtype)
	sums := s.private(id+"_sums", dtype, s.order)
	inames := slices.DeleteFunc(s.from.Inames(), func(n string) bool { return !slices.Contains(sum.Inames, n) }) // the outer loops first
	over := throw.Get(s.from.DomainOf(inames))
	var loops []string // of its own
	by := map[string]expr.Expr{}
	for _, r := range inames {
		own := s.to.FreshName(r + "_" + id)
		over = throw.Get(over.Rename(r, own))
		loops, by[r] = append(loops, own), expr.Var{Name: own}
	}
	s.to.Domains = append(s.to.Domains, over)
	begin, term := s.points("_"+id+"_begin"), s.points("_"+id+"_term")
	s.add(&kernel.Stmt{ID: id + "_begin", LHS: begin.of(sums.Name), RHS: neutral, Inames: begin.inames(), Predicates: conditions(begin)})
	s.add(&kernel.Stmt{
		ID: id + "_term", LHS: term.of(sums.Name), RHS: step(term.of(sums.Name), expr.Subst(term.moved(sum.Body), by)), Inames: term.inames(loops...), Predicates: conditions(term),
	})
	return func(at point) expr.Expr {
		return at.moved(expr.Rewrite(x.RHS, func(e expr.Expr) expr.Expr {
			if e == expr.Expr(sum) {
				return at.of(sums.Name)
			}
			return e
		}))
	}
}
