package calibrate

import (
	"encoding/json"
	"slices"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/jsonvalue"
)

// Fit is a model's parameters for one device, with the evidence.
type Fit struct {
	Model      string     `yaml:"model"`
	Refines    string     `yaml:"refines,omitempty"`   // the model whose fit was the prior of this one, for one kernel; "" is none
	BinaryOf   string     `yaml:"binary_of,omitempty"` // the model that this one is where the machine code of kernels is known; "" is none
	Parameters []Estimate `yaml:"parameters"`

	Rows          int        `yaml:"rows"`                 // number of rows fitted
	Kernels       int        `yaml:"kernels"`              // number of kernels they belong to
	Freedom       int        `yaml:"freedom"`              // rows less parameters determined
	ScaleByOutput bool       `yaml:"scale_by_output"`      // residuals are relative to the output
	Residual      float64    `yaml:"residual"`             // Euclidean norm of the weighted residuals (Perflex paper, section 7.2)
	LogSpread     float64    `yaml:"log_spread,omitempty"` // standard deviation of log(fitted/measured), where residuals are relative
	Misfit        float64    `yaml:"misfit,omitempty"`     // the residual as a part of the norm of the weighted outputs
	Verdict       Verdict    `yaml:"verdict,omitempty"`
	GeomeanRelErr float64    `yaml:"geomean_relative_error"`
	Cross         *CrossEval `yaml:"cross_validation,omitempty"` // nil when it was not asked for or is not possible
	Unseen        *Unseen    `yaml:"unseen,omitempty"`           // nil where no two kernels could be left out

	Status      string         `yaml:"status"`
	Converged   bool           `yaml:"converged"`
	Iterations  int            `yaml:"iterations"`
	Evaluations int            `yaml:"evaluations"`
	Starts      int            `yaml:"starts"`    // starting points tried
	Condition   float64        `yaml:"condition"` // of the Jacobian with columns scaled to length 1
	History     []lm.Iteration `yaml:"-"`         // of the best start

	// For predictions: the covariance of the parameters, directions in which nothing was learned, and what each feature ranged over.
	Covariance   [][]float64           `yaml:"covariance,omitempty,flow"`
	Null         [][]float64           `yaml:"undetermined,omitempty,flow"`
	FeatureRange map[string][2]float64 `yaml:"feature_range"`

	Spread *Spread `yaml:"spread,omitempty"` // of a fit that refines another
	Own    []Own   `yaml:"own,omitempty"`    // its rows

	Experiment *Experiment `yaml:"experiment,omitempty"` // nil where there are no such rows, or the model has no form
	Choice     *Choice     `yaml:"choice,omitempty"`     // of the model's form, nil where there was none
	Warnings   []string    `yaml:"warnings,omitempty"`
}

// Estimate is the value found for one parameter.
type Estimate struct {
	Name     string  `yaml:"name"`
	Value    float64 `yaml:"value"`
	StdErr   float64 `yaml:"stderr"` // +Inf: not determined; NaN: no rows to spare; 0: held at a bound
	Unit     string  `yaml:"unit,omitempty"`
	AtBound  string  `yaml:"at_bound,omitempty"` // "min" or "max"
	Rate     float64 `yaml:"rate,omitempty"`     // implied by value and unit, see Rate
	RateUnit string  `yaml:"rate_unit,omitempty"`
	Prior    *Prior  `yaml:"prior,omitempty"` // of a fit that refines another
}

// Estimate returns the estimate of a parameter, nil for an unknown one.
func (f *Fit) Estimate(name string) *Estimate {
	if i := f.index(name); i >= 0 {
		return &f.Parameters[i]
	}
	return nil
}

func (f *Fit) index(name string) int {
	return slices.IndexFunc(f.Parameters, func(e Estimate) bool { return e.Name == name })
}

// Values returns the parameters in the order of names, false where one is missing.
func (f *Fit) Values(names []string) ([]float64, bool) {
	out := make([]float64, len(names))
	for i, n := range names {
		e := f.Estimate(n)
		if e == nil {
			return nil, false
		}
		out[i] = e.Value
	}
	return out, true
}

// MarshalJSON gives the object of `perf fit --json`: parameters by name; numbers that are not finite are null.
func (f *Fit) MarshalJSON() ([]byte, error) {
	type parameter struct {
		Value    *float64 `json:"value"`
		StdErr   *float64 `json:"stderr"`
		Unit     string   `json:"unit,omitempty"`
		AtBound  string   `json:"at_bound,omitempty"`
		Rate     *float64 `json:"rate,omitempty"`
		RateUnit string   `json:"rate_unit,omitempty"`
		Prior    *Prior   `json:"prior,omitempty"`
	}
	parameters := make(map[string]parameter)
	for _, e := range f.Parameters {
		p := parameter{Value: jsonvalue.Finite(e.Value), StdErr: jsonvalue.Finite(e.StdErr), Unit: e.Unit, AtBound: e.AtBound, RateUnit: e.RateUnit, Prior: e.Prior}
		if e.RateUnit != "" {
			p.Rate = jsonvalue.Finite(e.Rate)
		}
		parameters[e.Name] = p
	}
	warnings := f.Warnings
	if warnings == nil {
		warnings = []string{}
	}
	return json.Marshal(struct {
		Model         string               `json:"model"`
		Refines       string               `json:"refines,omitempty"`
		BinaryOf      string               `json:"binary_of,omitempty"`
		Parameters    map[string]parameter `json:"parameters"`
		Residual      *float64             `json:"residual"`
		Misfit        *float64             `json:"misfit"`
		Verdict       Verdict              `json:"verdict"`
		GeomeanRelErr *float64             `json:"geomean_relative_error"`
		Cross         *CrossEval           `json:"cross_validation,omitempty"`
		Rows          int                  `json:"rows"`
		Kernels       int                  `json:"kernels"`
		Freedom       int                  `json:"freedom"`
		Condition     *float64             `json:"condition"`
		Status        string               `json:"status"`
		Converged     bool                 `json:"converged"`
		Iterations    int                  `json:"iterations"`
		Evaluations   int                  `json:"evaluations"`
		Starts        int                  `json:"starts"`
		Experiment    *Experiment          `json:"experiment,omitempty"`
		Choice        *Choice              `json:"choice,omitempty"`
		Warnings      []string             `json:"warnings"`
	}{
		f.Model, f.Refines, f.BinaryOf, parameters, jsonvalue.Finite(f.Residual), jsonvalue.Finite(f.Misfit), f.Verdict, jsonvalue.Finite(f.GeomeanRelErr), f.Cross, f.Rows, f.Kernels, f.Freedom,
		jsonvalue.Finite(f.Condition), f.Status, f.Converged, f.Iterations, f.Evaluations, f.Starts, f.Experiment, f.Choice, warnings,
	})
}
