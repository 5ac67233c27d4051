package chart

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
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
	left, most := 0.0, 0.0
	for _, bar := range b.Bars {
		left = max(left, textWidth(bar.Name)+24)
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
	row := thick*float64(series) + gap
	const text = 70.0 // behind a bar
	plotW := max(wide+padLeft+padRight-left-text, wide/2)
	width := max(left+plotW+text, textWidth(b.Title)*1.5+24)
	var legend canvas
	head := 60 + legendLine*float64(b.legend(&legend, width)-1)
	c := document(b.Title, width, head+row*float64(len(b.Bars))+12)
	c.text(b.Title, "x", 12.0, "y", 22.0, "font-size", 15.0, "font-weight", 600)
	b.legend(c, width)
	for i, bar := range b.Bars {
		y := head + row*float64(i)
		c.text(bar.Name, "x", left-8, "y", y+row/2+1, "text-anchor", "end")
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

// canvas collects SVG elements.
type canvas struct{ strings.Builder }

// document starts an image, which close("svg") ends.
func document(title string, width, height float64) *canvas {
	c := &canvas{}
	c.open("svg", "xmlns", "http://www.w3.org/2000/svg", "width", width, "height", height,
		"viewBox", "0 0 "+decimal(width)+" "+decimal(height), "role", "img",
		"font-family", "system-ui, 'Helvetica Neue', Arial, sans-serif", "font-size", 11.0, "fill", ink)
	c.leaf("title", title)
	c.empty("rect", "width", width, "height", height, "fill", "#ffffff")
	return c
}

// open starts an element with attributes, given as name and value in turn.
func (c *canvas) open(name string, attrs ...any) {
	c.element(name, attrs)
	c.WriteString(">")
}

func (c *canvas) close(name string) { fmt.Fprintf(c, "</%s>\n", name) }

// empty writes an element that holds nothing.
func (c *canvas) empty(name string, attrs ...any) {
	c.element(name, attrs)
	c.WriteString("/>\n")
}

// text writes a text element.
func (c *canvas) text(content string, attrs ...any) { c.leaf("text", content, attrs...) }

func (c *canvas) leaf(name, content string, attrs ...any) {
	c.open(name, attrs...)
	c.escape(content)
	c.close(name)
}

func (c *canvas) element(name string, attrs []any) {
	c.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		fmt.Fprintf(c, ` %s="`, attrs[i])
		switch v := attrs[i+1].(type) {
		case float64:
			c.WriteString(decimal(v))
		default:
			c.escape(fmt.Sprint(v))
		}
		c.WriteString(`"`)
	}
}

// escape writes text; what XML cannot hold becomes U+FFFD.
func (c *canvas) escape(text string) { _ = xml.EscapeText(c, []byte(text)) }

// decimal writes a coordinate to a tenth of a pixel.
func decimal(v float64) string {
	s := strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// Picture is drawn for wide screens and for narrow ones.
type Picture interface {
	SVG() string
	Narrow() string
}

// Inline is a picture as HTML, in both forms; a page shows elements of class "wide" or of class "narrow".
func Inline(p Picture) template.HTML {
	return template.HTML(`<div class="wide">` + p.SVG() + "</div>\n<div class=\"narrow\">" + p.Narrow() + "</div>\n") //nolint:gosec // text is escaped
}

// Intervals are named values with how far they may be off, in parts of the value: one row each, all on one axis.
type Intervals struct {
	Title string
	Note  string // under the title, in grey
	Rows  []Row
}

// Row is a value with its interval.
type Row struct {
	Name string
	// Off is the half-width of the interval over the value; NaN or infinite where the value is not determined.
	Off   float64
	Text  string // stands at the end
	Hover string
}

// widest is the half-width that ends at the frame: beyond it a value is known in order of magnitude at most.
const widest = 1.0

// SVG draws the intervals as a document of its own.
func (v *Intervals) SVG() string { return v.draw(aloneWidth) }

// Narrow draws the intervals for a narrow screen.
func (v *Intervals) Narrow() string { return v.draw(besideWidth / 2) }

func (v *Intervals) draw(across float64) string {
	const row, head = 20.0, 56.0 // pixels of a row, and of what is above the first
	left, right, most := 24.0, 24.0, 0.0
	for _, r := range v.Rows {
		left, right = max(left, textWidth(r.Name)+24), max(right, textWidth(r.Text)+20)
		if r.Off <= widest {
			most = max(most, r.Off)
		}
	}
	ends := []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, widest}
	most = ends[slices.IndexFunc(ends, func(end float64) bool { return most <= end })]
	const room = 1.08 // so that marks at the ends are whole
	x := axis{lo: 1 - room*most, hi: 1 + room*most, linear: true}
	height := row * float64(len(v.Rows))
	width := max(left+across+right, textWidth(v.Title)*1.5+24, textWidth(v.Note)+24)
	c := document(v.Title, width, head+height+34)
	c.text(v.Title, "x", 12.0, "y", 22.0, "font-size", 15.0, "font-weight", 600)
	c.text(v.Note, "x", 12.0, "y", 40.0, "fill", faint)
	at := func(value float64) float64 { return left + across*x.at(value) }
	for _, tick := range []float64{-most, -most / 2, 0, most / 2, most} {
		c.empty("line", "x1", at(1+tick), "y1", head, "x2", at(1+tick), "y2", head+height, "stroke", grid)
		c.text(strings.Replace(fmt.Sprintf("%+g %%", 100*tick), "+0 %", "0", 1), "x", at(1+tick), "y", head+height+16, "text-anchor", "middle", "fill", faint)
	}
	for i, r := range v.Rows {
		y := head + row*(float64(i)+0.5)
		c.open("g")
		c.leaf("title", r.Hover)
		c.text(r.Name, "x", left-8, "y", y+4, "text-anchor", "end")
		c.text(r.Text, "x", left+across+8, "y", y+4, "fill", faint)
		style := []any{"stroke", measured, "stroke-width", 2.0}
		if !(r.Off <= widest) { // from end to end, without caps
			c.empty("line", append([]any{"x1", left, "y1", y, "x2", left + across, "y2", y, "stroke-dasharray", "2 4"}, style...)...)
		} else {
			for _, l := range [][4]float64{{1 - r.Off, y, 1 + r.Off, y}, {1 - r.Off, y - 4, 1 - r.Off, y + 4}, {1 + r.Off, y - 4, 1 + r.Off, y + 4}} {
				c.empty("line", append([]any{"x1", at(l[0]), "y1", l[1], "x2", at(l[2]), "y2", l[3]}, style...)...)
			}
			c.empty("circle", "cx", at(1), "cy", y, "r", 3.5, "fill", measured)
		}
		c.close("g")
	}
	c.empty("rect", "x", left, "y", head, "width", across, "height", math.Max(height, 1), "fill", "none", "stroke", frame)
	c.close("svg")
	return c.String()
}
