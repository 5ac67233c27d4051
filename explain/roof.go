package explain

import (
	"slices"

	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/roofline"
)

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
	work, err := e.work()
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

// work counts the distinct elements of global memory that are read and those that are written, the accesses to local memory, and by
// data type the operations that have a peak.
func (e *explainer) work() (w roofline.Work, err error) {
	seen := map[string]bool{}
	for _, r := range e.statistics.Records {
		n, err := r.At(e.Case.Sizes)
		if err != nil {
			return w, err
		}
		switch k := r.Key.(type) {
		case features.Op:
			if !roofline.HasPeak(k.Op) {
				continue
			}
			dtype := string(k.DType)
			i := slices.IndexFunc(w.Operations, func(o roofline.Operations) bool { return o.DType == dtype })
			if i < 0 {
				i, w.Operations = len(w.Operations), append(w.Operations, roofline.Operations{DType: dtype})
			}
			w.Operations[i].Count += n * float64(e.Lanes)
		case features.Mem:
			if k.Space == kernel.Local {
				w.LocalBytes += n * float64(e.Lanes) * float64(k.DType.Size())
				continue
			}
			name := "f_mem_footprint_global_" + string(k.DType) + "_" + string(k.Direction)
			if k.Space != kernel.Global || seen[name] {
				continue
			}
			seen[name] = true
			id, err := features.ParseID(name)
			if err != nil {
				return w, err
			}
			elements, err := e.statistics.Value(id, e.Case.Sizes)
			if err != nil {
				return w, err
			}
			w.GlobalBytes += elements * float64(k.DType.Size())
		}
	}
	return w, nil
}
