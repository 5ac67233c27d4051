package ckernel

import (
	"fmt"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// All work-items of a group meet at a barrier, in each iteration of the loops around it, or the behaviour is undefined (OpenCL C 3.0, 6.15.8; CUDA C++
// Programming Guide 12, 10.6). It is told where that is not so. Work-items that have returned are told apart, as devices let the others go on.

// leaveKernel notes which work-items return.
func (b *builder) leaveKernel() {
	left := b.outside(b.live.domain)
	if b.gone != nil {
		left = b.union(b.gone, left)
	}
	b.gone = b.simple(left)
}

// outside are the work-items of a set, whatever the iterations of loops.
func (b *position) outside(s *polycount.Set) *polycount.Set {
	var loops []string
	for _, l := range b.open {
		loops = append(loops, l.name)
	}
	return b.without(s, loops)
}

// without is a set without some of its names: where there are values of these.
func (b *faults) without(s *polycount.Set, names []string) *polycount.Set {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !s.HasParam(n) })
	if len(names) == 0 {
		return s
	}
	out, err := s.ToDims(names...).ProjectOut(names...)
	b.try(err)
	return out
}

// items are the indices of work-items in their group.
func (b *grid) items() (names []string) {
	for _, a := range b.axes {
		if a.item != "" {
			names = append(names, a.item)
		}
	}
	return names
}

// meeting notes a doubt where some work-items of a group do not reach a barrier that others reach.
func (b *builder) meeting(at cfront.Pos) {
	domain := b.live.domain
	if domain == b.base || b.meets[domain] {
		return
	}
	missing, err := b.both(b.base, b.without(domain, b.items())).Subtract(domain)
	b.try(err)
	if b.isEmpty(missing) {
		b.meets[domain] = true
		return
	}
	place := fmt.Sprintf("%s:%d:%d: ", at.File, at.Line, at.Column)
	text := place + "not all work-items of a work-group reach this barrier, which is undefined behaviour"
	if b.gone != nil {
		others, err := missing.Subtract(b.gone)
		b.try(err)
		if b.isEmpty(others) {
			text = place + "work-items that have returned do not reach this barrier, which is undefined behaviour where a device waits for them"
		} else {
			missing = others
		}
	}
	inner := slices.DeleteFunc(missing.Params(), func(n string) bool { return b.sizes[n] != nil })
	b.doubts = append(b.doubts, kernel.Doubt{Text: text, Where: b.simple(b.without(missing, inner))})
}

// doubtsOf are the doubts at sizes that the kernel is for.
func (b *flow) doubtsOf() (out []kernel.Doubt) {
	for _, d := range b.doubts {
		d.Where = b.both(d.Where, b.assumed)
		if !b.isEmpty(d.Where) {
			out = append(out, d)
		}
	}
	return out
}
