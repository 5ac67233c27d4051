package exec

import "math/bits"

// maxJoins is how deep branches on unknown conditions may nest.
const maxJoins = 16

// junction is where the ways of a branch on an unknown condition meet.
type junction struct {
	fork int // number of the branch, as it was executed
	pc   int
}

// branch is what is known of a branch before it is executed.
type branch struct {
	join     int     // the instruction where its ways meet again at the latest; -1 for nowhere
	avoid    [2]bool // whether going on, and going to the target, leads straight to a trap or to a slow path
	loop     int     // the loop that one of the ways leaves, from 1; 0 for none
	stays    bool    // whether the way to the target is the one that stays in it
	taken    float64 // the assumed part of its executions in which it is taken; negative for none
	turns    float64 // the assumed number of turns of the loop; negative for none
	above    bool    // it stands before what the loop does, so that it is executed once more than that
	executed float64 // for taken: how often it was, so far
}

// jump goes to the target in lanes; others of the path go on.
func (w *Warp) jump(o *op, lanes uint32, target int) {
	p := w.path
	if target < 0 {
		w.launch.doubt(UnknownTarget, o.index)
		w.leave(p.lanes)
		return
	}
	doubtful := w.step.Doubtful & p.lanes
	sure := lanes &^ doubtful
	b := o.flow
	if doubtful == 0 {
		if b != nil && b.loop != 0 {
			w.trips[b.loop-1].ends = true
		}
		w.split(sure, target)
		return
	}
	switch {
	case b.taken >= 0:
		w.launch.doubt(AssumedBranch, o.index)
		w.split(sure|w.sample(b, doubtful), target)
	case b.loop != 0:
		w.split(sure|w.stay(o, b, doubtful), target)
	case b.avoid[0] != b.avoid[1] && !w.launch.paper:
		w.launch.doubt(UnlikelyWay, o.index)
		if b.avoid[0] {
			sure |= doubtful
		}
		w.split(sure, target)
	default:
		w.launch.doubt(UnknownBranch, o.index)
		w.both(sure, doubtful, target, b.join)
	}
}

// split sends lanes of the path to the target. The way of lower addresses goes on first.
func (w *Warp) split(lanes uint32, target int) {
	p := w.path
	w.step.Taken = lanes
	switch lanes {
	case 0:
		return
	case p.lanes:
		p.pc = target
		return
	}
	p.lanes &^= lanes
	q := w.fork(p, lanes, target, false)
	if target < p.pc {
		w.path = q
	}
}

// both sends doubtful lanes both ways, which meet at join. Lanes that are sure to be taken go to the target alone.
func (w *Warp) both(sure, doubtful uint32, target, join int) {
	p := w.path
	w.step.Taken = sure | doubtful
	if p.joined == maxJoins { // nested too deeply: one way is all
		p.pc = target
		return
	}
	w.forks++
	if join >= 0 {
		p.joins[p.joined] = junction{w.forks, join}
		p.joined++
	}
	q := w.fork(p, sure|doubtful, target, true)
	if p.lanes &^= sure; target < p.pc {
		w.path = q
	}
}

// sample chooses lanes such that over time the assumed part of them is taken.
func (w *Warp) sample(b *branch, lanes uint32) (taken uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		before := int64(b.executed * b.taken)
		b.executed++
		if int64(b.executed*b.taken) > before {
			taken |= m & -m
		}
	}
	return taken
}

// arrive lets a path wait where the ways of an unknown branch meet, and go on once all have come.
func (w *Warp) arrive(p *path) {
	for p.joined > 0 && p.joins[p.joined-1].pc == p.pc {
		last := p.joins[p.joined-1]
		for _, q := range w.paths {
			if q != p && q.has(last.fork) && !(q.wait == junctions && q.at == last.fork) {
				p.wait, p.at = junctions, last.fork
				return
			}
		}
		p.joined--
		for i := 0; i < len(w.paths); i++ {
			if q := w.paths[i]; q != p && q.wait == junctions && q.at == last.fork {
				w.merge(p, q)
				i = -1
			}
		}
		p.wait = nothing
	}
}

// has reports whether a path is on a way of a branch.
func (p *path) has(fork int) bool {
	for _, j := range p.joins[:p.joined] {
		if j.fork == fork {
			return true
		}
	}
	return false
}

// release lets paths go on that wait for lanes which will not come any more.
func (w *Warp) release() {
	for again := true; again; {
		again = false
		for _, p := range w.paths {
			switch p.wait {
			case convergence, warpSync:
				again = w.meet(p) || again
			case junctions:
				p.wait = nothing
				w.arrive(p)
				again = p.wait == nothing || again
			}
			if again {
				break
			}
		}
	}
}

// meet merges the paths that wait where path p does, and lets them go on if no other path has lanes that they wait for. Of lanes that went
// both ways of a branch, one is enough.
func (w *Warp) meet(p *path) bool {
	mask, here := w.awaited(p), uint32(0)
	for _, q := range w.paths {
		if q.waits(p) {
			here |= q.lanes
		}
	}
	for _, q := range w.paths {
		if q.lanes&mask&^here != 0 {
			return false
		}
	}
	for i := 0; i < len(w.paths); i++ {
		if q := w.paths[i]; q != p && q.waits(p) && q.lanes&mask != 0 {
			w.merge(p, q)
			i = -1
		}
	}
	p.wait = nothing
	return true
}

// waits reports whether a path waits where another one does.
func (p *path) waits(q *path) bool { return p.wait == q.wait && p.at == q.at && p.pc == q.pc }

// awaited are the lanes that a waiting path waits for.
func (w *Warp) awaited(p *path) uint32 {
	if p.wait == convergence {
		return p.masks[p.at]
	}
	return uint32(p.at)
}

// leave ends lanes of the path that runs.
func (w *Warp) leave(lanes uint32) {
	p := w.path
	if p.lanes &^= lanes; p.lanes == 0 {
		w.remove(p)
	}
	w.release()
	w.Group.left()
}

// exit ends lanes in which a condition among the operands holds too, but not where nobody knows.
func exit(w *Warp, o *op, lanes uint32) {
	lanes = w.holds(o, lanes)
	if w.step.Doubtful != 0 {
		w.launch.doubt(UnknownLeave, o.index)
		lanes &^= w.step.Doubtful
	}
	if lanes != 0 {
		if o.in.Name == "BPT" {
			w.launch.doubt(Trapped, o.index)
		}
		w.leave(lanes)
	}
}

// stop waits for the lanes of a convergence barrier: BSYNC.
func stop(w *Warp, o *op, _ uint32) {
	p := w.path
	p.wait, p.at = convergence, o.to[1]
	w.meet(p)
}

// begin notes which lanes meet at a convergence barrier: BSSY.
func begin(w *Warp, o *op, lanes uint32) { w.path.masks[o.to[1]] = lanes }

// breaks takes lanes in which a condition among the operands holds too from a convergence barrier: BREAK.
func breaks(w *Warp, o *op, lanes uint32) {
	p := w.path
	lanes = w.holds(o, lanes)
	mask := p.masks[o.to[1]]
	for _, q := range w.paths {
		if q.masks[o.to[1]] == mask {
			q.masks[o.to[1]] &^= lanes
		}
	}
	w.release()
}

// syncWarp waits for lanes of the sub-group: WARPSYNC.
func syncWarp(w *Warp, o *op, lanes uint32) {
	p := w.path
	mask := uint32(all)
	if len(o.sources) > 0 {
		if v, known := o.sources[0].first(p.file, lanes); known {
			mask = uint32(v)
		}
	}
	mask &= w.living()
	p.wait, p.at = warpSync, int(mask)
	w.meet(p)
}

// living are the lanes that have not left.
func (w *Warp) living() (lanes uint32) {
	for _, p := range w.paths {
		lanes |= p.lanes
	}
	return lanes
}

func (s *source) first(f *file, lanes uint32) (uint64, bool) {
	i := bits.TrailingZeros32(lanes)
	v, known := s.lane(f, i)
	return v, known
}

func (s *source) lane(f *file, i int) (v uint64, known bool) {
	low, high, k := s.fixed, s.high, s.known
	if low == nil {
		low, high, k = &f.rows[s.row], &f.rows[zeroRow], f.known[s.row]
		if s.wide {
			high = &f.rows[s.row+1]
			k &= f.known[s.row+1]
		}
	}
	v = uint64(low[i])
	if s.wide {
		v |= uint64(high[i]) << 32
	}
	if s.change != nil {
		v = s.change(v)
	}
	return v, k>>i&1 != 0
}

// tripCount counts the turns of a loop.
type tripCount struct {
	turns [WarpSize]float64 // that the lane has begun since it entered
	ends  bool              // one of its branches ended it, or could have, on a known condition
	extra float64           // what is left of assumed turns that are no whole number
}

// turn counts a turn of the loop that the instruction begins.
func (w *Warp) turn(o *op, p *path) {
	t := &w.trips[o.loop-1]
	inside := w.launch.inLoop(p.from, o.loop)
	for m := p.lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if inside {
			t.turns[i]++
		} else {
			t.turns[i] = 1
		}
	}
	if !inside {
		t.ends = false
	}
}

// stay decides which of the lanes that do not know whether they leave a loop take the branch. A loop with another end stays until then.
func (w *Warp) stay(o *op, b *branch, lanes uint32) uint32 {
	t := &w.trips[b.loop-1]
	limit := b.turns
	switch {
	case limit >= 0:
		w.launch.doubt(AssumedBranch, o.index)
	case t.ends:
		w.launch.doubt(UnknownLeave, o.index)
		if b.stays {
			return lanes
		}
		return 0
	default:
		w.launch.doubt(UnknownTrips, o.index)
		limit = float64(w.launch.trips)
	}
	var stays uint32
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		begun := t.turns[i]
		if b.above {
			begun--
		}
		if begun+t.rest(limit, begun) < limit {
			stays |= m & -m
		}
	}
	if b.stays {
		return stays
	}
	return lanes &^ stays
}

// rest spreads a part of a turn over the visits of a loop: it is the part that the next visit leaves out.
func (t *tripCount) rest(limit, begun float64) float64 {
	whole := float64(int64(limit))
	if part := limit - whole; part > 0 && begun == whole {
		if t.extra += part; t.extra >= 1 {
			t.extra--
			return 0
		}
		return 1
	}
	return 0
}
