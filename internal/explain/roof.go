package explain

import (
	"gpuperf/device/machine"
	"gpuperf/internal/roofline"
)

// Roof is the least time of the kernel, by what no implementation can do without: the roof under which no prediction is.
type Roof struct {
	Seconds   float64    `json:"seconds"`
	Resource  string     `json:"resource"` // that sets it
	Reached   float64    `json:"reached"`  // the roof as a share of the kernel's time; 0 where that time is not positive
	Resources []Resource `json:"resources"`
}

// Resource is a part of the device with the least use that the kernel has of it.
type Resource struct {
	Name    string  `json:"name"`
	Amount  float64 `json:"amount"`
	Unit    string  `json:"unit"` // "B", "op" or "launches"
	Peak    float64 `json:"peak"` // per second
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate"` // achieved over the kernel's time, per second; 0 where that time is not positive
	Source  string  `json:"source,omitempty"`
}

func (e *explainer) roof(out *Explanation) (err error) {
	if e.Roofline {
		if out.Roofline, err = roofline.Of(e.Case, e.Facts, e.Caches, e.seconds()); err != nil {
			return err
		}
	}
	bound := e.Subject.Roof
	if len(bound.Uses) == 0 {
		return nil
	}
	perTime := func(v float64) float64 {
		if t := e.seconds(); t > 0 {
			return v / t
		}
		return 0
	}
	out.Roof = &Roof{Seconds: bound.Seconds, Resource: bound.Uses[0].Resource, Reached: perTime(bound.Seconds)}
	for _, u := range bound.Uses {
		name := u.Resource
		if name == machine.GlobalMemory {
			name += ", each element once, beyond the cache"
		}
		out.Roof.Resources = append(out.Roof.Resources, Resource{name, u.Amount, u.Unit, u.Peak.Rate, u.Seconds, perTime(u.Amount), u.Peak.Source})
	}
	return nil
}
