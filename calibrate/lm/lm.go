// Package lm minimizes a sum of squares by the method of Levenberg and Marquardt in Moré's form, within bounds.
//
// Minimize iterates: the Jacobian is factored once with column pivoting and a step is sought inside a trust region whose shape
// follows the scale of the parameters (trust.go). Bounds are kept by an active set on the factored problem (bounds.go). A step is taken when the sum of
// squares falls as the linear model says that it should (iterate.go); after convergence a few Newton steps make the last digits right. The Result has the
// status, the covariance, the rank, the condition, the null directions and the history.
//
// It deliberately lacks approximate Jacobians: the models of this project have exact ones.
//
// Sources: J. J. Moré, "The Levenberg-Marquardt algorithm: implementation and theory", in Numerical Analysis, Lecture Notes in
// Mathematics 630, 1978; J. J. Moré, B. S. Garbow, K. E. Hillstrom, "User guide for MINPACK-1", ANL-80-74, 1980.
package lm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Problem is a sum of squares of M residuals in N parameters.
type Problem struct {
	M, N     int
	Residual func(p, r []float64)            // stores the M residuals at p in r; a NaN or infinity makes p a place not to go
	Jacobian func(p []float64, j *mat.Dense) // stores the M×N derivatives of the residuals at p in j
}

// Settings steer Minimize; the zero value, and nil, are the defaults.
type Settings struct {
	Ftol           float64   // relative reduction of the sum of squares below which it has converged; 0 is 1.5e-8
	Xtol           float64   // relative size of the trust region below which it has converged; 0 is 1.5e-8
	MaxEvaluations int       // of the residual; 0 is 400 (N + 1)
	Factor         float64   // size of the first trust region in units of the scaled starting point; 0 is 100
	NoPolish       bool      // stop at convergence, without making the last digits good
	Noise          float64   // standard deviation that residuals have at least, by rounding: a residual of 0 makes nothing certain
	Lower, Upper   []float64 // bounds of the parameters; nil is none, infinities are none
}

// Iteration is the state after one step was taken, or at the start (N = 0).
type Iteration struct {
	N           int     // steps taken
	Evaluations int     // of the residual
	Norm        float64 // of the residual
	Gradient    float64 // greatest cosine between the residual and a column of the Jacobian, at the point from which the step was taken
	Lambda      float64 // Levenberg-Marquardt parameter of the step
	Delta       float64 // size of the trust region
	Step        float64 // scaled length of the step
}

// Status says why Minimize stopped.
type Status int

// The ends of a minimization.
const (
	NotStarted      Status = iota
	FunctionSettled        // both the actual and the predicted relative reduction are below Ftol
	StepSettled            // the trust region is below Xtol
	GradientSettled        // the residual is orthogonal to the columns of the Jacobian or is zero
	PrecisionLimit         // rounding lets nothing improve any more
	EvaluationLimit        // MaxEvaluations reached
	NotFinite              // the Jacobian is not finite at the best point
	Cancelled              // the context ended
)

var statusText = [...]string{
	"not started", "converged: sum of squares settled", "converged: parameters settled",
	"converged: gradient vanishes", "converged: to machine precision", "evaluation limit reached",
	"derivatives not finite", "cancelled",
}

func (s Status) String() string { return statusText[s] }

// Converged reports whether the method ended by one of its own criteria.
func (s Status) Converged() bool { return s >= FunctionSettled && s <= PrecisionLimit }

// Result is the best point found and what is known of it.
type Result struct {
	P           []float64
	Norm        float64 // Euclidean norm of the residual
	Status      Status
	Iterations  int
	Evaluations int // of the residual
	Active      []bool
	History     []Iteration

	// What follows is linearized at P, over the parameters that are not held at a bound.

	Freedom    int           // residuals less parameters determined
	Rank       int           // of the Jacobian with its columns scaled to length 1
	Condition  float64       // of the same, +Inf when it has not full rank
	Weakest    []float64     // the right singular vector of the least singular value, scaled columns; nil without free parameters
	Null       [][]float64   // directions in parameter space that change no residual; 0 for parameters that have no part in one
	Covariance *mat.SymDense // s² (JᵀJ)⁻¹ with s² = Norm²/Freedom, Noise² at least, zero for parameters at bounds; nil when Freedom is 0
	StdErr     []float64     // its diagonal's root; +Inf where a null direction leads, NaN when Freedom is 0
}

const eps = 0x1p-52 // the distance of 1 from the next number

var (
	errShape    = errors.New("lm: the problem needs residuals, parameters, and functions for both")
	errBounds   = errors.New("lm: bounds need one value per parameter, the lower below the upper")
	errResidual = errors.New("lm: the residual is not finite at the starting point")
)

// Minimize seeks the parameters of least residual from p0, which is moved into the bounds first. The error is not nil when nothing
// could be done (a wrong shape, a residual that is not finite at the start) or when the context ended; then the Result holds the
// best point until then.
func Minimize(ctx context.Context, problem Problem, p0 []float64, settings *Settings) (*Result, error) {
	s, err := newSolver(problem, p0, settings)
	if err != nil {
		return nil, err
	}
	status := s.iterate(ctx)
	if status.Converged() && !s.set.NoPolish {
		s.polish(ctx)
	}
	r := s.result(status)
	if status == Cancelled {
		return r, fmt.Errorf("lm: %w", context.Cause(ctx))
	}
	return r, nil
}

// solver is the state of a minimization.
type solver struct {
	problem Problem
	set     Settings
	m, n    int

	p, r    []float64 // best point and its residual
	fnorm   float64
	trial   []float64 // candidate point and its residual
	trialR  []float64
	jac     *mat.Dense
	fac     *factored // of jac at p
	scale   []float64 // D, grows only
	grad    []float64 // Jᵀr
	step    []float64
	held    []int // bound that a step ends on: -1 lower, 1 upper, 0 none
	bounded bool
	sub     *subproblem

	delta, lambda, gradient float64
	iterations, evaluations int
	history                 []Iteration
}

func newSolver(problem Problem, p0 []float64, settings *Settings) (*solver, error) {
	m, n := problem.M, problem.N
	if m < 1 || n < 1 || len(p0) != n || problem.Residual == nil || problem.Jacobian == nil {
		return nil, errShape
	}
	s := &solver{problem: problem, m: m, n: n}
	if settings != nil {
		s.set = *settings
	}
	s.set.defaults(n)
	if err := s.bounds(); err != nil {
		return nil, err
	}
	s.p = slices.Clone(p0)
	for i := range s.p {
		s.p[i] = min(max(s.p[i], s.set.Lower[i]), s.set.Upper[i])
	}
	s.r = make([]float64, m)
	problem.Residual(s.p, s.r)
	s.evaluations = 1
	if s.fnorm = floats.Norm(s.r, 2); math.IsNaN(s.fnorm) || math.IsInf(s.fnorm, 0) {
		return nil, errResidual
	}
	s.trial, s.trialR = make([]float64, n), make([]float64, m)
	s.jac = mat.NewDense(m, n, nil)
	s.fac = newFactored(m, n)
	s.scale, s.grad, s.step = make([]float64, n), make([]float64, n), make([]float64, n)
	s.held = make([]int, n)
	s.sub = newSubproblem(n)
	return s, nil
}

func (set *Settings) defaults(n int) {
	set.Ftol, set.Xtol = cmp.Or(set.Ftol, math.Sqrt(eps)), cmp.Or(set.Xtol, math.Sqrt(eps))
	set.MaxEvaluations, set.Factor = cmp.Or(set.MaxEvaluations, 400*(n+1)), cmp.Or(set.Factor, 100)
}

func (s *solver) bounds() error {
	fill := func(b *[]float64, v float64) {
		if *b == nil {
			*b = slices.Repeat([]float64{v}, s.n)
		}
	}
	fill(&s.set.Lower, math.Inf(-1))
	fill(&s.set.Upper, math.Inf(1))
	if len(s.set.Lower) != s.n || len(s.set.Upper) != s.n {
		return errBounds
	}
	for i := range s.n {
		if !(s.set.Lower[i] < s.set.Upper[i]) {
			return errBounds
		}
		if !math.IsInf(s.set.Lower[i], -1) || !math.IsInf(s.set.Upper[i], 1) {
			s.bounded = true
		}
	}
	return nil
}
