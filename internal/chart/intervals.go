package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

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
