package polycount

import (
	"fmt"
	"gpuperf/polycount/internal/arith"
	"slices"
)

// Contains reports whether the point, dimensions and parameters by name, lies in s.
func (s *Set) Contains(point map[string]int64) (in bool, err error) {
	defer arith.Rescue(&err)
	at := row{1}
	for _, n := range s.names() {
		v, ok := point[n]
		if !ok {
			return false, fmt.Errorf("polycount: no value given for %q", n)
		}
		at = append(at, v)
	}
	w := anyWork()
	for _, c := range s.sources() {
		if c.isOpen() {
			f := c.flat()
			for i, v := range at[1:] {
				e := make(row, f.width)
				e[0], e[1+i] = arith.Neg(v), 1
				f.eq = append(f.eq, e)
			}
			if w.feasible(f) {
				return true, nil
			}
		} else if c.holds(at) {
			return true, nil
		}
	}
	return false, nil
}

// Points enumerates s at parameter values in lexicographic order, each point once. More than limit points, or an
// unbounded dimension, are errors.
func (s *Set) Points(params map[string]int64, limit int) (points [][]int64, err error) {
	defer arith.Rescue(&err)
	for _, p := range s.params {
		if _, ok := params[p]; !ok {
			return nil, fmt.Errorf("polycount: no value given for parameter %q", p)
		}
	}
	only := map[string]int64{}
	for _, p := range s.params {
		only[p] = params[p]
	}
	t, err := s.Fix(only)
	if err != nil {
		return nil, err
	}
	w := anyWork()
	for _, c := range t.closedMembers(w) {
		if err := w.enumerate(c, func(p []int64) bool {
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
