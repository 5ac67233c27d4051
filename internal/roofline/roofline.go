// Package roofline sets what kernels achieve beside what a device can do (Williams, Waterman and Patterson, "Roofline", 2009), at each level of the memory
// hierarchy (Yang, Kurth and Williams, "Hierarchical Roofline analysis for GPUs", 2020): operations per second over operations per byte that the level moves.
package roofline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/chart"
	"gpuperf/internal/format"
	"gpuperf/launch"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Roofline is what a launch does in its time, and the roofs over it.
type Roofline struct {
	Seconds    float64 `json:"seconds"` // of the launch, measured or predicted
	FLOP       float64 `json:"flop"`    // a multiply-add counts as two
	DType      string  `json:"dtype"`   // of most of the operations
	Arithmetic float64 `json:"arithmetic_per_second"`
	Levels     []Level `json:"levels"` // from DRAM to the multiprocessors; those that move nothing are left out
}

// Level is a level of the memory hierarchy.
type Level struct {
	Name  string  `json:"name"`
	Bytes float64 `json:"bytes"`            // that it moves for the launch
	Rate  float64 `json:"bytes_per_second"` // that it can move
}

// Intensity is the operations for each byte of a level.
func (r *Roofline) Intensity(l Level) float64 { return r.FLOP / l.Bytes }

// Achieved is the operations per second of the launch.
func (r *Roofline) Achieved() float64 { return r.FLOP / r.Seconds }

// The levels. L1 and local memory share one path (NVIDIA, "CUDA C++ Programming Guide", compute capability 9.0: unified data cache).
const (
	DRAM = "DRAM"
	L2   = "L2"
	L1   = "L1 and local memory"
)

// Of is the roofline of a case that takes a time, in seconds, with the caches as they were; nil where the case has no floating-point operation with a known
// peak, or its traffic is not known.
func Of(c *workload.Case, on *facts.Device, caches samples.Mode, seconds float64) (*Roofline, error) {
	lanes := int(on.Int(facts.SubgroupSize))
	counts, err := c.Counts(features.Options{SubgroupSize: lanes})
	if err != nil {
		return nil, err
	}
	r := &Roofline{Seconds: seconds}
	if r.FLOP, err = c.FLOP(counts); err != nil || r.FLOP == 0 || !(seconds > 0) {
		return nil, err
	}
	w, err := c.Work(counts, counts.Records)
	if err != nil {
		return nil, err
	}
	most := 0.0
	for _, o := range w.Operations {
		if peak, known := machine.ArithmeticPeak(on, o.DType, "madd", "FLOP/s"); known && o.Count > most {
			most, r.DType, r.Arithmetic = o.Count, o.DType, peak.Rate
		}
	}
	if most == 0 {
		return nil, nil
	}
	t, err := c.Traffic(on, lanes)
	if err != nil || t == nil {
		return nil, err
	}
	moved := t.DRAMReads + t.DRAMWrites
	if caches == samples.Warm {
		moved = t.WarmReads + t.WarmWrites
	}
	r.add(DRAM, moved, machine.GlobalPeak, on)
	r.add(L2, (t.L2Loads+t.L2Stores)*launch.SectorBytes, machine.L2Peak, on)
	local, err := c.LocalBytes(counts, on)
	if err != nil {
		return nil, err
	}
	r.add(L1, (t.L1Loads+t.L2Stores)*launch.SectorBytes+local, machine.LocalPeak, on)
	return r, nil
}

func (r *Roofline) add(name string, bytes float64, peak func(*facts.Device) (machine.Peak, bool), on *facts.Device) {
	if p, known := peak(on); known && bytes > 0 {
		r.Levels = append(r.Levels, Level{name, bytes, p.Rate})
	}
}

// Named is the roofline of a launch with its name.
type Named struct {
	Name string
	*Roofline
}

// Chart draws launches under the roofs of their device: a line for each level, up to the arithmetic, and a point for each launch at each level. The points of a
// launch stand side by side, as high as its operations per second.
func Chart(all []Named) *chart.Curves {
	c := &chart.Curves{
		Title: "Roofline", XLabel: "FLOP for each byte that the level moves", YLabel: "FLOP per second", XText: func(v float64) string { return fmt.Sprintf("%.4g", v) },
		YText: func(v float64) string { return format.Rough(v, "FLOP/s") },
	}
	levels := levelsOf(all)
	var peaks []Named // of each data type, one
	lo, hi := 0.0, 0.0
	widen := func(x float64) { lo, hi = min(cmp.Or(lo, x), x), max(hi, x) }
	for _, n := range all {
		if !slices.ContainsFunc(peaks, func(p Named) bool { return p.DType == n.DType }) {
			peaks = append(peaks, n)
		}
		for _, l := range n.Levels {
			widen(n.Intensity(l))
		}
	}
	slices.SortFunc(peaks, func(a, b Named) int { return cmp.Compare(a.Arithmetic, b.Arithmetic) })
	if len(levels) == 0 {
		return c
	}
	most := peaks[len(peaks)-1].Arithmetic
	for _, l := range levels {
		widen(most / l.Rate)
	}
	lo, hi = lo/2, hi*2
	for i, l := range levels {
		ridge := most / l.Rate
		c.Series = append(c.Series, chart.Series{
			Name: fmt.Sprintf("%s: %s", l.Name, format.Rough(l.Rate, "B/s")), Style: chart.LineStyle(i),
			Points: []chart.XY{{X: lo, Y: lo * l.Rate}, {X: ridge, Y: most}},
		})
		points := chart.Series{Style: chart.PointsOf(i)}
		for k, n := range all {
			for _, own := range n.Levels {
				if own.Name == l.Name {
					points.Points = append(points.Points, chart.XY{X: n.Intensity(own), Y: n.Achieved(), Hover: n.said(own), Label: Label(k, len(all))})
				}
			}
		}
		c.Series = append(c.Series, points)
	}
	for _, p := range peaks {
		from := p.Arithmetic / levels[len(levels)-1].Rate
		c.Series = append(c.Series, chart.Series{
			Name: fmt.Sprintf("%s: %s", p.DType, format.Rough(p.Arithmetic, "FLOP/s")), Style: chart.BlackStyle,
			Points: []chart.XY{{X: from, Y: p.Arithmetic}, {X: hi, Y: p.Arithmetic}},
		})
	}
	for i, n := range all {
		if mark := Label(i, len(all)); mark != "" && len(all) <= mostNamed {
			c.Series = append(c.Series, chart.Series{Name: mark + " is " + n.Name, Style: chart.Style{Colour: "none"}})
		}
	}
	return c
}

// mostNamed is how many launches the legend names; others are named by a pointer, and by the table beside the chart.
const mostNamed = 8

// levelsOf are the levels of launches, each once, the slowest first.
func levelsOf(all []Named) (levels []Level) {
	for _, n := range all {
		for _, l := range n.Levels {
			if !slices.ContainsFunc(levels, func(o Level) bool { return o.Name == l.Name }) {
				levels = append(levels, l)
			}
		}
	}
	slices.SortFunc(levels, func(a, b Level) int { return cmp.Compare(a.Rate, b.Rate) })
	return levels
}

// Label is what stands at the points of the launch with an index, of so many: a letter, and from the 27th on nothing; nothing at one that is alone.
func Label(index, of int) string {
	if of == 1 || index >= 26 {
		return ""
	}
	return string(rune('a' + index))
}

// said is what a launch does at a level, in words.
func (n Named) said(l Level) string {
	return fmt.Sprintf("%s at %s: %s, %s of %s", n.Name, l.Name, format.Rough(n.Achieved(), "FLOP/s"), format.Rough(l.Bytes/n.Seconds, "B/s"), format.Rough(l.Rate, "B/s"))
}

// The size of a chart in a terminal: its plot leaves room for the axis upwards on 80 columns.
const (
	textColumns = 64
	textRows    = 16
)

// Write draws the chart with characters, and says which letter is which launch, and how much of each roof it reaches.
func Write(w io.Writer, all []Named) {
	if len(all) == 0 {
		fmt.Fprint(w, "\nroofline: none, as there is no floating-point operation, or the device's peaks or the traffic are not known\n")
		return
	}
	c := Chart(all)
	var roofs []string
	for _, l := range slices.Backward(levelsOf(all)) {
		roofs = append(roofs, l.Name)
	}
	fmt.Fprintf(w, "\nroofline: roofs from the left %s; a kernel stands once under each\n\n%s\n", strings.Join(roofs, ", "), c.Text(textColumns, textRows))
	t := format.NewTable("", "kernel", "level", ">FLOP/B", ">moved", ">achieved", ">roof", ">of it")
	for i, n := range all {
		mark, name := cmp.Or(Label(i, len(all)), "o"), n.Name
		for _, l := range n.Levels {
			t.Row(mark, name, l.Name, fmt.Sprintf("%.3g", n.Intensity(l)), format.Rough(l.Bytes, "B"), format.Rough(l.Bytes/n.Seconds, "B/s"), format.Rough(l.Rate, "B/s"), share(l.Bytes/n.Seconds/l.Rate))
			mark, name = "", ""
		}
		t.Row(mark, name, n.DType, "", format.Rough(n.FLOP, "FLOP"), format.Rough(n.Achieved(), "FLOP/s"), format.Rough(n.Arithmetic, "FLOP/s"), share(n.Achieved()/n.Arithmetic))
	}
	t.WriteIndented(w, "  ")
}

func share(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }
