package calibrate

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/parallel"
	"gpuperf/internal/throw"
)

// CrossEval is the error of cross-validation: each kernel in turn is held out and predicted by a fit to the others.
type CrossEval struct {
	GeomeanRelErr float64       `yaml:"geomean_relative_error" json:"geomean_relative_error"`
	Kernels       int           `yaml:"kernels" json:"kernels"`                     // predicted
	Skipped       []string      `yaml:"skipped,omitempty" json:"skipped,omitempty"` // kernels that the others do not determine
	ByKernel      []KernelError `yaml:"by_kernel,omitempty" json:"by_kernel,omitempty"`
}

// KernelError is the error on one kernel, predicted from the others.
type KernelError struct {
	Kernel        string  `yaml:"kernel" json:"kernel"`
	Points        int     `yaml:"points" json:"points"` // rows of the kernel
	GeomeanRelErr float64 `yaml:"geomean_relative_error" json:"geomean_relative_error"`
}

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
		kernels[i] = kernelError{k.Kernel, k.Points, jsonvalue.Finite(k.GeomeanRelErr)}
	}
	return json.Marshal(struct {
		GeomeanRelErr *float64      `json:"geomean_relative_error"`
		Kernels       int           `json:"kernels"`
		Skipped       []string      `json:"skipped,omitempty"`
		ByKernel      []kernelError `json:"by_kernel,omitempty"`
	}{jsonvalue.Finite(c.GeomeanRelErr), c.Kernels, c.Skipped, kernels})
}

// heldOut is a row predicted by a fit that has not seen its kernel.
type heldOut struct {
	kernel              int // of those predicted, or one of several that were held out together
	predicted, measured float64
	sd                  float64 // of the prediction, by the fit; NaN where it is not known
	shares              []int   // of its costs, by the fit
}

// Limits of cross-validation: it refits at most mostRefitted rows, all its fits together, but makes at least fewestParts fits.
const (
	mostRefitted = 2_000_000
	fewestParts  = 10
)

// crossValidate holds out one kernel after the other, fits the rest starting from the parameters of all rows, and predicts it. Of very
// many kernels it holds out several at a time.
func (f *fitter) crossValidate(ctx context.Context, fit *Fit) {
	groups := f.groups()
	if len(groups) < 2 || !fit.Converged {
		return
	}
	p0, _ := fit.Values(f.compiled.Parameters)
	out := &CrossEval{}
	var all []heldOut
	together := (len(groups)-1)/max(fewestParts, mostRefitted/len(f.t)) + 1
	parts := slices.Collect(slices.Chunk(groups, together))
	partOf := make(map[string]int)
	for i, g := range groups {
		partOf[g] = i / together
	}
	predicted := make([][]heldOut, len(parts))
	throw.If(parallel.Try(len(parts), runtime.GOMAXPROCS(0), func(part int) (err error) {
		own := *f
		own.compiled = f.compiled.Clone()
		predicted[part], err = own.predictWithout(ctx, func(i int) bool { return partOf[f.group[i]] == part }, p0)
		return err
	}))
	for i, part := range parts {
		rows := predicted[i]
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
		fit.Cross = out
		var unseen []unseenRow
		for _, r := range all {
			unseen = append(unseen, unseenRow{r.kernel, "", errorOf(r.predicted, r.measured, fit.ScaleByOutput), r.sd, r.shares})
		}
		fit.Unseen = newUnseen("", unseen, fit.ScaleByOutput)
	}
}

// predictWithout fits the rows that are not held out, from p0, and predicts those that are. It returns nil where the others do not
// determine one of them: the fit does not converge, a null direction changes the prediction, or one of its costs is only a trace in the
// others or at a bound.
func (f *fitter) predictWithout(ctx context.Context, left func(row int) bool, p0 []float64) ([]heldOut, error) {
	rest := *f
	rest.x, rest.t, rest.w, rest.group, rest.label = nil, nil, nil, nil, nil
	// It starts near the end, and a prediction needs no last digits.
	rest.lm.Ftol, rest.lm.Xtol, rest.lm.NoPolish = max(f.lm.Ftol, roughTolerance), max(f.lm.Xtol, roughTolerance), true
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
	p, err := newPredictor(rest.model, rest.compiled, rest.report(r, 0))
	if err != nil {
		return nil, err
	}
	var rows []heldOut
	for i, x := range f.x {
		if !left(i) {
			continue
		}
		row := heldOut{predicted: p.compiled.Gradient(x, p.params, p.grad), measured: f.t[i]}
		if len(changing(r.Null, p.grad)) > 0 || jsonvalue.Finite(row.predicted) == nil {
			return nil, nil
		}
		for j, held := range r.Active {
			// All rows together determine this cost, and the rest do not: it is at its bound, where it has no standard error.
			if held && math.Abs(p.grad[j]*(p0[j]-r.P[j])) > essential*f.size(i) {
				return nil, nil
			}
		}
		row.sd, row.shares = p.deviation(row.predicted), sharesOf(p.params, p.grad, p.shape)
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
			of[j] = max(of[j], math.Abs(g*p0[j]/f.size(i)))
		}
	}
	for j, name := range f.compiled.Parameters {
		if most[1][j] > essential && most[0][j] < max(essential, most[1][j]/dominant) && !slices.Contains(shape, name) {
			return true
		}
	}
	return false
}

// size is the magnitude of the output of a row; of one that is 0, that of all outputs.
func (f *fitter) size(row int) float64 {
	if t := math.Abs(f.t[row]); t > 0 {
		return t
	}
	sum := 0.0
	for _, t := range f.t {
		sum = math.Hypot(sum, t)
	}
	return sum / math.Sqrt(float64(len(f.t)))
}

func geomeanOf(rows []heldOut) float64 {
	var predicted, measured []float64
	for _, r := range rows {
		predicted, measured = append(predicted, r.predicted), append(measured, r.measured)
	}
	return GeomeanRelativeError(predicted, measured)
}
