package campaign

import (
	"context"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/samples"
	"gpuperf/workload"
)

// roofTags select measurement kernels that use one resource as fast as the device can. Of memory, loads are the fastest use: a copy takes
// about 5 % longer on an H200. Rows of 256 work-items ask for whole lines; in rows of 16 the same kernel is half as fast.
var roofTags = [][]string{
	{"gmem_pattern", "dtype:float32", "lsize_0:256", "lsize_1:1", "lid_stride_1:0", "n_in_arrays:16", "nelements:16777216"},
	{"flops_madd_pattern", "dtype:float32", "nelements:1310720", "m:1408"},
	{"empty_kernel", "lsize_0:256", "num_groups:16"},
}

// measureRoof measures the kernels of roofTags, in so far as they can be: recorded samples need not have them, and their failure is
// nobody's. What is known need not be measured. The cache of the device must be known for data to be beyond it. Of a CPU these kernels show no
// highest rates: what its compiler makes vectors of is faster.
func (c *Campaign) measureRoof(ctx context.Context, mode samples.Mode, known []calibrate.Reached) (rates []calibrate.Reached, err error) {
	device := c.Device.Info().Fingerprint
	on := facts.Of(device)
	if !on.Known(facts.L2Bytes) || device.Type == "cpu" {
		return nil, nil
	}
	for _, tags := range roofTags {
		if slices.ContainsFunc(known, func(r calibrate.Reached) bool { return strings.HasPrefix(r.Kernel, tags[0]) }) {
			continue
		}
		cases, err := TagCases("", tags, "", machine.Of(on))
		if err != nil {
			return nil, err
		}
		result, err := c.Measure(ctx, mode, cases)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			continue
		}
		of, err := reached(on, cases, result.Records)
		if err != nil {
			return nil, err
		}
		rates = append(rates, of...)
	}
	return rates, nil
}

// reached lists the rates that samples of kernels made for it show, by their fastest trials: all bytes and operations over the time, so that
// a rate is rather too high, and the roof too low.
func reached(on *facts.Device, cases []*workload.Case, records []samples.Record) (rates []calibrate.Reached, err error) {
	for i, c := range cases {
		r := records[i]
		if r.Status != samples.OK || r.Summary.Min <= 0 {
			continue
		}
		add := func(resource, unit string, amount float64) {
			rates = append(rates, calibrate.Reached{Resource: resource, Rate: amount / r.Summary.Min, Unit: unit, Kernel: c.String()})
		}
		var w machine.Work
		if source := c.Identity.Source; source == "gmem_pattern" || strings.HasPrefix(source, "flops_") {
			s, err := c.Counts(features.Options{SubgroupSize: int(on.Int(facts.SubgroupSize))})
			if err == nil {
				w, err = c.Work(s, s.Records)
			}
			if err != nil {
				return nil, err
			}
		}
		dtype := c.Identity.Args["dtype"]
		switch c.Identity.Source {
		case "empty_kernel":
			add(machine.Launching, "launches/s", 1)
		case "gmem_pattern":
			if c.Identity.Args["lsize_0"] == "256" && c.Identity.Args["n_in_arrays"] == "16" && w.GlobalBytes >= beyondCache*on.Value(facts.L2Bytes) {
				add(machine.GlobalMemory, "B/s", w.GlobalBytes)
			}
		case "flops_madd_pattern", "flops_add_pattern", "flops_mul_pattern":
			for _, o := range w.Operations {
				if o.DType == dtype {
					add(machine.ArithmeticOf(dtype), "op/s", o.Count)
				}
			}
		}
	}
	return rates, nil
}

// beyondCache is how many times the cache of the device data take that show the rate of its memory.
const beyondCache = 4

// peaks are rates that were reached, by resource.
func peaks(reached []calibrate.Reached) map[string]machine.Peak {
	out := map[string]machine.Peak{}
	for _, r := range reached {
		if r.Rate > out[r.Resource].Rate {
			out[r.Resource] = machine.Peak{Rate: r.Rate, Unit: r.Unit, Formula: "the fastest trial", Source: "measured by " + r.Kernel}
		}
	}
	return out
}

// Roof is the least time of a case on the device of the model, with caches in the state given, by the rates that the profile holds.
func (p *Predictor) Roof(c *workload.Case, caches samples.Mode) machine.Bound {
	return c.LeastTime(p.Facts, p.measured, caches)
}

// roofOf is the least time of a case on a device; false where it is not known, or the counts do not say.
func roofOf(c *workload.Case, on *facts.Device, measured map[string]machine.Peak, caches samples.Mode) (calibrate.Roof, bool) {
	bound := c.LeastTime(on, measured, caches)
	if len(bound.Uses) == 0 {
		return calibrate.Roof{}, false
	}
	u := bound.Uses[0]
	return calibrate.Roof{Seconds: u.Seconds, Resource: u.Resource, Amount: u.Amount, Rate: u.Peak.Rate, Unit: u.Peak.Unit, Source: u.Peak.Source}, true
}
