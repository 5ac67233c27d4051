package linear

import (
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// interval returns the range of a name where all constraints that mention it are constant bounds, so that no projection is
// needed. ok is false otherwise, and where the range is empty.
func (s *stmt) interval(name string) (lo, hi int64, ok bool) {
	for _, c := range s.need {
		if c.Affine.Has(name) && (c.Equality || !c.Affine.Only(name)) {
			return 0, 0, false
		}
	}
	return s.constantRange(name)
}

// constantRange returns the range that the constant bounds of a name allow; other constraints may narrow it.
func (s *stmt) constantRange(name string) (lo, hi int64, ok bool) {
	return polycount.Between(s.need, name)
}

// boxed returns the range of a loop where all statements have the same constant bounds for its iname.
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

func isGroup(axis string) bool { return strings.HasPrefix(axis, "gid") }

// zeros are the constraints that pin s to item 0 of axes.
func (s *stmt) zeros() []polycount.Constraint {
	return lists.Map(s.pinned, func(axis string) polycount.Constraint { return polycount.EQ(polycount.Name(axis), polycount.Int(0)) })
}

// Axis is the name of the hardware axis that a tag maps to, "gid(0)" to "lid(2)"; "" for other tags.
func Axis(t kernel.Tag) string { return axisNames[t.Kind][t.Axis] }
