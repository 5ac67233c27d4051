package linear

import "gpuperf/polycount"

// interval reads the range of a name off the constraints of the domain where each that mentions it mentions nothing else,
// so that no projection is needed. It is false where that is not so, and where the range is empty.
func (s *stmt) interval(name string) (lo, hi int64, ok bool) {
	for _, c := range s.need {
		if c.Affine.Has(name) && (c.Equality || !c.Affine.Only(name)) {
			return 0, 0, false
		}
	}
	return s.within(name)
}

// within is a range that inequalities on a name alone leave it; other constraints may leave it less.
func (s *stmt) within(name string) (lo, hi int64, ok bool) {
	return polycount.Between(s.need, name)
}

// boxed is the range of the loop over an iname that all of the statements give it by constants alone.
func (b *builder) boxed(stmts []*stmt, iname string) (lo, hi int64, ok bool) {
	for i, s := range stmts {
		l, h, same := s.interval(iname)
		if !same || i > 0 && (l != lo || h != hi) {
			return 0, 0, false
		}
		lo, hi = l, h
	}
	return lo, hi, len(stmts) > 0
}
