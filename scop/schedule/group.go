package schedule

import (
	"math"
	"slices"

	"gpuperf/device/machine"
)

// grouped makes launches of one work-group of loops of the host, and of launches after each other, that cost less so: its work-items share the parallel loops inside, and barriers stand where launches would end. The
// work of an iteration is little then, as in the steps of a recurrence over the elements of a vector.
// Launches that no loop of the host is around are few, and stay apart unless one of them is a recurrence; those of a block of steps do anyway, as work-groups may make their iterations (each.go).
func (p *pluto) grouped(n Node, repeated bool) (Node, error) {
	switch x := n.(type) {
	case *Sequence:
		out := &Sequence{}
		for _, part := range x.Parts {
			next, err := p.grouped(part, repeated)
			if err != nil {
				return nil, err
			}
			for _, next := range inSequence(next) {
				last := len(out.Parts) - 1
				if last >= 0 && (repeated || !p.alone && (HasGroup(out.Parts[last]) || HasGroup(next))) {
					both, err := p.inGroup(&Sequence{[]Node{out.Parts[last], next}})
					if err != nil {
						return nil, err
					}
					if both != nil {
						out.Parts[last] = both
						continue
					}
				}
				out.Parts = append(out.Parts, next)
			}
		}
		return inOrder(out.Parts), nil
	case *Band:
		body, err := p.grouped(x.Body, true)
		if err != nil {
			return nil, err
		}
		host := &Band{x.Loops, body}
		if group, err := p.inGroup(host); group != nil || err != nil {
			return group, err
		}
		return host, nil
	}
	return n, nil
}

// inGroup is the launch of one work-group that does what a part does, nil if there is none that costs less.
func (p *pluto) inGroup(host Node) (Node, error) {
	group := &Launch{Body: flat(opened(host)), Host: host}
	if p.cost(group) >= p.cost(host) {
		return nil, nil
	}
	if fits, err := haveBounds(group.Body, nil); !fits || err != nil {
		return nil, err
	}
	return group, nil
}

// flat is a sequence without sequences as its parts.
func flat(n Node) Node {
	x, ok := n.(*Sequence)
	if !ok {
		return n
	}
	var parts []Node
	for _, part := range x.Parts {
		parts = append(parts, inSequence(flat(part))...)
	}
	return inOrder(parts)
}

// HasGroup reports that a launch of a tree has one work-group alone.
func HasGroup(n Node) bool {
	switch x := n.(type) {
	case *Sequence:
		return slices.ContainsFunc(x.Parts, HasGroup)
	case *Band:
		return HasGroup(x.Body)
	case *Launch:
		return x.Host != nil
	}
	return false
}

// Hosted is a tree whose loops around work-groups are the host's.
func Hosted(n Node) Node {
	switch x := n.(type) {
	case *Sequence:
		out := &Sequence{}
		for _, part := range x.Parts {
			out.Parts = append(out.Parts, Hosted(part))
		}
		return out
	case *Band:
		return &Band{x.Loops, Hosted(x.Body)}
	case *Launch:
		if x.Host != nil {
			return Hosted(x.Host)
		}
	}
	return n
}

// groupItems are the work-items of a work-group that is alone: enough to hide latencies, and few enough for 128 registers each.
const groupItems = 512

// inTurn is what a part takes that a work-group runs up to a barrier: the loads behind that wait for the stores before it.
func (e extents) inTurn(steps, points, lines float64) machine.Work {
	const afterBarrier = 2 // loads: that which stores wait for, and that which comes behind
	work := machine.Work{Barriers: 1, Rounds: afterBarrier + waiting*steps, Bytes: moved * points, Lines: lines}
	if e.team > 0 { // others are there that issue meanwhile
		work.Issue = issued * steps * e.team / float64(e.on.Subgroup*e.on.Schedulers)
	}
	return work
}

// shared are the work-items that share a loop.
func (e extents) shared() float64 {
	if e.team > 0 {
		return e.team
	}
	return groupItems
}

// group is about what one work-group does that runs a part.
func (e extents) group(n Node) (work machine.Work) {
	switch x := n.(type) {
	case *Sequence:
		for _, part := range x.Parts {
			work = work.Then(e.group(part))
		}
		return work
	case *Band:
		items, others, reduction := 1.0, 1.0, true
		for _, l := range x.Loops {
			if l.Parallel {
				items *= e.extent(l)
				continue
			}
			others *= e.extent(l)
			reduction = reduction && l.Reduction
		}
		_, alone := x.Body.(*Leaf)
		switch {
		case items > 1:
			steps, points, lines := e.inside(x, true, false)
			return e.inTurn(math.Ceil(items/e.shared())*steps, points, lines)
		case reduction && alone:
			lines := others * moved / float64(e.on.Line)
			if e.team > 0 {
				shared := slices.Clone(x.Loops)
				for i := range shared {
					shared[i].Parallel = true
				}
				_, _, lines = e.inside(&Band{shared, x.Body}, true, false)
			}
			return e.inTurn(others/e.shared()+combining, others, lines)
		}
		return e.in(x.Loops, false).group(x.Body).Times(others)
	}
	return machine.Work{Rounds: waiting}
}
