package calibrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/lists"
	"gpuperf/internal/warning"
	"gpuperf/models"
)

// Confidence is the level of all intervals of predictions.
const Confidence = 0.90

// Prediction is a model's output for one kernel at one size.
type Prediction struct {
	Seconds  float64    `json:"seconds"`           // in the unit of the model's output
	Interval Interval   `json:"interval"`          // where a measurement falls with 90 % probability
	Terms    TermValues `json:"terms"`             // the times that the model has costs for, each alone
	Joined   TermValues `json:"joined,omitempty"`  // the times of terms that only join those of others
	Factors  TermValues `json:"factors,omitempty"` // terms that are no times, but numbers by which others are multiplied
	Warnings []string   `json:"warnings"`
	Roof     *Roof      `json:"roof,omitempty"` // nil where no rate of the device is known

	// Lacking is how much of the seconds is of work that the model has no cost for.
	Lacking float64 `json:"lacking,omitempty"`

	Undetermined []string `json:"undetermined,omitempty"` // parameters that the prediction needs and calibration did not determine

	roots  []float64 // of the shares of its costs
	unseen *Unseen   // of its fit, nil where the errors of two predictions cannot be compared
}

// Interval is a lower and an upper end. Both are NaN where the interval is not known. The upper is +Inf where there is none, because
// the model ignores a main part of the work; then the lower is -Inf where it is not known.
type Interval [2]float64

// unknown is the interval of which nothing is known.
var unknown = Interval{math.NaN(), math.NaN()}

// Known reports whether there is an interval with two ends.
func (i Interval) Known() bool { return jsonvalue.Finite(i[0]) != nil && jsonvalue.Finite(i[1]) != nil }

// Open reports whether the interval has a lower end alone.
func (i Interval) Open() bool { return jsonvalue.Finite(i[0]) != nil && math.IsInf(i[1], 1) }

// Holds reports whether the value is in the interval; false where that is not known.
func (i Interval) Holds(v float64) bool { return i[0] <= v && v <= i[1] }

// HalfWidth is half of the width of an interval of positive values on the log scale, as a part: 0.2 from the middle times 1.2 to the
// middle divided by 1.2.
func (i Interval) HalfWidth() float64 { return math.Sqrt(i[1]/i[0]) - 1 }

// String writes the interval in the units of times, "≥ 2.1 ms" without an upper end, "unknown" where it is not known.
func (i Interval) String() string {
	switch {
	case i.Known():
		return format.Seconds(i[0]) + " – " + format.Seconds(i[1])
	case i.Open():
		return "≥ " + format.Seconds(i[0])
	}
	return "unknown"
}

// MarshalJSON gives [lo, hi], [lo, null] without an upper end, or null when the interval is not known.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.Known() && !i.Open() {
		return []byte("null"), nil
	}
	return json.Marshal([]*float64{jsonvalue.Finite(i[0]), jsonvalue.Finite(i[1])})
}

// listOf is one of the lists of terms of a prediction.
type listOf func(*Prediction) *TermValues

func listed(m *models.Model, term string) listOf {
	switch {
	case m.Factor(term):
		return func(p *Prediction) *TermValues { return &p.Factors }
	case m.Joint(term):
		return func(p *Prediction) *TermValues { return &p.Joined }
	}
	return func(p *Prediction) *TermValues { return &p.Terms }
}

// Time is the time of a term that is one, 0 for others.
func (p *Prediction) Time(term string) float64 {
	for _, t := range slices.Concat(p.Terms, p.Joined) {
		if t.Name == term {
			return t.Value
		}
	}
	return 0
}

// TermValue is the value of a named term of the model.
type TermValue = jsonvalue.Member[float64]

// TermValues are terms in the order of the model, also in JSON: {"gmem": 1.5e-3, …}.
type TermValues = jsonvalue.Object[float64]

// Roof is the least time of a kernel on a device, by the resource that takes the longest.
type Roof struct {
	Seconds  float64 `json:"seconds"`
	Resource string  `json:"resource"`
	Amount   float64 `json:"amount"`
	Rate     float64 `json:"rate"` // per second
	Unit     string  `json:"unit"` // of the rate
	Source   string  `json:"source"`
}

// Under raises a prediction that is faster than the device can be to its roof, with a warning, and the interval with it: its upper end
// stays as far above the prediction, as a factor.
func (p *Prediction) Under(roof Roof) {
	p.Roof = &roof
	if p.Seconds < roof.Seconds {
		if p.Seconds > 0 {
			p.Interval[1] *= roof.Seconds / p.Seconds
		}
		p.Warnings = append(p.Warnings, warning.AbovePeak.About("", "the model predicts %s, raised to the %s that the device needs for its %s: %s at %s (%s)",
			format.Seconds(p.Seconds), format.Seconds(roof.Seconds), roof.Resource,
			format.Quantity(roof.Amount, strings.TrimPrefix(strings.TrimSuffix(roof.Unit, "/s"), roof.Resource)), format.Quantity(roof.Rate, roof.Unit), roof.Source))
		p.Seconds = roof.Seconds
	}
	for i, end := range p.Interval {
		p.Interval[i] = max(end, roof.Seconds) // NaN stays
	}
}

// Open leaves the interval without an upper end, and one that is not known without a lower end too: that may be the roof.
func (p *Prediction) Open() {
	if !p.Interval.Known() {
		p.Interval[0] = math.Inf(-1)
	}
	p.Interval[1] = math.Inf(1)
}

// Against is the interval of the ratio of two predictions, p / o: without 1 in it, their order is right with 90 % probability. By the same fit,
// errors of kernels with alike costs are alike, which narrows it; errors of different fits are independent.
func (p *Prediction) Against(o *Prediction) Interval {
	ratio := p.Seconds / o.Seconds
	if !p.Interval.Known() || !o.Interval.Known() || !(ratio > 0) {
		return unknown
	}
	half, together := math.Hypot(math.Log1p(p.Interval.HalfWidth()), math.Log1p(o.Interval.HalfWidth())), independent
	if p.unseen != nil && p.unseen == o.unseen {
		together = p.unseen.together(p.roots, o.roots)
	}
	return Interval{ratio * math.Exp(-half*together), ratio * math.Exp(half*together)}
}

// Predictor predicts with one fit. One goroutine at a time.
type Predictor struct {
	fit      *Fit
	compiled *models.Compiled
	params   []float64
	grad     []float64
	x        []float64
	index    []int // of the compiled parameters in the fit
	growth   func(features, params []float64) []float64
	within   func(features []models.Range, params []float64) []models.Range // how the time grows
	shape    []bool                                                         // whether a parameter is one of shape, and no cost
	lists    []listOf                                                       // in which each term of the model is
	above    bool                                                           // features may be above their calibrated range
	words    func(name string) string                                       // what warnings call features and parameters; nil: by their names
	near     *neighbours                                                    // nil where no kernel was left out
	quantile float64                                                        // of Student's t, for as many rows as were to spare
	refined  *refinement                                                    // nil where the fit refines no other
	edges    *models.Edges                                                  // nil where the model has no form of overlap
	model    *models.Model
}

// NewPredictor prepares predictions by a model and its fit, which must have the model's parameters.
func NewPredictor(m *models.Model, fit *Fit) (*Predictor, error) {
	c, err := m.Compile()
	if err != nil {
		return nil, err
	}
	p, err := newPredictor(m, c, fit)
	if err == nil {
		p.growth, p.within, p.model = m.Growth(), m.GrowthWithin(), m
		if edges := m.Edges(); len(edges.List) > 0 {
			p.edges = edges
		}
		err = p.refine(m)
	}
	return p, err
}

func newPredictor(m *models.Model, c *models.Compiled, fit *Fit) (*Predictor, error) {
	shape := m.ShapeParameters()
	p := &Predictor{fit: fit, compiled: c, grad: make([]float64, len(c.Parameters)), x: make([]float64, len(c.Features))}
	for _, name := range c.TermNames {
		p.lists = append(p.lists, listed(m, name))
	}
	for _, name := range c.Parameters {
		i := fit.index(name)
		if i < 0 {
			return nil, fmt.Errorf("the model has the parameter %s, which the fit of %s lacks: calibrate again", name, fit.Model)
		}
		p.params = append(p.params, fit.Parameters[i].Value)
		p.index = append(p.index, i)
		p.shape = append(p.shape, slices.Contains(shape, name))
	}
	if n := len(fit.Parameters); fit.Covariance != nil {
		if len(fit.Covariance) != n || slices.ContainsFunc(fit.Covariance, func(row []float64) bool { return len(row) != n }) {
			return nil, fmt.Errorf("the fit of %s has %d parameters and a covariance of another size", fit.Model, n)
		}
	}
	if slices.ContainsFunc(fit.Null, func(row []float64) bool { return len(row) != len(fit.Parameters) }) {
		return nil, fmt.Errorf("the fit of %s has undetermined directions of another size than its parameters", fit.Model)
	}
	if fit.Freedom > 0 {
		p.quantile = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(fit.Freedom)}.Quantile((1 + Confidence) / 2)
	}
	if fit.Unseen != nil {
		if err := fit.Unseen.check(len(p.params)); err != nil {
			return nil, fmt.Errorf("the fit of %s: %w", fit.Model, err)
		}
		p.near = newNeighbours(fit.Unseen)
	}
	return p, nil
}

// Predict is NewPredictor and one prediction.
func (f *Fit) Predict(m *models.Model, features map[string]float64) (*Prediction, error) {
	p, err := NewPredictor(m, f)
	if err != nil {
		return nil, err
	}
	return p.Predict(features)
}

// Features lists the features that Predict needs.
func (p *Predictor) Features() []string { return p.compiled.Features }

// AllowAbove makes it no matter where features are above their calibrated range, as for totals of launches: costs grow with them in proportion,
// and intervals have what kernels err that the fit has not seen. It still matters where the fit has seen none of a feature, or where intervals
// do not come from such kernels.
func (p *Predictor) AllowAbove() { p.above = true }

// CallBy makes warnings call features and parameters by these words; those for which they are "" keep their names.
func (p *Predictor) CallBy(words func(name string) string) { p.words = words }

// called is what warnings call a feature or a parameter.
func (p *Predictor) called(name, otherwise string) string {
	if p.words == nil {
		return otherwise
	}
	return cmp.Or(p.words(name), otherwise)
}

// Predict evaluates the model (Perflex paper, section 7.3). A missing feature is an error; a feature outside its calibrated range, a fit
// that did not converge, or a parameter that calibration could not determine, is a warning.
func (p *Predictor) Predict(features map[string]float64) (*Prediction, error) {
	out := &Prediction{Warnings: []string{}}
	for k, name := range p.compiled.Features {
		v, ok := features[name]
		if !ok {
			return nil, fmt.Errorf("no value for the feature %s of model %s", name, p.fit.Model)
		}
		if jsonvalue.Finite(v) == nil {
			return nil, fmt.Errorf("the feature %s of model %s is %g", name, p.fit.Model, v)
		}
		p.x[k] = v
		r, known := p.fit.FeatureRange[name]
		switch {
		case !known:
			out.Warnings = append(out.Warnings, warning.Extrapolation.About(p.called(name, "feature "+name), "not calibrated"))
		case p.above && p.fit.Unseen != nil && v > r[1] && r[1] > 0:
		case v < r[0] || v > r[1]:
			out.Warnings = append(out.Warnings, warning.Extrapolation.About(p.called(name, "feature "+name), "%s is outside the calibrated range %s to %s",
				format.Quantity(v, ""), format.Quantity(r[0], ""), format.Quantity(r[1], "")))
		}
	}
	if !p.fit.Converged {
		out.Warnings = append(out.Warnings, warning.NotConverged.About("", "the fit of the model did not converge (%s), do not trust the prediction", p.fit.Status))
	}
	if p.fit.Verdict == PoorFit {
		out.Warnings = append(out.Warnings, warning.PoorFit.About("", "the fit of the model is %s of the outputs off, do not trust the prediction", format.Percent(p.fit.Misfit)))
	}
	out.Seconds = p.compiled.Gradient(p.x, p.params, p.grad)
	if jsonvalue.Finite(out.Seconds) == nil {
		return nil, p.broken(out.Seconds)
	}
	if out.Seconds < 0 {
		out.Warnings = append(out.Warnings, warning.Negative.About("", "the prediction %s is negative, the model does not hold here", format.Seconds(out.Seconds)))
	}
	for i, v := range p.compiled.Terms(p.x, p.params, nil) {
		list := p.lists[i](out)
		*list = append(*list, TermValue{Name: p.compiled.TermNames[i], Value: v})
	}
	out.roots = rootsOf(sharesOf(p.params, p.grad, p.shape))
	if p.fit.ScaleByOutput && p.fit.Unseen != nil && p.fit.Unseen.Apart != nil {
		out.unseen = p.fit.Unseen
	}
	if names := p.undetermined(); len(names) > 0 {
		out.Undetermined = names
		out.Warnings = append(out.Warnings, warning.Undetermined.About("", "the prediction depends on %s, which calibration did not determine",
			list(lists.Map(names, func(name string) string { return p.called(name, name) }))))
		out.Interval = unknown
	} else {
		out.Interval = p.interval(out.Seconds, out.roots)
	}
	p.raise(out)
	return out, nil
}

// broken says which part of the model gives no finite number.
func (p *Predictor) broken(value float64) error {
	if p.model != nil {
		if part, v := p.model.Broken(named(p.compiled.Features, p.x), named(p.compiled.Parameters, p.params)); part != "" {
			return fmt.Errorf("model %s gives %g for these features: %s is %g", p.fit.Model, value, part, v)
		}
	}
	return fmt.Errorf("model %s gives %g: its expression is not defined for these features", p.fit.Model, value)
}

// raise lifts a prediction that a soft edge makes less than the larger of costs that overlap, by more than [models.Slack]; the interval keeps its
// width, and never ends below that cost.
func (p *Predictor) raise(out *Prediction) {
	if p.edges == nil {
		return
	}
	full, slack := p.edges.Raised(p.x, p.params)
	if slack > out.Seconds && jsonvalue.Finite(slack) != nil {
		out.Warnings = append(out.Warnings, warning.SoftEdge.About("", "overlap with a soft edge gives %s, raised to the %s that the larger cost takes, less %.0f %%",
			format.Seconds(out.Seconds), format.Seconds(slack), 100*models.Slack))
		for i := range out.Interval {
			if out.Seconds > 0 && p.fit.ScaleByOutput {
				out.Interval[i] *= slack / out.Seconds
			} else {
				out.Interval[i] += slack - out.Seconds
			}
		}
		out.Seconds = slack
	}
	if jsonvalue.Finite(full) != nil {
		out.Interval[1] = max(out.Interval[1], full) // NaN stays
	}
}

// Growth tells how the fitted model's time grows with each feature, in the order of Features, were no cost hidden: see [models.Model.Growth].
func (p *Predictor) Growth(features map[string]float64) []float64 {
	for k, name := range p.compiled.Features {
		p.x[k] = features[name]
	}
	return p.growth(p.x, p.params)
}

// Least is a time that no prediction for features in the given ranges is below, and how the time grows at least with each feature; both in the order of
// Features. False where the fit refines another: its parameters depend on the features.
func (p *Predictor) Least(features map[string]models.Range) (seconds float64, growth []float64, ok bool) {
	if p.refined != nil {
		return 0, nil, false
	}
	x := lists.Map(p.compiled.Features, func(name string) models.Range { return features[name] })
	for _, g := range p.within(x, p.params) {
		growth = append(growth, g[0])
	}
	return p.compiled.Within(x, p.params)[0] * (1 - rounding), growth, true
}

// rounding is more than what rounding errors of a model's value are, as a part of it.
const rounding = 1e-9

// useless is half the width, of the logarithm, from which on an interval says nothing: a thousand times the value.
const useless = 6.9

// interval is the interval around the value of which p.grad holds the derivatives, with these roots of the shares of its costs. Where
// residuals are relative to the output, it is one of the logarithm. What kernels that were left out showed of errors tells the half of it;
// without any, it is that of the residuals, by Student's t.
func (p *Predictor) interval(value float64, roots []float64) Interval {
	sd := p.deviation(value)
	half := p.quantile * math.Hypot(sd, p.spread())
	if p.near != nil {
		half = p.near.half(roots, sd)
	}
	switch {
	case math.IsNaN(half) || p.fit.ScaleByOutput && half > useless:
		return unknown
	case p.fit.ScaleByOutput:
		return Interval{value * math.Exp(-half), value * math.Exp(half)}
	}
	return Interval{value - half, value + half}
}

// deviation is the standard deviation, for what is not known of the parameters, of the value of which p.grad holds the derivatives. Where
// residuals are relative to the output, it is that of the logarithm, by the delta method. NaN where no rows were to spare.
func (p *Predictor) deviation(value float64) float64 {
	f := p.fit
	if f.Freedom <= 0 || f.Covariance == nil || f.ScaleByOutput && value <= 0 {
		return math.NaN()
	}
	variance := p.unmeasured()
	for i, a := range p.index {
		for j, b := range p.index {
			variance += p.measured(i) * p.grad[i] * f.Covariance[a][b] * p.grad[j] * p.measured(j)
		}
	}
	if f.ScaleByOutput {
		variance /= value * value
	}
	return math.Sqrt(max(variance, 0))
}

// spread is the standard deviation of the residuals, of the logarithm where they are relative to the output.
func (p *Predictor) spread() float64 {
	residual := p.fit.Residual / math.Sqrt(float64(p.fit.Freedom))
	if p.fit.ScaleByOutput {
		return cmp.Or(p.fit.LogSpread, residual)
	}
	return residual
}

// undetermined names the parameters of the null directions along which the prediction changes.
func (p *Predictor) undetermined() []string {
	if len(p.fit.Null) == 0 {
		return nil
	}
	full := make([]float64, len(p.fit.Parameters))
	for i, a := range p.index {
		full[a] = p.grad[i]
	}
	var out []string
	for _, direction := range changing(p.fit.Null, full) {
		for j, d := range direction {
			if name := p.fit.Parameters[j].Name; d != 0 && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
