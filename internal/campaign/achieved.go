package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Achieved is what a launch does per second, 0 where that is not known: it has no such work, or the counts do not say.
type Achieved struct {
	Bytes  float64 `json:"bytes_per_second,omitempty"` // distinct elements of global memory that it reads, and those that it writes
	FLOP   float64 `json:"flop_per_second,omitempty"`  // floating-point additions and multiplications; a multiply-add is two
	OfRoof float64 `json:"of_roof,omitempty"`          // the least time that the device needs, over the time
}

// AchievedHeader names the columns of Cells.
var AchievedHeader = []string{">memory", ">arithmetic", ">of the roof"}

// Cells are the columns of AchievedHeader, "-" for what is not known.
func (a Achieved) Cells() []string {
	return []string{
		format.Known(a.Bytes, format.Rough(a.Bytes, "B/s")),
		format.Known(a.FLOP, format.Rough(a.FLOP, "FLOP/s")),
		format.Known(a.OfRoof, fmt.Sprintf("%.1f %%", 100*a.OfRoof)),
	}
}

// achieved is what a case does in the time of its record on a device, whose rates were measured, by resource.
func achieved(c *workload.Case, r samples.Record, on *facts.Device, measured map[string]machine.Peak) (a Achieved) {
	return achievedOf([]Repeated{{c, 1}}, r, on, measured)
}

// Repeated is a case that is launched so many times.
type Repeated struct {
	*workload.Case
	Times float64
}

// achievedOf is what cases do that were measured together, one after the other; what one of them does not say is not known of all.
func achievedOf(cases []Repeated, r samples.Record, on *facts.Device, measured map[string]machine.Peak) Achieved {
	seconds := r.Seconds()
	if r.Status != samples.OK || seconds <= 0 || len(cases) == 0 {
		return Achieved{}
	}
	var sum Achieved
	knows := [3]bool{true, true, true}
	for _, c := range cases {
		roof, ok := roofOf(c.Case, on, measured, r.Mode)
		if roof.Resource != machine.Launching { // which says nothing of the work, and of a graph of launches takes less
			sum.OfRoof += c.Times * roof.Seconds / seconds
		}
		knows[0] = knows[0] && ok
		s, err := c.Counts(features.Options{SubgroupSize: int(on.Int(facts.SubgroupSize))})
		if err != nil {
			knows[1], knows[2] = false, false
			continue
		}
		w, err := c.Work(s, s.Records)
		sum.Bytes += c.Times * w.GlobalBytes / seconds
		knows[1] = knows[1] && err == nil
		n, err := c.FLOP(s)
		sum.FLOP += c.Times * n / seconds
		knows[2] = knows[2] && err == nil
	}
	for i, known := range []*float64{&sum.OfRoof, &sum.Bytes, &sum.FLOP} {
		if !knows[i] {
			*known = 0
		}
	}
	return sum
}

// AchievedTogether is what cases did that were measured together, on the device of the campaign as Achieved has it.
func (c *Campaign) AchievedTogether(cases []Repeated, r samples.Record) (Achieved, error) {
	measured, err := c.reached()
	return achievedOf(cases, r, facts.Of(c.Device.Info().Fingerprint), measured), err
}

// Achieved is what cases did in the times of their records, as many of each, on the device of the campaign, by the rates that its profile
// holds, where it has one.
func (c *Campaign) Achieved(cases []*workload.Case, records []samples.Record) ([]Achieved, error) {
	measured, err := c.reached()
	all := make([]Achieved, len(records))
	for i, r := range records {
		all[i] = achieved(cases[i*len(cases)/len(records)], r, facts.Of(c.Device.Info().Fingerprint), measured)
	}
	return all, err
}

// reached are the rates that the profile of the device holds, by resource.
func (c *Campaign) reached() (map[string]machine.Peak, error) {
	profile, err := calibrate.LoadProfile(DeviceFile(c.options.Data, "profiles", c.Device.Info().Fingerprint, ".yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return peaks(profile.Roof), nil
}

// AchievedLaunches is what launch files at sizes did in the times of their records, as far as their kernels can be read and counted; nil where none can.
func (c *Campaign) AchievedLaunches(ctx context.Context, o frontend.Options, paths []string, sizes []map[string]int64, records []samples.Record) (all []Achieved, err error) {
	known := map[string]*workload.Case{}
	for _, path := range paths {
		cases, err := Cases(ctx, o, []string{path}, sizes)
		if err != nil {
			continue // its time is all that is known of it
		}
		for _, one := range cases {
			known[one.Identity.Key()] = one
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	measured, err := c.reached()
	all = make([]Achieved, len(records))
	for i, r := range records {
		if one := known[r.Kernel.Key()]; one != nil {
			all[i] = achieved(one, r, facts.Of(r.Device), measured)
		}
	}
	return all, err
}

// Achieved is what the measured case of a prediction did on the device of the model.
func (p *Predictor) Achieved(one *Prediction) Achieved {
	return achieved(one.Case, *one.Measured, p.Facts, p.measured)
}

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
