package schedule

import (
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/scop"
)

// each makes a launch whose work-groups make iterations of loops that are parallel around a whole part, as the many problems of a batch, where that costs less than what the part is: work-items
// share the parallel loops inside, and barriers stand where launches would end. Where there are none, they share sums, as in triangular systems with many right sides.
func (p *pluto) each(part Node, loops []Loop) (Node, error) {
	var outer []Loop
	for _, l := range loops {
		if l.Parallel && len(outer) < mostOuter {
			outer = append(outer, l)
		}
	}
	body := inner(flat(opened(Hosted(part))), outer)
	if body == nil || !hasParallel(body) && (len(outer) > 1 || !HasSums(body)) {
		return part, nil
	}
	out := &Launch{Body: &Band{outer, body}, Host: part, Each: true}
	if !p.tiles && p.cost(out) >= p.cost(part) {
		return part, nil
	}
	if fits, err := haveBounds(out.Body, nil); !fits || err != nil {
		return part, err
	}
	return out, nil
}

// inRows makes one launch of launches that follow each other, of which some have sums, where each of its work-groups makes a row, an iteration of loops around all but one of each statement,
// and that costs less: what a group reads again is near.
func (p *pluto) inRows(x *Sequence, edges []*edge) (Node, error) {
	var parts []Node
	for i := 0; i < len(x.Parts); {
		end := i
		for l, ok := x.Parts[end].(*Launch); ok && l.Host == nil && hasParallel(l); l, ok = x.Parts[end].(*Launch) {
			if end++; end == len(x.Parts) {
				break
			}
		}
		next := x.Parts[i]
		if end-i > 1 {
			run := &Sequence{x.Parts[i:end]}
			one, err := p.wavefront(run, edges)
			if err != nil {
				return nil, err
			}
			if l, ok := one.(*Launch); ok && l.Each && ofRows(l) && p.teams(l.Body.(*Band)) < p.cost(run) {
				next, i = one, end-1
			}
		}
		parts, i = append(parts, next), i+1
	}
	return inOrder(parts), nil
}

// ofRows reports that there are sums in the iterations of a launch, and at most one loop around each statement.
func ofRows(l *Launch) bool {
	outer := l.Body.(*Band)
	return HasSums(outer.Body) && !slices.ContainsFunc(outer.statements(), func(s *scop.Statement) bool { return len(s.Loops) > len(outer.Loops)+1 })
}

// HasSums reports that a loop of a tree does nothing but accumulate.
func HasSums(n Node) bool {
	switch x := n.(type) {
	case *Sequence:
		return slices.ContainsFunc(x.Parts, HasSums)
	case *Band:
		if _, alone := x.Body.(*Leaf); alone {
			return !slices.ContainsFunc(x.Loops, func(l Loop) bool { return !l.Reduction })
		}
		return HasSums(x.Body)
	}
	return false
}

// mostOuter loops are around work-groups: as many as there are axes.
const mostOuter = 3

// inner is a tree without the loops that loops around it determine; nil where that changes a loop that is not parallel.
func inner(n Node, around []Loop) Node {
	switch x := n.(type) {
	case *Sequence:
		out := &Sequence{}
		for _, part := range x.Parts {
			next := inner(part, around)
			if next == nil {
				return nil
			}
			out.Parts = append(out.Parts, next)
		}
		return out
	case *Band:
		var left []Loop
		for _, l := range x.Loops {
			switch {
			case tellsApart(x.statements(), slices.Concat(around, left), l):
				left = append(left, l)
			case !l.Parallel:
				return nil
			}
		}
		body := inner(x.Body, slices.Concat(around, left))
		if body == nil || len(left) == 0 {
			return body
		}
		return &Band{left, body}
	}
	return n
}

// issued are about the instructions of a point: those of its statement, with its loop and its addresses.
const issued = 16

// eachOf is about what a launch takes whose work-groups make iterations of loops around, with as many work-items each as take least.
func (e extents) eachOf(x *Launch) float64 {
	band := x.Body.(*Band)
	if !hasParallel(band.Body) { // work-items share sums
		e.sums = true
		return e.cost(&Launch{Body: band})
	}
	return e.teams(band)
}

// teams is about what a launch takes whose work-groups make iterations of a band, with as many work-items each as take least.
func (e extents) teams(band *Band) float64 {
	groups := e.iterations(band.Loops)
	least := math.Inf(1)
	for e.team = 32; e.team <= groupItems; e.team *= 2 {
		work := e.in(band.Loops, false).group(band.Body)
		work.Launches, work.Groups = 1, int64(math.Ceil(groups))
		work.Group = machine.Group{Items: int64(e.team), Registers: tileRegisters, Subgroup: e.on.Subgroup}
		least = min(least, e.on.Seconds(work))
	}
	return least
}
