package timing

import (
	"maps"
	"slices"
)

// Meet is what an instruction does at a barrier in shared memory, which goes through one phase after the other, or at a barrier of some warps of a block.
type Meet struct {
	Kind  MeetKind
	At    int64   // the barrier
	Phase int64   // that it is part of, in the first iteration of the loops around it; of Await, how many phases are to be over
	Steps []int64 // by which it moves from one iteration to the next of each loop around, outermost first
	Count int64   // of arrivals
	Of    int64   // arrivals that a phase needs
	Bytes int64   // that the phase waits for beside, or that a copy brings
}

// MeetKind is a way to meet.
type MeetKind uint8

// The ways.
const (
	Await        MeetKind = iota // until phases are over
	Arrive                       // at once
	ArriveCopies                 // when the copies to shared memory so far are done
	Bring                        // bytes, when a copy is done
	BringCopies                  // bytes, when the copies to shared memory so far are done
	Sync                         // at the barrier of the block with the number At, until Of warps have come
	Signal                       // there, without waiting
)

// phases is a barrier in shared memory.
type phases struct {
	over    int64            // so many are over
	asked   int64            // the greatest phase that anybody has waited for
	ended   [recent]int64    // when the last of them ended, by number
	open    map[int64]*phase // those that have begun and are not over
	waiting []waiter
}

// recent is how many phases that are over are remembered. Nobody waits for an older one.
const recent = 4

// phase is one of a barrier, in progress.
type phase struct {
	arrived, of, brought, awaited int64
	last                          int64 // when the last one came so far
}

type waiter struct {
	w     *warp
	phase int64
}

// phase is the phase of a meeting now.
func (c *cursor) phase(m *Meet) int64 {
	n := m.Phase
	for level, s := range m.Steps {
		if level+1 < len(c.frames) {
			n += c.frames[level+1].trip * s
		}
	}
	return n
}

// meet lets a warp do at a barrier what its instruction says, whose result is there at a time, and go on when what it waits for is over.
func (p *multiprocessor) meet(w *warp, m *Meet, at, result int64) {
	over := p.meets(w, m, w.phase(m), at, result)
	begun := w.at
	if over < never {
		w.at = max(w.at, over)
	}
	p.advance(w, at)
	switch {
	case w.current() == nil:
	case over == never:
		w.stalled, w.at, w.reason = w.at, never, ForBarrier
	case over > begun:
		w.stalled, w.reason = begun, ForBarrier
	}
}

// meets does it for the phase of a number. It returns when what the warp waits for is over: never where others do not say yet.
func (p *multiprocessor) meets(w *warp, m *Meet, number, at, result int64) (over int64) {
	b := w.block.barriers[m.At]
	if b == nil {
		b = &phases{open: map[int64]*phase{}}
		if w.block.barriers == nil {
			w.block.barriers = map[int64]*phases{}
		}
		w.block.barriers[m.At] = b
	}
	if m.Kind == Await {
		b.asked = max(b.asked, number)
		if number > b.over {
			b.waiting = append(b.waiting, waiter{w, number})
			return never
		}
		if number > 0 && number > b.over-recent {
			return b.ended[number%recent]
		}
		return 0
	}
	if number < b.over {
		return 0
	}
	f := b.open[number]
	if f == nil {
		f = &phase{}
		b.open[number] = f
	}
	switch m.Kind {
	case Arrive, ArriveCopies:
		f.arrived, f.of, f.awaited = f.arrived+m.Count, max(f.of, m.Of), f.awaited+m.Bytes
	case Bring, BringCopies:
		f.brought += m.Bytes
	}
	if m.Kind == ArriveCopies || m.Kind == BringCopies {
		result = max(at, w.copies)
	}
	f.last = max(f.last, result)
	p.turn(b)
	return 0
}

// turn ends phases for which all is there, and lets warps go on that wait for that.
func (p *multiprocessor) turn(b *phases) {
	for f := b.open[b.over]; f != nil && f.of > 0 && f.arrived >= f.of && f.brought >= f.awaited; f = b.open[b.over] {
		delete(b.open, b.over)
		b.over++
		b.ended[b.over%recent] = max(f.last, b.ended[(b.over-1)%recent])
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(q waiter) bool {
		if q.phase > b.over {
			return false
		}
		if q.w.current() == nil {
			return true
		}
		begun := q.w.stalled
		q.w.at = max(begun, b.ended[q.phase%recent]+p.Units[Shared].Latency)
		p.arrive(q.w)
		q.w.stalled, q.w.reason = begun, ForBarrier
		p.parts[q.w.part].pick = nil
		return true
	})
}

// state adds what decides at the barriers of a block from now on, but for the number of the phase.
func (b *block) state(add, when func(int64)) {
	for _, at := range slices.Sorted(maps.Keys(b.barriers)) {
		s := b.barriers[at]
		add(s.over - s.asked)
		when(s.ended[s.over%recent])
		for _, n := range slices.Sorted(maps.Keys(s.open)) {
			f := s.open[n]
			add(n - s.over)
			add(f.arrived)
			add(f.brought - f.awaited)
			when(f.last)
		}
		add(int64(len(s.waiting)))
	}
}

// skip moves the barriers of a block by so many times the phases that have ended since the time when so many were over.
func (b *block) skip(over map[*phases]int64, times int64) {
	for _, s := range b.barriers {
		by := (s.over - over[s]) * times
		ended := s.ended
		for i := range recent {
			s.ended[(int64(i)+by)%recent] = ended[i]
		}
		s.over, s.asked = s.over+by, s.asked+by
		open := map[int64]*phase{}
		for n, f := range s.open {
			open[n+by] = f
		}
		s.open = open
		for i := range s.waiting {
			s.waiting[i].phase += by
		}
	}
}

// delay moves all that is to come.
func (b *block) delay(later func(*int64)) {
	for _, s := range b.barriers {
		for i := range s.ended {
			later(&s.ended[i])
		}
		for _, f := range s.open {
			later(&f.last)
		}
	}
}
