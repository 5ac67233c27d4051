package chart

import (
	"math"
	"unicode/utf8"
)

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
