package schedule

import (
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
	return polycount.NewSet(nil, dims, list...).Project(names...)
}

// haveBounds reports that each loop has a lower and an upper bound that hold for all of the statements.
func haveBounds(list []*scop.Statement, loops []Loop) (bool, error) {
	names := make([]string, len(loops))
	for i := range loops {
		names[i] = prefix + "loop" + string(rune('a'+i))
		set, err := Values(list, loops[:i+1], names[:i+1])
		if err != nil {
			return false, err
		}
		parts, err := kernel.Inhabited(set)
		if err != nil {
			return false, err
		}
		lower, upper, err := kernel.CommonBounds(parts, names[i])
		if err != nil || len(parts) > 0 && (len(lower) == 0 || len(upper) == 0) {
			return false, err
		}
	}
	return true, nil
}
