package polycount

import (
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/count"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Lexmin returns, for each value of the parameters, the lexicographically least point of s where there is one.
func (s *Set) Lexmin() (*Set, error) { return s.lexopt(1) }

// Lexmax returns, for each value of the parameters, the lexicographically greatest point of s where there is one.
func (s *Set) Lexmax() (*Set, error) { return s.lexopt(-1) }

func (s *Set) lexopt(dir int64) (out *Set, err error) {
	defer arith.Rescue(&err)
	w := linear.AnyWork()
	return s.with(count.Optima(w, s.closedMembers(w), len(s.params), dir)), nil
}

// Coalesce merges members of the union whose union is one conjunction, and drops those that others cover.
// Where that takes too long it returns s.
func (s *Set) Coalesce() (out *Set, err error) {
	defer arith.Rescue(&err)
	w := linear.AnyWork()
	if w.Within(w.Left, func(w *linear.Work) { out = s.with(quasi.Coalesce(w, s.closedMembers(w))) }) {
		return out, nil
	}
	return s, nil // what is not found to be coverable or mergeable in time stays
}

// Sample returns a point of s with parameter values, by name, small where that is easy; ok is false when s is empty.
func (s *Set) Sample() (point map[string]int64, ok bool, err error) {
	defer arith.Rescue(&err)
	w := linear.AnyWork()
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
