package lm

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	polishSteps    = 40    // a bound: patience ends earlier
	polishPatience = 4     // steps without a smaller gradient
	flat           = 1e-12 // relative rise of the norm that rounding may cause
)

// polish improves a converged point by steps of Gauss and Newton as long as they lessen the gradient, and keeps the point where it
// is least.
//
// At a minimum the sum of squares is flat: when it no longer distinguishes two points, only half of the digits of the parameters are
// certain. The gradient still distinguishes them.
func (s *solver) polish(ctx context.Context) {
	if !s.linearize() {
		return
	}
	best := s.here()
	highest := best.norm * (1 + flat)
	for last, i := 0, 1; i <= polishSteps && i-last <= polishPatience; i++ {
		if ctx.Err() != nil || s.fnorm == 0 || s.gradient <= eps || !s.newtonPoint() {
			break
		}
		s.problem.Residual(s.trial, s.trialR)
		s.evaluations++
		norm := floats.Norm(s.trialR, 2)
		if !(norm <= highest) {
			break
		}
		copy(s.p, s.trial)
		copy(s.r, s.trialR)
		s.fnorm = norm
		if !s.linearize() {
			break
		}
		if s.gradient < 0.9*best.gradient {
			last = i
		}
		if s.gradient < best.gradient {
			best = s.here()
		}
	}
	s.p, s.r, s.fnorm, s.gradient = best.p, best.r, best.norm, best.gradient
}

// point is a point that has been linearized.
type point struct {
	p, r           []float64
	norm, gradient float64
}

func (s *solver) here() point {
	return point{slices.Clone(s.p), slices.Clone(s.r), s.fnorm, s.gradient}
}

// newtonPoint stores the point of a full step over the parameters that are not held at a bound; false when it is out of bounds.
func (s *solver) newtonPoint() bool {
	s.hold()
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
