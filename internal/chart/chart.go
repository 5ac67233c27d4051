// Package chart draws predicted and measured times as SVG.
//
// A Figure has one Panel for each variant of a computation, all on the same axes, so that variants compare by eye: sizes
// across, logarithmic where they are numbers; times upwards, always logarithmic. SVG draws it with text as
// text, a title on every point for pointers to hover over, and neither scripts nor identifiers, so that several figures
// can stand in one page. The colours are Okabe and Ito's, which colour-blind readers tell apart; the shapes differ as well.
package chart

import (
	"math"
	"slices"
)

// Figure is a set of panels on shared axes.
type Figure struct {
	Title  string
	XLabel string // what the sizes are
	// Ordinal spaces the sizes evenly, in the order in which they come, for sizes that no number says.
	Ordinal bool
	Panels  []Panel
}

// Panel is a variant.
type Panel struct {
	Title  string
	Note   string // beside the title, in grey
	Points []Point
}

// Point is a variant at one size. Times are in seconds and positive.
type Point struct {
	X                   float64 // the size, positive; not used when the figure is ordinal
	XText               string  // the size for the axis
	Predicted, Measured float64
	Interval            [2]float64 // of the prediction; NaN where not known
	Note                string     // written above the point
	Hover               string     // shown when a pointer rests on the point
}

// drawable tells whether v can stand on a logarithmic axis.
func drawable(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// hasBar tells whether the prediction has an interval to draw.
func (p Point) hasBar() bool {
	return drawable(p.Interval[1]) && !math.IsNaN(p.Interval[0]) && p.Interval[0] <= p.Interval[1]
}

// axes returns the axes that the panels share.
func (f *Figure) axes() (x, y axis) {
	var sizes, times []float64
	var bars []float64
	ordinal := 0
	for _, p := range f.Panels {
		ordinal = max(ordinal, len(p.Points))
		for _, at := range p.Points {
			if drawable(at.X) {
				sizes = append(sizes, at.X)
			}
			for _, t := range []float64{at.Predicted, at.Measured} {
				if drawable(t) {
					times = append(times, t)
				}
			}
			if at.hasBar() {
				bars = append(bars, at.Interval[:]...)
			}
		}
	}
	if f.Ordinal {
		x = axis{lo: -0.5, hi: float64(ordinal) - 0.5, linear: true}
	} else {
		x = logAxis(sizes)
	}
	return x, logAxis(stretched(times, bars))
}

// stretched adds the ends of error bars to the times, as far as they lie within a factor of ten of them: a bar that says
// that nothing is known must not squeeze the points together. What is longer is cut off at the frame.
func stretched(times, bars []float64) []float64 {
	if len(times) == 0 {
		return times
	}
	lo, hi := slices.Min(times), slices.Max(times)
	for _, b := range bars {
		if drawable(b) {
			times = append(times, min(max(b, lo/10), hi*10))
		}
	}
	return times
}
