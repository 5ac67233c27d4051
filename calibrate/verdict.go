package calibrate

import (
	"math"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/format"
	"gpuperf/internal/warning"
)

// Verdict says in a word what a fit is worth.
type Verdict string

// The verdicts, the worst first.
const (
	NotConverged  Verdict = "not converged"
	PoorFit       Verdict = "poor fit"
	NotIdentified Verdict = "not identified" // the rows are met, by parameters that they do not determine
	GoodFit       Verdict = "good fit"
)

const (
	// poorMisfit is the misfit from which on a fit is poor: a fourth of the outputs. Models of time that serve are two or three times closer.
	poorMisfit = 0.25
	// flat is the misfit below which a fit is not judged by how a constant fits: outputs that hardly differ are met by anything.
	flat = 0.05
	// unmeasured is a misfit that is less than any of measured times.
	unmeasured = 1e-3
	// noInfluence is the part of all outputs by which a parameter changes them, when it is doubled, that is next to rounding errors.
	noInfluence = 1e-10
)

// judge sets the misfit and the verdict of a fit, and takes the certainty from parameters that have no influence: where the rows are met exactly, their
// standard errors are 0.
func (f *fitter) judge(fit *Fit, r *lm.Result) {
	for _, name := range f.idle(r) {
		fit.Estimate(name).StdErr = math.Inf(1)
	}
	size, constant := f.norms()
	if size > 0 {
		fit.Misfit = r.Norm / size
	}
	switch {
	case !r.Status.Converged():
		fit.Verdict = NotConverged
	case fit.Misfit > poorMisfit, fit.Misfit > flat && r.Norm > constant:
		fit.Verdict = PoorFit
	case len(r.Null) > 0 || len(f.idle(r)) > 0 || len(f.widened) > 0:
		fit.Verdict = NotIdentified
	default:
		fit.Verdict = GoodFit
	}
}

// dubious reports that a search may have ended at a minimum that nobody wants: the fit is far from the rows, or parameters ran to values where they have no influence.
// So it is where the fit is nearer to the rows than measurements can be and yet does not meet them: such rows come from a model with other parameters.
func (f *fitter) dubious(r *lm.Result) bool {
	size, _ := f.norms()
	if r.Norm > exactly*size && r.Norm < unmeasured*size {
		return true
	}
	return !r.Status.Converged() || r.Norm > flat*size || len(r.Null) > 0 || len(f.idle(r)) > 0
}

// norms are those of the weighted outputs, and of what the best constant leaves of them.
func (f *fitter) norms() (size, constant float64) {
	ww, wt := 0.0, 0.0
	for i, t := range f.t {
		ww, wt = ww+f.w[i]*f.w[i], wt+f.w[i]*f.w[i]*t
	}
	for i, t := range f.t {
		size, constant = math.Hypot(size, f.w[i]*t), math.Hypot(constant, f.w[i]*(t-wt/ww))
	}
	return size, constant
}

// idle lists the parameters that are not held at a bound, and that change the outputs by no more than rounding errors do: at a saturated edge, say.
func (f *fitter) idle(r *lm.Result) (names []string) {
	size, _ := f.norms()
	grad, influence := make([]float64, len(r.P)), make([]float64, len(r.P))
	for i, x := range f.x {
		f.compiled.Gradient(x, r.P, grad)
		for j, g := range grad {
			influence[j] = math.Hypot(influence[j], f.w[i]*g*r.P[j])
		}
	}
	for j, name := range f.compiled.Parameters {
		if !r.Active[j] && r.P[j] != 0 && influence[j] > 0 && influence[j] < noInfluence*size {
			names = append(names, name)
		}
	}
	return names
}

// misfitText says how far the rows are from a fit that is poor.
func (f *fitter) misfitText(fit *Fit, r *lm.Result) string {
	if _, constant := f.norms(); r.Norm > constant {
		return warning.PoorFit.About("", "a constant fits the rows better than the model, which is %s of the outputs off: another minimum or another model is needed, try starting values", format.Percent(fit.Misfit))
	}
	return warning.PoorFit.About("", "the rows are %s of the outputs off (root mean square): the search ended in another minimum than the right one, or the model is not that of the rows; try starting values",
		format.Percent(fit.Misfit))
}
