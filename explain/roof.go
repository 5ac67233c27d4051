package explain

import "gpuperf/roofline"

// Roof is the roofline bound: every element of global memory once, all lanes busy, no bank conflicts.
type Roof struct {
	Seconds   float64    `json:"seconds"`
	Reached   float64    `json:"reached"` // the bound as a share of the kernel's time; 0 where that time is not positive
	Resources []Resource `json:"resources"`
}

// Resource is a part of the device with the kernel's use of it.
type Resource struct {
	Name    string  `json:"name"`
	Amount  float64 `json:"amount"`
	Unit    string  `json:"unit"` // "B", "FLOP" or "op"
	Peak    float64 `json:"peak"` // per second
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate"` // achieved over the kernel's time, per second; 0 where that time is not positive
	Source  string  `json:"source,omitempty"`
}

func (e *explainer) roof(out *Explanation) error {
	work, err := e.Case.Work(e.statistics, e.statistics.Records)
	if err != nil {
		return err
	}
	bound := roofline.Of(e.Facts, work)
	if len(bound.Uses) == 0 {
		return nil
	}
	perTime := func(v float64) float64 {
		if t := e.seconds(); t > 0 {
			return v / t
		}
		return 0
	}
	out.Roof = &Roof{Seconds: bound.Seconds, Reached: perTime(bound.Seconds)}
	for _, u := range bound.Uses {
		name := u.Resource
		if name == roofline.GlobalMemory {
			name += ", each element once"
		}
		out.Roof.Resources = append(out.Roof.Resources, Resource{name, u.Amount, u.Unit, u.Peak.Rate, u.Seconds, perTime(u.Amount), u.Peak.Source})
	}
	return nil
}
