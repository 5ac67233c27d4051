package chart

import "math"

// plot is a rectangle, by its upper left corner and its width, with an axis across and an axis of times, or of what text writes, upwards.
type plot struct {
	*canvas
	x, y             axis
	left, top, width float64
	written          func(float64) string // nil is Seconds
}

func (p *plot) px(v float64) float64 { return p.left + p.width*p.x.at(v) }
func (p *plot) py(t float64) float64 { return p.top + plotHeight*(1-p.y.at(t)) }

// write writes a value of the axis upwards.
func (p *plot) write(v float64) string {
	if p.written == nil {
		return Seconds(v)
	}
	return p.written(v)
}

// room is what the ticks of the axis upwards need beside it.
func (p *plot) room() (width float64) {
	for _, t := range p.y.ticks() {
		width = max(width, textWidth(p.write(t)))
	}
	return width
}

// times draws the ticks of the axis upwards.
func (p *plot) times() {
	for _, t := range p.y.ticks() {
		y := p.py(t)
		p.empty("line", "x1", p.left, "y1", y, "x2", p.left+p.width, "y2", y, "stroke", grid)
		p.text(p.write(t), "x", p.left-7, "y", y+4, "text-anchor", "end")
	}
}

// upwards writes the label of the axis upwards at x.
func (p *plot) upwards(label string, x float64) {
	y := p.top + plotHeight/2
	p.text(label, "x", x, "y", y, "text-anchor", "middle", "fill", faint, "transform", "rotate(-90 "+decimal(x)+" "+decimal(y)+")")
}

// tick is a value on the axis across.
type tick struct {
	at   float64
	text string
}

// across draws the ticks and the label of the axis across. A text that would run into the one before is left out.
func (p *plot) across(ticks []tick, label string) {
	free := math.Inf(-1)
	for _, t := range ticks {
		x := p.px(t.at)
		p.empty("line", "x1", x, "y1", p.top, "x2", x, "y2", p.top+plotHeight, "stroke", grid)
		if half := textWidth(t.text) / 2; x-half >= free {
			p.text(t.text, "x", x, "y", p.top+plotHeight+16, "text-anchor", "middle")
			free = x + half + 4
		}
	}
	p.text(label, "x", p.left+p.width/2, "y", p.top+plotHeight+34, "text-anchor", "middle", "fill", faint)
}

func (p *plot) frame() {
	p.empty("rect", "x", p.left, "y", p.top, "width", p.width, "height", plotHeight, "fill", "none", "stroke", frame)
}

// shows tells whether the point can stand on the axes.
func (p *plot) shows(at XY) bool { return (p.x.linear || drawable(at.X)) && drawable(at.Y) }

// line joins neighbouring points that can stand on the axes.
func (p *plot) line(style Style, points []XY) {
	path, pen := "", "M"
	for _, at := range points {
		if !p.shows(at) {
			pen = "M"
			continue
		}
		path += pen + decimal(p.px(at.X)) + " " + decimal(p.py(at.Y))
		pen = "L"
	}
	style.line(p.canvas, path)
}
