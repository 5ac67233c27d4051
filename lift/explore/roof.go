package explore

import (
	"fmt"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/internal/format"
)

// Roof is the roofline of the kernels of a design point: the least time at the device's peak rates.
type Roof struct {
	Seconds float64 `json:"seconds"`
	Bytes   float64 `json:"bytes"` // of the arrays in global memory, each element counted once
	Ops     float64 `json:"ops"`   // float32 additions, multiplications and multiply-adds, each counted as one
	Bound   string  `json:"bound"` // "memory" or "arithmetic"
}

// NewRoof is the roof of a point by its static features; nil if the device's peaks are not known.
func NewRoof(p *Point, names []string, device *facts.Device) *Roof {
	if _, known := machine.GlobalPeak(device); !known {
		return nil
	}
	v := map[string]float64{}
	for i, name := range names {
		v[name] = p.Vector.Values[i]
	}
	items := v["global_size_0"] * v["global_size_1"] * v["global_size_2"]
	r := &Roof{Bytes: v["data_bytes"], Ops: items * (v["adds"] + v["muls"] + v["madds"])}
	bound := machine.Least(device, nil, machine.Work{GlobalBytes: r.Bytes, Operations: []machine.Operations{{DType: "float32", Count: r.Ops}}})
	r.Seconds, r.Bound = bound.Seconds, "memory"
	if len(bound.Uses) > 0 && bound.Uses[0].Resource != machine.GlobalMemory {
		r.Bound = "arithmetic"
	}
	return r
}

// String describes the roof.
func (r *Roof) String() string {
	amount := format.Quantity(r.Bytes, "B") + " once through global memory"
	if r.Bound == "arithmetic" {
		amount = format.Quantity(r.Ops, "float32 operations")
	}
	return fmt.Sprintf("%s at the device's peak take %s", amount, format.Seconds(r.Seconds))
}
