package calibrate

import (
	"cmp"
	"fmt"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/models"
	"gpuperf/samples"
)

// meets is the least ratio of two costs at which a point of the experiment shows whether they overlap.
const meets = 0.25

// Experiment is the overlap experiment as a fitted model explains it, like Figure 5 of the Perflex paper. Times in seconds.
type Experiment struct {
	Points []ExperimentPoint `yaml:"points" json:"points"` // by ratio
	// Hidden is the part of the smaller cost that the larger one hides, the median over the points at which the smaller is at
	// least a quarter of the larger: 0 is the sum, 1 the maximum. Nil where there is no such point.
	Hidden *float64 `yaml:"hidden,omitempty" json:"hidden,omitempty"`
}

// HiddenText says how much of the smaller cost is hidden; "" where it is not known.
func (e *Experiment) HiddenText() string {
	switch {
	case e.Hidden == nil:
		return ""
	case *e.Hidden > 1:
		return "all of the smaller cost is hidden, and the measured times are below even the larger cost"
	}
	return fmt.Sprintf("%.0f %% of the smaller cost is hidden", 100**e.Hidden)
}

// ExperimentPoint is a kernel of the overlap experiment.
type ExperimentPoint struct {
	Ratio     float64 `yaml:"ratio" json:"ratio"` // local to global accesses
	Measured  float64 `yaml:"measured" json:"measured"`
	Predicted float64 `yaml:"predicted" json:"predicted"`
	Overhead  float64 `yaml:"overhead" json:"overhead"`
	Gmem      float64 `yaml:"gmem" json:"gmem"`
	Onchip    float64 `yaml:"onchip" json:"onchip"`
}

// Sum and Max are the time without and with all overlap.
func (p ExperimentPoint) Sum() float64 { return p.Overhead + p.Gmem + p.Onchip }

// Max is the time when the smaller cost is hidden entirely.
func (p ExperimentPoint) Max() float64 { return p.Overhead + max(p.Gmem, p.Onchip) }

// experiment evaluates the fitted model in the rows of the overlap experiment, nil where there are none or the model has no form.
func experiment(m *models.Model, fit *Fit, rows []Row) *Experiment {
	_, gmem, onchip, ok := m.Form()
	if !ok || !slices.ContainsFunc(rows, func(r Row) bool { return r.Ratio > 0 }) {
		return nil
	}
	linear := throw.Get(m.As(models.LinearForm))
	c := throw.Get(linear.Compile())
	params, ok := fit.Values(c.Parameters)
	if !ok {
		return nil
	}
	p := throw.Get(NewPredictor(m, fit))
	at := func(name string) int { return slices.Index(c.TermNames, name) }
	out := &Experiment{}
	var hidden []float64
	for _, r := range rows {
		if r.Ratio == 0 {
			continue
		}
		x := lists.Map(c.Features, func(name string) float64 { return r.Features[name] })
		predicted := throw.Get(p.Predict(r.Features))
		terms := c.Terms(x, params, nil)
		point := ExperimentPoint{Ratio: r.Ratio, Measured: r.Output, Predicted: predicted.Seconds, Gmem: terms[at(gmem)], Onchip: terms[at(onchip)]}
		point.Overhead = c.Eval(x, params) - point.Gmem - point.Onchip
		out.Points = append(out.Points, point)
		if small, large := min(point.Gmem, point.Onchip), max(point.Gmem, point.Onchip); small >= meets*large && small > 0 {
			hidden = append(hidden, (point.Sum()-point.Measured)/small)
		}
	}
	slices.SortStableFunc(out.Points, func(a, b ExperimentPoint) int { return cmp.Compare(a.Ratio, b.Ratio) })
	if len(hidden) > 0 {
		median := samples.Summarize(hidden).Median
		out.Hidden = &median
	}
	return out
}
