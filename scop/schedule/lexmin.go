package schedule

import (
	"errors"
	"slices"
)

var (
	errOverflow = errors.New("numbers of more than 63 bits")
	errSteps    = errors.New("too much work")
)

// lexmin finds the lexicographically least integers x ≥ 0 at which all constraints c[0] + c[1]·x1 + c[2]·x2 + … are at least 0; x is nil if there
// are none. It is the dual simplex with the lexicographic rule (Feautrier, Parametric integer programming, 1988, without parameters); where
// a variable is a fraction, it branches. Work is how many numbers may be computed; what is left of it remains.
func lexmin(variables int, constraints [][]int64, work *int) (x []int64, err error) {
	defer func() {
		if e := recover(); e != nil {
			if e != errOverflow && e != errSteps {
				panic(e)
			}
			x, err = nil, e.(error)
		}
	}()
	t := make([]row, 0, variables+len(constraints))
	for i := range variables {
		c := make([]int64, 1+variables)
		c[1+i] = 1
		t = append(t, row{c: c, den: 1})
	}
	for _, c := range constraints {
		t = append(t, row{c: slices.Clone(c), den: 1})
	}
	s := search{variables: variables, work: work}
	s.branch(t)
	return s.best, nil
}

// search is for the least integers.
type search struct {
	variables int
	work      *int
	best      []int64 // so far, or nil
	scratch   []int64
}

// branch solves a problem over the rationals, and where its solution has a fraction, with the variable below and above it.
func (s *search) branch(t []row) {
	if !s.solve(t) || !s.better(t) {
		return
	}
	f := slices.IndexFunc(t[:s.variables], func(r row) bool { return !r.whole() })
	if f < 0 {
		s.best = nil
		for _, r := range t[:s.variables] {
			s.best = append(s.best, r.floor())
		}
		return
	}
	floor := t[f].floor()
	other := make([]row, len(t), len(t)+1)
	for i, r := range t {
		other[i] = r.clone()
	}
	below, above := t[f].scaled(-1).plus(floor), t[f].scaled(1).plus(-floor-1)
	s.branch(append(t, below))
	s.branch(append(other, above))
}

// better reports that the solution of a table is less than the best so far.
func (s *search) better(t []row) bool {
	for i, b := range s.best {
		if d := t[i].compare(b); d != 0 {
			return d < 0
		}
	}
	return s.best == nil
}

// solve makes all rows at least 0 where the variables of the columns are 0, which is the least solution over the rationals; false if there is none.
func (s *search) solve(t []row) bool {
	for {
		i := slices.IndexFunc(t, func(r row) bool { return r.sign(0) < 0 })
		if i < 0 {
			return true
		}
		j := entering(t, i, s.variables)
		if j == 0 {
			return false
		}
		if *s.work -= len(t) * t[i].width(); *s.work < 0 {
			panic(errSteps)
		}
		s.pivot(t, i, j)
	}
}

// entering is the column that row i is solved for: of those with a positive coefficient, the one that increases the variables
// lexicographically least. 0 if there is none, so that the row stays negative.
func entering(t []row, i, variables int) (best int) {
	for j := 1; j < t[i].width(); j++ {
		if t[i].sign(j) > 0 && (best == 0 || lessColumn(t, i, j, best, variables)) {
			best = j
		}
	}
	return best
}

// lessColumn compares columns j and k, each over its coefficient in row i, lexicographically.
func lessColumn(t []row, i, j, k, variables int) bool {
	for _, r := range t[:variables] {
		if d := cross(r, j, t[i], k, r, k, t[i], j); d != 0 {
			return d < 0
		}
	}
	return false
}

// pivot exchanges the form of row i with the variable of column j.
func (s *search) pivot(t []row, i, j int) {
	p := t[i] // y_j = (den·r − c[0] − Σ others)/a
	for k := range t {
		if k != i && t[k].sign(j) != 0 && !s.eliminate(&t[k], p, j) {
			t[k] = t[k].eliminated(p, j)
		}
	}
	c := make([]int64, p.width())
	c[j] = 1
	t[i] = row{c: c, den: 1}
}
