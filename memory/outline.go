package memory

import (
	"math"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
)

// outline is what steps touch in a window, whatever the unit in which that is counted.
type outline struct {
	figures   [][]figure // of each array
	scattered []scattered
}

// scattered is a number of sectors anywhere in an array, by accesses of a width; or a figure that lies anywhere, as often as its times say.
type scattered struct {
	array   int
	width   int64
	sectors float64
	figure  figure
}

// units is the number of units that are touched, those twice that are touched twice.
func (s *scattered) units(unit int64) float64 {
	if s.figure.sets != nil {
		return s.figure.units(unit)
	}
	return s.sectors * math.Ceil(float64(s.width)/float64(unit)) / math.Ceil(float64(s.width)/SectorBytes)
}

// strewn is what a part touches anywhere, and how often; no figure where it has no runs that go anywhere.
func (k *memo) strewn(p placed, w *window) (f figure) {
	times, some, box := 1.0, false, slices.Clone(p.box)
	if w.list != nil {
		times = p.listed
	}
	for axis, r := range p.Groups {
		if some = some || r.Anywhere; r.Anywhere && w.list == nil {
			times *= float64(r.count(box[axis]))
			box[axis] = span{box[axis].from, box[axis].from + 1}
		}
	}
	for depth, r := range p.Loops {
		if some = some || r.Anywhere; r.Anywhere {
			trips, _ := p.iterations(depth, w)
			times *= float64(r.count(trips))
		}
	}
	if !some {
		return f
	}
	if p.box, p.listed = box, 1; w.list != nil {
		f = figure{sets: []set{{in: p.touched.in}}, times: 1}
	} else {
		f = k.figure(pattern{p}, nil)
	}
	f.times *= times
	return f
}

// memo has the outlines that an estimate has made already, by what they are of.
type memo struct {
	at       map[outlined]*outline
	touched  map[width]*touched
	strides  [][]float64 // of the parts of each pattern
	arrays   []int       // of each pattern
	patterns []pattern
	division division
	// Memory for the next outline.
	boxes     []span
	shifts    []float64
	intervals []interval
}

// touched are the bytes that lanes touch, and how many these are.
type touched struct {
	in    []interval
	bytes float64
}

// width is a list of lanes, each so many bytes wide.
type width struct {
	first *int64
	lanes int
	bytes int64
}

// by is what the lanes of a part touch.
func (k *memo) by(p *Part, bytes int64) *touched {
	if len(p.Lanes) == 0 {
		return &touched{}
	}
	key := width{&p.Lanes[0], len(p.Lanes), bytes}
	t := k.touched[key]
	if t == nil {
		in := k.intervals[:0]
		for _, at := range p.Lanes {
			in = append(in, interval{at, at + bytes})
		}
		k.intervals = in
		in = slices.Clone(merged(in))
		t = &touched{in, lengthOf(in)}
		k.touched[key] = t
	}
	return t
}

// outlined tells outlines apart.
type outlined struct {
	first  Step
	steps  int
	which  direction
	groups [3]span
	list   *[3]int64
	listed int
	trips  [deepest]span
	depth  int
}

// deepest is the greatest number of loops around a window for which outlines are kept.
const deepest = 12

// enter finds the pattern that a part of an access belongs to.
func (k *memo) enter(a *Access, p *Part) {
	p.touched = k.by(p, a.Width)
	p.dims, p.strides = append(p.dims[:0], p.Groups[:]...), p.strides[:0]
	for _, r := range p.Loops {
		if r.Stride != 0 {
			p.dims = append(p.dims, r)
		}
	}
	for _, r := range p.dims {
		p.strides = append(p.strides, float64(r.Stride)/float64(max(r.Step, 1)))
	}
	for i := len(k.strides) - 1; i >= 0; i-- {
		if k.arrays[i] == a.Array && slices.Equal(k.strides[i], p.strides) {
			p.pattern, p.strides = i, k.strides[i]
			return
		}
	}
	p.pattern = len(k.strides)
	k.strides, k.arrays, k.patterns = append(k.strides, p.strides), append(k.arrays, a.Array), append(k.patterns, nil)
}

// outline finds what the steps touch in a window.
func (l *Launch) outline(steps []Step, w *window, which direction) *outline {
	key := outlined{steps: len(steps), which: which, groups: w.groups, listed: len(w.list), depth: len(w.trips)}
	if len(steps) > 0 {
		key.first = steps[0]
	}
	if len(w.list) > 0 {
		key.list = &w.list[0]
	}
	copy(key.trips[:], w.trips)
	if out, ok := l.memo.at[key]; ok && key.depth <= deepest {
		return out
	}
	out := l.outlineOf(steps, w, which)
	l.memo.at[key] = out
	return out
}

func (l *Launch) outlineOf(steps []Step, w *window, which direction) *outline {
	out := &outline{figures: make([][]figure, len(l.Arrays))}
	k := &l.memo
	k.boxes = k.boxes[:0]
	var order []int // of the patterns
	Each(steps, func(a *Access) {
		if a.direction()&which == 0 {
			return
		}
		for i := range a.Parts {
			p, boxes, ok := place(&a.Parts[i], w, k.boxes)
			k.boxes = boxes
			switch {
			case !ok:
			case p.Scattered:
				out.scattered = append(out.scattered, scattered{a.Array, a.Width, p.runs / p.executions() * p.Sectors, k.strewn(p, w)})
			default:
				if len(k.patterns[p.pattern]) == 0 {
					order = append(order, p.pattern)
				}
				k.patterns[p.pattern] = append(k.patterns[p.pattern], p)
			}
		}
	})
	for _, i := range order {
		array := k.arrays[i]
		out.figures[array] = append(out.figures[array], k.figure(k.patterns[i], w.list))
		k.patterns[i] = k.patterns[i][:0]
	}
	return out
}

// footprint is the number of aligned units of some bytes that the steps touch in a window.
func (l *Launch) footprint(steps []Step, w *window, which direction, unit int64) (sum float64) {
	return lists.Sum(l.footprints(steps, w, which, unit), func(n float64) float64 { return n })
}

// footprints are those of each array.
func (l *Launch) footprints(steps []Step, w *window, which direction, unit int64) []float64 {
	return l.counted(steps, w, which, unit, (*figure).units)
}

// room is the number of units that such a window touches in the mean over where it may be. In the middle of a launch, where windows are, lines end that lie along a number
// of groups or iterations which is a power of two.
func (l *Launch) room(steps []Step, w *window, which direction, unit int64) float64 {
	return lists.Sum(l.counted(steps, w, which, unit, (*figure).meanUnits), func(n float64) float64 { return n })
}

// counted are the units of each array, those of a figure by a function.
func (l *Launch) counted(steps []Step, w *window, which direction, unit int64, units func(*figure, int64) float64) []float64 {
	out := make([]float64, len(l.Arrays))
	o := l.outline(steps, w, which)
	anywhere := make([]float64, len(l.Arrays))
	for i := range o.scattered {
		anywhere[o.scattered[i].array] += o.scattered[i].units(unit)
	}
	for i, a := range l.Arrays {
		all := float64(intmath.CeilDiv(a.Bytes, unit))
		n := 0.0
		for j := range o.figures[i] {
			n += units(&o.figures[i][j], unit)
		}
		n = min(n, all)
		if a.Reach > 0 {
			all = min(all, float64(intmath.CeilDiv(a.Reach, unit)))
		}
		if s := anywhere[i]; s > 0 {
			n += max(all-n, 0) * -math.Expm1(-s/all)
		}
		out[i] = n
	}
	return out
}
