package stock

import (
	"encoding/json"
	"math"

	"gpuperf/calibrate"
	"gpuperf/internal/jsonvalue"
)

// Difference is a parameter in two profiles. A number that is not known is NaN, in JSON null.
type Difference struct {
	Model, Parameter, Unit string
	Was, Is                float64
	Deviations             float64 // the distance in standard deviations of both
}

// Ratio is that of the second to the first.
func (d Difference) Ratio() float64 { return d.Is / d.Was }

// MarshalJSON writes numbers that are not finite as null.
func (d Difference) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"model": d.Model, "parameter": d.Parameter, "unit": d.Unit, "was": jsonvalue.Finite(d.Was), "is": jsonvalue.Finite(d.Is),
		"ratio": jsonvalue.Finite(d.Ratio()), "deviations": jsonvalue.Finite(d.Deviations),
	})
}

// Diff compares the parameters of the models of two profiles, in the order of the first.
func Diff(was, is *calibrate.Profile) (all []Difference) {
	for _, a := range was.Models {
		b := is.Find(a.Fit.Model)
		if b == nil {
			b = &calibrate.Calibration{}
		}
		for _, p := range a.Fit.Parameters {
			all = append(all, compare(a.Fit.Model, p, find(b, p.Name)))
		}
		for _, q := range b.Fit.Parameters {
			if math.IsNaN(find(&a, q.Name).Value) {
				all = append(all, compare(a.Fit.Model, find(&a, q.Name), q))
			}
		}
	}
	for _, b := range is.Models {
		if was.Find(b.Fit.Model) == nil {
			for _, q := range b.Fit.Parameters {
				all = append(all, compare(b.Fit.Model, calibrate.Estimate{Name: q.Name, Value: math.NaN()}, q))
			}
		}
	}
	return all
}

func compare(model string, was, is calibrate.Estimate) Difference {
	unit := was.Unit
	if unit == "" {
		unit = is.Unit
	}
	return Difference{model, was.Name, unit, was.Value, is.Value, math.Abs(was.Value-is.Value) / math.Hypot(was.StdErr, is.StdErr)}
}

// find is the estimate of a parameter, one with the value NaN where there is none.
func find(c *calibrate.Calibration, name string) calibrate.Estimate {
	if e := c.Fit.Estimate(name); e != nil {
		return *e
	}
	return calibrate.Estimate{Name: name, Value: math.NaN()}
}
