package timing

// syncs is how many barriers a block has.
const syncs = 16

// groupWarps is how many warps make products of Wide together.
const groupWarps = 4

// sync is where warps of a block meet.
type sync struct {
	here    int64 // warps that have come, since it opened last
	of      int64 // for which it waits; 0 is all of the block
	waiting []*warp
}

// sync lets a warp come to a barrier of its block, whose unit is done with it at a time, and wait there.
func (p *multiprocessor) sync(w *warp, number, of int64, waits bool, at, result int64) {
	b := w.block
	s := &b.syncs[number%syncs]
	s.of = of
	p.advance(w, at)
	ended := w.current() == nil
	if of > 0 || !ended {
		s.here++
	}
	b.meets = true
	if waits && !ended {
		w.stalled, w.at, w.reason = w.at, never, ForBarrier
		s.waiting = append(s.waiting, w)
	}
	p.open(b, s, result)
}

// group are the warps that make products of Wide together with a warp.
func (b *block) group(w *warp) *sync {
	n := w.number / groupWarps
	for len(b.groups) <= n {
		b.groups = append(b.groups, sync{})
	}
	return &b.groups[n]
}

// gather lets a warp wait for those that make products with it.
func (p *multiprocessor) gather(w *warp, at int64) {
	s := w.block.group(w)
	p.advance(w, at)
	if w.current() == nil {
		return
	}
	s.here++
	w.block.meets = true
	w.stalled, w.at, w.reason = w.at, never, ForBarrier
	s.waiting = append(s.waiting, w)
	p.open(w.block, s, at)
}

// leaves lets the others go on where they wait for a warp that has ended.
func (p *multiprocessor) leaves(w *warp, at int64) {
	b := w.block
	g := b.group(w)
	g.of--
	if g.of > 0 {
		p.open(b, g, at)
	}
	for i := range b.syncs {
		p.open(b, &b.syncs[i], at+p.Units[Barrier].Latency)
	}
}

// open lets the warps go on that wait where warps meet, if all have come.
func (p *multiprocessor) open(b *block, s *sync, at int64) {
	of := s.of
	if of == 0 {
		of = int64(b.running)
	}
	if s.here == 0 || s.here < of {
		return
	}
	waiting := s.waiting
	s.here, s.waiting = 0, nil
	for _, w := range waiting {
		begun := w.stalled
		w.at = max(w.stalled, at)
		p.arrive(w)
		w.stalled, w.reason = begun, ForBarrier
		p.parts[w.part].pick = nil
	}
}
