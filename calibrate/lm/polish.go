package lm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	polishSteps = 40
	flat        = 1e-12 // relative rise of the norm that rounding may cause
)

// polish improves a converged point by steps of Gauss and Newton as long as each lessens the gradient by a tenth at least.
//
// At a minimum the sum of squares is flat: once it no longer tells two points apart, only half of the digits of the parameters are
// certain. The gradient still tells them apart.
func (s *solver) polish(ctx context.Context) {
	if !s.linearize() {
		return
	}
	p, r := make([]float64, s.n), make([]float64, s.m)
	for range polishSteps {
		if ctx.Err() != nil || s.fnorm == 0 || s.gradient <= eps {
			return
		}
		if !s.newtonPoint() {
			return
		}
		s.problem.Residual(s.trial, s.trialR)
		s.evaluations++
		norm := floats.Norm(s.trialR, 2)
		if !(norm <= s.fnorm*(1+flat)) {
			return
		}
		before, beforeNorm := s.gradient, s.fnorm
		copy(p, s.p)
		copy(r, s.r)
		copy(s.p, s.trial)
		copy(s.r, s.trialR)
		s.fnorm = norm
		if s.linearize() && s.gradient <= 0.9*before {
			continue
		}
		copy(s.p, p)
		copy(s.r, r)
		s.fnorm, s.gradient = beforeNorm, before
		return
	}
}

// newtonPoint stores the point of a full step over the parameters that are not held at a bound; false when it lies out of bounds.
func (s *solver) newtonPoint() bool {
	clear(s.step)
	clear(s.held)
	for j := range s.n {
		if s.outward(j) {
			s.held[j] = side(s.p[j] == s.set.Lower[j])
		}
	}
	s.delta, s.lambda = math.MaxFloat64, 0
	step := s.sub.newton(s)
	for j := range s.n {
		s.trial[j] = s.p[j] + step[j]
		if !(s.trial[j] >= s.set.Lower[j] && s.trial[j] <= s.set.Upper[j]) {
			return false
		}
	}
	return true
}
