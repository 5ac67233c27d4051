// Package calibrate turns rows of feature values and measured outputs into the parameters of a model, and parameters into
// predictions.
//
// ReadTable reads a table from CSV; package campaign makes rows from counts and samples. FitRows weights the rows, chooses starting
// points (starts.go), runs Levenberg–Marquardt (package lm) from each, and returns the best Fit with its evidence:
// standard errors, relative errors, cross-validation by kernel, warnings. A Fit predicts, with an interval and the shares of the
// named terms (predict.go), and is kept in a device Profile (profile.go). The package knows features by name only; counting and
// measuring are done elsewhere.
package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/throw"
	"gpuperf/models"
)

// Row is one measured kernel at one size.
type Row struct {
	Kernel   string             // rows of one kernel are held out together in cross-validation; "" is a kernel of its own
	Features map[string]float64 // by identifier; those that the model does not need are ignored
	Output   float64            // measured value of the model's output, in seconds for times
	Weight   float64            // of the residual, besides scaling by the output; 0 is 1
	Label    string             // how errors name the row; "" is its number
	Trials   []float64          // whose median is the output; nil: not known
	Ratio    float64            // of local to global accesses, of a row of the overlap experiment (Perflex paper, section 7.4); 0 for others
}

// Options steer a fit. The zero value is the default.
type Options struct {
	Init              map[string]float64 // starting values, before those of the model
	Starts            int                // starting points where some parameter has no initial value; 0 is the model's, then 24
	Seed              uint64             // of the random starting points
	NoCrossValidation bool
	Lanes             int         // work-items of a sub-group, for the rates of parameters with a unit per lane; 0 is not known
	LM                lm.Settings // tolerances; bounds are the model's
}

// Tolerances of fits. Fits are small and accuracy matters more than iterations, so both are near the limit of double precision.
const (
	defaultFtol        = 1e-15 // less than one rounding of the sum of squares
	defaultXtol        = 1e-13 // some roundings of a parameter
	defaultEvaluations = 2000  // per parameter and one more
	defaultStarts      = 24    // places from which a fit begins
	roughTolerance     = 1e-8  // enough to tell which of several starting points is worth a fit
	roughEvaluations   = 20    // per parameter and one more, from each of several starting points
)

// fitter is a model over rows as a least-squares problem.
type fitter struct {
	model    *models.Model
	compiled *models.Compiled
	x        [][]float64 // features of each row, in the order of compiled.Features
	t        []float64   // outputs
	w        []float64   // weights of the residuals
	group    []string    // kernel of each row
	label    []string    // how errors name it
	ratio    []float64   // of each row, 0 outside the overlap experiment
	scale    float64     // by which the weights were divided, so that the weighted outputs are of the order of one
	lm       lm.Settings
	ends     []*lm.Result // where the searches from the starting points ended
	raised   []raised     // edges of overlap that have a bound
	widened  []int        // parameters that rows leave open, though the slopes at the minimum do not say so
	bent     map[int]bent // by parameter
}

func newFitter(m *models.Model, rows []Row, opt Options) (*fitter, error) {
	c, err := m.Compile()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no rows to fit %s to", m.Name)
	}
	if len(c.Parameters) == 0 {
		return nil, m.ErrorAt(m.Place("expression"), "model %s has no parameters to fit", m.Name).
			WithHint("names of parameters start with p_, as in p_madd * f_op_float32_madd")
	}
	for _, name := range slices.Sorted(maps.Keys(opt.Init)) {
		if v := opt.Init[name]; !slices.Contains(c.Parameters, name) || jsonvalue.Finite(v) == nil {
			return nil, fmt.Errorf("the starting value %g of %s cannot be used: model %s has the parameters %s", v, name, m.Name, list(c.Parameters))
		}
	}
	f := &fitter{model: m, compiled: c, lm: opt.LM}
	f.lm.Lower, f.lm.Upper = nil, nil
	for i, r := range rows {
		if err := f.add(i, r); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name(i), err)
		}
	}
	f.normalize()
	for _, name := range c.Parameters {
		p := m.Parameter(name)
		f.lm.Lower, f.lm.Upper = append(f.lm.Lower, p.Min), append(f.lm.Upper, p.Max)
	}
	f.lm.Ftol, f.lm.Xtol = cmp.Or(f.lm.Ftol, defaultFtol), cmp.Or(f.lm.Xtol, defaultXtol)
	f.lm.MaxEvaluations = cmp.Or(f.lm.MaxEvaluations, defaultEvaluations*(len(c.Parameters)+1))
	f.lm.Noise = f.rounding()
	return f, nil
}

// normalize divides the weights by a power of two, which rounds nothing, so that squares of residuals neither underflow nor
// overflow, whatever the unit of the output is.
func (f *fitter) normalize() {
	f.scale = 1
	largest := 0.0
	for i, t := range f.t {
		largest = max(largest, math.Abs(f.w[i]*t))
	}
	if largest == 0 || math.IsInf(largest, 0) {
		return
	}
	_, exponent := math.Frexp(largest)
	f.scale = math.Ldexp(1, max(min(exponent, 1000), -1000))
	for i := range f.w {
		f.w[i] /= f.scale
	}
}

func (r Row) name(i int) string {
	if r.Label != "" {
		return r.Label
	}
	return fmt.Sprintf("row %d", i+1)
}

func (f *fitter) add(i int, r Row) error {
	x := make([]float64, len(f.compiled.Features))
	for k, name := range f.compiled.Features {
		v, ok := r.Features[name]
		if !ok {
			return fmt.Errorf("no value for the feature %s of model %s", name, f.model.Name)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the feature %s is %g", name, v)
		}
		x[k] = v
	}
	if math.IsNaN(r.Output) || math.IsInf(r.Output, 0) {
		return fmt.Errorf("the output is %g", r.Output)
	}
	w := r.Weight
	switch {
	case w == 0:
		w = 1
	case !(w > 0) || math.IsInf(w, 0):
		return fmt.Errorf("the weight %g is not positive", w)
	}
	if f.model.Fit.ScaleByOutput {
		if r.Output <= 0 {
			return fmt.Errorf("the output is %g, and residuals scaled by the output need it positive", r.Output)
		}
		w /= r.Output
	}
	group := r.Kernel
	if group == "" {
		group = fmt.Sprintf("\x00%d", i)
	}
	f.x, f.t, f.w = append(f.x, x), append(f.t, r.Output), append(f.w, w)
	f.group, f.label = append(f.group, group), append(f.label, r.name(i))
	f.ratio = append(f.ratio, r.Ratio)
	return nil
}

// problem is the least-squares problem of the model (Perflex paper, section 7.2), r = w (g(p) - t).
func (f *fitter) problem() lm.Problem {
	grad := make([]float64, len(f.compiled.Parameters))
	return lm.Problem{
		M: len(f.t), N: len(grad),
		Residual: func(p, r []float64) {
			for i, x := range f.x {
				r[i] = f.w[i] * (f.compiled.Eval(x, p) - f.t[i])
			}
		},
		Jacobian: func(p []float64, j *mat.Dense) {
			for i, x := range f.x {
				f.compiled.Gradient(x, p, grad)
				row := j.RawRowView(i)
				for k, g := range grad {
					row[k] = f.w[i] * g
				}
			}
		},
	}
}

var errNoStart = errors.New("the model has no finite value and derivatives at any starting point")

// FitRows fits the model to the rows. It returns an error where it finds no parameters; doubts about those that it finds are in Fit.Warnings.
func FitRows(ctx context.Context, m *models.Model, rows []Row, opt Options) (_ *Fit, err error) {
	defer throw.Catch(&err)
	fit, _ := solve(ctx, m, rows, opt)
	return fit, nil
}

// solve is FitRows with the problem as it was solved, with the bounds that it found needful.
func solve(ctx context.Context, m *models.Model, rows []Row, opt Options) (*Fit, *fitter) {
	f := throw.Get(newFitter(m, rows, opt))
	best, starts, err := f.search(ctx, opt)
	if err == nil {
		best, err = f.sharpen(ctx, best)
	}
	if err != nil {
		panic(throw.Errorf("fitting %s: %w", m.Name, err))
	}
	best = f.profiled(ctx, best)
	others := f.widen(best)
	f.widenSharp(ctx, best, opt)
	rival := f.rival(ctx, best, others)
	fit := f.report(best, opt.Lanes)
	fit.Starts = starts
	fit.Experiment = experiment(m, fit, rows)
	if !opt.NoCrossValidation {
		f.crossValidate(ctx, fit)
	}
	fit.Warnings = append(f.warnings(fit, best), f.doubts(best, rival)...)
	return fit, f
}

// search minimizes from every starting point: roughly where there are several, and then accurately from the best end. It also returns
// the number of starting points.
func (f *fitter) search(ctx context.Context, opt Options) (best *lm.Result, tried int, err error) {
	defer throw.Catch(&err)
	rough := f.rough()
	starts := f.starts(opt)
	if len(starts) == 1 {
		best, err = f.fromOne(ctx, starts[0])
	} else if best, err = f.best(ctx, nil, starts, &rough); err == nil && f.dubious(best) {
		more := f.more(opt)
		starts = append(starts, more...)
		best, err = f.best(ctx, best, more, &rough)
	}
	if err != nil {
		return nil, 0, err
	}
	again := f.reshaped(best.P, opt)
	if len(starts)+len(again) == 1 {
		return best, 1, nil
	}
	best = throw.Get(f.best(ctx, best, again, &rough))
	if size, _ := f.norms(); len(starts) > 1 && best.Norm > exactly*size {
		further := f.valleys(ctx)
		best = throw.Get(f.best(ctx, best, further, &rough))
	}
	last := throw.Get(f.best(ctx, nil, [][]float64{best.P}, &f.lm))
	return after(best, last), len(starts) + len(again), nil
}

// rough are the settings of searches from several starting points.
func (f *fitter) rough() lm.Settings {
	rough := f.lm
	rough.Ftol, rough.Xtol, rough.NoPolish = max(f.lm.Ftol, roughTolerance), max(f.lm.Xtol, roughTolerance), true
	rough.MaxEvaluations = min(f.lm.MaxEvaluations, roughEvaluations*(len(f.compiled.Parameters)+1))
	return rough
}

// after returns the last of two runs, of which the second continued from the end of the first, with the history of both.
func after(r, last *lm.Result) *lm.Result {
	for _, it := range last.History[1:] {
		it.N += r.Iterations
		it.Evaluations += r.Evaluations
		r.History = append(r.History, it)
	}
	last.History = r.History
	last.Iterations += r.Iterations
	last.Evaluations += r.Evaluations
	return last
}

// best minimizes from every starting point and returns the result with the least residual, best among them, the first of equal ones.
func (f *fitter) best(ctx context.Context, best *lm.Result, starts [][]float64, settings *lm.Settings) (*lm.Result, error) {
	var lastErr error
	for _, p0 := range starts {
		r, err := lm.Minimize(ctx, f.problem(), p0, settings)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			lastErr = cmp.Or(f.broken(p0), err)
		case r.Status == lm.NotFinite && r.Iterations == 0:
			lastErr = f.notFinite(r.P)
		default:
			f.ends = append(f.ends, r)
			if best == nil || r.Norm < best.Norm*(1-1e-9) {
				best = r
			}
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w: %w", errNoStart, lastErr)
	}
	return best, nil
}

// broken says in which row the model is not finite at p, and by which part of it; nil where it is finite in all.
func (f *fitter) broken(p []float64) error {
	p = slices.Clone(p)
	for i := range p {
		p[i] = f.inside(i, p[i])
	}
	for i, x := range f.x {
		if part, v := f.model.Broken(named(f.compiled.Features, x), named(f.compiled.Parameters, p)); part != "" {
			return fmt.Errorf("%s: %s is %g", f.label[i], part, v)
		}
	}
	return nil
}

// named are values by name.
func named(names []string, values []float64) map[string]float64 {
	out := make(map[string]float64, len(names))
	for i, name := range names {
		out[name] = values[i]
	}
	return out
}

// notFinite says which derivative of the model is not finite at p.
func (f *fitter) notFinite(p []float64) error {
	grad := make([]float64, len(p))
	for i, x := range f.x {
		f.compiled.Gradient(x, p, grad)
		for k, g := range grad {
			if math.IsNaN(g) || math.IsInf(g, 0) {
				return fmt.Errorf("the derivative of the expression by %s is %g for %s, with %s = %g: a power, a log or a division of 0?",
					f.compiled.Parameters[k], g, f.label[i], f.compiled.Parameters[k], p[k])
			}
		}
	}
	return errors.New("the weighted derivatives are not finite")
}

// fromOne minimizes from one point, the user's own or that of a linear model. From a user's point the first step may overshoot the
// minimum and end where the model is flat, so the initial trust region takes several sizes, over the range that MINPACK's guide
// recommends.
func (f *fitter) fromOne(ctx context.Context, p0 []float64) (*lm.Result, error) {
	factors := []float64{100, 1, 0.1}
	if f.lm.Factor != 0 || f.model.Linear() {
		factors = []float64{f.lm.Factor}
	}
	var best *lm.Result
	var err error
	for _, factor := range factors {
		settings := f.lm
		settings.Factor = factor
		if best, err = f.best(ctx, best, [][]float64{p0}, &settings); err != nil {
			return nil, err
		}
	}
	return best, nil
}
