package calibrate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/warning"
)

// leastError is the floor of relative errors in geometric means: one accurate point must not make a bad set look good.
const leastError = 1e-6

// GeomeanRelativeError is the geometric mean of |predicted - measured|/|measured| (Perflex paper, section 8), each at least 1e-6;
// what is measured as 0 has no relative error and is left out. NaN for no pairs.
func GeomeanRelativeError(predicted, measured []float64) float64 {
	sum, n := 0.0, 0
	for i, p := range predicted {
		if measured[i] == 0 {
			continue
		}
		n++
		e := math.Abs(p-measured[i]) / math.Abs(measured[i])
		if p == measured[i] {
			e = 0
		}
		sum += math.Log(max(e, leastError))
	}
	return math.Exp(sum / float64(n))
}

func (f *fitter) report(r *lm.Result, lanes int) *Fit {
	fit := &Fit{
		Model: f.model.Name, Rows: len(f.t), Kernels: len(f.groups()), Freedom: r.Freedom,
		ScaleByOutput: f.model.Fit.ScaleByOutput, Residual: r.Norm * f.scale,
		Status: r.Status.String(), Converged: r.Status.Converged(), Iterations: r.Iterations, Evaluations: r.Evaluations,
		Condition: r.Condition, History: r.History, Null: r.Null,
		FeatureRange: make(map[string][2]float64),
	}
	for i := range fit.History {
		fit.History[i].Norm *= f.scale
	}
	for j, name := range f.compiled.Parameters {
		e := Estimate{Name: name, Value: r.P[j], StdErr: r.StdErr[j], Unit: f.model.Parameter(name).Unit}
		if r.Active[j] {
			e.AtBound = "max"
			if r.P[j] == f.lm.Lower[j] {
				e.AtBound = "min"
			}
		}
		if rate, unit, ok := Rate(e.Value, e.Unit, lanes); ok {
			e.Rate, e.RateUnit = rate, unit
		}
		fit.Parameters = append(fit.Parameters, e)
	}
	predicted := make([]float64, len(f.t))
	for i, x := range f.x {
		predicted[i] = f.compiled.Eval(x, r.P)
	}
	fit.GeomeanRelErr = GeomeanRelativeError(predicted, f.t)
	fit.LogSpread = f.logSpread(predicted, r.Freedom)
	for k, name := range f.compiled.Features {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, x := range f.x {
			lo, hi = min(lo, x[k]), max(hi, x[k])
		}
		fit.FeatureRange[name] = [2]float64{lo, hi}
	}
	f.judge(fit, r)
	if r.Covariance != nil {
		n := len(r.P)
		fit.Covariance = make([][]float64, n)
		for i := range n {
			fit.Covariance[i] = make([]float64, n)
			for j := range n {
				fit.Covariance[i][j] = r.Covariance.At(i, j)
			}
		}
	}
	return fit
}

// logSpread is the standard deviation of the logarithms of fitted over measured outputs; 0 where residuals are not relative to the output,
// or some value has no logarithm.
func (f *fitter) logSpread(predicted []float64, freedom int) float64 {
	if !f.model.Fit.ScaleByOutput || freedom <= 0 {
		return 0
	}
	sum := 0.0
	for i, v := range predicted {
		off := math.Log(v / f.t[i])
		sum += off * off
	}
	if jsonvalue.Finite(sum) == nil {
		return 0
	}
	return math.Sqrt(sum / float64(freedom))
}

// groups lists the kernels in the order of the rows.
func (f *fitter) groups() []string {
	var out []string
	seen := make(map[string]bool)
	for _, g := range f.group {
		if !seen[g] {
			seen[g] = true
			out = append(out, g)
		}
	}
	return out
}

// changing returns the null directions along which a value with the given derivatives changes. If there are any, the value is not
// determined.
func changing(null [][]float64, grad []float64) [][]float64 {
	var out [][]float64
	for _, direction := range null {
		sum, size := 0.0, 0.0
		for j, d := range direction {
			sum += d * grad[j]
			size += math.Abs(d * grad[j])
		}
		if math.Abs(sum) > 1e-8*size {
			out = append(out, direction)
		}
	}
	return out
}

// Thresholds of warnings.
const (
	correlated     = 0.95 // of two estimates
	illConditioned = 1e7
)

// warnings lists the doubts about a fit, most serious first.
func (f *fitter) warnings(fit *Fit, r *lm.Result) []string {
	var out warnings
	names := f.compiled.Parameters
	if !r.Status.Converged() {
		out.add(warning.NotConverged, "", "the fit did not converge (%s), do not trust the parameters", r.Status)
	}
	if fit.Verdict == PoorFit {
		out = append(out, f.misfitText(fit, r))
	}
	out = append(out, f.edgeDoubts(r)...)
	out = append(out, f.rowWarnings(r)...)
	lost := make(map[string]bool)
	out = append(out, f.undetermined(r, lost)...)
	out = append(out, f.estimates(fit, lost)...)
	if len(r.Null) == 0 && r.Condition > illConditioned {
		var weak []string
		for j, v := range r.Weakest {
			if math.Abs(v) > 0.1 {
				weak = append(weak, names[j])
			}
		}
		out.add(warning.Correlated, list(weak), "nearly indistinguishable (condition number %.1e)", r.Condition)
	}
	out = append(out, correlations(fit, names, lost)...)
	if fit.Cross != nil && len(fit.Cross.Skipped) > 0 {
		out.add(warning.CrossGaps, "", "cross-validation skips %d of %d kernels, whose parameters no other kernel determines", len(fit.Cross.Skipped), fit.Kernels)
	}
	return out
}

// warnings are lines about a fit.
type warnings []string

func (w *warnings) add(k warning.Kind, about, text string, args ...any) {
	*w = append(*w, k.About(about, text, args...))
}

// rowWarnings say what the rows cannot tell.
func (f *fitter) rowWarnings(r *lm.Result) (out warnings) {
	zeros := 0
	for _, t := range f.t {
		if t == 0 {
			zeros++
		}
	}
	if zeros > 0 {
		out.add(warning.LeftOut, "", "%s of %d with an output of 0, which has no relative error: errors are those of the others", format.Count(zeros, "row"), len(f.t))
	}
	parameters := format.Count(len(f.compiled.Parameters), "parameter")
	if len(f.t) < len(f.compiled.Parameters) {
		out.add(warning.FewRows, "", "%s for %s, measure more kernels or sizes", format.Count(len(f.t), "row"), parameters)
	} else if r.Freedom == 0 {
		out.add(warning.FewRows, "", "%s for %s, no degrees of freedom are left to judge the fit", format.Count(len(f.t), "row"), parameters)
	}
	for k, name := range f.compiled.Features {
		if !slices.ContainsFunc(f.x, func(x []float64) bool { return x[k] != 0 }) {
			out.add(warning.ZeroFeature, "feature "+name, "0 in every row")
		}
	}
	return out
}

// undetermined names the parameters that the rows do not determine, and adds them to lost.
func (f *fitter) undetermined(r *lm.Result, lost map[string]bool) (out warnings) {
	for _, direction := range r.Null {
		involved := f.involved(direction)
		for _, n := range involved {
			lost[n] = true
		}
		if len(involved) == 1 {
			out.add(warning.Undetermined, involved[0], "cannot be identified, no row depends on it")
		} else {
			out.add(warning.Undetermined, list(involved), "cannot be identified separately, the rows determine only combinations of them")
		}
	}
	for _, name := range f.idle(r) {
		lost[name] = true
		out.add(warning.Undetermined, name, "poorly determined: other values of it change no row by more than rounding errors")
	}
	return out
}

// estimates say which values stand at a bound or are uncertain, those aside that are lost.
func (f *fitter) estimates(fit *Fit, lost map[string]bool) (out warnings) {
	bounded := func(j int) bool {
		return slices.ContainsFunc(f.raised, func(r raised) bool { return r.parameter == j })
	}
	for j, e := range fit.Parameters {
		switch {
		case e.AtBound == "min" && bounded(j): // as edgeDoubts says
		case e.AtBound == "min":
			out.add(warning.AtBound, e.Name, "at its lower bound %s", format.Quantity(f.lm.Lower[j], e.Unit))
		case e.AtBound == "max":
			out.add(warning.AtBound, e.Name, "at its upper bound %s", format.Quantity(f.lm.Upper[j], e.Unit))
		case lost[e.Name]:
		case e.StdErr > math.Abs(e.Value), slices.Contains(f.widened, j):
			value, stderr, unit := format.Uncertain(e.Value, e.StdErr, e.Unit)
			out.add(warning.Undetermined, e.Name, "poorly determined, %s with a standard error of %s", value, strings.TrimSpace(stderr+" "+unit))
		}
	}
	return out
}

// fewCorrelations is how many pairs of correlated parameters are named: where one shape parameter correlates with all costs there are hundreds.
const fewCorrelations = 3

// correlations names the most strongly correlated pairs of parameters, strongest first, and says how many more there are.
func correlations(fit *Fit, names []string, lost map[string]bool) []string {
	type pair struct {
		a, b string
		rho  float64
	}
	var pairs []pair
	for i := range names {
		for j := range i {
			if rho, ok := fit.Correlation(names[j], names[i]); ok && math.Abs(rho) > correlated && !lost[names[i]] && !lost[names[j]] {
				pairs = append(pairs, pair{names[j], names[i], rho})
			}
		}
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return cmp.Compare(math.Abs(y.rho), math.Abs(x.rho)) })
	var out []string
	for i, p := range pairs {
		if i == fewCorrelations {
			out = append(out, warning.Correlated.About("", "%d more pairs of parameters are strongly correlated", len(pairs)-i))
			break
		}
		out = append(out, warning.Correlated.About(p.a+" and "+p.b, "strongly correlated (%.4f)", p.rho))
	}
	return out
}

// Correlation returns the correlation of two estimates; not ok where one is held at a bound, not determined or unknown.
func (f *Fit) Correlation(a, b string) (rho float64, ok bool) {
	i, j := f.index(a), f.index(b)
	if i < 0 || j < 0 || f.Covariance == nil {
		return 0, false
	}
	d := math.Sqrt(f.Covariance[i][i]) * math.Sqrt(f.Covariance[j][j])
	if !(d > 0) || math.IsInf(f.Parameters[i].StdErr, 0) || math.IsInf(f.Parameters[j].StdErr, 0) {
		return 0, false
	}
	return f.Covariance[i][j] / d, true
}

// involved names the parameters that a null direction moves.
func (f *fitter) involved(direction []float64) []string {
	var out []string
	for j, d := range direction {
		if d != 0 {
			out = append(out, f.compiled.Parameters[j])
		}
	}
	return out
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
