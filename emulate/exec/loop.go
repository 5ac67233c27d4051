package exec

import "math/bits"

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
