package calibrate

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"gpuperf/calibrate/lm"
)

// CrossEval is the error of cross-validation: each kernel in turn is held out and predicted by a fit to the others.
type CrossEval struct {
	GeomeanRelErr float64       `yaml:"geomean_relative_error" json:"geomean_relative_error"`
	Kernels       int           `yaml:"kernels" json:"kernels"`                     // predicted
	Skipped       []string      `yaml:"skipped,omitempty" json:"skipped,omitempty"` // kernels that the others do not determine
	ByKernel      []KernelError `yaml:"by_kernel,omitempty" json:"by_kernel,omitempty"`
	Coverage      []Coverage    `yaml:"coverage,omitempty" json:"coverage,omitempty"` // of prediction intervals, a level each
}

// KernelError is the error on one kernel, predicted from the others.
type KernelError struct {
	Kernel        string  `yaml:"kernel" json:"kernel"`
	Points        int     `yaml:"points" json:"points"` // rows of the kernel
	GeomeanRelErr float64 `yaml:"geomean_relative_error" json:"geomean_relative_error"`
}

// Coverage is the coverage of prediction intervals of a level, on held-out kernels.
//
// Residuals of microbenchmarks do not show how kernels of different kinds differ, so intervals from residuals and the covariance of the
// parameters alone are too narrow for a new kind of kernel. The errors on held-out kernels widen them. Where residuals are relative to
// the output, intervals are those of the logarithm, and a margin is added in quadrature to half of them; otherwise the interval is
// multiplied by a factor, until it covers held-out kernels (split conformal prediction: Lei et al. 2018, section 5.2). InsideWidened is
// the coverage of a kernel's points when the other kernels determine the widening.
type Coverage struct {
	Level         float64 `yaml:"level" json:"level"` // probability that the interval claims
	Points        int     `yaml:"points" json:"points"`
	Inside        float64 `yaml:"inside" json:"inside"` // share of the points within the interval before it is widened
	Widening      float64 `yaml:"widening" json:"widening"`
	Margin        float64 `yaml:"margin,omitempty" json:"margin,omitempty"` // in parts of the prediction, upwards; 0 where Widening does it
	InsideWidened float64 `yaml:"inside_widened" json:"inside_widened"`     // share of the points within it, widened as the other kernels suggest
}

// levels are the probabilities at which coverage is measured; confidence is one of them.
var levels = []float64{0.90, confidence}

// essential is the share of an output from which on a cost must be determined by other rows. A smaller cost would be determined by what
// remains after all others are subtracted, which includes the errors of the model.
const essential = 0.1

// dominant is the largest ratio between a cost's share of a held-out row and its share of any other row at which the other rows still
// determine the cost.
const dominant = 2.5

// MarshalJSON gives the object of `perf fit --json`; an error that is not finite, as of outputs of 0, is null.
func (c *CrossEval) MarshalJSON() ([]byte, error) {
	type kernelError struct {
		Kernel        string   `json:"kernel"`
		Points        int      `json:"points"`
		GeomeanRelErr *float64 `json:"geomean_relative_error"`
	}
	kernels := make([]kernelError, len(c.ByKernel))
	for i, k := range c.ByKernel {
		kernels[i] = kernelError{k.Kernel, k.Points, finite(k.GeomeanRelErr)}
	}
	return json.Marshal(struct {
		GeomeanRelErr *float64      `json:"geomean_relative_error"`
		Kernels       int           `json:"kernels"`
		Skipped       []string      `json:"skipped,omitempty"`
		ByKernel      []kernelError `json:"by_kernel,omitempty"`
		Coverage      []Coverage    `json:"coverage,omitempty"`
	}{finite(c.GeomeanRelErr), c.Kernels, c.Skipped, kernels, c.Coverage})
}

// At returns the coverage of a level, nil where it was not measured.
func (c *CrossEval) At(level float64) *Coverage {
	if c == nil {
		return nil
	}
	i := slices.IndexFunc(c.Coverage, func(v Coverage) bool { return v.Level == level })
	if i < 0 {
		return nil
	}
	return &c.Coverage[i]
}

// heldOut is a row predicted by a fit that has not seen its kernel.
type heldOut struct {
	kernel              int // of those predicted, or one of several that were held out together
	predicted, measured float64
	sd                  float64   // of the prediction, by the fit; NaN where it is not known
	quantile            []float64 // of the levels, by the freedom of the fit
}

// off is the size of the error, of the logarithm where residuals are relative to the output.
func (r heldOut) off(relative bool) float64 {
	if relative {
		return math.Abs(math.Log(r.predicted / r.measured))
	}
	return math.Abs(r.predicted - r.measured)
}

// Limits of cross-validation: it refits at most mostRefitted rows, all its fits together, but makes at least fewestParts fits.
const (
	mostRefitted = 2_000_000
	fewestParts  = 10
)

// crossValidate holds out one kernel after the other, fits the rest starting from the parameters of all rows, and predicts it. Of very
// many kernels it holds out several at a time.
func (f *fitter) crossValidate(ctx context.Context, fit *Fit) error {
	groups := f.groups()
	if len(groups) < 2 || !fit.Converged {
		return nil
	}
	p0, _ := fit.Values(f.compiled.Parameters)
	out := &CrossEval{}
	var all []heldOut
	together := (len(groups)-1)/max(fewestParts, mostRefitted/len(f.t)) + 1
	partOf := make(map[string]int)
	for i, g := range groups {
		partOf[g] = i / together
	}
	for part := range slices.Chunk(groups, together) {
		rows, err := f.predictWithout(ctx, func(i int) bool { return partOf[f.group[i]] == partOf[part[0]] }, p0)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(part[0], "\x00")
		if more := len(part) - 1; more > 0 {
			name = fmt.Sprintf("%s and %d more", name, more)
		}
		if rows == nil {
			out.Skipped = append(out.Skipped, name)
			continue
		}
		for i := range rows {
			rows[i].kernel = len(out.ByKernel)
		}
		out.Kernels += len(part)
		out.ByKernel = append(out.ByKernel, KernelError{name, len(rows), geomeanOf(rows)})
		all = append(all, rows...)
	}
	if out.Kernels > 0 {
		out.GeomeanRelErr = geomeanOf(all)
		out.Coverage = coverage(all, f.model.Fit.ScaleByOutput)
		fit.Cross = out
	}
	return nil
}

// predictWithout fits the rows that are not held out, from p0, and predicts those that are. It returns nil where the others do not
// determine one of them: the fit does not converge, a null direction changes the prediction, or one of its costs is only a trace in the
// others or at a bound.
func (f *fitter) predictWithout(ctx context.Context, left func(row int) bool, p0 []float64) ([]heldOut, error) {
	rest := *f
	rest.x, rest.t, rest.w, rest.group, rest.label = nil, nil, nil, nil, nil
	rest.lm.Ftol, rest.lm.Xtol = max(f.lm.Ftol, roughTolerance), max(f.lm.Xtol, roughTolerance) // it starts near the end, and a prediction needs no more
	for i := range f.t {
		if !left(i) {
			rest.x, rest.t = append(rest.x, f.x[i]), append(rest.t, f.t[i])
			rest.w, rest.group = append(rest.w, f.w[i]), append(rest.group, f.group[i])
			rest.label = append(rest.label, f.label[i])
		}
	}
	if len(rest.t) == 0 || f.traces(left, p0) {
		return nil, nil
	}
	r, err := lm.Minimize(ctx, rest.problem(), p0, &rest.lm)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil || !r.Status.Converged() {
		return nil, nil //nolint:nilerr // the kernel is skipped, and the report says so
	}
	p, err := newPredictor(rest.compiled, rest.report(r, 0))
	if err != nil {
		return nil, err
	}
	var rows []heldOut
	for i, x := range f.x {
		if !left(i) {
			continue
		}
		row := heldOut{predicted: p.compiled.Gradient(x, p.params, p.grad), measured: f.t[i]}
		if len(changing(r.Null, p.grad)) > 0 || finite(row.predicted) == nil {
			return nil, nil
		}
		for j, held := range r.Active {
			// All rows together determine this cost, and the rest do not: it is at its bound, where it has no standard error.
			if held && math.Abs(p.grad[j]*(p0[j]-r.P[j])) > essential*f.t[i] {
				return nil, nil
			}
		}
		row.sd, row.quantile = p.deviation(row.predicted), p.quantile
		rows = append(rows, row)
	}
	return rows, nil
}

// traces reports whether some cost is an essential share of a held-out row, and a much smaller share of all other rows.
func (f *fitter) traces(left func(row int) bool, p0 []float64) bool {
	shape := f.model.ShapeParameters()
	grad := make([]float64, len(p0))
	most := [2][]float64{make([]float64, len(p0)), make([]float64, len(p0))} // share of a row's output: of the other rows, of the held-out ones
	for i, x := range f.x {
		f.compiled.Gradient(x, p0, grad)
		of := most[0]
		if left(i) {
			of = most[1]
		}
		for j, g := range grad {
			of[j] = max(of[j], math.Abs(g*p0[j]/f.t[i]))
		}
	}
	for j, name := range f.compiled.Parameters {
		if most[1][j] > essential && most[0][j] < max(essential, most[1][j]/dominant) && !slices.Contains(shape, name) {
			return true
		}
	}
	return false
}

func geomeanOf(rows []heldOut) float64 {
	var predicted, measured []float64
	for _, r := range rows {
		predicted, measured = append(predicted, r.predicted), append(measured, r.measured)
	}
	return GeomeanRelativeError(predicted, measured)
}

// coverage measures the coverage of intervals on held-out rows, and how to widen them. Rows without interval are ignored.
func coverage(rows []heldOut, relative bool) []Coverage {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r heldOut) bool { return finite(r.off(relative)) == nil || finite(r.sd) == nil || r.sd == 0 })
	if len(rows) == 0 {
		return nil
	}
	var out []Coverage
	for l, level := range levels {
		c := widening(rows, l, relative)
		byOthers := map[int]Coverage{}
		for _, r := range rows {
			others, ok := byOthers[r.kernel]
			if !ok {
				others = widening(slices.DeleteFunc(slices.Clone(rows), func(o heldOut) bool { return o.kernel == r.kernel }), l, relative)
				byOthers[r.kernel] = others
			}
			off, half := r.off(relative), r.quantile[l]*r.sd
			if off <= half {
				c.Inside++
			}
			if off <= others.widen(half) {
				c.InsideWidened++
			}
		}
		c.Level, c.Points = level, len(rows)
		c.Inside /= float64(len(rows))
		c.InsideWidened /= float64(len(rows))
		out = append(out, c)
	}
	return out
}

// normal is the standard deviation of normal values over the median of their sizes.
const normal = 1.4826

// widening is how rows of other kernels suggest to widen intervals of a level. Relative residuals: by the spread of what their errors
// exceed the standard deviations by, in quadrature, at the quantile for as many kernels. A median keeps it from the few kernels that alone
// determine a cost, whose errors say nothing of kernels with several. Otherwise: until the level's share of the rows is inside.
func widening(rows []heldOut, l int, relative bool) Coverage {
	c := Coverage{Widening: 1}
	var beyond []float64
	kernels := map[int]bool{}
	for _, r := range rows {
		kernels[r.kernel] = true
		off := r.off(relative)
		if relative {
			beyond = append(beyond, math.Sqrt(max(0, off*off-r.sd*r.sd)))
		} else {
			beyond = append(beyond, off/(r.quantile[l]*r.sd))
		}
	}
	switch {
	case len(rows) == 0:
	case relative:
		slices.Sort(beyond)
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(kernels))}
		c.Margin = math.Expm1(t.Quantile((1+levels[l])/2) * normal * beyond[len(beyond)/2])
	default:
		c.Widening = max(1, conformal(beyond, levels[l]))
	}
	return c
}

// widen is half of the widened interval, of the logarithm where there is a margin.
func (c *Coverage) widen(half float64) float64 {
	if c == nil {
		return half
	}
	return math.Hypot(half*c.Widening, math.Log1p(c.Margin))
}

// conformal is the level's quantile of the scores, with the correction for a finite sample; the largest where there are too few
// scores, 0 for none.
func conformal(scores []float64, level float64) float64 {
	if len(scores) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(scores))
	rank := int(math.Ceil(level * float64(len(scores)+1)))
	return sorted[min(rank, len(sorted))-1]
}
