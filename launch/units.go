package launch

import (
	"math"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/memory"
)

// The units of memory that features count in, whatever the device.
const (
	LineBytes   = memory.LineBytes
	SectorBytes = memory.SectorBytes
	bankBytes   = memory.WordBytes
	banks       = memory.Banks
)

// unitKind is an access by a sub-group whose work-items are at those of the first + Σ k·(their variables less those of the first),
// of memory aligned to lines. With the shape of the sub-group and where the first work-item is, modulo a line or a word of local
// memory, it has one count of units.
type unitKind struct {
	k     [lidVars]int64
	bytes int64 // negative in local memory
}

// kind numbers a kind: the higher half of the keys of units.
func (m *scratch) kind(k unitKind) uint64 {
	n, ok := m.kinds[k]
	if !ok {
		n = uint64(len(m.kinds)) << 32
		m.kinds[k] = n
	}
	return n
}

// warpKind are sub-groups of one shape, n of them, whose first work-items are equally far from the start of a line. members is one
// of them.
type warpKind struct {
	from, shape int
	n           int64
	members     []int32
}

// unitCount is what a sub-group touches in one execution of an access.
type unitCount struct {
	lines, sectors, cycles int64
	partial                int64    // sectors of which a part is accessed
	classes                [3]int64 // by how work-items share, from uniformAccess on
}

func (u *unitCount) add(o *unitCount) {
	u.lines += o.lines
	u.sectors += o.sectors
	u.partial += o.partial
	u.cycles += o.cycles
	for c := range u.classes {
		u.classes[c] += o.classes[c]
	}
}

func (u *unitCount) scale(n int64) {
	u.lines, u.sectors, u.cycles, u.partial = u.lines*n, u.sectors*n, u.cycles*n, u.partial*n
	for c := range u.classes {
		u.classes[c] *= n
	}
}

func (u *unitCount) divide(n int64) {
	u.lines, u.sectors, u.cycles, u.partial = u.lines/n, u.sectors/n, u.cycles/n, u.partial/n
	for c := range u.classes {
		u.classes[c] /= n
	}
}

// touch adds what an access does. It is not ok where the box must be divided.
func (w *walk) touch(a *access, st *state) bool {
	array := &w.p.arrays[a.array]
	points := st.count()
	runs, bySubgroup := points*int64(len(st.mask.lanes)), points*int64(len(st.mask.warps))
	switch {
	case array.Constant:
		return w.constants(a, st)
	case array.Space == kernel.Private:
		w.sum[accesses[kernel.Private]+a.direction()] += runs
		privately(w, a, st)
		return true
	case slices.ContainsFunc(a.index, func(x *linear.Index) bool { return x.Data }):
		// Read from memory: they may be in any units.
		w.assumed = true
		u, ok := w.conflicts(a, st)
		if !ok {
			return false
		}
		if array.Space == kernel.Global {
			sectors := runs * intmath.CeilDiv(array.bytes*a.lanes, SectorBytes)
			u.lines, u.sectors = w.anywhere(a.array, LineBytes, runs, bySubgroup), w.anywhere(a.array, SectorBytes, sectors, bySubgroup)
			u.classes[scatteredAccess-uniformAccess] = bySubgroup
		}
		w.sum[gathers] += runs
		w.addUnits(a, &u, runs, bySubgroup)
		observe(w, a, st, u, nil, nil)
		w.recordGather(a, st, runs, &u)
		w.stream.add(w, a, st, u, nil, nil)
		return true
	}
	addr, lanes, ok := w.addresses(a, st)
	if !ok {
		return false
	}
	if a.effect != (Effect{}) {
		st, addr, lanes = changedBy(w, a, st, addr, lanes)
		defer w.giveBack(st)
		points = st.count()
		runs, bySubgroup = points*int64(len(st.mask.lanes)), points*int64(len(st.mask.warps))
	}
	u := w.distribute(&st.box, st.mask, array.bytes*a.lanes, array.Space == kernel.Global, addr, lanes)
	u.scale(st.weight)
	w.addUnits(a, &u, runs, bySubgroup)
	observe(w, a, st, u, addr, lanes)
	w.record(a, st, array.bytes*a.lanes, u, addr, lanes)
	w.stream.add(w, a, st, u, addr, lanes)
	return true
}

// anywhere are the different units of an array that sub-groups touch which access so many, any of them.
func (w *walk) anywhere(array int, unit, touches, subgroups int64) int64 {
	all := float64(w.extents[array] / unit)
	if all <= 1 {
		return subgroups
	}
	each := float64(touches) / float64(max(subgroups, 1))
	return int64(math.Round(-math.Expm1(each*math.Log1p(-1/all)) * all * float64(subgroups)))
}

// conflicts are the cycles of an access at an index that is read from memory. Where the elements of an index lie in the same banks, the other indices decide;
// else the banks are any. It is not ok where the box must be divided.
func (w *walk) conflicts(a *access, st *state) (u unitCount, ok bool) {
	array := &w.p.arrays[a.array]
	fixed, random := *a, array.Space == kernel.Global
	fixed.index = slices.Clone(a.index)
	for i, x := range a.index {
		if x.Data {
			random = random || w.strides[a.array][i]%(banks*bankBytes) != 0
			fixed.index[i] = &linear.Index{Form: &linear.Form{}}
		}
	}
	if random {
		bySubgroup := st.count() * int64(len(st.mask.warps))
		words := w.anywhere(a.array, bankBytes, st.count()*int64(len(st.mask.lanes)), bySubgroup)
		wide := intmath.CeilDiv(array.bytes*a.lanes, bankBytes)
		return unitCount{cycles: wide * (bySubgroup + int64(busiestBank*float64(words)))}, true
	}
	addr, lanes, ok := w.addresses(&fixed, st)
	if ok {
		u.cycles = w.distribute(&st.box, st.mask, array.bytes*a.lanes, false, addr, lanes).cycles * st.weight
	}
	return u, ok
}

// busiestBank is how many words by word the busiest bank has more than one: of 32 words in any of as many banks it has 3.5 in the mean.
const busiestBank = 2.5 / banks

// addUnits adds accesses by work-items, and by sub-groups, and their units.
func (w *walk) addUnits(a *access, u *unitCount, runs, bySubgroup int64) {
	array := &w.p.arrays[a.array]
	rw := a.direction()
	w.sum[accesses[array.Space]+rw] += runs
	if array.Space != kernel.Global {
		w.sum[localWarps+rw] += bySubgroup
		w.sum[localCycles+rw] += u.cycles
		return
	}
	w.sum[globalBytes] += runs * array.bytes * a.lanes
	w.widest = max(w.widest, array.bytes*a.lanes)
	w.sum[warpLoads+rw] += bySubgroup
	w.sum[lineLoads+rw] += u.lines
	w.sum[sectorLoads+rw] += u.sectors
	if w.byText != nil {
		at := &w.byText[a.number]
		at.Lines, at.Sectors = at.Lines+u.lines, at.Sectors+u.sectors
	}
	for c, n := range u.classes {
		w.sum[uniformAccess+tally(c)] += n
	}
}

// addresses are the bytes that an access touches, from the start of the array: one form for all work-items, and where that cannot be
// lanes has that of each for the first point of the box. It is not ok where the box must be divided.
func (w *walk) addresses(a *access, st *state) (addr *form, lanes []int64, ok bool) {
	if !w.p.opt.Borders {
		st.centre = &w.centre
		defer func() { st.centre = nil }()
	}
	all, ok := w.address(a, &st.scene)
	if ok {
		return &all, nil, true
	}
	if st.why.v >= lidVars {
		return nil, nil, false
	}
	list := st.mask.lanes
	w.vectors = w.vectors[:0]
	from, once := 0, scanned{w, &st.scene, list, len(list)}
	if all, each, ok := once.addresses(a); ok && once.undecided == len(list) {
		return &all, slices.Clone(each), true
	} else if ok {
		from = once.undecided
	}
	lanes = make([]int64, len(list))
	one := w.sceneOf(&st.scene, list[from])
	for i, lane := range list[from:] {
		w.move(one, &st.scene, lane)
		own, ok := w.address(a, one)
		if !ok {
			st.why = one.why
			return nil, nil, false
		}
		if i == 0 {
			all = own
		}
		for v := lidVars; v < st.nv; v++ {
			// Addresses of work-items that move by different amounts may meet in one line.
			if own.k[v] != all.k[v] && st.n[v] > 1 {
				st.why = cut{v: v, at: st.n[v] / 2}
				return nil, nil, false
			}
		}
		lanes[from+i] = own.c
	}
	return &all, lanes, true
}

// address is the byte that is accessed, from the start of the array.
func (w *walk) address(a *access, s *scene) (addr form, ok bool) {
	array := &w.p.arrays[a.array]
	addr.c = w.offsets[a.array]
	w.base = 0
	var each [8]form
	for i, x := range a.index {
		f, ok := s.eval(x)
		if !ok {
			return f, false
		}
		if i < len(each) {
			each[i] = f
		}
		addr.addScaled(&f, w.strides[a.array][i])
		if array.sized[i] {
			w.base = mix(w.base, uint64(f.c))
		}
	}
	if array.Space == kernel.Global && len(a.index) <= len(each) {
		w.addTile(a, s, each[:len(a.index)])
	}
	return addr, true
}

// distribute counts the units that an access touches over the points of the box. Which they are depends on the address modulo a
// line alone, whose distribution over the points is that of a sum of independent variables. The address is addr, or where
// lanes is set that of each work-item.
func (w *walk) distribute(b *box, mask *laneMask, bytes int64, global bool, addr *form, lanes []int64) (sum unitCount) {
	modulus := period(global)
	var residues [LineBytes]int64
	size, step := b.residues(addr, modulus, &residues)
	if lanes != nil {
		return w.distributeEach(mask, bytes, global, lanes, residues[:size], step)
	}
	k := unitKind{bytes: bytes}
	if !global {
		k.bytes = -bytes
	}
	copy(k.k[:], addr.k[:lidVars])
	kind := w.kind(k)
	for _, warp := range w.warpKinds(mask, addr, modulus) {
		for i, n := range residues[:size] {
			if n == 0 {
				continue
			}
			base := intmath.Mod(int64(warp.from)+int64(i)*step, modulus)
			key := kind | uint64(warp.shape)<<8 | uint64(base)
			one, ok := w.units[key]
			if !ok {
				w.addr, w.at = w.addr[:0], w.at[:0]
				first := &w.lanes[warp.members[0]]
				for _, lane := range warp.members {
					at := base
					for axis, x := range w.lanes[lane] {
						at += k.k[axis] * (x - first[axis])
					}
					w.addr, w.at = append(w.addr, at), append(w.at, lane%int32(w.p.opt.SubgroupSize))
				}
				one = w.count(bytes, global)
				w.units[key] = one
			}
			one.scale(n * warp.n)
			sum.add(&one)
		}
	}
	return sum
}

// period is the distance of addresses with the same units: in local memory a word, as the start only turns the banks.
func period(global bool) int64 {
	if global {
		return LineBytes
	}
	return bankBytes
}

// warpKinds sorts the sub-groups of a mask by their shapes and by where an access has their first work-items.
func (w *walk) warpKinds(mask *laneMask, addr *form, modulus int64) []warpKind {
	kinds := w.warps[:0]
	at := 0
next:
	for _, warp := range mask.warps {
		members := mask.lanes[at : at+warp.lanes]
		at += warp.lanes
		first := addr.c
		for axis, x := range w.lanes[members[0]] {
			first += addr.k[axis] * x
		}
		from := int(intmath.Mod(first, modulus))
		for i := range kinds {
			if kinds[i].from == from && kinds[i].shape == warp.shape {
				kinds[i].n++
				continue next
			}
		}
		kinds = append(kinds, warpKind{from, warp.shape, 1, members})
	}
	w.warps = kinds
	return kinds
}

// distributeEach is distribute for addresses of each work-item, and for points whose addresses have these residues.
func (w *walk) distributeEach(mask *laneMask, bytes int64, global bool, lanes []int64, residues []int64, step int64) (sum unitCount) {
	modulus := period(global)
	k := unitKind{bytes: bytes}
	if !global {
		k.bytes = -bytes
	}
	kind, from := w.kind(k), 0
	for _, warp := range mask.warps {
		members, ids := lanes[from:from+warp.lanes], mask.lanes[from:from+warp.lanes]
		from += warp.lanes
		key := mix(mix(kind, uint64(warp.shape)), differences(members))
		for i, n := range residues {
			if n == 0 {
				continue
			}
			first := intmath.Mod(int64(i)*step+members[0], modulus)
			one, ok := w.apart[key^uint64(first)]
			if !ok {
				w.addr, w.at = w.addr[:0], w.at[:0]
				for j, at := range members {
					w.addr, w.at = append(w.addr, first+at-members[0]), append(w.at, ids[j]%int32(w.p.opt.SubgroupSize))
				}
				one = w.count(bytes, global)
				w.apart[key^uint64(first)] = one
			}
			one.scale(n)
			sum.add(&one)
		}
	}
	return sum
}

// residues counts the points of the box, without the lids, by the residue of addr - addr.c modulo the modulus: those at i*step.
func (b *box) residues(addr *form, modulus int64, have *[LineBytes]int64) (size, step int64) {
	step = modulus
	for v := lidVars; v < b.nv; v++ {
		if b.n[v] > 1 {
			step = intmath.GCD(step, intmath.Mod(addr.k[v], modulus))
		}
	}
	size = modulus / step
	var next [LineBytes]int64
	have[0] = 1
	for v := lidVars; v < b.nv; v++ {
		n := b.n[v]
		k := intmath.Mod(addr.k[v], modulus) / step
		if n == 1 || k == 0 {
			for r := range size {
				have[r] *= n
			}
			continue
		}
		period := size / intmath.GCD(k, size)
		clear(next[:size])
		for t := range min(period, n) {
			times := (n - t + period - 1) / period
			for r := range size {
				if have[r] != 0 {
					next[(r+k*t)%size] += have[r] * times
				}
			}
		}
		copy(have[:size], next[:size])
	}
	return size, step
}

// count counts the cycles that a sub-group needs for elements at w.addr, of which a bank gives one word in each, and of global
// memory the lines and sectors. (On NVIDIA devices since Volta the L1 cache and local memory are one memory of 32 banks.)
func (w *walk) count(bytes int64, global bool) (sum unitCount) {
	if !global {
		for from := 0; from < len(w.addr); {
			to := w.part(from, bytes)
			sum.cycles += busiest(w.touched(w.addr[from:to], bytes, bankBytes))
			from = to
		}
		return sum
	}
	for from := 0; from < len(w.addr); {
		to := w.end(from, int32(max(min(banks*bankBytes/bytes, banks), 1)))
		sum.cycles += busiest(w.touched(w.addr[from:to], bytes, bankBytes))
		from = to
	}
	sum.lines = int64(len(w.touched(w.addr, bytes, LineBytes)))
	sum.sectors = int64(len(w.touched(w.addr, bytes, SectorBytes)))
	sum.partial = sum.sectors - w.covered(bytes)
	elements := int64(len(w.touched(w.addr, 1, 1)))
	class := scatteredAccess
	switch {
	case elements == 1:
		class = uniformAccess
	case 2*bytes*elements >= SectorBytes*sum.sectors:
		class = coalescedAccess
	}
	sum.classes[class-uniformAccess]++
	return sum
}

// part is the end of the work-items whose elements in local memory are accessed together with the one at from. Elements of 8 bytes are
// those of half a sub-group, of 16 bytes of a quarter; but two such parts are one where neighbours access the same.
func (m *scratch) part(from int, bytes int64) int {
	lanes := int32(banks)
	if bytes > bankBytes {
		lanes = int32(max(banks*bankBytes/bytes, 1))
	}
	if lanes < banks && m.paired(from, m.end(from, 2*lanes)) {
		lanes *= 2
	}
	return m.end(from, lanes)
}

// end is the end of the work-items that are in the same run of so many as the one at from.
func (m *scratch) end(from int, lanes int32) int {
	to := from
	for to < len(m.at) && m.at[to]/lanes == m.at[from]/lanes {
		to++
	}
	return to
}

// paired reports whether each two neighbours of a run access the same.
func (m *scratch) paired(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if m.at[i]/2 == m.at[i-1]/2 && m.addr[i] != m.addr[i-1] {
			return false
		}
	}
	return true
}

// busiest is how many of the words are in the bank that has most.
func busiest(words []int64) (most int64) {
	var perBank [banks]int64
	for _, word := range words {
		b := intmath.Mod(word, banks)
		perBank[b]++
		most = max(most, perBank[b])
	}
	return most
}

// touched lists the units of a size that contain elements of so many bytes at the addresses, each once.
func (m *scratch) touched(addresses []int64, bytes, size int64) []int64 {
	list := m.list[:0]
	for _, at := range addresses {
		for u := intmath.FloorDiv(at, size); u <= intmath.FloorDiv(at+bytes-1, size); u++ {
			list = append(list, u)
		}
	}
	slices.Sort(list)
	m.list = list
	return slices.Compact(list)
}
