package explain

import (
	"cmp"
	"slices"

	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/roofline"
)

// Roof is the least time that the device's peaks allow: every element of global memory once, all lanes busy, no bank conflicts.
type Roof struct {
	Seconds   float64    `json:"seconds"`
	Reached   float64    `json:"reached"` // the roof's time as a part of the kernel's
	Resources []Resource `json:"resources"`
}

// Resource is what a kernel needs of a part of the device.
type Resource struct {
	Name    string  `json:"name"`
	Amount  float64 `json:"amount"`
	Unit    string  `json:"unit"` // "B", "FLOP" or "op"
	Peak    float64 `json:"peak"` // per second
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate"` // achieved over the kernel's time, per second
	Source  string  `json:"source,omitempty"`
}

func (e *explainer) roof(out *Explanation) error {
	roof := &Roof{}
	for _, of := range []func() ([]Resource, error){e.globalMemory, e.localMemory, e.arithmetic} {
		resources, err := of()
		if err != nil {
			return err
		}
		roof.Resources = append(roof.Resources, resources...)
	}
	if len(roof.Resources) == 0 {
		return nil
	}
	for i := range roof.Resources {
		r := &roof.Resources[i]
		r.Rate = r.Amount / e.seconds()
		roof.Seconds = max(roof.Seconds, r.Seconds)
	}
	slices.SortStableFunc(roof.Resources, func(a, b Resource) int { return cmp.Compare(b.Seconds, a.Seconds) })
	roof.Reached = roof.Seconds / e.seconds()
	out.Roof = roof
	return nil
}

func resource(name string, amount float64, unit string, p roofline.Peak) Resource {
	return Resource{Name: name, Amount: amount, Unit: unit, Peak: p.Rate, Seconds: amount / p.Rate, Source: p.Source}
}

// globalMemory counts each element that is read once, and each that is written once.
func (e *explainer) globalMemory() ([]Resource, error) {
	bytes := 0.0
	seen := map[string]bool{}
	for _, r := range e.statistics.Records {
		m, ok := r.Key.(features.Mem)
		name := "f_mem_footprint_global_" + string(m.DType) + "_" + string(m.Direction)
		if !ok || m.Space != kernel.Global || seen[name] {
			continue
		}
		seen[name] = true
		id, err := features.ParseID(name)
		if err != nil {
			return nil, err
		}
		n, err := e.statistics.Value(id, e.Case.Sizes)
		if err != nil {
			return nil, err
		}
		bytes += n * float64(m.DType.Size())
	}
	peak, known := roofline.Global(e.Facts)
	if bytes == 0 || !known {
		return nil, nil
	}
	return []Resource{resource("global memory, each element once", bytes, "B", peak)}, nil
}

func (e *explainer) localMemory() ([]Resource, error) {
	bytes := 0.0
	for _, r := range e.statistics.Records {
		if m, ok := r.Key.(features.Mem); ok && m.Space == kernel.Local {
			n, err := e.count(r)
			if err != nil {
				return nil, err
			}
			bytes += n * float64(e.Lanes) * float64(m.DType.Size())
		}
	}
	peak, known := roofline.Local(e.Facts)
	if bytes == 0 || !known {
		return nil, nil
	}
	return []Resource{resource("local memory", bytes, "B", peak)}, nil
}

// arithmetic is a resource for each data type: operations that the peaks know, a multiply-add being one as an addition is.
func (e *explainer) arithmetic() ([]Resource, error) {
	var out []Resource
	for _, r := range e.statistics.Records {
		op, ok := r.Key.(features.Op)
		if !ok {
			continue
		}
		peak, known := roofline.Arithmetic(e.Facts, string(op.DType), op.Op, "op/s")
		if !known {
			continue
		}
		n, err := e.count(r)
		if err != nil {
			return nil, err
		}
		name := string(op.DType) + " arithmetic"
		i := slices.IndexFunc(out, func(r Resource) bool { return r.Name == name })
		if i < 0 {
			out = append(out, resource(name, 0, "op", peak))
			i = len(out) - 1
		}
		out[i].Amount += n * float64(e.Lanes)
		out[i].Seconds = out[i].Amount / peak.Rate
	}
	return out, nil
}

func (e *explainer) count(r features.Record) (float64, error) {
	n, err := r.Count.Eval(e.Case.Sizes)
	if err != nil {
		return 0, err
	}
	v, _ := n.Float64()
	return v, nil
}
