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
	"unicode/utf8"

	"gpuperf/internal/format"
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

// Colours: Okabe and Ito's palette, on white.
const (
	ink       = "#1a1a1a"
	faint     = "#6b6b6b"
	grid      = "#e4e4e4"
	frame     = "#9a9a9a"
	measured  = "#0072B2" // blue
	predicted = "#D55E00" // vermilion
)

// Sizes in pixels. A cell is a panel with its title, notes and axis texts.
const (
	plotHeight        = 270.0      // of the plot of a panel
	besideWidth       = 400.0      // of the plot of a panel beside another, or on a narrow screen
	aloneWidth        = 640.0      // of the plot of a panel that has a row for itself
	padLeft, padRight = 74.0, 18.0 // for texts of the axis, and for half of the last one
	padTop, padBottom = 60.0, 46.0 // for the title, and for texts of the axis
	headHeight        = 74.0       // for the title of the figure and the legend
	cellHeight        = padTop + plotHeight + padBottom
	noteLine          = 13.0 // from one line of small text to the next
	characterWidth    = 6.8  // of small text, on average, in a wide font
)

// SVG draws the figure as a document of its own, which may also stand inside HTML: two panels in a row.
func (f *Figure) SVG() string {
	if len(f.Panels) < 2 {
		return f.draw(1, aloneWidth)
	}
	return f.draw(2, besideWidth)
}

// Narrow draws the figure for a narrow screen: a panel in a row.
func (f *Figure) Narrow() string { return f.draw(1, besideWidth) }

func (f *Figure) draw(columns int, plotWidth float64) string {
	rows := (max(len(f.Panels), 1) + columns - 1) / columns
	cellWidth := padLeft + plotWidth + padRight
	width, height := float64(columns)*cellWidth, headHeight+float64(rows)*cellHeight
	c := document(f.Title+": predicted and measured times", width, height)
	c.text(f.Title, "x", 12.0, "y", 24.0, "font-size", 16.0, "font-weight", 600)
	drawLegend(c, 12, 46)
	c.text("above each point: (predicted − measured) / measured", "x", 12.0, "y", 64.0, "fill", faint)
	x, y := f.axes()
	for i := range f.Panels {
		left, top := float64(i%columns)*cellWidth+padLeft, headHeight+float64(i/columns)*cellHeight+padTop
		d := drawing{plot{canvas: c, x: x, y: y, left: left, top: top, width: plotWidth}, f, &f.Panels[i]}
		d.draw()
	}
	c.close("svg")
	return c.String()
}

func drawLegend(c *canvas, x, y float64) {
	entry := func(colour, text string, mark func(x, y float64)) {
		c.empty("line", "x1", x, "y1", y-4, "x2", x+26, "y2", y-4, "stroke", colour, "stroke-width", 1.5)
		mark(x+13, y-4)
		c.text(text, "x", x+32, "y", y)
		x += 32 + textWidth(text) + 18
	}
	entry(measured, "measured", func(x, y float64) { circle(c, x, y, measured) })
	entry(predicted, "predicted, with its 90 % interval", func(x, y float64) { bar(c, x, y-7, y+7, true, true); diamond(c, x, y) })
}

// drawing is a panel being drawn.
type drawing struct {
	plot
	figure *Figure
	panel  *Panel
}

// along is where point i of the panel stands on the axis across.
func (d *drawing) along(i int) float64 {
	if d.figure.Ordinal {
		return float64(i)
	}
	return d.panel.Points[i].X
}

func (d *drawing) draw() {
	d.text(d.panel.Title, "x", d.left, "y", d.top-42, "font-size", 13.0, "font-weight", 600)
	if d.panel.Note != "" {
		d.text(d.panel.Note, "x", d.left+d.width, "y", d.top-42, "text-anchor", "end", "fill", faint)
	}
	d.times()
	d.upwards("time", d.left-62)
	var sizes []tick
	var measured, predicted []XY
	for i, p := range d.panel.Points {
		at := d.along(i)
		sizes = append(sizes, tick{at, p.XText})
		measured, predicted = append(measured, XY{X: at, Y: p.Measured}), append(predicted, XY{X: at, Y: p.Predicted})
	}
	d.across(sizes, d.figure.XLabel)
	d.frame()
	d.drawNotes()
	d.line(MeasuredStyle, measured)
	d.line(PredictedStyle, predicted)
	for i, p := range d.panel.Points {
		d.drawPoint(p, d.px(d.along(i)))
	}
}

// drawNotes writes the notes above the frame, in two lines where they would run into each other in one. A note that has no room in
// either is left to the title that a pointer shows.
func (d *drawing) drawNotes() {
	free := [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, p := range d.panel.Points {
		x, half := d.px(d.along(i)), textWidth(p.Note)/2
		for line := range free {
			if x-half >= free[line] {
				d.text(p.Note, "x", x, "y", d.top-6-noteLine*float64(line), "text-anchor", "middle", "fill", faint)
				free[line] = x + half + 5
				break
			}
		}
	}
}

func textWidth(s string) float64 { return characterWidth * float64(utf8.RuneCountInString(s)) }

// drawPoint draws the marks of a point and the interval. The measured circle is the wider, so that both show where they agree.
func (d *drawing) drawPoint(p Point, x float64) {
	d.open("g")
	d.leaf("title", p.Hover)
	if drawable(p.Measured) {
		circle(d.canvas, x, d.py(p.Measured), measured)
	}
	if drawable(p.Predicted) {
		if p.hasBar() {
			lo, hi := p.Interval[0], p.Interval[1]
			bar(d.canvas, x, d.py(hi), d.py(lo), d.y.contains(hi), d.y.contains(lo))
		}
		diamond(d.canvas, x, d.py(p.Predicted))
	}
	d.close("g")
}

func circle(c *canvas, x, y float64, colour string) {
	c.empty("circle", "cx", x, "cy", y, "r", 5.5, "fill", "#ffffff", "stroke", colour, "stroke-width", 2.0)
}

func diamond(c *canvas, x, y float64) {
	c.empty("path", "d", "M"+decimal(x)+" "+decimal(y-3.5)+"l3.5 3.5l-3.5 3.5l-3.5 -3.5z", "fill", predicted)
}

// bar draws an error bar from the upper to the lower end, with a cap at an end that lies inside the frame.
func bar(c *canvas, x, upper, lower float64, capUpper, capLower bool) {
	c.empty("line", "x1", x, "y1", upper, "x2", x, "y2", lower, "stroke", predicted, "stroke-width", 1.5, "class", "bar")
	for _, end := range []struct {
		y     float64
		drawn bool
	}{{upper, capUpper}, {lower, capLower}} {
		if end.drawn {
			c.empty("line", "x1", x-4, "y1", end.y, "x2", x+4, "y2", end.y, "stroke", predicted, "stroke-width", 1.5)
		}
	}
}

// axis maps values to the unit interval, logarithmically unless it is linear.
type axis struct {
	lo, hi float64
	linear bool
}

// logAxis spans the values with a little room at either end.
func logAxis(values []float64) axis {
	if len(values) == 0 {
		return axis{lo: 1, hi: 10}
	}
	lo, hi := slices.Min(values), slices.Max(values)
	room := max(math.Pow(hi/lo, 0.06), 1.05)
	return axis{lo: lo / room, hi: hi * room}
}

// at is where v lies: 0 at the low end, 1 at the high end, and at these ends for what lies beyond.
func (a axis) at(v float64) float64 {
	var t float64
	switch {
	case a.linear:
		t = (v - a.lo) / (a.hi - a.lo)
	case v <= a.lo:
		t = 0
	default:
		t = math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return min(max(t, 0), 1)
}

// contains tells whether v lies between the ends.
func (a axis) contains(v float64) bool { return a.lo <= v && v <= a.hi }

const (
	fewTicks  = 3 // that tell a scale
	manyTicks = 9 // that have room for their texts
)

// ticks returns round values along an axis, between three and nine as far as there are: powers of ten with or without
// their double and fivefold, every second (third …) power over a wide range, and equal steps over a narrow range and along a linear axis.
func (a axis) ticks() []float64 {
	if a.linear {
		return a.equalSteps()
	}
	for _, mantissas := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if t := a.powers(mantissas, 1); len(t) <= manyTicks {
			if len(t) < fewTicks {
				return a.equalSteps()
			}
			return t
		}
	}
	for every := 2; ; every++ {
		if t := a.powers([]float64{1}, every); len(t) <= manyTicks {
			return t
		}
	}
}

func (a axis) powers(mantissas []float64, every int) (ticks []float64) {
	first, last := int(math.Floor(math.Log10(a.lo))), int(math.Ceil(math.Log10(a.hi)))
	for e := first; e <= last; e++ {
		if e%every != 0 {
			continue
		}
		for _, m := range mantissas {
			if v := m * math.Pow10(e); a.contains(v) {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// equalSteps returns multiples of 1, 2 or 5 times a power of ten: the widest step that gives enough of them.
func (a axis) equalSteps() (ticks []float64) {
	for e := int(math.Ceil(math.Log10(a.hi))); ; e-- {
		for _, m := range []float64{5, 2, 1} {
			step := m * math.Pow10(e)
			ticks = ticks[:0]
			for k := math.Ceil(a.lo / step); k*step <= a.hi; k++ {
				ticks = append(ticks, k*step)
			}
			if len(ticks) >= fewTicks {
				return ticks
			}
		}
	}
}

// Seconds writes a time, with the sign that charts use.
func Seconds(s float64) string {
	if s < 0 {
		return "−" + format.Seconds(-s)
	}
	return format.Seconds(s)
}
