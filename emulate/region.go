package emulate

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"gpuperf/emulate/timing"
	"gpuperf/internal/parallel"
	"gpuperf/sass"
)

// Region is a part of the code, with what the time depends on in it: the sensitivity to a parameter that is raised for its instructions alone.
// Those of the parts of a region add up to about that of the region.
type Region struct {
	Kind        string // loop nest, loop, line, rest
	From, To    int64  // addresses of its first and its last instruction
	Source      string // its lines, where they are known
	Part        float64
	Sensitivity []Sensitivity // as in the region around it
	Inside      []*Region

	in   []bool
	loop *sass.Loop
}

// Bounds of the work: regions and lines are looked into where a parameter matters as much, for as many parameters.
const (
	matters       = 0.05 // of the time: less is hardly more than chance
	mostMattering = 4    // parameters that are looked into: each costs an emulation
	mostLines     = 8    // of a region: what a reader looks at
	mostRegions   = 40   // of a launch: each costs an emulation
)

// regions cut the code into loop nests, these into loops, and these into lines, as far as the time depends on what they do.
func (e *emulation) regions(r *Result, base timed) {
	var list []Sensitivity
	for _, s := range r.Sensitivity {
		if s.Kind != Capacity && s.Value >= matters && len(list) < mostMattering {
			list = append(list, s)
		}
	}
	spent := spent(base)
	whole := &Region{in: make([]bool, len(e.Function.Instructions)), Sensitivity: list}
	for i := range whole.in {
		whole.in[i] = true
	}
	left := mostRegions
	for level := []*Region{whole}; len(level) > 0 && left > 0; {
		var parts []*Region
		for _, g := range level {
			if slices.ContainsFunc(g.Sensitivity, func(s Sensitivity) bool { return s.Value >= matters }) {
				g.Inside = e.inside(g, spent)
				parts = append(parts, g.Inside...)
			}
		}
		left -= len(parts)
		e.depends(parts, list, base)
		level = parts
	}
	r.Regions = whole.Inside
}

// depends times the launch again with each parameter raised for each region.
func (e *emulation) depends(regions []*Region, list []Sensitivity, base timed) {
	for _, g := range regions {
		g.Sensitivity = slices.Clone(list)
	}
	parallel.For(len(regions)*len(list), func(i int) {
		g, s := regions[i/len(list)], list[i%len(list)]
		g.Sensitivity[i%len(list)].Value = (e.time(Change{Machine: s.raise, In: g.in}).cycles/base.cycles - 1) / raised
	})
}

// inside are the parts of a region that take time: the loops of the next depth and what is around them, or the lines of a loop without loops.
func (e *emulation) inside(g *Region, spent []float64) (parts []*Region) {
	if g.Kind == "line" {
		return nil
	}
	loops, rest := map[*sass.Loop]*Region{}, e.region("rest", g.loop)
	for i, in := range g.in {
		if !in {
			continue
		}
		l := e.loopWithin(i, g.loop)
		if l == nil || g.Kind == "rest" {
			rest.in[i] = true
			continue
		}
		if loops[l] == nil {
			kind := "loop"
			if g.loop == nil {
				kind = "loop nest"
			}
			loops[l] = e.region(kind, l)
			parts = append(parts, loops[l])
		}
		loops[l].in[i] = true
	}
	if len(parts) == 0 {
		parts = e.lines(g, spent)
	} else {
		parts = append(parts, rest)
	}
	for _, p := range parts {
		e.describe(p, spent)
	}
	return slices.DeleteFunc(parts, func(p *Region) bool { return p.Part < shown })
}

func (e *emulation) region(kind string, l *sass.Loop) *Region {
	return &Region{Kind: kind, loop: l, in: make([]bool, len(e.Function.Instructions))}
}

// loopWithin is the loop directly inside another one, nil for the whole function, that an instruction is in.
func (e *emulation) loopWithin(i int, outer *sass.Loop) *sass.Loop {
	for _, b := range e.Function.Blocks {
		if i < b.From || i >= b.To {
			continue
		}
		for l := b.Loop; l != nil; l = l.Outer {
			if l.Outer == outer {
				return l
			}
		}
	}
	return nil
}

// lines are those in which most of the time of a region passes.
func (e *emulation) lines(g *Region, spent []float64) (parts []*Region) {
	at := map[sass.Place]*Region{}
	for i, in := range g.in {
		s := e.Function.Instructions[i].Source
		if !in || s.Line == 0 {
			continue
		}
		if at[s] == nil {
			at[s] = e.region("line", nil)
			parts = append(parts, at[s])
		}
		at[s].in[i] = true
		at[s].Part += spent[i]
	}
	slices.SortStableFunc(parts, func(a, b *Region) int { return cmp.Compare(b.Part, a.Part) })
	return parts[:min(len(parts), mostLines)]
}

// describe says where a region is, and what part of the time of warps passes there.
func (e *emulation) describe(g *Region, spent []float64) {
	g.Part, g.From, g.To = 0, -1, -1
	first, last := sass.Place{}, sass.Place{}
	file := e.file()
	for i, in := range g.in {
		if !in {
			continue
		}
		g.Part += spent[i]
		one := &e.Function.Instructions[i]
		if g.From < 0 {
			g.From = one.Address
		}
		g.To = one.Address
		s := one.Source
		if s.Line == 0 || s.File != file && g.Kind != "line" {
			continue
		}
		if first.Line == 0 || s.Line < first.Line {
			first = s
		}
		if s.Line > last.Line {
			last = s
		}
	}
	if first.Line > 0 {
		g.Source = fmt.Sprintf("%s:%d", path.Base(first.File), first.Line)
		if last.Line > first.Line {
			g.Source += fmt.Sprintf("-%d", last.Line)
		}
	}
}

// file is the source file that most instructions are from: not that of a header.
func (e *emulation) file() (most string) {
	count := map[string]int{}
	for i := range e.Function.Instructions {
		if s := e.Function.Instructions[i].Source; s.Line > 0 {
			count[s.File]++
			if count[s.File] > count[most] || s.File == most {
				most = s.File
			}
		}
	}
	return most
}

// spent is, of each instruction, the part of the time of warps that passes before and in it.
func spent(t timed) []float64 {
	out, all := make([]float64, len(t.Ops)), 0.0
	for i := range t.Ops {
		n := t.Ops[i].Issued * timing.Cycle
		for _, w := range t.Ops[i].Waited {
			n += w
		}
		out[i] = float64(n)
		all += float64(n)
	}
	for i := range out {
		out[i] /= max(all, 1)
	}
	return out
}
