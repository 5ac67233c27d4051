package kernel

import (
	"fmt"

	"gpuperf/polycount"
)

// inferShapes gives a shape to every array that is indexed and has none: per axis one more than the largest index.
func (k *Kernel) inferShapes() error {
	type site struct {
		acc *Access
		all []string
	}
	sites := map[string][]site{}
	var order []string
	for _, s := range k.Statements {
		all := s.AllInames()
		for _, e := range s.exprs() {
			e, err := k.expandExpr(e)
			if err != nil {
				return err
			}
			for _, acc := range Accesses(e) {
				if a := k.Array(acc.Array); a == nil || a.Shape != nil {
					continue
				}
				if sites[acc.Array] == nil {
					order = append(order, acc.Array)
				}
				sites[acc.Array] = append(sites[acc.Array], site{acc, all})
			}
		}
	}
	for _, name := range order {
		a := *k.Array(name)
		for _, at := range sites[name] {
			if len(at.acc.Index) != len(sites[name][0].acc.Index) {
				return k.errorf("%s and %s index %s with different numbers of indices", sites[name][0].acc, at.acc, name)
			}
		}
		for axis := range sites[name][0].acc.Index {
			var size *extent
			for _, at := range sites[name] {
				next, err := k.largest(at.acc.Index[axis])
				if err == nil {
					size, err = size.max(next)
				}
				if err != nil {
					return k.errorf("cannot infer the size of axis %d of %s from %s: %w; declare its shape", axis, name, at.acc, err)
				}
			}
			a.Shape = append(a.Shape, size.expr())
		}
		k.setArray(&a)
	}
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for i, a := range list {
			if a.Shape == nil && !a.IsValue { // declared, never indexed
				if k.IsTemp(a.Name) {
					c := *a
					c.Shape = []Expr{}
					list[i] = &c
					continue
				}
				return k.errorf("cannot infer the shape of %s, which no statement uses; declare it", a.Name)
			}
		}
	}
	return nil
}

// extent is one more than the smallest of some upper bounds, each a floor.
type extent struct{ bounds []polycount.Bound }

// largest is the extent that the index needs: its upper bounds in the parameters over the domain of its inames.
func (k *Kernel) largest(index Expr) (*extent, error) {
	e, err := k.affineOf(index)
	if err != nil {
		return nil, err
	}
	if used := intersectNames(e.Names(), k.Inames()); len(used) == 0 {
		return &extent{[]polycount.Bound{{Num: e, Den: 1}}}, nil
	} else {
		d, err := k.DomainOf(used)
		if err != nil {
			return nil, err
		}
		const x = "_index"
		if d, err = d.AddDims(x).Constrain(polycount.EQ(polycount.Name(x), e)); err != nil {
			return nil, err
		}
		if d, err = d.Project(x); err != nil {
			return nil, err
		}
		var out *extent
		for _, part := range d.Disjuncts() {
			_, upper, err := part.Bounds(x)
			if err != nil {
				return nil, err
			}
			if len(upper) == 0 {
				return nil, fmt.Errorf("%s has no upper bound", index)
			}
			if out, err = out.max(&extent{upper}); err != nil {
				return nil, err
			}
		}
		if out == nil {
			return nil, fmt.Errorf("the domain of %s is empty", index)
		}
		return out, nil
	}
}

// max is the larger of two extents that differ by a constant.
func (e *extent) max(o *extent) (*extent, error) {
	if e == nil {
		return o, nil
	}
	if len(e.bounds) != len(o.bounds) {
		return nil, fmt.Errorf("%s and %s cannot be compared", e.expr(), o.expr())
	}
	larger := 0
	for i, b := range e.bounds {
		d := o.bounds[i].Num.Sub(b.Num)
		if o.bounds[i].Den != b.Den || !d.IsConstant() || larger < 0 && d.Constant() > 0 || larger > 0 && d.Constant() < 0 {
			return nil, fmt.Errorf("%s and %s cannot be compared", e.expr(), o.expr())
		}
		if d.Constant() != 0 {
			larger = map[bool]int{true: 1, false: -1}[d.Constant() > 0]
		}
	}
	if larger > 0 {
		return o, nil
	}
	return e, nil
}

func (e *extent) expr() Expr {
	var out []Expr
	for _, b := range e.bounds {
		if b.Den == 1 {
			out = append(out, FromAffine(b.Num.Add(polycount.Int(1))))
		} else {
			out = append(out, FromAffine(b.Num.Add(polycount.Int(b.Den)).FloorDiv(b.Den)))
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return &Op{Min, out}
}
