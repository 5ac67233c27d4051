package scop

import "gpuperf/polycount"

// Substitute puts expressions in the place of names in a set, whose dimensions and parameters stay. Nothing, nil, stays nothing.
func Substitute(s *polycount.Set, by map[string]polycount.Affine) (*polycount.Set, error) {
	if s == nil || len(by) == 0 {
		return s, nil
	}
	var out *polycount.Set
	for _, part := range s.Disjuncts() {
		list, _ := part.Constraints()
		for i, c := range list {
			list[i] = polycount.Constraint{Affine: c.Affine.Subst(by), Equality: c.Equality}
		}
		next := polycount.NewSet(s.Params(), s.Dims(), list...).Within(s.Budget())
		if out == nil {
			out = next
			continue
		}
		var err error
		if out, err = out.Union(next); err != nil {
			return nil, err
		}
	}
	if out == nil {
		return s, nil
	}
	return out, nil
}
