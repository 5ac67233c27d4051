package offload

import (
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// stencil is a loop of the host around launches whose points read elements near their own of the arrays that they write, as those of Jacobi's method do: a loop over time.
// Work-groups can make several of its steps at a time (timetile.go).
type stencil struct {
	time       schedule.Loop
	from, to   polycount.Affine // values of the loop
	statements []*place         // in the order of a step
	arrays     []*scop.Array    // that are written; all have the same shape
	// reach is how far the elements of a step depend on those before it, down and up along each dimension.
	down, up []int64
}

// place is where a statement writes and reads.
type place struct {
	*scop.Statement
	clock string // the iterator of time
	shift int64  // time less the loop of the host
	// Of each dimension: the iterator of the element that is written, "" where it is the same for all points, and the element less the iterator.
	along []string
	at    []polycount.Affine
	// down and up are how far it reads.
	down, up []int64
}

// stencilOf finds the form of a loop of the host, nil where it has another one.
func stencilOf(x *schedule.Band) (*stencil, error) {
	s := &stencil{}
	if len(x.Loops) != 1 {
		return nil, nil
	}
	s.time = x.Loops[0]
	for _, part := range parts(schedule.Hosted(x.Body)) {
		l, ok := part.(*schedule.Launch)
		if !ok {
			return nil, nil
		}
		b, ok := l.Body.(*schedule.Band)
		if !ok || slices.ContainsFunc(b.Loops, func(l schedule.Loop) bool { return !l.Parallel }) {
			return nil, nil
		}
		for _, leaf := range parts(b.Body) {
			if _, ok := leaf.(*schedule.Leaf); !ok {
				return nil, nil
			}
		}
		for _, one := range schedule.Statements(b) {
			p := s.place(one)
			if p == nil {
				return nil, nil
			}
			s.statements = append(s.statements, p)
		}
	}
	if !s.reads() {
		return nil, nil
	}
	const name = "time"
	lower, upper, empty, err := schedule.Bounds(schedule.Statements(x), x.Loops, []string{name})
	if err != nil || empty || len(lower) == 0 || len(upper) == 0 || lower[0].Den != 1 || upper[0].Den != 1 {
		return nil, err
	}
	s.from, s.to = lower[0].Num, upper[0].Num
	return s, nil
}

func parts(n schedule.Node) (all []schedule.Node) {
	s, ok := n.(*schedule.Sequence)
	if !ok {
		return []schedule.Node{n}
	}
	for _, p := range s.Parts {
		all = append(all, parts(p)...)
	}
	return all
}

// place finds where a statement writes: each of its iterators but that of time is along one dimension.
func (s *stencil) place(x *scop.Statement) *place {
	p := &place{Statement: x}
	clock := s.time.Of[x]
	names := clock.Names()
	if len(names) != 1 || !slices.Contains(x.Iterators, names[0]) || clock.Coeff(names[0]) != 1 || len(x.Domain.Disjuncts()) != 1 {
		return nil
	}
	p.clock, p.shift = names[0], -clock.Constant()
	if !clock.Equal(polycount.Name(p.clock).AddInt(-p.shift)) {
		return nil
	}
	if slices.ContainsFunc(x.Accesses, func(a scop.Access) bool { return a.Array.Scattered() }) {
		return nil
	}
	store := x.Accesses[len(x.Accesses)-1]
	if n := len(store.Index); !store.Write || n == 0 || n > 3 || store.Array.Shape[0] == nil {
		return nil
	}
	if len(s.arrays) > 0 && !slices.EqualFunc(s.arrays[0].Shape, store.Array.Shape, equalText) {
		return nil
	}
	if !slices.Contains(s.arrays, store.Array) {
		s.arrays = append(s.arrays, store.Array)
	}
	for _, index := range store.Index {
		along := ""
		for _, it := range x.Iterators {
			if !index.Has(it) {
				continue
			}
			if along != "" || it == p.clock || slices.Contains(p.along, it) || !index.Sub(polycount.Name(it)).IsConstant() {
				return nil
			}
			along = it
		}
		p.along = append(p.along, along)
		if along != "" {
			index = index.Sub(polycount.Name(along))
		}
		p.at = append(p.at, index)
	}
	for _, it := range x.Iterators {
		if it != p.clock && !slices.Contains(p.along, it) {
			return nil
		}
	}
	return p
}

// reads finds how far statements read in the arrays that are written.
func (s *stencil) reads() bool {
	if len(s.statements) == 0 {
		return false
	}
	n := len(s.arrays[0].Shape)
	s.down, s.up = make([]int64, n), make([]int64, n)
	far := false
	for _, p := range s.statements {
		p.down, p.up = make([]int64, n), make([]int64, n)
		for _, a := range p.Accesses {
			if a.Write {
				continue
			}
			if len(a.Index) == 0 && (a.Array.Written || a.Array.Local) {
				return false
			}
			if !slices.Contains(s.arrays, a.Array) {
				continue
			}
			for d, index := range a.Index {
				off, ok := p.offset(d, index)
				if !ok || off != 0 && a.Array == p.Accesses[len(p.Accesses)-1].Array {
					return false
				}
				p.down[d], p.up[d] = max(p.down[d], -off), max(p.up[d], off)
			}
		}
		for d := range n {
			s.down[d], s.up[d] = s.down[d]+p.down[d], s.up[d]+p.up[d]
			far = far || s.down[d] > 0 || s.up[d] > 0
		}
	}
	return far
}

// offset is how far a subscript is from that of the element that is written.
func (p *place) offset(d int, index polycount.Affine) (int64, bool) {
	own := p.at[d]
	if p.along[d] != "" {
		own = own.Add(polycount.Name(p.along[d]))
	}
	off := index.Sub(own)
	return off.Constant(), off.IsConstant()
}

// margin is how many elements of local memory are not computed along a dimension, as not all statements have there what they read: before the others, and after them.
func (s *stencil) margin(d int) (before, after int64) {
	for _, p := range s.statements {
		before, after = max(before, p.down[d]), max(after, p.up[d])
	}
	return before, after
}

// wrong is how many elements of local memory are wrong along a dimension after so many steps: at its begin, and at its end. A statement adds how far it reads, and at least the margin is
// wrong after it: most if that is so from the first statement on.
func (s *stencil) wrong(d int, steps int64) (before, after int64) {
	first := s.statements[0]
	before, after = s.margin(d)
	return steps*s.down[d] + before - first.down[d], steps*s.up[d] + after - first.up[d]
}
