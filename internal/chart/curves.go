package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/lists"
)

// Curves is a picture of several quantities over one: a line each on shared axes, which are logarithmic.
type Curves struct {
	Title  string
	Note   string // under the title, in grey
	XLabel string
	YLabel string               // "" is time
	XText  func(float64) string // of round values across; nil writes those of the points, as long as they are few
	YText  func(float64) string // of the values upwards; nil is a time
	Even   bool                 // the axis across is linear and begins at 0
	Series []Series
}

// Series is a line. Points that are not positive are left out of it.
type Series struct {
	Name   string // "": it is not in the legend
	Style  Style
	Points []XY
}

// XY is a point of a line: a time in seconds over a positive number.
type XY struct {
	X, Y  float64
	Hover string // shown when a pointer rests on the point
	Label string // beside the point
}

// Style is how a line is drawn.
type Style struct {
	Colour string
	Dashes string // as in SVG's stroke-dasharray; "" is a full line
	Mark   Mark
}

// Mark stands at the points of a line.
type Mark int

// The marks.
const (
	NoMark Mark = iota
	Circle
	Diamond
)

// Styles of curves: what was measured and predicted as in a Figure, and others of Okabe and Ito's colours.
var (
	MeasuredStyle  = Style{Colour: measured, Mark: Circle}
	PredictedStyle = Style{Colour: predicted, Dashes: "5 3", Mark: Diamond}
	GreenStyle     = Style{Colour: "#009E73"}
	PurpleStyle    = Style{Colour: "#CC79A7"}
	GreyStyle      = Style{Colour: faint, Dashes: "2 3"}
	BlackStyle     = Style{Colour: ink, Dashes: "8 3 2 3"}
	PointsStyle    = Style{Colour: measured, Dashes: "0 100", Mark: Circle}
)

// LineStyle is that of the line with a number, of several without marks.
func LineStyle(i int) Style {
	dashes := []string{"", "8 3", "2 3"}
	return Style{Colour: palette[i%len(palette)], Dashes: dashes[i/len(palette)%len(dashes)]}
}

// PointsOf is the style of points that belong to the line with a number.
func PointsOf(i int) Style { return Style{Colour: LineStyle(i).Colour, Dashes: "0 100", Mark: Circle} }

// legendLine is the height of a line of the legend.
const legendLine = 18.0

// SVG draws the curves as a document of its own, which may also stand inside HTML.
func (f *Curves) SVG() string { return f.draw(aloneWidth) }

// Narrow draws the curves for a narrow screen.
func (f *Curves) Narrow() string { return f.draw(besideWidth) }

func (f *Curves) draw(plotWidth float64) string {
	d := &plot{width: plotWidth, written: f.YText}
	d.x, d.y = f.axes()
	d.left = max(padLeft, d.room()+30)
	width := d.left + plotWidth + padRight
	var legend canvas
	head := 52 + legendLine*float64(f.legend(&legend, width))
	d.top = head + 10
	d.canvas = document(f.Title, width, head+20+plotHeight+padBottom)
	d.text(f.Title, "x", 12.0, "y", 24.0, "font-size", 16.0, "font-weight", 600)
	if f.Note != "" {
		d.text(f.Note, "x", 12.0, "y", 42.0, "fill", faint)
	}
	d.WriteString(legend.String())
	f.plot(d)
	d.close("svg")
	return d.String()
}

// axes hold all points that can be drawn.
func (f *Curves) axes() (x, y axis) {
	xs, ys := f.places()
	x, y = logAxis(xs), logAxis(ys)
	if f.Even && len(xs) > 0 {
		const room = 1.03 // so that the last point is not on the frame
		x = axis{hi: min(room*slices.Max(xs), math.MaxFloat64), linear: true}
	}
	return x, y
}

// places are where points that can be drawn are, across and upwards.
func (f *Curves) places() (xs, ys []float64) {
	for _, s := range f.Series {
		for _, p := range s.Points {
			if drawable(p.X) && drawable(p.Y) {
				xs, ys = append(xs, p.X), append(ys, p.Y)
			}
		}
	}
	return xs, ys
}

// x writes a value across.
func (f *Curves) x(v float64) string {
	if f.XText == nil {
		return fmt.Sprintf("%.4g", v)
	}
	return f.XText(v)
}

// y writes a value upwards.
func (f *Curves) y(v float64) string {
	if f.YText == nil {
		return Seconds(v)
	}
	return f.YText(v)
}

// legend draws the names of the lines, in as many rows as they need, and returns their number.
func (f *Curves) legend(c *canvas, width float64) int {
	x, row := 12.0, 0
	for _, s := range f.Series {
		if s.Name == "" {
			continue
		}
		need := 32 + textWidth(s.Name) + 18
		if x+need > width && x > 12 {
			x, row = 12, row+1
		}
		y := 62 + legendLine*float64(row)
		s.Style.line(c, "M"+decimal(x)+" "+decimal(y-4)+"L"+decimal(x+26)+" "+decimal(y-4))
		s.Style.mark(c, x+13, y-4)
		c.text(s.Name, "x", x+32, "y", y)
		x += need
	}
	return row + 1
}

// plot draws the lines over the axes of d.
func (f *Curves) plot(d *plot) {
	d.times()
	d.upwards(cmp.Or(f.YLabel, "time"), 14)
	xs, _ := f.places()
	slices.Sort(xs)
	if xs = slices.Compact(xs); len(xs) > 12 || f.XText != nil {
		xs = d.x.ticks()
	}
	ticks := lists.Map(xs, func(v float64) tick { return tick{v, f.x(v)} })
	d.across(ticks, f.XLabel)
	d.frame()
	for _, s := range f.Series {
		d.line(s.Style, s.Points)
		for _, p := range s.Points {
			if s.Style.Mark == NoMark || !d.shows(p) {
				continue
			}
			d.open("g")
			d.leaf("title", p.Hover)
			s.Style.mark(d.canvas, d.px(p.X), d.py(p.Y))
			d.close("g")
			if p.Label != "" {
				d.text(p.Label, "x", d.px(p.X)+6, "y", d.py(p.Y)-5, "font-size", 10.0)
			}
		}
	}
}

func (s Style) line(c *canvas, path string) {
	attrs := []any{"d", path, "fill", "none", "stroke", s.Colour, "stroke-width", 1.5}
	if s.Dashes != "" {
		attrs = append(attrs, "stroke-dasharray", s.Dashes)
	}
	c.empty("path", attrs...)
}

func (s Style) mark(c *canvas, x, y float64) {
	switch s.Mark {
	case Circle:
		circle(c, x, y, s.Colour)
	case Diamond:
		diamond(c, x, y)
	case NoMark:
	}
}
