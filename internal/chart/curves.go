package chart

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Curves is a picture of several quantities over one: a line each on shared logarithmic axes.
type Curves struct {
	Title  string
	Note   string // under the title, in grey
	XLabel string
	Series []Series
}

// Series is a line. Points that are not positive are left out of it.
type Series struct {
	Name   string
	Style  Style
	Points []XY
}

// XY is a point of a line: a time in seconds over a positive number.
type XY struct {
	X, Y  float64
	Hover string // shown when a pointer rests on the point
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
)

// legendLine is the height of a line of the legend.
const legendLine = 18.0

// SVG draws the curves as a document of its own, which may also stand inside HTML.
func (f *Curves) SVG() string {
	width := padLeft + aloneWidth + padRight
	var c canvas
	// The legend's height is known once it is laid out.
	rows := f.legend(nil, width)
	head := 52 + legendLine*float64(rows)
	height := head + 20 + plotHeight + padBottom
	c.open("svg", "xmlns", "http://www.w3.org/2000/svg", "width", width, "height", height,
		"viewBox", "0 0 "+decimal(width)+" "+decimal(height), "role", "img",
		"font-family", "system-ui, 'Helvetica Neue', Arial, sans-serif", "font-size", 11.0, "fill", ink)
	c.leaf("title", f.Title)
	c.empty("rect", "width", width, "height", height, "fill", "#ffffff")
	c.text(f.Title, "x", 12.0, "y", 24.0, "font-size", 16.0, "font-weight", 600)
	if f.Note != "" {
		c.text(f.Note, "x", 12.0, "y", 42.0, "fill", faint)
	}
	f.legend(&c, width)
	f.plot(&c, head+10)
	c.close("svg")
	return c.String()
}

// legend draws the names of the lines, in as many rows as they need, and returns their number. A nil canvas draws nothing.
func (f *Curves) legend(c *canvas, width float64) int {
	x, row := 12.0, 0
	for _, s := range f.Series {
		need := 32 + characterWidth*float64(utf8.RuneCountInString(s.Name)) + 18
		if x+need > width && x > 12 {
			x, row = 12, row+1
		}
		if c != nil {
			y := 62 + legendLine*float64(row)
			s.Style.line(c, "M"+decimal(x)+" "+decimal(y-4)+"L"+decimal(x+26)+" "+decimal(y-4))
			s.Style.mark(c, x+13, y-4)
			c.text(s.Name, "x", x+32, "y", y)
		}
		x += need
	}
	return row + 1
}

func (f *Curves) plot(c *canvas, top float64) {
	var xs, ys []float64
	for _, s := range f.Series {
		for _, p := range s.Points {
			if drawable(p.X) && drawable(p.Y) {
				xs, ys = append(xs, p.X), append(ys, p.Y)
			}
		}
	}
	x, y := logAxis(xs), logAxis(ys)
	px := func(v float64) float64 { return padLeft + aloneWidth*x.at(v) }
	py := func(v float64) float64 { return top + plotHeight*(1-y.at(v)) }
	for _, t := range y.ticks() {
		c.empty("line", "x1", padLeft, "y1", py(t), "x2", padLeft+aloneWidth, "y2", py(t), "stroke", grid)
		c.text(Seconds(t), "x", padLeft-7, "y", py(t)+4, "text-anchor", "end")
	}
	slices.Sort(xs)
	free := math.Inf(-1)
	for _, v := range slices.Compact(xs) {
		c.empty("line", "x1", px(v), "y1", top, "x2", px(v), "y2", top+plotHeight, "stroke", grid)
		text := fmt.Sprintf("%.4g", v)
		if half := textWidth(text) / 2; px(v)-half >= free {
			c.text(text, "x", px(v), "y", top+plotHeight+16, "text-anchor", "middle")
			free = px(v) + half + 4
		}
	}
	c.text(f.XLabel, "x", padLeft+aloneWidth/2, "y", top+plotHeight+34, "text-anchor", "middle", "fill", faint)
	c.empty("rect", "x", padLeft, "y", top, "width", aloneWidth, "height", plotHeight, "fill", "none", "stroke", frame)
	for _, s := range f.Series {
		path, pen := "", "M"
		for _, p := range s.Points {
			if !drawable(p.X) || !drawable(p.Y) {
				pen = "M"
				continue
			}
			path += pen + decimal(px(p.X)) + " " + decimal(py(p.Y))
			pen = "L"
		}
		s.Style.line(c, path)
		for _, p := range s.Points {
			if s.Style.Mark == NoMark || !drawable(p.X) || !drawable(p.Y) {
				continue
			}
			c.open("g")
			c.leaf("title", p.Hover)
			s.Style.mark(c, px(p.X), py(p.Y))
			c.close("g")
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
		circle(c, x, y)
	case Diamond:
		diamond(c, x, y)
	case NoMark:
	}
}
