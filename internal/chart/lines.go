package chart

import (
	"fmt"
	"math"
)

// Lines is a set of panels with curves of shares, between 0 and 1, over a number of steps: all on the same axes, the steps on a
// logarithmic one.
type Lines struct {
	Title          string
	XLabel, YLabel string
	Panels         []LinePanel
}

// LinePanel is a panel of curves.
type LinePanel struct {
	Title  string
	Curves []Curve
}

// Curve is the share after 1, 2, … steps. Curves of one name have one colour in all panels.
type Curve struct {
	Name string
	Y    []float64
}

// palette are the colours of curves: Okabe and Ito's, without yellow, which is faint on white.
var palette = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#1a1a1a"}

// SVG draws the panels as a document of its own, which may also stand inside HTML.
func (l *Lines) SVG() string {
	const plotW, plotH, left, top, right, bottom, head = 300.0, 190.0, 50.0, 30.0, 16.0, 44.0, 76.0 // pixels of a panel, and of what is around its plot
	columns := min(max(len(l.Panels), 1), 3)
	rows := (len(l.Panels) + columns - 1) / columns
	cellW, cellH := left+plotW+right, top+plotH+bottom
	width, height := float64(columns)*cellW, head+float64(rows)*cellH
	c := document(l.Title, width, height)
	c.text(l.Title, "x", 12.0, "y", 22.0, "font-size", 15.0, "font-weight", 600)
	colours := map[string]string{}
	steps := 2
	x := 12.0
	for _, p := range l.Panels {
		for _, curve := range p.Curves {
			steps = max(steps, len(curve.Y))
			if _, ok := colours[curve.Name]; ok {
				continue
			}
			colour := palette[len(colours)%len(palette)]
			colours[curve.Name] = colour
			c.empty("line", "x1", x, "y1", 42.0, "x2", x+22, "y2", 42.0, "stroke", colour, "stroke-width", 2.0)
			c.text(curve.Name, "x", x+28, "y", 46.0)
			x += 28 + textWidth(curve.Name) + 16
		}
	}
	across := axis{lo: 1, hi: float64(steps)}
	for i, p := range l.Panels {
		x0, y0 := float64(i%columns)*cellW+left, head+float64(i/columns)*cellH+top
		c.text(p.Title, "x", x0, "y", y0-8, "font-size", 12.0, "font-weight", 600)
		for k := range 6 {
			share := float64(k) / 5
			y := y0 + plotH*(1-share)
			c.empty("line", "x1", x0, "y1", y, "x2", x0+plotW, "y2", y, "stroke", grid)
			c.text(fmt.Sprintf("%.0f %%", 100*share), "x", x0-6, "y", y+4, "text-anchor", "end")
		}
		for _, t := range across.powers([]float64{1}, 1) {
			at := x0 + plotW*across.at(t)
			c.empty("line", "x1", at, "y1", y0, "x2", at, "y2", y0+plotH, "stroke", grid)
			c.text(fmt.Sprintf("%g", t), "x", at, "y", y0+plotH+14, "text-anchor", "middle")
		}
		c.text(l.XLabel, "x", x0+plotW/2, "y", y0+plotH+30, "text-anchor", "middle", "fill", faint)
		for _, curve := range p.Curves {
			path, pen := "", "M"
			last := math.NaN()
			for n, v := range curve.Y {
				if math.IsNaN(v) || v == last && n+1 < len(curve.Y) && curve.Y[n+1] == v {
					continue // within a level stretch
				}
				path += pen + decimal(x0+plotW*across.at(float64(n+1))) + " " + decimal(y0+plotH*(1-min(max(v, 0), 1)))
				pen, last = "L", v
			}
			c.empty("path", "d", path, "fill", "none", "stroke", colours[curve.Name], "stroke-width", 1.8)
		}
		c.empty("rect", "x", x0, "y", y0, "width", plotW, "height", plotH, "fill", "none", "stroke", frame)
	}
	c.text(l.YLabel, "x", 12.0, "y", head-10, "fill", faint)
	c.close("svg")
	return c.String()
}

// Bars are named numbers, drawn as horizontal bars in the order given.
type Bars struct {
	Title  string
	Series []string // what the values of each bar are
	Bars   []Bar
	// Log draws on a logarithmic axis from 1 on; values below 1 have no length.
	Log bool
	// Stacked puts the values of a bar one behind the other: they add up, and the sum stands at the end.
	Stacked bool
	Text    func(float64) string // of a value; nil is a number of three digits
}

// Bar is a name with its values, one for each series.
type Bar struct {
	Name   string
	Values []float64
}

// SVG draws the bars as a document of its own.
func (b *Bars) SVG() string { return b.draw(aloneWidth) }

// Narrow draws the bars for a narrow screen.
func (b *Bars) Narrow() string { return b.draw(besideWidth) }

// draw draws bars in a picture that is as wide as one with a plot of a width; long names make it wider.
func (b *Bars) draw(wide float64) string {
	const thick, gap = 11.0, 7.0 // pixels of a bar, and between two
	left, most := b.extent()
	scale := axis{hi: max(most, 1e-12), linear: true}
	if b.Log {
		scale = axis{lo: 1, hi: max(most, 10)}
	}
	series := max(len(b.Series), 1)
	if b.Stacked {
		series = 1
	}
	written := b.Text
	if written == nil {
		written = func(v float64) string { return fmt.Sprintf("%.3g", v) }
	}
	names, name := left, 0.0 // the room of names: beside their bars, or in lines above these
	if left > wide/2 {
		left, name = 12, legendLine
	}
	row := name + thick*float64(series) + gap
	const text = 70.0 // behind a bar
	plotW := max(wide+padLeft+padRight-left-text, wide/2)
	width := max(left+plotW+text, names, textWidth(b.Title)*1.5+24)
	var legend canvas
	head := 60 + legendLine*float64(b.legend(&legend, width)-1)
	c := document(b.Title, width, head+row*float64(len(b.Bars))+12)
	c.text(b.Title, "x", 12.0, "y", 22.0, "font-size", 15.0, "font-weight", 600)
	b.legend(c, width)
	for i, bar := range b.Bars {
		y := head + row*float64(i) + name
		if name > 0 {
			c.text(bar.Name, "x", left, "y", y-4)
		} else {
			c.text(bar.Name, "x", left-8, "y", y+row/2+1, "text-anchor", "end")
		}
		if b.Stacked {
			b.stack(c, bar, left, y, thick, func(v float64) float64 { return plotW * scale.at(v) }, written)
			continue
		}
		for k, v := range bar.Values {
			if math.IsNaN(v) {
				continue
			}
			length := plotW * scale.at(v)
			c.empty("rect", "x", left, "y", y+thick*float64(k), "width", length, "height", thick-1, "fill", palette[k%len(palette)])
			c.text(written(v), "x", left+length+5, "y", y+thick*float64(k)+9, "font-size", 9.0, "fill", faint)
		}
	}
	c.close("svg")
	return c.String()
}

// extent is the room that names need, and the greatest number.
func (b *Bars) extent() (names, most float64) {
	for _, bar := range b.Bars {
		names = max(names, textWidth(bar.Name)+24)
		sum := 0.0
		for _, v := range bar.Values {
			if !b.Stacked {
				sum = 0
			}
			if sum += v; sum > most && !math.IsInf(sum, 1) {
				most = sum
			}
		}
	}
	return names, most
}

// legend names the series, and returns in how many lines.
func (b *Bars) legend(c *canvas, width float64) int {
	x, y, lines := 12.0, 36.0, 1
	for i, name := range b.Series {
		need := 16 + textWidth(name) + 16
		if x+need > width && x > 12 {
			x, y, lines = 12, y+legendLine, lines+1
		}
		c.empty("rect", "x", x, "y", y, "width", 11.0, "height", 11.0, "fill", palette[i%len(palette)])
		c.text(name, "x", x+16, "y", y+10)
		x += need
	}
	return lines
}

// stack draws the values of a bar one behind the other.
func (b *Bars) stack(c *canvas, bar Bar, left, y, thick float64, length func(float64) float64, written func(float64) string) {
	sum := 0.0
	for k, v := range bar.Values {
		if !(v > 0) {
			continue
		}
		c.open("g")
		c.leaf("title", bar.Name+", "+b.Series[k]+": "+written(v))
		c.empty("rect", "x", left+length(sum), "y", y, "width", length(sum+v)-length(sum), "height", thick-1, "fill", palette[k%len(palette)])
		c.close("g")
		sum += v
	}
	c.text(written(sum), "x", left+length(sum)+5, "y", y+9, "font-size", 9.0, "fill", faint)
}
