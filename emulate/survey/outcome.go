package survey

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
)

// Outcome is what emulation tells of the launches of a file, as far as tables and pages show it: short enough to be kept.
type Outcome struct {
	Kernel     string          `json:"kernel"`
	Status     emulate.Status  `json:"status"`
	Each       *float64        `json:"seconds"`  // nil is for ever
	Interval   [2]*float64     `json:"interval"` // nil where there is no evidence of an end
	Bottleneck string          `json:"bottleneck"`
	Busiest    string          `json:"busiest"`
	Waves      float64         `json:"waves"`
	Lines      []Line          `json:"lines"` // of the source, those that sub-groups wait for most first
	Warnings   []string        `json:"warnings"`
	Touched    []memory.Bytes  `json:"touched"` // of the buffers of the launch, in their order, where it is one
	Report     json.RawMessage `json:"report"`  // all of it
}

// Line is a line of the source, or an instruction where lines are not known.
type Line struct {
	Place  string  `json:"place"`
	Part   float64 `json:"part"`   // of the time of sub-groups
	Reason string  `json:"reason"` // for which they wait there most
}

// mostLines are as many as are kept.
const mostLines = 5

// outcomeOf is what a report tells of launches with these buffers.
func outcomeOf(r *launches.Report, buffers []device.Arg) (*Outcome, error) {
	l := r.Longest()
	o := &Outcome{
		Kernel: r.Launches[0].Kernel, Status: r.Status(), Each: emulate.Number(r.Seconds()), Interval: emulate.Ends(r.Interval()), Bottleneck: l.Bottleneck.String(),
		Busiest: busiest(l.Result), Waves: l.Waves, Warnings: r.All(),
	}
	if why := r.Launches[0].Why(); r.One() && len(why) > 0 {
		o.Warnings = append(o.Warnings, why[0])
	}
	if r.One() {
		o.Touched = make([]memory.Bytes, len(buffers))
		for _, t := range l.Touched {
			if i := slices.IndexFunc(buffers, func(a device.Arg) bool { return a.Name == t.Name }); i >= 0 {
				o.Touched[i] = t
			}
		}
	}
	for _, line := range l.Lines[:min(len(l.Lines), mostLines)] {
		o.Lines = append(o.Lines, Line{line.Place, line.Part, line.Reason.String()})
	}
	var err error
	o.Report, err = json.Marshal(r)
	return o, err
}

// Seconds is the time of the launches of the file: a lower bound, or infinite, as Status says.
func (o *Outcome) Seconds() float64 {
	if o.Each == nil {
		return math.Inf(1)
	}
	return *o.Each
}

// busiest is the unit that is busy for most of the time: where it is always busy, the kernel is as fast as it can be with this work.
func busiest(r *emulate.Result) string {
	var most timing.Unit
	part := 0.0
	for _, u := range timing.Units() {
		if p := r.Utilization[u]; p > part {
			most, part = u, p
		}
	}
	if part == 0 {
		return ""
	}
	return fmt.Sprintf("%s %.0f %%", most, 100*min(part, 1))
}
