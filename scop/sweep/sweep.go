// Package sweep makes loops inside the parallel ones of a kernel, whose iterations follow each other, in steps: what a step loads is on its way while the one before it is computed, and other
// work-items help (staged.go). Where what an iteration does to the value that it carries is linear (transition.go), they make parts of its iterations, too (scan.go).
package sweep

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Sweep is a loop inside the parallel ones, whose iterations follow each other. What they load is on its way some iterations ahead (staged.go), as few work-items wait for each load
// otherwise.
type Sweep struct {
	Loop       string
	k          *kernel.Kernel
	Around     []string // inames of the other loops
	first, end int      // its statements are those from first to before end
	// lower and upper bound its iterations, over parameters and what is around.
	lower, upper polycount.Affine
	whether      []polycount.Constraint // what else holds of an iteration that is made: where some work-items make less than others
	Loads        []*expr.Access         // that no iteration stores for a later one, each once
	from         map[string]bool        // statements with loads that they make
	Stores       []*kernel.Stmt         // whose elements no other access of the loop is to
}

// takes reports that a load of a statement is made ahead.
func (x *Sweep) takes(s *kernel.Stmt, a *expr.Access) bool { return x.from[s.ID+" "+a.String()] }

// Find are the sweeps of a kernel with a mapping or without: loops inside parallel ones in which there are neither loops nor sums.
func Find(k *kernel.Kernel, parallel []string) (list []*Sweep, err error) {
	for first := 0; first < len(k.Statements); first++ {
		s := k.Statements[first]
		loop := Innermost(k, s, parallel)
		if loop == "" {
			continue
		}
		x := &Sweep{k: k, Loop: loop, Around: nameset.Remove(slices.Clone(s.Inames), loop), first: first, end: first, from: map[string]bool{}}
		for x.end < len(k.Statements) && slices.Contains(k.Statements[x.end].AllInames(), loop) {
			x.end++
		}
		first = x.end - 1
		if ok, err := x.fits(); err != nil {
			return nil, err
		} else if ok {
			list = append(list, x)
		}
	}
	return list, nil
}

// Innermost is the innermost loop of a statement that is neither parallel nor on an axis or unrolled; "" where there is none.
func Innermost(k *kernel.Kernel, s *kernel.Stmt, parallel []string) (loop string) {
	for _, n := range s.Inames {
		if !slices.Contains(parallel, n) && k.Tags[n].Kind == kernel.Sequential && (loop == "" || k.DomainIndex(n) > k.DomainIndex(loop)) {
			loop = n
		}
	}
	return loop
}

// Even reports that loops are those around it, and its iterations the same for all values of the first.
func (x *Sweep) Even(order []string) bool {
	return len(order) > 0 && slices.Equal(nameset.Sorted(slices.Clone(x.Around)), nameset.Sorted(slices.Clone(order))) && !x.lower.Has(order[0]) && !x.upper.Has(order[0])
}

func (x *Sweep) statements() []*kernel.Stmt { return x.k.Statements[x.first:x.end] }

func (x *Sweep) fits() (bool, error) {
	inames := nameset.Add(slices.Clone(x.Around), x.Loop)
	for i, s := range x.k.Statements {
		within := i >= x.first && i < x.end
		if within != slices.Contains(s.AllInames(), x.Loop) || within && (!slices.Equal(s.Inames, inames) || len(s.ReductionInames()) > 0 || s.Atomic || s.Guarded || s.LHS == nil) {
			return false, nil
		}
	}
	domain, err := x.k.DomainOf(inames)
	if err != nil {
		return false, err
	}
	list, exact := domain.Constraints()
	lower, upper, err := domain.Bounds(x.Loop)
	if err != nil || !exact || len(lower) != 1 || lower[0].Den != 1 || slices.ContainsFunc(upper, func(b polycount.Bound) bool { return b.Den != 1 }) ||
		slices.ContainsFunc(list, func(c polycount.Constraint) bool { return c.Affine.HasFloor() && c.Affine.Has(x.Loop) }) {
		return false, err
	}
	x.lower = lower[0].Num
	if !x.bound(upper) {
		return false, nil
	}
	if len(x.k.Domains[x.k.DomainIndex(x.Loop)].Dims()) != 1 || x.lower.HasFloor() || x.upper.HasFloor() {
		return false, nil
	}
	if all, err := x.bounded(domain); !all || err != nil {
		return false, err
	}
	for _, s := range x.statements() {
		if len(s.Predicates) > 0 {
			continue
		}
		for _, a := range unconditional(s.RHS) {
			if ok, err := x.ahead(s, a); err != nil {
				return false, err
			} else if !ok {
				continue
			}
			x.from[s.ID+" "+a.String()] = true
			if !slices.ContainsFunc(x.Loads, func(o *expr.Access) bool { return a.String() == o.String() }) {
				x.Loads = append(x.Loads, a)
			}
		}
	}
	for _, s := range x.statements() {
		if len(s.Predicates) == 0 && x.alone(s) {
			x.Stores = append(x.Stores, s)
		}
	}
	return len(x.Loads)+len(x.Stores) > 0, nil
}

// bound takes the upper bound of the loop: of several the one that is a number, if the others only leave out its last iterations.
func (x *Sweep) bound(upper []polycount.Bound) bool {
	at := 0
	if len(upper) > 1 {
		at = slices.IndexFunc(upper, func(b polycount.Bound) bool { return b.Num.IsConstant() })
	}
	for i, b := range upper {
		if i == at {
			x.upper = b.Num
		} else {
			x.whether = append(x.whether, polycount.GE(b.Num, polycount.Name(x.Loop)))
		}
	}
	return at >= 0
}

// bounded reports that its bounds say all about its iterations: a condition may leave the loop out in some iterations of those around.
func (x *Sweep) bounded(domain *polycount.Set) (bool, error) {
	around, err := x.k.DomainOf(x.Around)
	if err != nil {
		return false, err
	}
	list, exact := around.Constraints()
	if !exact {
		return false, nil
	}
	loop := polycount.Name(x.Loop)
	between := polycount.NewSet(nil, domain.Dims(), slices.Concat(list, x.whether, []polycount.Constraint{polycount.GE(loop, x.lower), polycount.GE(x.upper, loop)})...)
	return between.Within(domain.Budget()).IsSubset(domain)
}

// unconditional are the accesses that an expression always makes.
func unconditional(e expr.Expr) (list []*expr.Access) {
	expr.Walk(e, func(e expr.Expr) bool {
		if a, ok := e.(*expr.Access); ok {
			list = append(list, a)
		}
		if c, ok := e.(*expr.Cond); ok {
			list = append(list, unconditional(c.If)...)
			return false
		}
		if op, ok := e.(*expr.Op); ok && (op.Kind == expr.And || op.Kind == expr.Or) { // the others are evaluated where the first leaves it open
			list = append(list, unconditional(op.Args[0])...)
			return false
		}
		return true
	})
	return list
}

// index is what an access to global memory is to; nil where that depends on data.
func (x *Sweep) index(a *expr.Access) (index []polycount.Affine) {
	if array := x.k.Array(a.Array); array == nil || array.Space != kernel.Global || a.As != "" || a.Lanes > 1 {
		return nil
	}
	for _, e := range a.Index {
		i, err := x.k.AffineOf(e)
		if err != nil || i.HasFloor() {
			return nil
		}
		index = append(index, i)
	}
	return index
}

// ahead reports that an element that a statement loads may be loaded before the loop: each iteration has another, and none stores what a later one, or a later statement of it, loads.
func (x *Sweep) ahead(s *kernel.Stmt, a *expr.Access) (_ bool, err error) {
	defer throw.Catch(&err)
	index := x.index(a)
	if !slices.ContainsFunc(index, func(i polycount.Affine) bool { return i.Has(x.Loop) }) {
		return false, nil
	}
	domain := throw.Get(x.k.DomainOf(s.Inames))
	earlier := x.Loop + "'" // in the same iterations of the loops around
	list, _ := domain.Constraints()
	for _, c := range list {
		list = append(list, polycount.Constraint{Affine: c.Affine.Subst(map[string]polycount.Affine{x.Loop: polycount.Name(earlier)}), Equality: c.Equality})
	}
	pairs := polycount.NewSet(nil, append(slices.Clone(s.Inames), earlier), list...).Within(domain.Budget())
	later := true // the statement stands behind the store
	for _, o := range x.statements() {
		if later = later && o.ID != s.ID; o.Target() != a.Array {
			continue
		}
		to := x.index(x.k.Writes(o)[0])
		if len(to) != len(index) {
			return false, nil
		}
		apart := polycount.Name(x.Loop).Sub(polycount.Name(earlier))
		cs := []polycount.Constraint{polycount.GE(apart, polycount.Int(1))}
		if later {
			cs[0] = polycount.GE(apart, polycount.Int(0))
		}
		for d, i := range to {
			cs = append(cs, polycount.EQ(index[d], i.Subst(map[string]polycount.Affine{x.Loop: polycount.Name(earlier)})))
		}
		both := throw.Get(pairs.Constrain(cs...))
		if empty, err := both.IsEmpty(); err != nil || !empty {
			return false, err
		}
	}
	return true, nil
}

// alone reports that what a statement stores is used by no other access of the loop but by loads that are made ahead.
func (x *Sweep) alone(s *kernel.Stmt) bool {
	to, ok := s.LHS.(*expr.Access)
	if !ok || x.index(to) == nil {
		return false
	}
	for _, o := range x.statements() {
		if o.ID != s.ID && o.Target() == to.Array {
			return false
		}
		for _, a := range x.k.Reads(o) {
			if a.Array == to.Array && !x.takes(o, a) {
				return false
			}
		}
	}
	return true
}

// leastApart is how many elements there are at least between those of neighbours that access lines of their own.
const leastApart = 8

// Across reports that an access moves by one element of the last dimension in an iteration, and that work-items, of one iname, are in other dimensions: neighbouring work-items access lines of
// their own.
func (x *Sweep) Across(a *expr.Access, item string) bool {
	index := x.index(a)
	last := len(index) - 1
	if last < 0 || max(index[last].Coeff(x.Loop), -index[last].Coeff(x.Loop)) != 1 {
		return false
	}
	if index[last].Has(item) { // in parts of one line
		return max(index[last].Coeff(item), -index[last].Coeff(item)) >= leastApart
	}
	return !slices.ContainsFunc(index[:last], func(i polycount.Affine) bool { return i.Has(x.Loop) }) && slices.ContainsFunc(index[:last], func(i polycount.Affine) bool { return i.Has(item) })
}
