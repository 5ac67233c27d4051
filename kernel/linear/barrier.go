package linear

import (
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
)

// barriers inserts a barrier before the first block whose accesses conflict with those made since the last barrier. It
// follows the iterations of loops one after the other: accesses pending at the end of a body meet those at its start. Where
// barriers are explicit it inserts none.
func (b *builder) barriers() error {
	for _, s := range b.stmts {
		if s.Kind == kernel.GlobalBarrier {
			return fmt.Errorf("statement %s is a barrier across work-groups, which one launch cannot have: split the kernel there", s.ID)
		}
	}
	if b.k.ExplicitBarriers {
		return nil
	}
	var err error
	b.root.kids, _, err = b.place(b.root.kids, nil, nil)
	return err
}

// pend is a pending access: no barrier has followed it yet. The statement ran at the current iteration of the first depth
// loops of the path; where carried is set, it ran at an earlier iteration of the next loop.
type pend struct {
	s       *stmt
	space   kernel.Space
	depth   int
	carried bool
}

// placed are blocks with the barriers between them, and the accesses that no barrier has ordered since.
type placed struct {
	out     []*block
	pending []pend
}

// pass notes that what follows comes after a barrier.
func (p *placed) pass(space kernel.Space) {
	p.pending = slices.DeleteFunc(p.pending, func(p pend) bool { return ordered(space, p.space) })
}

func (p *placed) fence(space kernel.Space, why string) {
	p.out = append(p.out, &block{barrier: &Barrier{Space: space, Why: why}})
	p.pass(space)
}

// place puts the blocks of a body in their order, with a barrier before each that needs one for what is pending, or for what it accesses itself. It returns
// also what is pending behind it.
func (b *builder) place(kids []*block, path []string, pending []pend) (out []*block, left []pend, err error) {
	p := &placed{pending: slices.Clone(pending)} // a list of its own, which grows
	for _, k := range kids {
		switch {
		case k.barrier != nil:
			p.fence(k.barrier.Space, k.barrier.Why)
		case k.stmt != nil && k.stmt.Kind == kernel.LocalBarrier:
			p.out = append(p.out, k)
			p.pass(k.stmt.Orders())
		case k.stmt != nil:
			if space, why, err := b.needs(p.pending, k.stmt, path); err != nil {
				return nil, nil, err
			} else if why != "" {
				p.fence(space, why)
			}
			p.out = append(p.out, k)
			for _, space := range [...]kernel.Space{kernel.Global, kernel.Local} {
				if (k.stmt.gets|k.stmt.puts)&b.spaces[space] != 0 {
					p.pending = addPend(p.pending, pend{k.stmt, space, len(path), false})
				}
			}
		case k.idle():
			p.out = append(p.out, k)
		default:
			if err := b.addLoop(p, k, path); err != nil {
				return nil, nil, err
			}
		}
	}
	return p.out, p.pending, nil
}

// addLoop places the barriers of a loop and before it.
func (b *builder) addLoop(p *placed, k *block, path []string) error {
	space, why, body, after, err := b.placeLoop(k, path, p.pending)
	if err != nil {
		return err
	}
	if why != "" {
		p.fence(space, why)
	}
	if k.settled {
		p.out = append(p.out, k)
	} else {
		p.out = append(p.out, &block{iname: k.iname, kids: body, first: k.first})
	}
	if fenced := fencedBy(body); len(p.pending) > 0 && len(fenced) > 0 {
		surely, err := b.surelyRuns(k, path)
		if err != nil {
			return err
		}
		if surely {
			for _, s := range fenced {
				p.pass(s)
			}
		}
	}
	for _, q := range after {
		if q.depth > len(path) || q.carried {
			q.depth, q.carried = min(q.depth, len(path)), false
		}
		p.pending = addPend(p.pending, q)
	}
	return nil
}

// fencedBy are the memories that barriers of a body order accesses to.
func fencedBy(body []*block) (list []kernel.Space) {
	for _, kid := range body {
		if s, ok := kid.fences(); ok {
			list = append(list, s)
		}
	}
	return list
}

// placeLoop places the barriers in a loop, and returns the one that is needed before the loop.
func (b *builder) placeLoop(k *block, path []string, pending []pend) (space kernel.Space, why string, body []*block, after []pend, err error) {
	inner := append(slices.Clone(path), k.iname)
	if k.settled {
		body, after = k.kids, k.after
	} else if body, after, err = b.settle(k, inner); err != nil {
		return "", "", nil, nil, err
	}
	if len(pending) == 0 {
		return "", "", body, after, nil
	}
	// If accesses before the loop need a barrier inside it, one in front of it serves.
	entry, _, err := b.place(body, inner, pending)
	if err != nil {
		return "", "", nil, nil, err
	}
	if count(entry) > count(body) {
		space, why = firstNew(body, entry)
	}
	return space, why, body, after, nil
}

// settle places the barriers that the iterations of a loop need, whatever comes before the loop. A loop that needs no more
// is marked, because the loops around it ask again.
func (b *builder) settle(k *block, inner []string) (body []*block, after []pend, err error) {
	path := inner[:len(inner)-1]
	body, after, err = b.place(k.kids, inner, nil)
	for err == nil {
		var carried []pend
		for _, p := range after {
			if p.depth > len(path) || p.carried {
				p.depth, p.carried = min(p.depth, len(path)), p.depth >= len(path)
			}
			carried = addPend(carried, p)
		}
		before := count(body)
		body, after, err = b.place(body, inner, carried)
		if count(body) == before {
			break
		}
	}
	if err == nil && count(body) == count(k.kids) {
		k.settled, k.after = true, after
	}
	return body, after, err
}

// idle reports whether a block has no barrier in it and no access that can need one.
func (k *block) idle() bool {
	if k.rest == unknown {
		k.rest = yes
		switch {
		case k.barrier != nil, k.stmt != nil && (k.stmt.Kind == kernel.LocalBarrier || k.stmt.gets|k.stmt.puts != 0):
			k.rest = no
		case slices.ContainsFunc(k.kids, func(kid *block) bool { return !kid.idle() }):
			k.rest = no
		}
	}
	return k.rest == yes
}

// ordered reports whether a barrier on memory of one space also orders accesses to the other.
func ordered(barrier, access kernel.Space) bool { return barrier == access || barrier == kernel.Global }

func addPend(list []pend, p pend) []pend {
	if slices.Contains(list, p) {
		return list
	}
	return append(list, p)
}

// needs returns the barrier that is needed before s. A barrier on global memory orders both spaces.
func (b *builder) needs(pending []pend, s *stmt, path []string) (space kernel.Space, why string, err error) {
	defer throw.Catch(&err)
	for _, p := range slices.Backward(pending) { // the latest access is the one that readers look for
		if why != "" && (p.space != kernel.Global || space == kernel.Global) || !p.s.mayClash(s) {
			continue
		}
		carried := ""
		if p.carried {
			carried = path[p.depth]
		}
		c := b.conflict(p.s, s, path[:p.depth], carried)
		if w := c[p.space]; w != "" && (why == "" || p.space == kernel.Global && space != kernel.Global) {
			space, why = p.space, w
		}
	}
	return space, why, nil
}

// fences reports whether every run of the block passes a barrier.
func (k *block) fences() (kernel.Space, bool) {
	switch {
	case k.barrier != nil:
		return k.barrier.Space, true
	case k.stmt != nil && k.stmt.Kind == kernel.LocalBarrier:
		return k.stmt.Orders(), true
	}
	return "", false
}

// surelyRuns decides whether the loop has an iteration whenever the loops around it have one and the assumptions hold.
func (b *builder) surelyRuns(k *block, path []string) (runs bool, err error) {
	if runs, known := b.runs[k.iname]; known {
		return runs, nil
	}
	defer func() { b.runs[k.iname] = runs && err == nil }()
	keep := slices.Clone(path)
	for _, d := range b.dims {
		if isGroup(d) {
			keep = append(keep, d)
		}
	}
	outer, err := b.nest.Context.Project(keep[len(path):]...)
	if err == nil {
		outer, err = outer.AddDims(path...).Project(keep...)
	}
	if err != nil {
		return false, err
	}
	for i := range path {
		d, err := b.k.DomainOf(path[:i+1])
		if err != nil {
			return false, err
		}
		cs, ok := d.Constraints()
		if !ok {
			return false, nil
		}
		if outer, err = outer.Constrain(cs...); err != nil {
			return false, err
		}
	}
	if b.k.Assumptions != nil {
		if outer, err = outer.IntersectParams(b.k.Assumptions); err != nil {
			return false, err
		}
	}
	for _, s := range k.statements() {
		var missing []string // axes that the statement does not use, on which it runs everywhere
		for _, d := range keep[len(path):] {
			if _, ok := s.axes[d]; !ok {
				missing = append(missing, d)
			}
		}
		d, err := s.domain.AddDims(missing...).Project(keep...)
		if err != nil {
			return false, err
		}
		if in, err := outer.IsSubset(d); err != nil || in {
			return in, err
		}
	}
	return false, nil
}

// count is the number of barriers placed.
func count(kids []*block) int {
	n := 0
	for _, k := range kids {
		if k.barrier != nil {
			n++
		}
		n += count(k.kids)
	}
	return n
}

// firstNew is the first barrier of longer that is not in shorter.
func firstNew(shorter, longer []*block) (kernel.Space, string) {
	var a, b []*Barrier
	collect(shorter, &a)
	collect(longer, &b)
	for i, x := range b {
		if i >= len(a) || *a[i] != *x {
			return x.Space, x.Why
		}
	}
	return "", ""
}

func collect(kids []*block, out *[]*Barrier) {
	for _, k := range kids {
		if k.barrier != nil {
			*out = append(*out, k.barrier)
		}
		collect(k.kids, out)
	}
}
