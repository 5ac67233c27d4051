package lm

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// subproblem finds the step of an iteration: min |A s + Qᵀr| within the trust region and the bounds.
//
// Without bounds it is one trust region problem. With bounds it is solved by an active set: solve over the free parameters; go
// towards the solution until the first bound is met, hold that parameter there and solve again over the rest; when a solution
// is inside, release the parameter whose release lowers the model most, each at most once, so that the loop ends. The path goes from
// one feasible point to a better one, so that a step always descends.
type subproblem struct {
	region *region
	tri    triangle
	cols   blas64.General
	rhs    blas64.General
	tau    []float64
	work   []float64
	free   []int
	d      []float64
	model  []float64 // A s + Qᵀr
	freed  []bool
}

func newSubproblem(n int) *subproblem {
	return &subproblem{
		region: newRegion(n), tri: newTriangle(n),
		cols: general(n, n), rhs: general(n, 1), tau: make([]float64, n), work: make([]float64, 2*n+(n+1)*64),
		free: make([]int, 0, n), d: make([]float64, n), model: make([]float64, n), freed: make([]bool, n),
	}
}

// solve stores the step and the bounds that it ends on in s.step and s.held, and the new λ in s.lambda.
func (b *subproblem) solve(s *solver) {
	s.hold()
	if !s.bounded {
		b.collect(s)
		step, lambda := b.solveFree(s)
		copy(s.step, step)
		s.lambda = lambda
		return
	}
	clear(b.freed)
	for range 4*s.n + 4 {
		b.collect(s)
		if len(b.free) > 0 {
			step, lambda := b.solveFree(s)
			s.lambda = lambda
			if b.advance(s, step) {
				continue
			}
		}
		if !b.release(s) {
			return
		}
	}
}

// hold starts a step of zero that holds the parameters at bounds that descent would cross.
func (s *solver) hold() {
	clear(s.step)
	clear(s.held)
	for j := range s.n {
		if s.outward(j) {
			s.held[j] = side(s.p[j] == s.set.Lower[j])
		}
	}
}

func side(lower bool) int {
	if lower {
		return -1
	}
	return 1
}

// solveFree solves the trust region problem of the free parameters, the others standing where they are held. The step is in the order
// of free.
func (b *subproblem) solveFree(s *solver) ([]float64, float64) {
	tri, left := &s.fac.all, s.delta
	if len(b.free) < s.n {
		tri, left = b.restrict(s)
	}
	for c, j := range b.free {
		b.d[c] = s.scale[j] / s.fac.unit[j]
	}
	step, lambda := b.region.solve(tri, b.d[:len(b.free)], left, s.lambda)
	for c, j := range b.free {
		step[c] /= s.fac.unit[j]
	}
	return step, lambda
}

// restrict factors the columns of the free parameters, and returns what the held ones leave of the trust region.
func (b *subproblem) restrict(s *solver) (*triangle, float64) {
	k := len(b.free)
	used := 0.0
	for j := range s.n {
		if s.held[j] != 0 {
			used += square(s.scale[j] * s.step[j])
		}
	}
	b.cols.Rows, b.cols.Cols, b.cols.Stride = s.n, k, k
	for i := range s.n {
		row := s.fac.a.Data[i*s.n : (i+1)*s.n]
		rhs := s.fac.qtr[i]
		for j, v := range row {
			if s.held[j] != 0 {
				rhs += v * s.step[j]
			}
		}
		b.rhs.Data[i] = rhs
		for c, j := range b.free {
			b.cols.Data[i*k+c] = row[j] / s.fac.unit[j]
		}
	}
	b.tri.from(b.cols, b.rhs, b.tau, b.work)
	return &b.tri, math.Sqrt(max(s.delta*s.delta-used, square(0.1*s.delta)))
}

// newton returns the step that minimizes the linear model over the parameters that are not held, zero for the others.
func (b *subproblem) newton(s *solver) []float64 {
	b.collect(s)
	if len(b.free) > 0 {
		step, _ := b.solveFree(s)
		for c, j := range b.free {
			s.step[j] = step[c]
		}
	}
	return s.step
}

// collect lists the parameters that are not held.
func (b *subproblem) collect(s *solver) {
	b.free = b.free[:0]
	for j := range s.n {
		if s.held[j] == 0 {
			b.free = append(b.free, j)
		}
	}
}

// advance moves the free parameters towards the target until one meets a bound, which it then is held at; false when none did.
func (b *subproblem) advance(s *solver, target []float64) bool {
	reach, at := 1.0, -1
	for c, j := range b.free {
		move := target[c] - s.step[j]
		room := math.Inf(1)
		if move < 0 {
			room = (s.set.Lower[j] - s.p[j] - s.step[j]) / move
		} else if move > 0 {
			room = (s.set.Upper[j] - s.p[j] - s.step[j]) / move
		}
		if room < reach {
			reach, at = max(room, 0), j
		}
	}
	for c, j := range b.free {
		if j != at {
			s.step[j] += reach * (target[c] - s.step[j])
			continue
		}
		lower := target[c] < s.step[j]
		s.held[j] = side(lower)
		if lower {
			s.step[j] = s.set.Lower[j] - s.p[j]
		} else {
			s.step[j] = s.set.Upper[j] - s.p[j]
		}
	}
	return at >= 0
}

// release frees the held parameter that pulls inwards the most, measured in the scale of the trust region; false when none does.
func (b *subproblem) release(s *solver) bool {
	for i := range s.n {
		b.model[i] = s.fac.qtr[i]
		for j, v := range s.fac.a.Data[i*s.n : (i+1)*s.n] {
			b.model[i] += v * s.step[j]
		}
	}
	best, at := 0.0, -1
	for j := range s.n {
		if s.held[j] == 0 || b.freed[j] {
			continue
		}
		slope := s.lambda * s.scale[j] * s.scale[j] * s.step[j]
		for i := range s.n {
			slope += s.fac.a.Data[i*s.n+j] * b.model[i]
		}
		pull := float64(s.held[j]) * slope / s.scale[j] // > 0: the model falls inwards
		if pull > best {
			best, at = pull, j
		}
	}
	if at < 0 {
		return false
	}
	s.held[at] = 0
	b.freed[at] = true
	return true
}
