package expand

import (
	"errors"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// along is a loop over which a web gets copies.
type along struct {
	loop              *scop.Loop
	subscript, extent polycount.Affine
	name              string // the iterator, of which the first value is first
	first             polycount.Affine
}

// loops are the loops for whose iterations copies of the web take dependences away: no value goes from one iteration to another, but elements are used again. Where
// memory does not suffice for all, the outer ones are left out.
func (e *expansion) loops(x *scop.Array, w *web) (over []along, err error) {
	for i, l := range w.common() {
		apart, err := e.separates(x, w, i)
		if err != nil {
			return nil, err
		}
		if !apart {
			continue
		}
		o, ok, err := extent(l, w, i)
		if err != nil {
			return nil, err
		}
		if ok {
			over = append(over, o)
		}
	}
	for len(over) > 0 && count(x, over) > e.left {
		over = over[1:]
	}
	return over, nil
}

// count is the number of elements of copies.
func count(x *scop.Array, over []along) int64 {
	shape := x.Shape
	for _, o := range over {
		shape = append(shape[:len(shape):len(shape)], expr.FromAffine(o.extent))
	}
	return elements(&scop.Array{Shape: shape})
}

// separates reports that copies of an array for the iterations of a common loop, given by its number, take dependences away: each value is read in the iteration that
// writes it, and elements are used again in others.
func (e *expansion) separates(x *scop.Array, w *web, loop int) (bool, error) {
	again := false
	for _, d := range e.analysis.Dependences {
		if d.Array != x || !w.has(d) || !d.ValueBased && again {
			continue
		}
		stays, err := staysIn(d, loop)
		if errors.Is(err, polycount.ErrBudget) {
			return false, nil
		}
		if err != nil || d.ValueBased && !stays {
			return false, err
		}
		again = again || !stays
	}
	return again, nil
}

// staysIn reports that a dependence connects points of one iteration of a loop.
func staysIn(d *deps.Dependence, loop int) (bool, error) {
	pairs := d.Map.Graph()
	from, to := pairs.Dims()[loop], pairs.Dims()[len(d.From.Iterators)+loop]
	return pairs.Implies(polycount.EQ(polycount.Name(from), polycount.Name(to)))
}

// extent is how many values a loop takes, over the parameters alone; ok is false where they have no such bounds.
func extent(l *scop.Loop, w *web, loop int) (o along, ok bool, err error) {
	var parts []*polycount.Set
	name := ""
	for _, s := range w.statements() {
		name = s.Iterators[loop]
		values, err := s.Domain.Project(name)
		if err != nil {
			return o, false, err
		}
		some, err := kernel.Inhabited(values)
		if err != nil {
			return o, false, err
		}
		parts = append(parts, some...)
	}
	lower, upper, err := kernel.CommonBounds(parts, name)
	if err != nil {
		return o, false, err
	}
	for _, low := range lower {
		for _, up := range upper {
			if low.Den != 1 || up.Den != 1 || low.Num.HasFloor() || up.Num.HasFloor() {
				continue
			}
			at, first := low.Num, low.Num
			if first.IsConstant() && first.Constant() >= 0 && first.Constant() < 8 { // the first elements stay unused, for plain subscripts
				first = polycount.Int(0)
			}
			return along{l, polycount.Name(name).Sub(first), up.Num.Sub(first).AddInt(1), name, at}, true, nil
		}
	}
	return o, false, nil
}
