package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"gpuperf/device/facts"
	"gpuperf/internal/campaign"
	"gpuperf/internal/chart"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/samples"
)

// samples shows a file of samples.
func (s *Section) samples(path string) error {
	s.Kind = "samples"
	set, err := samples.Load(path)
	if err != nil {
		return err
	}
	defer set.Close()
	var list []campaign.Sample
	var first, last time.Time
	for r, err := range set.All() {
		if err != nil {
			return err
		}
		if first.IsZero() || r.Time.Before(first) {
			first = r.Time
		}
		if r.Time.After(last) {
			last = r.Time
		}
		if !r.IsSentinel() {
			list = append(list, campaign.Sample{Record: *r})
		}
	}
	if d, ok := set.Device(); ok {
		s.fact("device", "%s", d)
		s.fact("driver", "%s", d.Driver)
	}
	if !first.IsZero() {
		s.fact("measured", "%s to %s UTC", first.UTC().Format(time.DateTime), last.UTC().Format(time.DateTime))
	}
	s.fact("samples", "%d", len(list))
	for _, w := range set.Warnings {
		s.Notes = append(s.Notes, w.Error())
	}
	s.list(list)
	return nil
}

// measured shows what measure prints.
func (s *Section) measured(text []byte) error {
	var all struct {
		Samples []campaign.Sample `json:"samples"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if len(all.Samples) > 0 {
		s.fact("device", "%s", all.Samples[0].Device)
		s.Title = titleOf(lists.Map(all.Samples, func(r campaign.Sample) kernel {
			return kernel{Kernel: samples.Identity{Source: r.Kernel.Source, Variant: r.Kernel.Variant, Args: r.Kernel.Args}.Key(), At: r.Kernel.Sizes}
		}))
	}
	s.list(all.Samples)
	return nil
}

// list is a table of samples, and a roofline of those whose work is known.
func (s *Section) list(all []campaign.Sample) {
	t := Table{Header: columns("kernel", "caches", ">median", ">95 % interval", ">memory", ">arithmetic", ">of the roof", ">registers", "status")}
	var points []chart.XY
	for _, r := range all {
		row := []Cell{text(r.Kernel.Key()), text(string(r.Mode)), seconds(r.Seconds()), {}, quantity(r.Bytes, "B/s"), quantity(r.FLOP, "FLOP/s"), {}, {}, text(string(r.Status))}
		if r.Summary != nil {
			row[3] = pair(interval{&r.Summary.Lo, &r.Summary.Hi})
		}
		if r.OfRoof > 0 {
			row[6] = percent(r.OfRoof)
		}
		if n := r.Compiled.Registers; n > 0 {
			row[7] = Cell{fmt.Sprint(n), float64(n)}
		}
		t.Rows = append(t.Rows, row)
		if r.FLOP > 0 && r.Bytes > 0 {
			points = append(points, chart.XY{X: r.FLOP / r.Bytes, Y: r.FLOP, Hover: r.Kernel.Key() + ": " + format.Rough(r.FLOP, "FLOP/s")})
		}
		for _, w := range r.Warnings {
			s.Notes = append(s.Notes, r.Kernel.Key()+": "+w)
		}
	}
	if len(points) > 0 {
		s.picture(rooflineOf(facts.Of(all[0].Device), points))
	}
	s.table(t)
}

// profile shows the models of a profile, and how well they fit.
func (s *Section) profile(path string) error {
	s.Kind = "profile"
	p, err := campaign.LoadProfile(path)
	if err != nil {
		return err
	}
	s.fact("device", "%s", p.Device)
	for _, r := range p.Roof {
		s.fact("highest rate of "+r.Resource, "%s, by %s", format.Rough(r.Rate, r.Unit), r.Kernel)
	}
	for i := range p.Models {
		c := &p.Models[i]
		s.fact("model "+c.Fit.Model, "%s of %s, geometric mean relative error %s", format.Count(c.Fit.Rows, "row"), format.Count(c.Fit.Kernels, "kernel"), format.Percent(c.Fit.GeomeanRelErr))
		t := Table{Title: "model " + c.Fit.Model, Header: columns("parameter", ">value", ">standard error", "unit", ">implied rate")}
		for _, e := range c.Fit.Parameters {
			value, deviation, unit := format.Uncertain(e.Value, e.StdErr, e.Unit)
			if math.IsInf(e.StdErr, 0) || math.IsNaN(e.StdErr) {
				deviation = "not determined"
			}
			t.Rows = append(t.Rows, []Cell{text(e.Name), {value, e.Value}, {deviation, e.StdErr / math.Abs(e.Value)}, text(unit), quantity(e.Rate, e.RateUnit)})
		}
		s.picture(intervalsOf(&c.Fit))
		s.table(t)
		if c.Fit.Experiment != nil {
			s.picture(evaluate.OverlapFigure(c.Fit.Model, c.Fit.Experiment))
		}
		s.Notes = append(s.Notes, c.Fit.Warnings...)
		s.Folded = append(s.Folded, Fold{"definition and origin of " + c.Fit.Model, c.Definition + fmt.Sprintf("\nmodel %s, SHA-256 %s\nsamples %s, SHA-256 %s\ncalibrated %s",
			c.Origin.ModelFile, c.Origin.ModelHash, c.Origin.SamplesFile, c.Origin.SamplesHash, c.Origin.Date)})
	}
	return nil
}

// evaluation shows suites: predicted against measured times, and the errors.
func (s *Section) evaluation(content []byte) error {
	var r evaluate.Report
	if err := json.Unmarshal(content, &r); err != nil {
		return err
	}
	if len(r.Suites) > 0 {
		s.Title = format.First(lists.Map(r.Suites, func(one evaluate.SuiteReport) string { return one.Name }), mostInTitle)
	}
	s.fact("device", "%s", r.Device)
	s.fact("geometric mean relative error", "%s", format.Percent(r.GeomeanRelativeError))
	s.fact("mean, worst", "%s, %s", format.Percent(r.Points().Mean()), format.Percent(r.Points().Worst()))
	s.fact("caches", "%s", r.Cache)
	if r.Intervals != nil {
		s.fact("intervals", "%s", r.Intervals)
	}
	s.scatter(&r)
	t := Table{Header: columns("suite", "variant", "size", ">predicted", ">measured", ">error", "model")}
	for i := range r.Suites {
		suite := &r.Suites[i]
		if len(suite.Points()) > 0 {
			s.picture(suite.Figure())
		}
		for _, v := range suite.Variants {
			for _, p := range v.Points {
				t.Rows = append(t.Rows, []Cell{text(suite.Name), text(v.Name), text(strings.TrimSpace(sizesOf(p.At))), seconds(p.Predicted), seconds(p.Measured), signed(p.RelativeError), text(v.Model)})
			}
		}
		s.Notes = append(s.Notes, suite.Warnings()...)
		s.Notes = append(s.Notes, suite.Skips()...)
	}
	s.table(t)
	return nil
}
