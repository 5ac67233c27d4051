package schedule

import (
	"errors"
	"slices"

	"gpuperf/internal/intmath"
)

// row is an affine form in variables that are integers and at least 0: (c[0] + c[1]·y1 + c[2]·y2 + …) / den, in lowest terms.
type row struct {
	c   []int64
	den int64
}

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
		t = append(t, row{c, 1})
	}
	for _, c := range constraints {
		t = append(t, row{slices.Clone(c), 1})
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
}

// branch solves a problem over the rationals, and where its solution has a fraction, with the variable below and above it.
func (s *search) branch(t []row) {
	if !s.solve(t) || !s.better(t) {
		return
	}
	f := slices.IndexFunc(t[:s.variables], func(r row) bool { return r.c[0]%r.den != 0 })
	if f < 0 {
		s.best = nil
		for _, r := range t[:s.variables] {
			s.best = append(s.best, r.c[0]/r.den)
		}
		return
	}
	below := row{make([]int64, len(t[f].c)), t[f].den}
	for l, c := range t[f].c {
		below.c[l] = -c
	}
	floor := intmath.FloorDiv(t[f].c[0], t[f].den)
	below.c[0] = plus(below.c[0], mul(floor, below.den))
	above := row{slices.Clone(t[f].c), t[f].den}
	above.c[0] = plus(above.c[0], -mul(floor+1, above.den))
	other := make([]row, len(t), len(t)+1)
	for i, r := range t {
		other[i] = row{slices.Clone(r.c), r.den}
	}
	s.branch(append(t, below.reduced()))
	s.branch(append(other, above.reduced()))
}

// better reports that the solution of a table is less than the best so far.
func (s *search) better(t []row) bool {
	for i, b := range s.best {
		if v := mul(b, t[i].den); t[i].c[0] != v {
			return t[i].c[0] < v
		}
	}
	return s.best == nil
}

// solve makes all rows at least 0 where the variables of the columns are 0, which is the least solution over the rationals; false if there is none.
func (s *search) solve(t []row) bool {
	for {
		i := slices.IndexFunc(t, func(r row) bool { return r.c[0] < 0 })
		if i < 0 {
			return true
		}
		j := entering(t, i, s.variables)
		if j == 0 {
			return false
		}
		if *s.work -= len(t) * len(t[i].c); *s.work < 0 {
			panic(errSteps)
		}
		pivot(t, i, j)
	}
}

// entering is the column that row i is solved for: of those with a positive coefficient, the one that increases the variables
// lexicographically least. 0 if there is none, so that the row stays negative.
func entering(t []row, i, variables int) (best int) {
	for j := 1; j < len(t[i].c); j++ {
		if t[i].c[j] > 0 && (best == 0 || lessColumn(t, i, j, best, variables)) {
			best = j
		}
	}
	return best
}

// lessColumn compares columns j and k, each over its coefficient in row i, lexicographically.
func lessColumn(t []row, i, j, k, variables int) bool {
	for _, r := range t[:variables] {
		a, b := mul(r.c[j], t[i].c[k]), mul(r.c[k], t[i].c[j])
		if a != b {
			return a < b
		}
	}
	return false
}

// pivot exchanges the form of row i with the variable of column j.
func pivot(t []row, i, j int) {
	p := t[i]
	a := p.c[j] // y_j = (den·r − c[0] − Σ others)/a
	for k := range t {
		r := &t[k]
		f := r.c[j]
		if k == i || f == 0 {
			continue
		}
		g := intmath.GCD(max(f, -f), a)
		f, s := f/g, a/g
		for l := range r.c {
			if l != j {
				r.c[l] = plus(mul(r.c[l], s), -mul(f, p.c[l]))
			}
		}
		r.c[j] = mul(f, p.den)
		r.den = mul(r.den, s)
		*r = r.reduced()
	}
	c := make([]int64, len(p.c))
	c[j] = 1
	t[i] = row{c, 1}
}

func (r row) reduced() row {
	g := r.den
	for _, c := range r.c {
		if g == 1 {
			return r
		}
		g = intmath.GCD(max(c, -c), g)
	}
	if g > 1 {
		for l := range r.c {
			r.c[l] /= g
		}
		r.den /= g
	}
	return r
}

func mul(a, b int64) int64 {
	c := a * b
	if a != 0 && (c/a != b || a == -1 && b == -1<<63) {
		panic(errOverflow)
	}
	return c
}

func plus(a, b int64) int64 {
	c := a + b
	if (c > a) != (b > 0) && b != 0 {
		panic(errOverflow)
	}
	return c
}
