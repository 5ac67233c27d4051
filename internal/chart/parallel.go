package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gpuperf/internal/lists"
)

// Parallel are choices with times: an axis upwards for each choice, one of times at the end, and a line through them for each configuration. The fastest are
// drawn last, in a colour.
type Parallel struct {
	Title string
	Axes  []string
	Lines []Polyline
}

// Polyline is a configuration: its option on each axis, "" where there is none, and its time in seconds.
type Polyline struct {
	Options []string
	Seconds float64
	Hover   string
}

// fastest is the part of the lines that has the colour.
const fastest = 0.1

// SVG draws the lines as a document of its own.
func (p *Parallel) SVG() string { return p.draw(aloneWidth) }

// Narrow draws the lines for a narrow screen.
func (p *Parallel) Narrow() string { return p.draw(besideWidth) }

func (p *Parallel) draw(across float64) string {
	const head, least = 70.0, 70.0 // pixels above the axes, and between two of them
	lines := slices.DeleteFunc(slices.Clone(p.Lines), func(l Polyline) bool { return !drawable(l.Seconds) })
	slices.SortStableFunc(lines, func(a, b Polyline) int { return cmp.Compare(b.Seconds, a.Seconds) })
	across = max(across, least*float64(len(p.Axes)))
	options := make([][]string, len(p.Axes))
	for i := range p.Axes {
		options[i] = optionsOf(lines, i)
	}
	between := across / float64(max(len(p.Axes), 1))
	labels, legend := p.labels(options, between-8)
	c := document(p.Title, padLeft+across+padRight, head+plotHeight+30+legendLine*float64(len(legend)))
	c.text(p.Title, "x", 12.0, "y", 22.0, "font-size", 15.0, "font-weight", 600)
	c.text("a line for each configuration; those of the fastest tenth have a colour", "x", 12.0, "y", 40.0, "fill", faint)
	times := lists.Map(lines, func(l Polyline) float64 { return l.Seconds })
	time := plot{canvas: c, y: logAxis(times), left: padLeft + across, top: head, width: 0}
	at := func(i int) float64 { return padLeft + between*float64(i) }
	y := func(axis int, option string) float64 {
		n := slices.Index(options[axis], option)
		return head + plotHeight*(1-(float64(n)+0.5)/float64(len(options[axis])))
	}
	for i, l := range lines {
		path := ""
		for axis := range p.Axes {
			if axis < len(l.Options) && l.Options[axis] != "" {
				path += step(path) + decimal(at(axis)) + " " + decimal(y(axis, l.Options[axis]))
			}
		}
		path += step(path) + decimal(time.left) + " " + decimal(time.py(l.Seconds))
		style := []any{"stroke", frame, "stroke-width", 1.0, "stroke-opacity", "0.4"}
		if float64(len(lines)-i) <= math.Max(1, fastest*float64(len(lines))) {
			style = []any{"stroke", predicted, "stroke-width", 1.5}
		}
		c.open("path", append([]any{"d", path, "fill", "none"}, style...)...)
		c.leaf("title", l.Hover)
		c.close("path")
	}
	for i, name := range p.Axes {
		p.axis(c, at(i), head, name)
		for n, option := range options[i] {
			c.text(labels[i][n], "x", at(i)+4, "y", y(i, option)+4)
		}
	}
	for i, text := range legend {
		c.text(text, "x", 12.0, "y", head+plotHeight+24+legendLine*float64(i))
	}
	p.axis(c, time.left, head, "time")
	for _, t := range time.y.ticks() {
		c.text(Seconds(t), "x", time.left-4, "y", time.py(t)+4, "text-anchor", "end")
	}
	c.close("svg")
	return c.String()
}

// labels are what stands at the options of each axis: their names, or numbers where one is wider than there is room. The legend says what these are.
func (p *Parallel) labels(options [][]string, room float64) (labels [][]string, legend []string) {
	for i, all := range options {
		if !slices.ContainsFunc(all, func(name string) bool { return textWidth(name) > room }) {
			labels = append(labels, all)
			continue
		}
		var numbers []string
		for n, name := range all {
			numbers = append(numbers, strconv.Itoa(n+1))
			legend = append(legend, p.Axes[i]+" "+numbers[n]+": "+name)
		}
		labels = append(labels, numbers)
	}
	return labels, legend
}

// axis draws an axis with its name.
func (p *Parallel) axis(c *canvas, x, top float64, name string) {
	c.empty("line", "x1", x, "y1", top, "x2", x, "y2", top+plotHeight, "stroke", frame)
	c.text(name, "x", x, "y", top-8, "text-anchor", "middle", "font-weight", 600)
}

// step is the command by which a path goes on.
func step(path string) string {
	if path == "" {
		return "M"
	}
	return "L"
}

// optionsOf are the options on an axis: numbers in their order, others in the order of the alphabet.
func optionsOf(lines []Polyline, axis int) (list []string) {
	for _, l := range lines {
		if axis < len(l.Options) && l.Options[axis] != "" && !slices.Contains(list, l.Options[axis]) {
			list = append(list, l.Options[axis])
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		x, wrong := strconv.ParseFloat(a, 64)
		y, no := strconv.ParseFloat(b, 64)
		if wrong != nil || no != nil {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(x, y)
	})
	return list
}
