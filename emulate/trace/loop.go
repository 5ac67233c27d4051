package trace

import (
	"math"
	"slices"

	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// loop is a loop that a warp has come back to the header of.
type loop struct {
	header int
	block  int
	passes int
	marks  []mark // the last times that it came, at most two periods and one
	waited int    // how often it looked as if it waited, at other places each time
}

// mostWaited is how often a loop may look so before the warp is taken no further: nothing that was seen in it will end it.
const mostWaited = 64

// periods are after how many iterations a loop is looked for to do the same again: stages of shared memory that are used in turn, and barriers whose
// parity changes with each turn, make several iterations one.
var periods = []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}

// mostMarks is how often the longest period is looked back for.
const mostMarks = 2*14 + 1

// mark is a time at which the warp was at the header.
type mark struct {
	at    int // items before
	noted int // differences before
	saved *exec.Snapshot
}

// note looks at an instruction that is executed next. What comes before all loops that the warp has come back to the headers of is looked at for a long loop alone.
func (r *recorder) note(at int) {
	within := len(r.loops) > 0
	switch r.kinds[at] {
	case compares, signs:
		ends := r.long != nil && slices.Contains(r.long.ends, at)
		if !within && !ends {
			return
		}
		lanes := r.w.Difference(&r.lanes)
		if within {
			r.noted.compare(at, lanes, &r.lanes)
		}
		if ends {
			r.long.deciding.compare(at, lanes, &r.lanes)
		}
	case uneven:
		if within {
			r.noted.hash(at, r.w.Inputs(0))
		}
	case counted:
		if within {
			r.noted.hash(at, uint64(len(r.items)))
		}
	}
}

// back is called when the warp has jumped back to an instruction.
func (r *recorder) back(to int) {
	block := r.headers[to]
	if block < 0 {
		return
	}
	for i := len(r.loops) - 1; i >= 0; i-- {
		if r.loops[i].header == to {
			r.free(r.loops[i+1:])
			r.loops = r.loops[:i+1]
			r.again(r.loops[i])
			return
		}
		if r.loops[i].header < to { // an inner loop of that one begins
			break
		}
	}
	for len(r.loops) > 0 && r.over(r.loops[len(r.loops)-1], to) {
		r.free(r.loops[len(r.loops)-1:])
		r.loops = r.loops[:len(r.loops)-1]
	}
	if len(r.loops) == 0 {
		r.noted.reset()
	}
	l := &loop{header: to, block: block}
	r.loops = append(r.loops, l)
	r.again(l)
}

// over reports whether a loop has ended when the warp jumps back to an instruction. One that comes before it may go on around it where that is a subroutine.
func (r *recorder) over(l *loop, to int) bool {
	n := r.Launch.Heads(l.header)
	return l.header > to || n > 0 && !r.calls && !r.Launch.Inside(to, n)
}

// again marks another iteration of a loop, and leaves it early if the last ones are alike.
func (r *recorder) again(l *loop) {
	l.passes++
	var m mark
	if len(l.marks) == mostMarks {
		m.saved = l.marks[0].saved
		l.marks = append(l.marks[:0], l.marks[1:]...)
		r.prune()
	} else {
		m.saved = r.snapshot()
	}
	r.w.Save(m.saved)
	m.at, m.noted = len(r.items), len(r.noted.all)
	l.marks = append(l.marks, m)
	for _, n := range periods {
		if len(l.marks) > 2*n && r.leave(l, n) {
			l.free(r.Builder)
			return
		}
	}
	if n := len(l.marks); l.passes%manyPasses == 0 && n > 2 {
		r.spins(l, &l.marks[n-3], &l.marks[n-2], &l.marks[n-1])
	}
}

// prune drops differences that no loop looks back to, where these are most of them.
func (r *recorder) prune() {
	outer := slices.IndexFunc(r.loops, func(l *loop) bool { return len(l.marks) > 0 })
	n := r.loops[outer].marks[0].noted
	if n < len(r.noted.all)/2 {
		return
	}
	r.noted.drop(n)
	for _, l := range r.loops {
		for i := range l.marks {
			l.marks[i].noted -= n
		}
	}
}

// spins looks whether a loop does nothing but to try again, which atomic operations that change nothing are left out of.
func (r *recorder) spins(l *loop, a, b, c *mark) {
	last := r.items[b.at:c.at]
	if !alike(r.items[a.at:b.at], last) || !r.tries(last) {
		return
	}
	if change, ok := exec.Between(a.saved, b.saved, c.saved, r.registers(l.block)); ok && len(change) == 0 {
		r.awaits(last, nil, true)
	}
}

// tries reports whether an iteration tries atomic operations of global memory, and changes nothing where these have failed.
func (r *recorder) tries(iteration []item) bool {
	some, other := false, false
	each(iteration, func(e *timing.Event) {
		in := &r.function.Instructions[e.Op]
		switch t := e.Touch; {
		case t == nil:
		case t.Atomic && t.Space == timing.GlobalSpace && (in.Has("CAS") || in.Has("CAST") || in.Has("EXCH") || in.Has("OR") || in.Has("MAX")):
			some = true
		case t.Atomic || t.Store || t.Space == timing.SharedSpace:
			other = true
		}
	})
	return some && !other
}

// endless notes a loop that never ends, and that the warp goes no further.
func (r *recorder) endless(header int) {
	r.Endless[int32(header)], r.ended = true, true
}

// leave skips the iterations that do again what so many did, and as many before them. It reports whether there are any.
func (r *recorder) leave(l *loop, period int) bool {
	now := len(l.marks) - 1
	a, b, c := &l.marks[now-2*period], &l.marks[now-period], &l.marks[now]
	before, last := r.items[a.at:b.at], r.items[b.at:c.at]
	limit, exact := alikeFor(r.noted.part(a.noted, b.noted), r.noted.part(b.noted, c.noted))
	endless := limit == math.MaxInt32
	if limit < leastAlike || !exact && !endless || !alike(before, last) || r.carried(l.block, last) { // the comparison takes longest, and comes last
		return false
	}
	endless = endless && r.w.TurnsLeft(l.header) == math.MaxInt32
	if endless && r.awaits(last, before, false) {
		if l.waited++; l.waited > mostWaited {
			r.Lost, r.ended = true, true
		}
		return false
	}
	step, ok := exec.Between(a.saved, b.saved, c.saved, r.registers(l.block))
	if !ok || !exact {
		return false
	}
	if endless { // no condition in it will come out differently
		r.endless(l.header)
		return true
	}
	limit = min(limit, step.Limit(c.saved), r.w.TurnsLeft(l.header)/int64(period))
	if limit < leastAlike {
		return false
	}
	moved := steps(before, last)
	r.w.Advance(step, limit, l.header, period)
	r.meetAgain(nodes(last), moved, limit)
	r.repeat(b.at, moved, limit+1)
	return true
}

// spin is a loop that some lanes are in while the others wait for them.
type spin struct {
	header, passes int
	at             int // items before the last pass
	saved          *exec.Snapshot
}

// manyPasses is after how many passes such a loop is looked at, whether anything changes in it.
const manyPasses = 64

// apart is called when some lanes have jumped back to an instruction, and others are elsewhere. Where nothing changes from one pass to the next, they
// wait for what others store.
func (r *recorder) apart(to int) {
	s := &r.waits
	block := r.headers[to]
	if block < 0 || s.header != to {
		*s = spin{header: to, saved: s.saved}
		return
	}
	if s.passes++; s.passes%manyPasses == 1 && s.passes > 1 {
		now := r.snapshot()
		r.w.Save(now)
		if _, same := exec.Between(s.saved, s.saved, now, r.registers(block)); same {
			r.awaits(r.items[s.at:], nil, r.tries(r.items[s.at:]))
		}
		r.spare = append(r.spare, now)
	} else if s.passes%manyPasses == 0 {
		if s.saved == nil {
			s.saved = r.snapshot()
		}
		r.w.Save(s.saved)
		s.at = len(r.items)
	}
}

// awaits reports whether an iteration of a loop that would never end by itself loads what others may store in global memory. From then on what it
// loads is not known, where it does so at the same places as the iteration before, if that is given. Of atomic operations that is said where nothing but they can change anything.
func (r *recorder) awaits(iteration, before []item, atomics bool) (some bool) {
	for i := range iteration {
		if t := iteration[i].event.Touch; iteration[i].node == nil && t != nil && t.Space == timing.GlobalSpace && !t.Store && (atomics || !t.Atomic) {
			if before != nil && !slices.Equal(before[i].event.Touch.Lanes, t.Lanes) { // who looks elsewhere each time does not wait for that
				some = true
			} else if op := iteration[i].event.Op; r.w.Await(int(op)) {
				some, r.Awaits[op] = true, true
			}
		}
	}
	return some
}

// registers are those that are needed when a block begins.
func (b *Builder) registers(block int) []sass.Register { return b.needs.at(block) }

func (n *needs) at(block int) []sass.Register {
	if n.begins == nil {
		n.begins = make([][]sass.Register, len(n.before))
	}
	list := n.begins[block]
	if list == nil {
		list = []sass.Register{}
		for i, r := range n.registers {
			if r.File != slot && n.before[block].any(i) {
				list = append(list, r)
			}
		}
		n.begins[block] = list
	}
	return list
}

// snapshot returns one that is free.
func (b *Builder) snapshot() *exec.Snapshot {
	if n := len(b.spare); n > 0 {
		s := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return s
	}
	return &exec.Snapshot{}
}

// free gives back the snapshots of loops that a warp has left.
func (r *recorder) free(loops []*loop) {
	for _, l := range loops {
		l.free(r.Builder)
	}
}

func (l *loop) free(b *Builder) {
	for i := range l.marks {
		b.spare = append(b.spare, l.marks[i].saved)
	}
	l.marks = l.marks[:0]
}
