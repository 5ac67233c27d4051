package offload

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// pointwise makes kernels whose work-items have several points each, where a launch has neither sums nor loops: what the points of a work-item load is on its way together, and what
// several of them load is loaded once. Where all points of a work-item are in the domain, it has no conditions for each.
type pointwise struct {
	*blocks
	set   *polycount.Set         // where points are in the domain
	whole []polycount.Constraint // for all points of a work-item to be; nil where that cannot be said
}

// findPointwise is nil where a kernel has another form: the parallel loops alone, of one domain, and no variables of a work-item, which its points would share.
func findPointwise(k *kernel.Kernel, order []string) (*pointwise, error) {
	if len(order) == 0 || len(k.Temps) > 0 {
		return nil, nil
	}
	own := nameset.Sorted(slices.Clone(order))
	for _, s := range k.Statements {
		if !slices.Equal(s.Inames, own) || len(s.ReductionInames()) > 0 || s.Atomic {
			return nil, nil
		}
	}
	domain, err := k.DomainOf(order)
	if err != nil || len(domain.Disjuncts()) != 1 {
		return nil, err
	}
	return &pointwise{blocks: &blocks{from: k, order: order, loops: map[string]*tiled{}, domain: domain}}, nil
}

// make makes the kernel. Along the fastest axis the points of neighbouring work-items are next to each other, along others those of one.
func (s *pointwise) make(m Mapping) (*kernel.Kernel, error) {
	s.frame(m, func(axis int, points int64) int64 {
		if axis == 0 {
			return 1
		}
		return points
	})
	err := s.grid()
	if err != nil {
		return nil, err
	}
	if s.set, err = s.inside(); err != nil {
		return nil, err
	}
	s.whole = s.least()
	for _, x := range s.from.Statements {
		if err := s.statement(x); err != nil {
			return nil, err
		}
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
func (s *pointwise) statement(x *kernel.Stmt) error {
	each := cexpr.Predicates(s.set)
	if list, _ := s.set.Constraints(); len(list) == 0 {
		return s.at(x, "", nil, nil)
	}
	if len(s.whole) == 0 {
		return s.at(x, "", each, nil)
	}
	var inames []string
	for _, p := range s.order {
		inames = append(inames, s.loops[p].group, s.loops[p].item)
	}
	all := polycount.NewSet(nil, inames, s.whole...)
	if err := s.at(x, "_whole", nil, cexpr.Predicates(all)); err != nil {
		return err
	}
	return s.at(x, "", each, []expr.Expr{&expr.Op{Kind: expr.Not, Args: []expr.Expr{cexpr.Disjunction(all)}}})
}

// at adds a statement at the points of a work-item where conditions of each hold, if those of the work-item do: first the values of all points, then their stores, as a device does not load
// what may have been stored before.
func (s *pointwise) at(x *kernel.Stmt, suffix string, each, item []expr.Expr) error {
	dtype, err := s.from.TypeOf(x.LHS)
	if err != nil {
		return err
	}
	id := x.ID + suffix
	values := &kernel.Array{Name: s.to.FreshName(id + "_values"), DType: dtype, Space: kernel.Private, Shape: []expr.Expr{}}
	value, store := s.points("_"+id+"_value"), s.points("_"+id)
	for _, p := range s.order {
		if t := s.loops[p]; t.parts*t.lanes > 1 {
			values.Shape = append(values.Shape, expr.Int{Value: t.parts * t.lanes})
		}
	}
	s.to.Temps = append(s.to.Temps, values)
	conditions := func(at point) (all []expr.Expr) {
		all = slices.Clone(item)
		for _, e := range slices.Concat(each, x.Predicates) {
			all = append(all, at.moved(e))
		}
		return all
	}
	s.add(&kernel.Stmt{ID: id + "_value", LHS: value.of(values.Name), RHS: value.moved(x.RHS), Inames: value.inames(), Predicates: conditions(value)})
	s.add(&kernel.Stmt{ID: id, LHS: store.moved(x.LHS), RHS: store.of(values.Name), Inames: store.inames(), Predicates: conditions(store)})
	return nil
}
