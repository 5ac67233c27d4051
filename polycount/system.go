package polycount

import (
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// System is a conjunction of constraints over integer unknowns of any names, made to be asked whether it has a solution:
// a Set without the normal form.
type System struct {
	cs     []Constraint
	column map[string]int
	c      *linear.Conj
}

// NewSystem returns the conjunction of cs. A coefficient that leaves the 64-bit range is an error that wraps ErrOverflow.
func NewSystem(cs ...Constraint) (s *System, err error) {
	defer arith.Rescue(&err)
	s = &System{cs: cs, column: make(map[string]int, 32)}
	for _, c := range cs {
		s.name(c.Affine)
	}
	s.c = &linear.Conj{N: len(s.column)}
	for _, c := range cs {
		r := affineRow(s.c, c.Affine, s.at)
		if c.Equality {
			s.c.Eq = append(s.c.Eq, r)
		} else {
			s.c.Ge = append(s.c.Ge, r)
		}
	}
	return s, nil
}

func (s *System) at(name string) int { return s.column[name] }

// name gives columns to the names in a.
func (s *System) name(a Affine) {
	for _, t := range a.terms {
		if t.Floor != nil {
			s.name(t.Floor.Num)
		} else if s.column[t.Name] == 0 {
			s.column[t.Name] = len(s.column) + 1
		}
	}
}

// Solvable decides whether s and the further constraints have an integer solution together.
func (s *System) Solvable(more ...Constraint) (yes bool, err error) {
	defer arith.Rescue(&err)
	q := s.c.Question()
	for _, c := range more {
		if c.Affine.HasFloor() || !s.knows(c.Affine) || c.Equality {
			all, err := NewSystem(append(s.cs[:len(s.cs):len(s.cs)], more...)...)
			if err != nil {
				return false, err
			}
			return all.Solvable()
		}
		q.Extra = append(q.Extra, affineRow(s.c, c.Affine, s.at))
	}
	return linear.AnyWork().Solvable(q), nil
}

func (s *System) knows(a Affine) bool {
	for _, t := range a.terms {
		if t.Floor == nil && s.column[t.Name] == 0 {
			return false
		}
	}
	return true
}
