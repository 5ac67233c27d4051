package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/samples"
)

// Calibrated is what is known of a device after its calibration for the emulator.
type Calibrated struct {
	Device   samples.Fingerprint
	Base     string // the sheet that says the rest
	Facts    map[facts.Key]facts.Fact
	Missing  []facts.Key // that should have been measured
	Failed   []samples.Record
	Warnings []string
	File     string // "" where it has not been written
}

// Calibrate measures what the emulator must know of the device of a campaign. The journal keeps what is measured, and the file that ListingOf names the
// machine code. Compile makes that for an architecture.
func Calibrate(ctx context.Context, c *campaign.Campaign, compile func(job device.Job, architecture string) ([]byte, error)) (*Calibrated, error) {
	info := c.Device.Info().Fingerprint
	if info.Interface != samples.CUDA {
		return nil, source.At("", "", source.Pos{}, "the emulator is of NVIDIA's machine code, and %v is no device of CUDA", info).WithHint("name one as --device cuda:0")
	}
	all := Measurements(info.ComputeUnits)
	tasks := Tasks(all, nil)
	listing := ListingOf(c.SamplesFile())
	if c.Live() && c.Pending(tasks) > 0 {
		code := Compile(ctx, all, func(j device.Job) ([]byte, error) { return compile(j, info.Architecture) })
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := code.save(listing); err != nil {
			return nil, err
		}
		tasks = Tasks(all, code)
	}
	result, err := c.Take(ctx, tasks, nil)
	if err != nil {
		return nil, err
	}
	out := Of(result.Records, info)
	out.Warnings = result.Warnings
	functions, err := Functions(listing)
	if err != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("facts are as rules say, and not corrected by emulating the measurements: %v", err))
		return out, nil
	}
	out.Facts = Refine(ctx, NumbersOf(result.Records, info), out.Facts, sheet(out.Base), functions)
	return out, ctx.Err()
}

// Of makes facts of what was measured of a device.
func Of(records []samples.Record, info samples.Fingerprint) *Calibrated {
	out := &Calibrated{Device: info, Base: facts.Base(info.Name, info.Architecture)}
	for _, r := range records {
		if r.Status != samples.OK {
			out.Failed = append(out.Failed, r)
		}
	}
	out.Facts, out.Missing = Fit(NumbersOf(records, info))
	if out.Base != info.Name {
		out.tell(info)
	}
	return out
}

// tell adds what the device says of itself.
func (c *Calibrated) tell(info samples.Fingerprint) {
	for k, v := range map[facts.Key]int64{facts.Multiprocessors: info.ComputeUnits, facts.ClockMHz: info.ClockMHz, facts.L2Bytes: info.CacheSize} {
		if v > 0 {
			c.Facts[k] = facts.Fact{Value: float64(v), Source: "the device tells"}
		}
	}
}

// Save writes the sheet, in the place of another one that was measured, and of no other file.
func (c *Calibrated) Save(path string) error {
	var text bytes.Buffer
	c.File = path
	if err := facts.Write(&text, replace.SheetComment, c.Device.Name, c.Base, c.Facts); err != nil {
		return err
	}
	return replace.Sheet.Bytes(path, text.Bytes())
}

// row is a fact beside what the sheet of the base says.
type row struct {
	Fact   facts.Key `json:"fact"`
	Value  float64   `json:"value"`
	Before *float64  `json:"before,omitempty"`
	Source string    `json:"source"`
}

func (c *Calibrated) rows() []row {
	all := []row{}
	before := sheet(c.Base)
	for _, r := range rules {
		f, ok := c.Facts[r.key]
		if !ok {
			continue
		}
		one := row{Fact: r.key, Value: f.Value, Source: f.Source}
		if b, ok := before.Fact(r.key); ok {
			one.Before = &b.Value
		}
		all = append(all, one)
	}
	return all
}

// JSON is the result for machines.
func (c *Calibrated) JSON() any {
	failed := map[string]string{}
	for _, r := range c.Failed {
		failed[r.Kernel.Key()] = fmt.Sprintf("%s: %s", r.Status, r.Error)
	}
	missing := c.Missing
	if missing == nil {
		missing = []facts.Key{}
	}
	return map[string]any{"sheet": c.File, "device": c.Device, "base": c.Base, "facts": c.rows(), "missing": missing, "failed": failed}
}

// Write writes the facts as a table.
func (c *Calibrated) Write(w io.Writer) error {
	t := format.NewTable("fact", ">measured", ">"+c.Base, "from")
	for _, r := range c.rows() {
		before := "-"
		if r.Before != nil {
			before = fmt.Sprintf("%.5g", *r.Before)
		}
		t.Row(string(r.Fact), fmt.Sprintf("%.5g", r.Value), before, strings.TrimPrefix(r.Source, prefix))
	}
	t.Write(w)
	for _, r := range c.Failed {
		fmt.Fprintf(w, "%s: %s: %s\n", r.Kernel.Key(), r.Status, r.Error)
	}
	if len(c.Missing) > 0 {
		fmt.Fprintf(w, "not measured: %v\n", c.Missing)
	}
	_, err := fmt.Fprintf(w, "data sheet: %s\n", c.File)
	return err
}
