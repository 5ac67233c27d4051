package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

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
