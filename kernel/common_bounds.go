package kernel

import (
	"slices"

	"gpuperf/polycount"
)

// CommonBounds returns the bounds of x that hold in all parts: those bounds of each part that every other part implies.
func CommonBounds(parts []*polycount.Set, x string) (lower, upper []polycount.Bound, err error) {
	var seen []polycount.Constraint
	keep := func(list *[]polycount.Bound, of *polycount.Set, b polycount.Bound, c polycount.Constraint) error {
		if slices.ContainsFunc(seen, c.Equal) {
			return nil
		}
		seen = append(seen, c)
		for _, p := range parts {
			if p == of {
				continue
			}
			if holds, err := p.Implies(c); err != nil || !holds {
				return err
			}
		}
		*list = append(*list, b)
		return nil
	}
	for _, p := range parts {
		low, up, err := p.Bounds(x)
		for _, b := range low {
			if err == nil {
				err = keep(&lower, p, b, AtLeast(x, b))
			}
		}
		for _, b := range up {
			if err == nil {
				err = keep(&upper, p, b, AtMost(x, b))
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return lower, upper, nil
}

// AtLeast is the constraint that x is not below the bound.
func AtLeast(x string, b polycount.Bound) polycount.Constraint {
	return polycount.GE(polycount.Name(x).Scale(b.Den), b.Num)
}

// AtMost is the constraint that x is not above the bound.
func AtMost(x string, b polycount.Bound) polycount.Constraint {
	return polycount.GE(b.Num, polycount.Name(x).Scale(b.Den))
}

// Within are the constraints that x is one of low to high.
func Within(x string, low, high int64) []polycount.Constraint {
	return []polycount.Constraint{AtLeast(x, polycount.Bound{Num: polycount.Int(low), Den: 1}), AtMost(x, polycount.Bound{Num: polycount.Int(high), Den: 1})}
}

// Inhabited lists the disjuncts that have points: a projection may leave some that contradict themselves, which have no bounds.
func Inhabited(s *polycount.Set) ([]*polycount.Set, error) {
	var out []*polycount.Set
	for _, d := range s.Disjuncts() {
		empty, err := d.IsEmpty()
		if err != nil {
			return nil, err
		}
		if !empty {
			out = append(out, d)
		}
	}
	return out, nil
}
