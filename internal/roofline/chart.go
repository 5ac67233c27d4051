package roofline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/internal/chart"
	"gpuperf/internal/format"
)

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
