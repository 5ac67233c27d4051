package timing

import (
	"encoding/binary"
	"hash/maphash"
	"maps"
	"slices"
)

// patience is after how many iterations a loop goes on as in the last ones, though the machine did not come back to the same state.
const patience = 8

// windows is how many of those in which DRAM is looked at are to stand for the rest, at least.
const windows = 4

// record is what is known of the iterations of a loop, of one that all blocks run, by the warp that is watched.
type record struct {
	depth   int
	watched *warp
	states  map[uint64]moment
	epochs  int
	traffic Traffic
	mark    *mark // the start of a period
	began   int64
	old     int // the last iteration in which data was met that the first-level cache had before the loop
	ends    int // the last one of which it is known that its last iteration does not find such data
}

// beat is the start of an iteration of a loop of a warp that is watched.
type beat struct {
	depth      int
	at, issued int64
}

// steady is how many instructions are issued in how long since a time, over whole iterations of the outermost loop where there are two.
func (p *multiprocessor) steady(issued, since int64) (instructions, time int64) {
	depth := int(never)
	for _, b := range p.beats {
		depth = min(depth, b.depth)
	}
	var first, last beat
	for _, b := range p.beats {
		if b.depth == depth && b.at >= since {
			if first.depth == 0 {
				first = b
			}
			last = b
		}
	}
	if last.at > first.at {
		return last.issued - first.issued, last.at - first.at
	}
	return p.result.Issued - issued, p.now - since
}

// moment is when the machine was in a state.
type moment struct {
	at     int64
	epochs int
}

// mark is a state of the machine with all that is counted.
type mark struct {
	state  uint64
	at     int64
	epochs int
	period int // iterations after which the state has come back before
	result Result
	trips  map[*warp]int64
	outer  map[*warp][]frame // the loops that the one is in
	done   map[*warp]int64
	over   map[*phases]int64 // phases of barriers in shared memory
}

var seed = maphash.MakeSeed()

// epoch is the start of another iteration of a loop of a warp. Where the machine is in the same state as at an earlier one, all iterations
// that every warp still has before it take the same time, and are skipped.
func (p *multiprocessor) epoch(w *warp, depth int) {
	for len(p.records) <= depth {
		p.records = append(p.records, nil)
	}
	r := p.records[depth]
	if r == nil || r.watched.current() == nil || len(r.watched.frames) <= depth {
		r = &record{depth: depth, watched: w, states: map[uint64]moment{}, traffic: p.result.Traffic, began: p.now}
		p.records[depth] = r
	}
	if r.watched != w {
		return
	}
	for i := depth + 1; i < len(p.records); i++ {
		p.records[i] = nil
	}
	r.epochs++
	p.beats = append(p.beats, beat{depth, p.now, p.result.Issued})
	if p.left(w, depth) < 2 {
		return
	}
	if r.epochs <= r.old+1 && r.epochs < settled || r.epochs <= r.ends+1 && r.epochs < outlasted { // what follows may be others
		r.mark, r.traffic = nil, p.result.Traffic
		clear(r.states)
		return
	}
	state := p.state(r)
	r.traffic = p.result.Traffic
	if m := r.mark; m != nil {
		same, passed := m.state == state, r.epochs-m.epochs
		if same || m.state == 0 && passed >= patience && p.now-m.at >= windows*window && (passed >= 4*patience || p.allMoved(r, m)) && p.together(r, m) && p.asFar(r, m) {
			p.skip(r, m, same)
			p.records[depth] = nil
		} else if m.state != 0 && passed > 2*max(patience, m.period) {
			r.mark = nil
		}
		return
	}
	seen, again := r.states[state]
	r.states[state] = moment{p.now, r.epochs}
	switch {
	case again && p.left(w, depth) > int64(2*(r.epochs-seen.epochs)):
		r.mark = p.mark(r, state)
		r.mark.period = r.epochs - seen.epochs
	case r.epochs >= patience && p.now-r.began >= window && p.left(w, depth) > 2*patience && !p.meetings():
		r.mark = p.mark(r, 0)
	}
}

// meetings reports whether warps meet at barriers in shared memory: what they do there then follows from the phases that they are in, so that only
// the same state goes on alike.
func (p *multiprocessor) meetings() bool {
	return slices.ContainsFunc(p.blocks, func(b *block) bool { return len(b.barriers) > 0 })
}

// left are the iterations that a warp has before it, the one that it is in aside.
func (p *multiprocessor) left(w *warp, depth int) int64 {
	up := &w.frames[depth-1]
	return up.nodes[up.node].Times - 1 - w.frames[depth].trip
}

func (p *multiprocessor) mark(r *record, state uint64) *mark {
	m := &mark{state: state, at: p.now, epochs: r.epochs, result: p.result, trips: map[*warp]int64{}, outer: map[*warp][]frame{}, done: map[*warp]int64{}, over: map[*phases]int64{}}
	for _, b := range p.blocks {
		for _, s := range b.barriers {
			m.over[s] = s.over
		}
	}
	m.result.Ops = slices.Clone(p.result.Ops)
	for w := range p.warps {
		m.done[w] = w.done
		if len(w.frames) > r.depth {
			m.trips[w], m.outer[w] = w.frames[r.depth].trip, slices.Clone(w.frames[:r.depth])
		}
	}
	return m
}

// warps are those that run.
func (p *multiprocessor) warps(yield func(*warp) bool) {
	for i := range p.parts {
		for _, w := range p.parts[i].warps {
			if !yield(w) {
				return
			}
		}
	}
}

// allMoved reports whether all warps in the loop have begun another iteration since the mark.
func (p *multiprocessor) allMoved(r *record, m *mark) bool {
	for w := range p.warps {
		if first, ok := m.trips[w]; ok && (len(w.frames) <= r.depth || w.frames[r.depth].trip == first) {
			return false
		}
	}
	return true
}

// apart is by how many of its iterations one block may get ahead of another one while a period lasts that is repeated: one part in so many.
const apart = 8

// together reports whether the warps of each block that meet at barriers have begun as many iterations since the mark, and the blocks about as many as each other. A
// warp that got further ahead with each repetition would wait at the end for others that have left the loop, and a block would leave it long before those
// that do as much.
func (p *multiprocessor) together(r *record, m *mark) bool {
	moved := map[*block]int64{}
	for w := range p.warps {
		first, ok := m.trips[w]
		if !ok || !w.block.meets || len(w.frames) <= r.depth {
			continue
		}
		n := w.frames[r.depth].trip - first
		if other, known := moved[w.block]; known && other != n {
			return false
		}
		moved[w.block] = n
	}
	least, most := int64(never), int64(0)
	for _, n := range moved {
		least, most = min(least, n), max(most, n)
	}
	return most == 0 || (most-least)*apart <= most
}

// asFar reports whether each warp is about as far in an iteration as it was at the mark, so that the iterations that it has begun since stand for what it has executed.
func (p *multiprocessor) asFar(r *record, m *mark) bool {
	for w := range p.warps {
		first, ok := m.trips[w]
		if !ok || len(w.frames) <= r.depth {
			continue
		}
		up, executed := &w.frames[r.depth-1], w.done-m.done[w]
		off := executed - (w.frames[r.depth].trip-first)*count(up.nodes[up.node].Body)
		if max(off, -off)*apart > executed {
			return false
		}
	}
	return true
}

// skip repeats what has happened since the mark as often as all warps can.
func (p *multiprocessor) skip(r *record, m *mark, exact bool) {
	period, times := p.now-m.at, int64(never)
	trips := map[*warp]int64{}
	for w := range p.warps {
		first, looped := m.trips[w]
		switch {
		case !looped && exact: // it waits for the others
			continue
		case !looped, len(w.frames) <= r.depth, !slices.EqualFunc(m.outer[w], w.frames[:r.depth], frame.same):
			return
		}
		n := w.frames[r.depth].trip - first
		if n == 0 { // it waits, or others come before it
			continue
		}
		if n < 0 {
			return
		}
		trips[w] = n
		times = min(times, (p.left(w, r.depth)-1)/n)
	}
	if times <= 0 || times >= never {
		return
	}
	p.l1.move(trips, r.depth, times, sectorBytes*lineSectors)
	if p.constants != nil {
		p.constants.move(trips, r.depth, times, p.Constants.Line)
	}
	for i := range p.parts {
		p.parts[i].uniforms.move(trips, r.depth, times)
	}
	for w, n := range trips {
		w.frames[r.depth].trip += n * times
		w.constants.move(r.depth, n*times)
	}
	for w := range p.warps {
		w.done += (w.done - m.done[w]) * times
	}
	for _, b := range p.blocks {
		b.skip(m.over, times)
	}
	p.result.repeat(&m.result, times)
	p.result.Exact = p.result.Exact && exact && (p.Queue == 0 || p.result.Busy[DRAM] == 0)
	p.result.Skipped = true
	p.delay(period * times)
}

// repeat adds what was counted since a mark so often again.
func (r *Result) repeat(from *Result, times int64) {
	r.Issued += (r.Issued - from.Issued) * times
	for u := range r.Busy {
		r.Busy[u] += (r.Busy[u] - from.Busy[u]) * times
	}
	for i := range r.Ops {
		o, f := &r.Ops[i], &from.Ops[i]
		o.Issued += (o.Issued - f.Issued) * times
		for j := range o.Waited {
			o.Waited[j] += (o.Waited[j] - f.Waited[j]) * times
		}
	}
	t, f := &r.Traffic, &from.Traffic
	for i, now := range t.fields() {
		*now += (*now - *f.fields()[i]) * times
	}
}

func (t *Traffic) fields() []*int64 {
	return []*int64{&t.Requests, &t.Sectors, &t.Hits, &t.Stored, &t.FromL2, &t.FromDRAM, &t.ToDRAM}
}

// delay moves all that is to come.
func (p *multiprocessor) delay(by int64) {
	later := func(t *int64) {
		if *t < never {
			*t += by
		}
	}
	for i := range p.parts {
		part := &p.parts[i]
		for _, t := range slices.Concat([]*int64{&part.free, &part.banks[0], &part.banks[1], &part.at, &part.uniforms.last.came}, each(part.units[:]), each(part.starts)) {
			later(t)
		}
		if c := part.uniforms.pieces; c != nil {
			c.delay(by)
		}
	}
	later(&p.uniformFar)
	if p.constants != nil {
		p.constants.delay(by)
	}
	p.taken.all(later)
	p.loading.all(later)
	p.leaving.all(later)
	for i := range p.shared {
		later(&p.shared[i])
	}
	for w := range p.warps {
		for _, t := range []*int64{&w.at, &w.stalled, &w.before, &w.copies, &w.written, &w.constants.came} {
			later(t)
		}
		for i := range w.registers {
			later(&w.registers[i].ready)
		}
		for i := range w.boards {
			later(&w.boards[i].last)
			for j := range w.boards[i].times {
				later(&w.boards[i].times[j])
			}
		}
	}
	for _, b := range p.blocks {
		b.delay(later)
	}
	later(&p.result.Finished)
	later(&p.begins)
	p.load = load{p.now + by, p.result.Busy[DRAM], p.result.Traffic.FromDRAM, p.result.Traffic.ToDRAM, p.load.wait}
	p.l1.delay(by)
	p.code.delay(by)
	p.now += by
}

func each(list []int64) (all []*int64) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

// state is a hash of all that decides what happens from now on, but for the iterations of loops of a depth. The addresses in the
// cache are not among it: what it served in the last iteration stands for them.
func (p *multiprocessor) state(r *record) uint64 {
	all := p.text[:0]
	add := func(n int64) { all = binary.LittleEndian.AppendUint64(all, uint64(n)) }
	when := func(t int64) {
		if t < never {
			t = max(t-p.now, 0)
		}
		add(t)
	}
	for i := range p.parts {
		part := &p.parts[i]
		part.state(add, when)
		for _, w := range part.warps {
			if w == part.last {
				add(1)
				if part.yield {
					add(2)
				}
			}
			p.stateOf(w, r.depth, add, when)
		}
	}
	for _, r := range []*queue{&p.taken, &p.loading, &p.leaving} {
		r.all(func(t *int64) { when(*t) })
	}
	for _, t := range p.shared {
		when(t)
	}
	if c := p.constants; c != nil {
		c.state(p.Constants.Far.Latency, add, when)
	}
	for _, b := range p.blocks {
		for i := range b.syncs {
			add(b.syncs[i].here)
		}
		for i := range b.groups {
			add(b.groups[i].here)
		}
		b.state(add, when)
	}
	for _, list := range [][]float64{p.credit, p.behind} {
		for _, c := range list {
			if c > 0 {
				add(int64(c * 1e6))
			}
		}
	}
	now, before := p.result.Traffic, r.traffic
	for i, n := range now.fields() {
		add(*n - *before.fields()[i])
	}
	p.text = all
	return max(maphash.Bytes(seed, all), 1)
}

// state adds what a part has besides its warps.
func (part *partition) state(add, when func(int64)) {
	when(part.free)
	for _, t := range part.units {
		when(t)
	}
	for j := range part.starts {
		when(part.starts[(part.head+j)%len(part.starts)])
	}
	when(part.banks[0])
	when(part.banks[1])
	when(part.uniforms.last.came)
	add(part.uniforms.phase)
}

func (p *multiprocessor) stateOf(w *warp, depth int, add, when func(int64)) {
	add(int64(len(w.frames)))
	for i, f := range w.frames {
		add(int64(f.node))
		if i != depth {
			add(f.trip)
		}
	}
	add(int64(w.event))
	when(w.at)
	when(w.stalled)
	when(w.copies)
	when(w.written)
	when(w.constants.came)
	for i := range w.registers {
		when(w.registers[i].ready)
	}
	for i := range w.boards {
		when(w.boards[i].last)
		for _, t := range w.boards[i].times {
			if t > p.now {
				when(t)
			}
		}
	}
}

// same is how many iterations all warps do, if that is as many.
func same(trips map[*warp]int64) (n int64, alike bool) {
	counts := slices.Collect(maps.Values(trips))
	if len(counts) == 0 || slices.Min(counts) != slices.Max(counts) {
		return 0, false
	}
	return counts[0], true
}

// move lets the lines of the cache, of so many bytes, follow the accesses that have loaded them.
func (c *l1) move(trips map[*warp]int64, depth int, times, bytes int64) {
	n, alike := same(trips)
	if !alike {
		return
	}
	c.index.clear()
	for i := range c.all {
		l := &c.all[i]
		if l.by != nil && depth-1 < len(l.by.Steps) {
			l.tag += l.by.Steps[depth-1].All * n * times / bytes
		}
		c.index.set(l.tag, int32(i))
	}
}

func (c *l1) delay(by int64) {
	for i := range c.all {
		for j := range c.all[i].filled {
			c.all[i].filled[j] += by
		}
	}
}
