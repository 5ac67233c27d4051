package polycount

import (
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/count"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Contains reports whether the point, dimensions and parameters by name, is in s.
func (s *Set) Contains(point map[string]int64) (in bool, err error) {
	defer throw.Catch(&err)
	at := linear.Row{1}
	for _, n := range s.names() {
		v, ok := point[n]
		if !ok {
			return false, fmt.Errorf("polycount: no value given for %q", n)
		}
		at = append(at, v)
	}
	w := s.work()
	for _, c := range s.sources() {
		if c.IsOpen() {
			f := c.Flat()
			for i, v := range at[1:] {
				f.Eq = append(f.Eq, linear.Plus(f.Width, arith.Neg(v), 1, 1+i))
			}
			if w.Feasible(f) {
				return true, nil
			}
		} else if c.Holds(at) {
			return true, nil
		}
	}
	return false, nil
}

// Sample returns a point of s with parameter values, by name, small where that is easy; ok is false when s is empty.
func (s *Set) Sample() (point map[string]int64, ok bool, err error) {
	defer throw.Catch(&err)
	w := s.work()
	for _, c := range s.sources() {
		if at, found := w.Sample(c.Flat()); found {
			point = map[string]int64{}
			for i, n := range s.names() {
				point[n] = at[1+i]
			}
			return point, true, nil
		}
	}
	return nil, false, nil
}

// Points enumerates s at parameter values in lexicographic order, each point once. More than limit points, or an
// unbounded dimension, are errors.
func (s *Set) Points(params map[string]int64, limit int) (points [][]int64, err error) {
	defer throw.Catch(&err)
	only := map[string]int64{}
	for _, p := range s.params {
		v, ok := params[p]
		if !ok {
			return nil, fmt.Errorf("polycount: no value given for parameter %q", p)
		}
		only[p] = v
	}
	t, err := s.Fix(only)
	if err != nil {
		return nil, err
	}
	w := t.work()
	for _, c := range t.members(w) {
		if err := w.Enumerate(c, func(p []int64) bool {
			points = append(points, slices.Clone(p))
			return len(points) <= limit
		}); err != nil {
			return nil, err
		}
		if len(points) > limit {
			return nil, fmt.Errorf("polycount: more than %d points", limit)
		}
	}
	slices.SortFunc(points, slices.Compare[[]int64])
	return slices.CompactFunc(points, slices.Equal), nil
}

// Lexmin returns, for each value of the parameters, the lexicographically least point of s where there is one.
func (s *Set) Lexmin() (*Set, error) { return s.lexopt(1) }

// Lexmax returns, for each value of the parameters, the lexicographically greatest point of s where there is one.
func (s *Set) Lexmax() (*Set, error) { return s.lexopt(-1) }

func (s *Set) lexopt(dir int64) (out *Set, err error) {
	defer throw.Catch(&err)
	w := s.work()
	return s.with(count.Optima(w, s.members(w), len(s.params), dir)), nil
}

// Coalesce merges members of the union whose union is one conjunction, and drops those that others cover.
// Where that takes too long it returns s.
func (s *Set) Coalesce() (out *Set, err error) {
	defer throw.Catch(&err)
	w := s.work()
	if w.Within(w.Left, func(w *linear.Work) { out = s.with(quasi.Coalesce(w, s.members(w))) }) {
		return out, nil
	}
	return s, nil // members that could not be covered or merged in time stay
}
