package schedule

import (
	"fmt"
	"slices"

	"gpuperf/kernel"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Values are those that loops take together for any of the statements, whatever other loops do: a set over the given names, one for each loop.
func Values(list []*scop.Statement, loops []Loop, names []string) (all *polycount.Set, err error) {
	for _, s := range list {
		for _, part := range s.Domain.Disjuncts() {
			next, err := shadow(s, part, loops, names)
			if err == nil && all != nil {
				next, err = all.Union(next)
			}
			if err != nil {
				return nil, err
			}
			all = next
		}
	}
	if all == nil {
		return polycount.NewSet(nil, names, polycount.GE(polycount.Int(-1), polycount.Int(0))), nil
	}
	return all.Coalesce()
}

// prefix begins the names of the iterators of the text where they stand beside those of loops.
const prefix = "text_"

func shadow(s *scop.Statement, part *polycount.Set, loops []Loop, names []string) (*polycount.Set, error) {
	by := map[string]polycount.Affine{}
	dims := slices.Clone(names)
	for _, name := range s.Iterators {
		by[name] = polycount.Name(prefix + name)
		dims = append(dims, prefix+name)
	}
	list, _ := part.Constraints()
	for i := range list {
		list[i].Affine = list[i].Affine.Subst(by)
	}
	for i, l := range loops {
		list = append(list, polycount.EQ(polycount.Name(names[i]), l.Of[s].Subst(by)))
	}
	return polycount.NewSet(nil, dims, list...).Within(part.Budget()).Project(names...)
}

// haveBounds reports that each loop of a tree has a lower and an upper bound that hold for all of its statements.
func haveBounds(n Node, around []Loop) (ok bool, err error) {
	switch x := n.(type) {
	case *Sequence:
		for _, p := range x.Parts {
			if ok, err := haveBounds(p, around); !ok || err != nil {
				return ok, err
			}
		}
	case *Launch:
		return haveBounds(x.Body, around)
	case *Band:
		for _, l := range x.Loops {
			around = append(slices.Clip(around), l)
			if ok, err := haveBound(x.statements(), around); !ok || err != nil {
				return ok, err
			}
		}
		return haveBounds(x.Body, around)
	}
	return true, nil
}

// haveBound is haveBounds for the innermost loop around statements.
func haveBound(list []*scop.Statement, loops []Loop) (bool, error) {
	names := make([]string, len(loops))
	for i := range loops {
		names[i] = fmt.Sprint(prefix, "loop", i)
	}
	lower, upper, empty, err := Bounds(list, loops, names)
	return empty || len(lower) > 0 && len(upper) > 0, err
}

// Bounds are those of the innermost loop that hold for all statements; empty if none of these has a point.
func Bounds(list []*scop.Statement, loops []Loop, names []string) (lower, upper []polycount.Bound, empty bool, err error) {
	set, err := Values(list, loops, names)
	if err != nil {
		return nil, nil, false, err
	}
	parts, err := kernel.Inhabited(set)
	if err != nil {
		return nil, nil, false, err
	}
	lower, upper, err = kernel.CommonBounds(parts, names[len(names)-1])
	return lower, upper, len(parts) == 0, err
}
