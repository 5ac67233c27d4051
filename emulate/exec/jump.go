package exec

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"gpuperf/sass"
)

// Lanes are those that execute the next instruction.
func (w *Warp) Lanes() uint32 { return w.path.lanes }

// Next is the instruction that Step executes next.
func (w *Warp) Next() int { return w.path.pc }

// Together reports whether all lanes that have not left are at the same instruction.
func (w *Warp) Together() bool { return len(w.paths) == 1 }

// In reports whether some lanes are in a loop, by its number, or in a subroutine that it calls.
func (w *Warp) In(loop int) bool {
	for _, p := range w.paths {
		if w.launch.Inside(p.pc, loop) {
			return true
		}
	}
	return false
}

// Heads is the number of the loop that an instruction begins; 0 for none.
func (l *Launch) Heads(index int) int { return l.ops[index].loop }

// Inside reports whether an instruction is in a loop, by its number, or in a subroutine that it calls.
func (l *Launch) Inside(index, loop int) bool {
	return l.inLoop(index, loop) || index >= 0 && slices.Contains(l.called[index], loop)
}

// Together reports whether two instructions are in the same innermost loop.
func (l *Launch) Together(a, b int) bool {
	x, y := l.inside[a], l.inside[b]
	return len(x) > 0 && len(y) > 0 && x[0] == y[0]
}

// Only lets the launch compute nothing but the results of some instructions, and what jumps, waits or accesses memory. What others would
// write keeps any value. Where data is not needed, the contents of memory that bulk copies move are not followed either.
func (l *Launch) Only(results []bool, data bool) {
	l.addresses = !data
	for i := range l.Function.Instructions {
		in := &l.Function.Instructions[i]
		if op := in.Opcode; op != nil && !results[i] && op.Action == "" && op.Class != sass.Flow && op.Class != sass.Synchronize {
			l.ops[i].run, l.ops[i].passed = pass, true
		}
	}
}

func pass(*Warp, *op, uint32) {}

// Difference gives the difference of the first two values that the next instruction reads, or the first one where there is one, for the
// lanes that it returns: those that execute it and have both.
func (w *Warp) Difference(values *[WarpSize]int64) (lanes uint32) {
	o, f := &w.launch.ops[w.path.pc], w.path.file
	lanes = w.path.lanes
	if o.guarded {
		g := o.guard.read(f)
		lanes &= g.value & g.known
	}
	unsigned := o.in.Has("U32")
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		values[i] = 0
		for k := range min(2, len(o.sources)) {
			v, known := o.sources[k].lane(f, i)
			if !known {
				lanes &^= 1 << i
			}
			n := int64(int32(v))
			if unsigned {
				n = int64(uint32(v))
			}
			values[i] += n * int64(1-2*k)
		}
	}
	return lanes
}

// Inputs adds the values that the next instruction reads to a hash: of one that keeps some of the lowest bits, these alone. Where two values have
// them in common and a third is as far from the second as that from the first, all that follow at this distance have.
func (w *Warp) Inputs(hash uint64) uint64 {
	const prime = 1099511628211 // of FNV-1a
	o, f := &w.launch.ops[w.path.pc], w.path.file
	hash = (hash ^ uint64(o.index)) * prime
	keeps := o.keeps()
	for k := range o.sources {
		s := &o.sources[k]
		if s.fixed != nil {
			continue
		}
		v, a, b, c, d := &f.rows[s.row], hash, uint64(1), uint64(2), uint64(3) // of every fourth lane, as products wait for each other
		for i := 0; i < WarpSize; i += 4 {
			a, b = (a^uint64(v[i]&keeps))*prime, (b^uint64(v[i+1]&keeps))*prime
			c, d = (c^uint64(v[i+2]&keeps))*prime, (d^uint64(v[i+3]&keeps))*prime
		}
		hash = uint64(f.known[s.row])
		for _, part := range [4]uint64{a, b, c, d} {
			hash = (hash ^ part) * prime
			hash ^= hash >> 32
		}
	}
	for _, g := range o.guards {
		hash = (hash ^ uint64(g.read(f).value)) * prime
	}
	return hash
}

// and is the table of LOP3 by which it joins its first two operands and ignores the third.
const and = 0xc0

// keeps are the bits of its operands that an operation reads, as far as is known: the lowest ones where it is an index into a power of two.
func (o *op) keeps() uint32 {
	if o.in.Name != "LOP3" && o.in.Name != "ULOP3" || len(o.sources) < 4 || o.sources[3].fixed == nil || o.sources[3].fixed[0] != and {
		return all
	}
	if mask := o.sources[1].fixed; mask != nil && o.sources[1].known == all && mask[0]&(mask[0]+1) == 0 {
		return mask[0]
	}
	return all
}

// Snapshot holds the registers of a sub-group whose lanes are together.
type Snapshot struct {
	used  int      // general registers
	rows  []row    // of these, then of the uniform ones, and one for all that the code does not name
	known []uint32 // the lanes of each that are known
	preds [predicates]truth
	lanes uint32
}

// Save notes the registers of the sub-group. A snapshot is of one launch.
func (w *Warp) Save(s *Snapshot) {
	f := w.path.file
	used, uniforms := w.launch.used, w.launch.uniforms
	if s.rows == nil {
		n := used + uniforms + 1
		s.used, s.rows, s.known = used, make([]row, n), make([]uint32, n)
	}
	copy(s.rows, f.rows[:used])
	copy(s.known, f.known[:used])
	copy(s.rows[used:], f.rows[firstUniform:firstUniform+uniforms])
	copy(s.known[used:], f.known[firstUniform:firstUniform+uniforms])
	s.preds, s.lanes = f.preds, w.path.lanes
}

// row is a register by its row in a file, with the lanes that are known.
func (s *Snapshot) row(n int) (*row, uint32) {
	if n >= firstUniform {
		n += s.used - firstUniform
	} else if n >= s.used {
		n = len(s.rows)
	}
	n = min(n, len(s.rows)-1)
	return &s.rows[n], s.known[n]
}

// Change is how registers change from one time to the next, by row; those that are not in it do not change.
type Change map[int]*row

// Between returns how the registers of a list have changed from a to b, if they have changed likewise from b to c.
func Between(a, b, c *Snapshot, list []sass.Register) (Change, bool) {
	if a.lanes != b.lanes || b.lanes != c.lanes {
		return nil, false
	}
	change := Change{}
	for _, r := range list {
		n := reads(r)
		switch r.File {
		case sass.Predicate, sass.UniformPredicate:
			x, y := b.preds[n], c.preds[n]
			if x.value&c.lanes != y.value&c.lanes || x.known&c.lanes != y.known&c.lanes {
				return nil, false
			}
			continue
		case sass.ConvergenceBarrier:
			continue
		}
		x, inA := a.row(n)
		y, inB := b.row(n)
		z, known := c.row(n)
		if inA != inB || inB != known {
			return nil, false
		}
		var step *row
		for i := range WarpSize {
			d := z[i] - y[i]
			if c.lanes>>i&1 == 0 || known>>i&1 == 0 {
				continue
			}
			if y[i]-x[i] != d {
				return nil, false
			}
			if d != 0 {
				if step == nil {
					step = &row{}
				}
				step[i] = d
			}
		}
		if step != nil {
			change[n] = step
		}
	}
	return change, true
}

// Holds reports whether the registers of a list have changed from one time to another as the change says, so often.
func (c Change) Holds(from, to *Snapshot, times uint32, list []sass.Register) bool {
	for _, r := range list {
		n := reads(r)
		switch r.File {
		case sass.Predicate, sass.UniformPredicate:
			if x, y := from.preds[n], to.preds[n]; (x.value^y.value)&to.lanes != 0 || (x.known^y.known)&to.lanes != 0 {
				return false
			}
			continue
		case sass.ConvergenceBarrier:
			continue
		}
		var none row
		step := c[n]
		if step == nil {
			step = &none
		}
		before, inFrom := from.row(n)
		after, known := to.row(n)
		for m := to.lanes & known; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros32(m); after[i]-before[i] != step[i]*times {
				return false
			}
		}
		if inFrom != known {
			return false
		}
	}
	return from.lanes == to.lanes
}

// Steady is how those registers of a list change, from each of the last three times to the next, that have done so as often as is said since the first time, and which these are.
func Steady(saved [4]*Snapshot, times uint32, list []sass.Register) (all Change, steady []sass.Register) {
	all = Change{}
	for i := range list {
		one := list[i : i+1]
		if c, ok := Between(saved[1], saved[2], saved[3], one); ok && c.Holds(saved[0], saved[3], times, one) && len(c) > 0 {
			maps.Copy(all, c)
			steady = append(steady, one...)
		}
	}
	return all, steady
}

// Limit is how often a change can be added to registers before one of them passes zero or its greatest value.
func (c Change) Limit(s *Snapshot) int64 {
	limit := int64(math.MaxInt32)
	for n, step := range c {
		values, _ := s.row(n)
		for i, d := range step {
			v := int64(values[i])
			switch d := int64(int32(d)); {
			case d > 0:
				limit = min(limit, (math.MaxUint32-v)/d)
			case d < 0:
				limit = min(limit, v/-d)
			}
		}
	}
	return limit
}

// Advance adds a change so often to the registers, as that many times some turns of a loop would do.
func (w *Warp) Advance(c Change, times int64, header, turns int) {
	f := w.path.file
	for n, step := range c {
		for i := range step {
			if f.known[n]>>i&1 != 0 {
				f.rows[n][i] += step[i] * uint32(times)
			}
		}
	}
	if o := &w.launch.ops[header]; o.loop != 0 {
		for i := range w.trips[o.loop-1].turns {
			w.trips[o.loop-1].turns[i] += float64(times * int64(turns))
		}
	}
}

// Forget makes registers unknown.
func (w *Warp) Forget(list []sass.Register) {
	f := w.path.file
	for _, r := range list {
		switch n := reads(r); r.File {
		case sass.Predicate, sass.UniformPredicate:
			f.preds[n].known = 0
		case sass.ConvergenceBarrier:
		default:
			f.known[n] = 0
		}
	}
}

// TurnsLeft is how many turns of the loop that begins at an instruction are left where their number is assumed; many where it is not.
func (w *Warp) TurnsLeft(header int) int64 {
	o := &w.launch.ops[header]
	if o.loop == 0 {
		return math.MaxInt32
	}
	left := int64(math.MaxInt32)
	for i := range w.launch.ops {
		b := w.launch.ops[i].flow
		if b == nil || b.loop != o.loop || w.trips[o.loop-1].ends {
			continue
		}
		limit := b.turns
		if limit < 0 {
			limit = float64(w.launch.trips)
		}
		left = min(left, int64(limit-slices.Max(w.trips[o.loop-1].turns[:]))-2)
	}
	return left
}
