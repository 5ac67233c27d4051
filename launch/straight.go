package launch

import (
	"cmp"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/linear"
)

// comparedLoads bounds the loads of a straight line of code that are compared with each other. More do not fit registers.
const comparedLoads = 1 << 12

// straight is the part of a walk that finds the loads that a compiler leaves out: within a straight line of code, of which
// unrolled loops are a part, an element is loaded once, if nothing is stored to the array in between. Work-items that compute
// k neighbouring rows of a stencil of 5×5 points load (k+4)·5 elements in place of 25·k.
type straight struct {
	lines  []line         // that are open, the last one inside of the others
	epochs []uint64       // of arrays: how often something was stored to them
	open   [maxVars]*loop // by slot
}

// line is a straight line of code.
type line struct {
	first int             // slot of the first loop that it includes
	body  bool            // it is the body of the loop before; else it is guarded, or the whole program
	later []load          // that come out of loops inside
	forms map[uint64]bool // of addresses of local memory: where arrays begin is a constant of the code
}

// load is a load instruction over the points of a box.
type load struct {
	key    uint64 // loads with different keys never meet
	array  int
	first  int // slot of the first loop whose iterations may share elements
	size   int64
	weight int64
	box    box
	mask   *laneMask
	addr   form
	each   []int64 // by work-item, where no one form is the address of all
	units  unitCount
	base   uint64 // as that of the walk
	apart  uint32 // as that of the access
}

// mix is a hash of two numbers (the finalizer of MurmurHash3).
func mix(a, b uint64) uint64 {
	h := a*0x9e3779b97f4a7c15 + b + 1
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// straighten decides which loops are part of the straight line of code around them, and which straight lines load from global memory.
// It returns how many instructions the nodes unroll to, 0 where they have a loop that stays one, and whether they load outside of such
// loops.
//
// A round is a straight line of code with such loads: they are in flight together. A work-item that loads in the body of a loop stalls
// once per iteration, or once in all if the loop is unrolled. With too few resident work-items to hide the latency, the number of rounds
// determines the time (Little's law).
func (p *Program) straighten(list []node) (size int64, loads bool) {
	long := false
	note := func(list []access) { loads = loads || slices.ContainsFunc(list, p.fetches) }
	for _, n := range list {
		switch x := n.(type) {
		case *exec:
			note(x.accesses)
			size += p.sizeOf(x)
		case barrier:
			size++
		case *guard:
			note(x.loads)
			n, inner := p.straighten(x.body)
			long, loads = long || n == 0, loads || inner
			size += n + 1
			if p.opt.Compiled {
				size += p.accessSize(x.loads)
			}
		case *loop:
			n, inner := p.straighten(x.body)
			most := p.compiler.Straight
			if p.opt.Compiled {
				most = p.compiler.Wholly
			}
			x.straight = x.unroll || !x.rolled && n > 0 && x.trips > 0 && n*x.trips <= most
			if p.opt.Compiled {
				p.unroll(x, n)
			} else {
				x.loads = inner && !x.straight
			}
			loads = loads || inner && x.straight
			long = long || !x.straight || n == 0
			size += n * max(x.trips, 1)
		}
	}
	if long {
		return 0, loads
	}
	return max(size, 1), loads
}

// sizeOf is how many instructions a statement is.
func (p *Program) sizeOf(x *exec) (size int64) {
	if p.opt.Compiled {
		for _, i := range x.issues {
			size += i.n * issued[i.kind].size
		}
		return size + p.accessSize(x.accesses)
	}
	for _, ops := range x.ops {
		size += ops
	}
	return size + int64(len(x.accesses))
}

// fetches reports whether an access is a load from global memory.
func (p *Program) fetches(a access) bool {
	return !a.write && p.arrays[a.array].Memory() == kernel.Global
}

// enter begins a line of code inside of the loops below the slot: the body of the last of them, or one that is guarded. leave ends it.
func (w *walk) enter(slot int, body bool) (leave func()) {
	from := len(w.loads)
	w.lines = append(w.lines, line{first: slot, body: body})
	return func() {
		w.merge(from)
		w.lines = w.lines[:len(w.lines)-1]
		if n := len(w.lines); n > 0 {
			w.loads = append(w.loads, w.lines[n-1].later...)
			w.lines[n-1].later = nil
		}
	}
}

// loopBody walks the body of a loop over a box.
func (w *walk) loopBody(l *loop, st *state) {
	w.open[l.slot] = l
	defer w.enterPart(l)()
	w.iterates(l, st)
	if l.straight {
		w.nodes(l.body, st)
		return
	}
	if l.loads {
		w.sum[rounds] += st.count() * int64(len(st.mask.lanes))
	}
	w.turn(l, st)
	leave := w.enter(l.slot+1, true)
	w.nodes(l.body, st)
	leave()
}

// barrier ends what is known of arrays that others may have stored to.
func (w *walk) barrier() {
	for i, written := range w.p.written {
		if written {
			w.epochs[i]++
		}
	}
}

// record notes an access, of which u are the units over the points of the state. In compiled code a load that is the same in all iterations of a
// loop is part of the line of code around it.
func (w *walk) record(a *access, st *state, bytes int64, u unitCount, addr *form, each []int64) {
	if a.write {
		w.epochs[a.array]++
		points, space := st.count(), w.p.arrays[a.array].Space
		if w.p.opt.Compiled && space == kernel.Local {
			points, u = w.widenStore(a, st, bytes, u, addr, each)
		}
		w.sum.straight(&u, space)
		if space == kernel.Local {
			w.sum[straightLocal] -= u.cycles // of loads alone
			w.sum[straightLocalStores] += u.cycles
		}
		w.moves(a.array, true, st.count()*int64(len(st.mask.warps)), bytes)
		w.issueAccess(space, points, len(st.mask.warps), 1)
		w.storeAddress(a, st, addr)
		return
	}
	box, at := st.box, len(w.lines)-1
	first := w.outermost(a, st.nv, at)
	for w.p.opt.Compiled && first == w.lines[at].first && w.lines[at].body {
		l := w.open[first-1]
		if a.loops&(1<<(l.slot-axisVars)) != 0 || w.p.changes(l, a.array) {
			break
		}
		u.divide(box.n[l.slot])
		box.n[l.slot] = 1
		at--
		first = w.outermost(a, l.slot, at)
	}
	key := mix(mix(uint64(a.array), w.epochs[a.array]), uint64(bytes))
	key = mix(mix(key, uint64(first)), uint64(st.weight))
	for v := range first {
		if k := addr.k[v]; k != 0 {
			key = mix(mix(key, uint64(v)), uint64(k))
		}
		key = mix(key, st.parts[v])
	}
	for _, warp := range st.mask.warps {
		key = mix(key, uint64(warp.shape))
	}
	key = mix(key, differences(each))
	key = mix(mix(key, uint64(len(st.mask.lanes))), uint64(st.mask.lanes[0]))
	if w.p.arrays[a.array].Space == kernel.Local {
		w.localAddress(a, st, addr, at, first)
	}
	out := load{
		key: key, array: a.array, first: first, size: bytes, weight: st.weight, box: box, mask: st.mask, addr: *addr, each: each, units: u, base: w.base, apart: a.apart,
	}
	if at < len(w.lines)-1 {
		w.lines[at].later = append(w.lines[at].later, out)
	} else {
		w.loads = append(w.loads, out)
	}
}

// changes reports whether an array may change while a loop runs.
func (p *Program) changes(l *loop, array int) bool {
	return l.fenced || l.barrier && p.written[array] || slices.Contains(l.stores, array)
}

// outermost is the slot of the outermost loop of a line of code, of those below a slot, whose iterations may share elements of an access.
func (w *walk) outermost(a *access, slot, line int) int {
	for slot > w.lines[line].first && !w.p.changes(w.open[slot-1], a.array) {
		slot--
	}
	return slot
}

// loopsOf are the loops that an index depends on, as a set of bits. What depends on data depends on all.
func loopsOf(x *linear.Index) (loops uint32) {
	if x.Data {
		return ^uint32(0)
	}
	if x.Kind == linear.AffineIndex {
		return loopsOfForm(x.Form)
	}
	for _, arg := range x.Args {
		loops |= loopsOf(arg)
	}
	return loops
}

func loopsOfForm(f *linear.Form) (loops uint32) {
	if f.Data {
		return ^uint32(0)
	}
	for _, t := range f.Terms {
		if t.Slot >= linear.LoopSlot {
			loops |= 1 << (t.Slot - linear.LoopSlot)
		}
	}
	for _, t := range f.Floors {
		loops |= loopsOfForm(t.Num)
	}
	return loops
}

// recordGather notes an access at an index that is read from memory, which no other is known to meet.
func (w *walk) recordGather(a *access, st *state, runs int64, u *unitCount) {
	w.issued[issueAddress] += st.bySubgroups(everyLoop)
	w.moves(a.array, a.write, st.count()*int64(len(st.mask.warps)), w.p.arrays[a.array].bytes*a.lanes)
	w.issueAccess(w.p.arrays[a.array].Space, st.count(), len(st.mask.warps), 1)
	if w.p.fetches(*a) { // it waits for the load of the index
		by := int64(1)
		if l := w.lines[len(w.lines)-1]; l.body {
			by = max(w.open[l.first-1].by, 1)
		}
		w.round(st, 1/float64(by))
		w.loaded(st.count(), st.mask, w.p.arrays[a.array].bytes*a.lanes)
	}
	if a.write {
		w.epochs[a.array]++
	} else {
		w.sum[distinct[w.p.arrays[a.array].Space]] += runs
	}
	w.sum.straight(u, w.p.arrays[a.array].Space)
}

// straight adds the units of accesses by straight-line code.
func (s *sums) straight(u *unitCount, space kernel.Space) {
	s[straightLines] += u.lines
	s[straightSectors] += u.sectors
	s[straightCycles] += u.cycles
	if space == kernel.Local {
		s[straightLocal] += u.cycles
	}
}

// merge counts the loads from the given one on, which are those of a line of code, and forgets them.
func (w *walk) merge(from int) {
	loads := w.loads[from:]
	at := w.order[:0]
	for i := range loads {
		at = append(at, i)
	}
	slices.SortFunc(at, func(i, j int) int { return cmp.Or(cmp.Compare(loads[i].key, loads[j].key), i-j) })
	w.order = at
	for len(at) > 0 {
		n := 1
		for n < len(at) && loads[at[n]].key == loads[at[0]].key {
			n++
		}
		w.mergeLine(loads, at[:n])
		at = at[n:]
	}
	w.loads = w.loads[:from]
}

// mergeLine counts loads whose addresses differ by constants.
func (w *walk) mergeLine(loads []load, at []int) {
	l := &loads[at[0]]
	global := w.p.arrays[l.array].Space == kernel.Global
	outer := l.box
	outer.nv = l.first
	points := l.weight
	for v := lidVars; v < l.first; v++ {
		points *= outer.n[v]
	}
	runs := points * int64(len(l.mask.lanes))
	var units unitCount
	all := int64(0)
	for _, i := range at {
		n := int64(1)
		for v := l.first; v < loads[i].box.nv; v++ {
			n *= loads[i].box.n[v]
		}
		all += n
		units.add(&loads[i].units)
	}
	n, iterations := all, int64(1)
	w.bytes = w.bytes[:0]
	if (all > 1 || w.p.opt.Compiled && !global) && all <= comparedLoads {
		w.bytes = bytesOf(w.bytes, loads, at)
		n = int64(len(w.bytes))
	}
	w.moves(l.array, false, points*int64(len(l.mask.warps))*n, l.size)
	switch {
	case w.p.opt.Compiled && !global && n == int64(len(w.bytes)):
		iterations, n, units = w.widened(l, &outer)
		units.scale(l.weight)
	case n < all:
		units = w.unitsOf(l, &outer, w.bytes, global)
		units.scale(l.weight)
	}
	space := w.p.arrays[l.array].Space
	w.sum[distinct[space]] += runs / iterations * n
	w.issueAccess(space, points/iterations, len(l.mask.warps), n)
	if global {
		w.loaded(points*n, l.mask, l.size)
	}
	for i, x := range at {
		if global && !slices.ContainsFunc(at[:i], func(y int) bool { return loads[y].base == loads[x].base }) {
			w.issued[issueAddress] += w.addressed(l.first-1, loads[x].apart, points, outer.n[:]) * int64(len(l.mask.warps))
		}
	}
	w.sum.straight(&units, space)
}

// bytesOf appends the distinct places of the loads of a line, from the loop that is theirs alone on, to an empty list.
func bytesOf(bytes []int64, loads []load, at []int) []int64 {
	for _, i := range at {
		x := &loads[i]
		begin := len(bytes)
		bytes = append(bytes, x.addr.c)
		for v := x.first; v < x.box.nv; v++ {
			if end := len(bytes); x.box.n[v] > 1 {
				for t := int64(1); t < x.box.n[v]; t++ {
					for _, b := range bytes[begin:end] {
						bytes = append(bytes, b+t*x.addr.k[v])
					}
				}
			}
		}
	}
	slices.Sort(bytes)
	return slices.Compact(bytes)
}

// widened is widen, where a loop that is unrolled goes on with the neighbouring elements: what so many iterations load.
func (w *walk) widened(l *load, outer *box) (iterations, loads int64, sum unitCount) {
	iterations = widest / l.size
	v := l.first - 1
	if iterations <= 1 || v < axisVars || w.open[v] == nil || w.open[v].by < w.p.compiler.By || l.addr.k[v] != l.size || outer.n[v] < iterations {
		loads, sum = w.widen(l, outer)
		return 1, loads, sum
	}
	for _, b := range w.bytes {
		for t := int64(1); t < iterations; t++ {
			w.bytes = append(w.bytes, b+t*l.size)
		}
	}
	slices.Sort(w.bytes)
	w.bytes = slices.Compact(w.bytes)
	together := *l
	together.addr.k[v] *= iterations
	loads, sum = w.widen(&together, outer)
	sum.divide(iterations)
	return iterations, loads, sum
}

// widest is the most that a work-item loads at once, in bytes.
const widest = 16

// widen counts loads from local memory at w.bytes, of which neighbours at aligned places are one load.
func (w *walk) widen(l *load, outer *box) (loads int64, sum unitCount) {
	align := int64(widest)
	for v, k := range l.addr.k[:l.first] {
		if v < lidVars || outer.n[v] > 1 {
			align = intmath.GCD(align, k)
		}
	}
	for _, at := range l.each {
		align = intmath.GCD(align, at-l.each[0])
	}
	for at := w.bytes; len(at) > 0; {
		wide, n := l.size, 1
		for next := 2 * wide; next <= align; next *= 2 {
			count := int(next / l.size)
			if intmath.Mod(at[0], next) != 0 || count > len(at) || at[count-1]-at[0] != next-l.size {
				break
			}
			wide, n = next, count
		}
		one := *l
		one.size = wide
		units := w.unitsOf(&one, outer, at[:1], false)
		sum.add(&units)
		loads++
		at = at[n:]
	}
	return loads, sum
}

// unitsOf counts the units of loads at the given bytes, sorted, by addresses modulo a line.
func (w *walk) unitsOf(l *load, outer *box, bytes []int64, global bool) (sum unitCount) {
	modulus := period(global)
	var count, some [LineBytes]int64
	for _, b := range bytes {
		r := intmath.Mod(b, modulus)
		count[r]++
		some[r] = b
	}
	for r, n := range count[:modulus] {
		if n == 0 {
			continue
		}
		addr := l.addr
		for v := l.first; v < maxVars; v++ {
			addr.k[v] = 0
		}
		d := some[r] - addr.c
		addr.c += d
		each := l.each
		if each != nil {
			each = slices.Clone(each)
			for i := range each {
				each[i] += d
			}
		}
		u := w.distribute(outer, l.mask, l.size, global, &addr, each)
		u.scale(n)
		sum.add(&u)
	}
	return sum
}
