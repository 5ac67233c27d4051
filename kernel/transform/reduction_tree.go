package transform

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// tree computes a reduction over an iname on a local axis, which leaves its result in the first element of a local
// temporary. The temporary has an element per value of iname and of the statement's inames on other local axes. Where
// the iname does not take all values of its extent, the remaining elements are neutral. With m values left, the first
// m/2 work-items each add the value m - m/2 places further on to their own: log2 steps for any extent. Reductions over
// the other inames stay in the statement that stores the values.
func (z *realizer) tree(r *expr.Reduce, iname string) (result expr.Expr) {
	var err error
	s, k := z.stmt, z.Kernel
	if k.ExplicitBarriers {
		panic(throw.Of(k.Errorf("statement %s: %s over iname %s: %w", s.ID, r.Kind, iname, errExplicit)))
	}
	if r.Index != nil {
		panic(throw.Of(k.Errorf("statement %s: %s over iname %s, which is tagged %s, is not supported: find the greatest of each work-item's values in a sequential loop, store them, and let one work-item compare these",
			s.ID, r.Kind, iname, k.Tags[iname])))
	}
	dtype, err := k.TypeOf(r)
	if err != nil {
		panic(throw.Of(k.Errorf("statement %s: %w", s.ID, err)))
	}
	neutral := z.typedNeutral(r, r.Kind, dtype)
	lo, hi := constantExtent(k, s, iname)

	tile := &kernel.Array{Name: k.FreshName("acc_" + iname), DType: dtype, Space: kernel.Local}
	var others []expr.Expr // index of the axes before the iname's
	for _, n := range s.Inames {
		if k.Tags[n].Kind != kernel.LocalAxis {
			continue
		}
		first, last := constantExtent(k, s, n)
		tile.Shape = append(tile.Shape, expr.Int{Value: last - first + 1})
		others = append(others, shifted(n, -first))
	}
	tile.Shape = append(tile.Shape, expr.Int{Value: hi - lo + 1})
	k.Temps = append(k.Temps, tile)
	element := func(index expr.Expr) *expr.Access {
		return &expr.Access{Array: tile.Name, Index: slices.Concat(others, []expr.Expr{index})}
	}

	deps := s.Deps
	add := func(suffix, over string, at, value expr.Expr) {
		deps = nameset.Add(deps, z.add("_"+iname+suffix, element(at), value, nameset.Add(s.Inames, over), deps))
	}
	full := takesAll(k, s.Inames, iname, lo, hi)
	if !full {
		whole := addBox(k, iname+"_all", lo, hi, k.Tags[iname])
		add("_init", whole, shifted(whole, -lo), neutral)
	}
	value := r.Body
	if rest := nameset.Remove(r.Inames, iname); len(rest) > 0 {
		value = r.With(rest, expr.Children(r))
	}
	add("_part", iname, shifted(iname, -lo), value)
	for left := hi - lo + 1; left > 1; {
		adders := left / 2
		left -= adders
		step := addBox(k, iname+"_step", 0, adders-1, k.Tags[iname])
		add("_step", step, expr.Var{Name: step}, reductionSteps[r.Kind].step(element(expr.Var{Name: step}), element(shifted(step, left))))
	}
	return element(expr.Int{Value: 0})
}

// shifted is iname + by.
func shifted(iname string, by int64) expr.Expr {
	return expr.FromAffine(polycount.Name(iname).AddInt(by))
}

// constantExtent is the least and the greatest value of an iname whose extent s needs to be constant.
func constantExtent(k *kernel.Kernel, s *kernel.Stmt, iname string) (lo, hi int64) {
	lo, hi, okL, okH, err := k.Interval(polycount.Name(iname), k.Inames())
	throw.If(err)
	if !okL || !okH {
		panic(throw.Of(k.Errorf("statement %s reduces over work-items, and the extent of iname %s (%s) is not constant; split it by the size of the work-group, or fix the parameters", s.ID, iname, k.Tags[iname])))
	}
	return lo, hi
}

// takesAll decides whether iname takes all values from lo to hi wherever the outer inames have values.
func takesAll(k *kernel.Kernel, outer []string, iname string, lo, hi int64) bool {
	around := throw.Get(k.DomainOf(outer))
	inside := throw.Get(k.DomainOf(slices.Concat(outer, []string{iname})))
	box := throw.Get(around.AddDims(iname).Constrain(kernel.Within(iname, lo, hi)...))
	return throw.Get(box.IsSubset(inside))
}

// addBox adds an iname from lo to hi with a tag, in place, and returns its name.
func addBox(k *kernel.Kernel, base string, lo, hi int64, tag kernel.Tag) string {
	n := k.FreshName(base)
	k.Domains = append(k.Domains, polycount.NewSet(nil, []string{n}, kernel.Within(n, lo, hi)...))
	k.Tags[n] = tag
	return n
}
