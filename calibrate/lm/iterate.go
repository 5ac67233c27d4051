package lm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// accept is the least ratio of the actual to the predicted reduction for which a step is taken.
const accept = 1e-4

// iterate runs the method to its end (Moré 1978, algorithm 7.1).
func (s *solver) iterate(ctx context.Context) Status {
	first := true
	for {
		if ctx.Err() != nil {
			return Cancelled
		}
		if !s.linearize() {
			return NotFinite
		}
		if first {
			s.firstRegion()
			s.record(0)
		}
		if s.fnorm == 0 || s.gradient == 0 {
			return GradientSettled
		}
		for j, norm := range s.fac.norms {
			s.scale[j] = max(s.scale[j], norm)
		}
		for {
			if ctx.Err() != nil {
				return Cancelled
			}
			taken, status := s.tryStep(first)
			if status != NotStarted {
				return status
			}
			first = false
			if taken {
				break
			}
		}
	}
}

// linearize computes and factors the Jacobian at p, and the gradient; false where it is not finite.
func (s *solver) linearize() bool {
	s.problem.Jacobian(s.p, s.jac)
	if !s.fac.factor(s.jac, s.r, s.scale) {
		return false
	}
	s.fac.gradient(s.grad)
	s.gradient = 0
	if s.fnorm == 0 {
		return true
	}
	for j, g := range s.grad {
		if s.fac.norms[j] > 0 && !s.outward(j) {
			s.gradient = max(s.gradient, math.Abs(g)/s.fnorm/s.fac.norms[j])
		}
	}
	return true
}

// outward reports whether a parameter is at a bound and descent would move it beyond.
func (s *solver) outward(j int) bool {
	return s.p[j] == s.set.Lower[j] && s.grad[j] >= 0 || s.p[j] == s.set.Upper[j] && s.grad[j] <= 0
}

func (s *solver) firstRegion() {
	for j, norm := range s.fac.norms {
		s.scale[j] = norm
		if norm == 0 {
			s.scale[j] = 1
		}
	}
	// Parameters at zero, or negligible relative to the residual, do not determine the size of a step; the residual does, and in the
	// same unit, since D is made of the columns of the Jacobian.
	size := scaledNorm(s.scale, s.p)
	if size <= math.Sqrt(eps)*s.fnorm {
		size = s.fnorm
	}
	s.delta = s.set.Factor * size
}

// tryStep seeks a step inside the trust region and takes it if it is good; the region changes in any case. A status other than
// NotStarted ends the method.
func (s *solver) tryStep(first bool) (taken bool, status Status) {
	s.sub.solve(s)
	for j, d := range s.step {
		s.trial[j] = s.p[j] + d
		switch {
		case s.held[j] < 0:
			s.trial[j] = s.set.Lower[j]
		case s.held[j] > 0:
			s.trial[j] = s.set.Upper[j]
		default:
			s.trial[j] = min(max(s.trial[j], s.set.Lower[j]), s.set.Upper[j])
		}
	}
	length := scaledNorm(s.scale, s.step)
	if first {
		s.delta = min(s.delta, length)
	}
	s.problem.Residual(s.trial, s.trialR)
	s.evaluations++
	norm := floats.Norm(s.trialR, 2)
	if math.IsNaN(norm) {
		norm = math.Inf(1)
	}

	// Reductions relative to the sum of squares; the linear model's is -2 gᵀs - |Js|², which holds on bounds too.
	actual := -1.0
	if 0.1*norm < s.fnorm {
		actual = 1 - (norm/s.fnorm)*(norm/s.fnorm)
	}
	slope := floats.Dot(s.grad, s.step) / s.fnorm / s.fnorm
	image := s.fac.imageNorm(s.step) / s.fnorm
	predicted := -2*slope - image*image
	ratio := 0.0
	if predicted > 0 {
		ratio = actual / predicted
	}
	s.resize(ratio, actual, slope, norm, length)

	if ratio >= accept {
		copy(s.p, s.trial)
		copy(s.r, s.trialR)
		s.fnorm = norm
		s.iterations++
		s.record(length)
		taken = true
	}
	return taken, s.stop(ratio, actual, predicted)
}

// resize adapts the trust region to how well the linear model foretold the sum of squares.
func (s *solver) resize(ratio, actual, slope, norm, length float64) {
	switch {
	case ratio <= 0.25:
		// the minimum of the parabola through what is known, kept between a tenth and a half
		shrink := 0.5
		if actual < 0 {
			shrink = 0.5 * slope / (slope + 0.5*actual)
		}
		if 0.1*norm >= s.fnorm || !(shrink >= 0.1) {
			shrink = 0.1
		}
		s.delta = shrink * min(s.delta, length/0.1)
		s.lambda /= shrink
	case s.lambda == 0 || ratio >= 0.75:
		s.delta = 2 * length
		s.lambda *= 0.5
	}
}

func (s *solver) stop(ratio, actual, predicted float64) Status {
	size := scaledNorm(s.scale, s.p)
	// A good step that the trust region cut short is no evidence: the region starts small where the parameters start near zero, and grows.
	growing := s.lambda > 0 && ratio >= 0.75 && predicted > 0
	reduced := func(tol float64) bool { return !growing && math.Abs(actual) <= tol && predicted <= tol && ratio <= 2 }
	switch {
	case reduced(s.set.Ftol):
		return FunctionSettled
	case s.delta <= s.set.Xtol*size:
		return StepSettled
	case s.evaluations >= s.set.MaxEvaluations:
		return EvaluationLimit
	case reduced(eps), s.delta <= eps*size, s.gradient <= eps:
		return PrecisionLimit
	}
	return NotStarted
}

func (s *solver) record(step float64) {
	s.history = append(s.history, Iteration{
		N: s.iterations, Evaluations: s.evaluations, Norm: s.fnorm, Gradient: s.gradient,
		Lambda: s.lambda, Delta: s.delta, Step: step,
	})
}

// scaledNorm is |D v| without over- or underflow.
func scaledNorm(d, v []float64) float64 {
	largest := 0.0
	for j := range v {
		largest = max(largest, math.Abs(d[j]*v[j]))
	}
	if largest == 0 || math.IsInf(largest, 0) {
		return largest
	}
	sum := 0.0
	for j := range v {
		x := d[j] * v[j] / largest
		sum += x * x
	}
	return largest * math.Sqrt(sum)
}
