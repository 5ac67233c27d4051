package timing

import (
	"slices"

	sizes "gpuperf/memory"
)

const (
	sectorBytes = sizes.SectorBytes
	lineSectors = sizes.LineBytes / sizes.SectorBytes
)

// copyWaves is by how many cycles a copy to shared memory takes longer than the data path (seen on an H200:
// testdata/h200/measurement/asynchronous.csv.gz, ldgsts_apart: 2.8 cycles for one, 6.3 for 4, 35 for 32).
const copyWaves = 2

// access lets the units of memory take the request of a warp. It returns when the data is there, and when the operands have been read.
func (p *multiprocessor) access(part *partition, w *warp, e *Event, op *Op, at int64) (result, read int64) {
	t := e.Touch
	if t.Space == ConstantSpace {
		return p.constant(part, w, t, at)
	}
	if op.Unit == Bulk {
		return p.bulk(w, e, at)
	}
	late, read := p.path(part, at, t.Waves, t.pace())
	switch {
	case t.Space == SharedSpace && t.Atomic:
		times := max(t.Conflicts, 1) * int64(max(op.Parts, 1))
		extra := max(times*p.Units[SharedAtomic].Gap-max(t.Waves, 1)*p.Units[Shared].Gap, 0)
		p.shared[Shared] += extra
		p.result.Busy[SharedAtomic] += times * p.Units[SharedAtomic].Gap
		return late + extra + (times-1)*p.Units[SharedAtomic].Gap + p.Units[SharedAtomic].Latency + t.Later, read
	case t.Space == SharedSpace:
		return late + (max(t.Waves, 1)-1)*p.Units[Shared].Gap + p.Units[Shared].Latency, read // one cycle to look up a wave, and one to move it
	}
	if t.Copy {
		gap := p.Units[Copies].Gap * (t.Waves + copyWaves)
		late = max(late, p.shared[Copies])
		p.shared[Copies] = late + gap
		p.result.Busy[Copies] += gap
		late += gap
	}
	result = p.global(w, e, op, late)
	if t.Copy {
		w.copies = max(w.copies, result)
	}
	return result, read
}

// waveCycles is how many cycles of the data path there are from one that it is busy with a load from global memory to the next, so that those of other
// sub-partitions come between: a load of n waves is 2 (n-1) cycles later than one of one wave, and those of one sub-partition are 2 n cycles apart
// (seen on an H200: testdata/h200/measurement/shapes.csv.gz, latency, and mixed, loads that hit by one sub-group). Loads from shared memory are n
// cycles apart (mem.csv.gz, rate_lds of 16 B).
const waveCycles = 2

// pace is how many cycles of the address unit an access takes at least.
func (t *Touched) pace() int64 {
	if t.Space == SharedSpace || t.Store || t.Atomic || t.Copy {
		return 1
	}
	return waveCycles * t.Waves
}

// address lets the address unit of a sub-partition take a request, for so many cycles of the data path at least. It returns when.
func (p *multiprocessor) address(part *partition, at, pace int64) int64 {
	start, gap := max(at, part.units[Address]), max(p.Units[Address].Gap, pace*p.Units[Shared].Gap)
	part.units[Address] = start + gap
	p.result.Busy[Address] += gap
	part.starts[part.head] = start
	if part.head++; part.head == len(part.starts) {
		part.head = 0
	}
	return start
}

// path lets the address unit for pace cycles, and then the data path for waves, take a request. It returns when its last part is on its way, and when
// its operands have been read. So many requests may wait for the data path, loads from global memory in L1; then the address units take no more.
func (p *multiprocessor) path(part *partition, at, waves, pace int64) (late, read int64) {
	gap := p.Units[Shared].Gap
	taken := &p.taken
	if pace > 1 {
		taken = &p.loading
	}
	data := max(p.address(part, max(at, taken.oldest()), pace), p.shared[Shared], p.leaving.oldest())
	taken.add(data)
	busy := max(waves, 1) * gap
	p.shared[Shared] = data + busy
	p.result.Busy[Shared] += busy
	return data + busy - gap, data + busy
}

// global is an access that passes the first-level cache from a time on.
func (p *multiprocessor) global(w *warp, e *Event, op *Op, at int64) int64 {
	t := e.Touch
	sectors := p.sectorsOf(&w.cursor, t)
	p.result.Traffic.Requests++
	p.result.Busy[L1] += p.Units[L1].Gap
	switch {
	case t.Space == LocalSpace:
		return p.local(e, sectors, at)
	case t.Atomic:
		n := int64(len(sectors)) + int64(t.Unknown)
		p.result.Traffic.Stored += n
		done := p.atomic(w, t, op, at)
		if p.owes(e, 1) { // what is changed comes from DRAM first
			p.result.Traffic.ToDRAM += n
			p.result.Traffic.FromDRAM += n
			done = max(done, p.dram(2*n, at)+p.Units[DRAM].Latency)
		}
		return done
	case t.Store:
		return p.store(w, e, sectors, at)
	}
	return p.fetch(w, e, sectors, at)
}

// atomic is when the answer of an atomic operation is there.
func (p *multiprocessor) atomic(w *warp, t *Touched, op *Op, at int64) int64 {
	gap := p.Units[Atomic].Gap
	if !op.Answers {
		gap = int64(float64(gap) * p.Reduction)
	}
	gap = int64(float64(gap) * (float64(max(t.Conflicts, 1)) + p.Changed*t.Changed) * max(op.Parts, 1) * (1 + max(p.Scattered-1, 0)*t.Apart))
	start := max(at, p.shared[Atomic])
	p.shared[Atomic] = start + gap
	p.result.Busy[Atomic] += gap
	p.leave(start + gap)
	w.written = max(w.written, start+gap+p.Units[L2].Latency)
	return start + gap + p.Units[Atomic].Latency + t.Later
}

// store is when what is stored has come to the second-level cache.
func (p *multiprocessor) store(w *warp, e *Event, sectors []int64, at int64) int64 {
	t := e.Touch
	n := int64(len(sectors)) + int64(t.Unknown)
	p.result.Traffic.Stored += n
	from, whole := p.send(sectors, t, at), wholly(sectors, t)
	if whole && !t.Past {
		p.l1.fill(sectors, t, at)
	}
	if whole { // of others, which may be joined before they leave, it is not known
		p.fill(float64(n)*t.Updated, p.Second.Update)
	}
	if p.owes(e, 1) {
		p.result.Traffic.ToDRAM += n
		p.dram(n, from)
		if !whole {
			p.fill(float64(n)*t.Filled, p.Second.Fill)
		}
	}
	w.written = max(w.written, from+p.Units[L2].Latency)
	return from + p.Units[L2].Latency
}

// fetch is when what is loaded is there.
func (p *multiprocessor) fetch(w *warp, e *Event, sectors []int64, at int64) int64 {
	t, tr := e.Touch, &p.result.Traffic
	if !t.Copy {
		at += (waveCycles - 1) * (max(t.Waves, 1) - 1) * p.Units[Shared].Gap
	}
	tr.Sectors += int64(len(sectors)) + int64(t.Unknown)
	missing, lines, filled := p.lookUp(w, sectors, t, at)
	tr.Hits += int64(len(sectors)) - missing
	missing, lines = missing+int64(t.Unknown), lines+int64(t.Unknown)
	if missing == 0 {
		return max(at+p.Units[L1].Latency, filled)
	}
	tr.FromL2 += missing
	from := p.second(lines, missing, at)
	p.leave(from)
	result := from + p.Units[L2].Latency + t.Later
	if p.owes(e, p.anew(w.block, sectors)) {
		tr.FromDRAM += missing
		p.brought(lines)
		result = p.dram(missing, from) + p.Units[DRAM].Latency + p.crowd()
	} else if owed(&p.behind[e.Op], t.Waits) {
		result = from + p.Units[DRAM].Latency + p.crowd()
	}
	result = max(result, filled)
	if !t.Past {
		p.l1.fill(sectors, t, result)
	}
	return result
}

// wholly reports whether a store fills its sectors: then the first-level cache keeps them (testdata/h200/measurement/pieces.csv.gz, again_stored).
func wholly(sectors []int64, t *Touched) bool {
	return int64(len(t.Lanes))*t.Width >= int64(len(sectors))*sectorBytes
}

// anew is which part of the loads of sectors by a block counts as others do: less if the block has loaded all of them before.
func (p *multiprocessor) anew(b *block, sectors []int64) float64 {
	if p.options.Again == 0 {
		return 1
	}
	if b.loaded == nil {
		b.loaded = map[int64]bool{}
	}
	part := p.options.Again
	for _, s := range sectors {
		if !b.loaded[s] {
			b.loaded[s], part = true, 1
		}
	}
	return part
}

// leave notes when a request leaves the multiprocessor. So many may wait for that; then the data path takes no more.
func (p *multiprocessor) leave(at int64) { p.leaving.add(at) }

// owes spreads the requests of an instruction that the second-level cache cannot serve evenly.
func (p *multiprocessor) owes(e *Event, part float64) bool {
	return owed(&p.credit[e.Op], e.Touch.DRAM*part)
}

// owed adds a part of a request to those that are owed, and reports whether that makes one.
func owed(credit *float64, part float64) bool {
	*credit += part
	if *credit >= 1 {
		*credit--
		return true
	}
	return false
}

// lookUp finds what of sectors the first-level cache lacks, in how many lines, and when the others are there. A request may pass it. The warp is that of a load, else nil.
func (p *multiprocessor) lookUp(w *warp, sectors []int64, t *Touched, at int64) (missing, lines, filled int64) {
	filled, last, oldest, found := at, int64(-1), int64(never), int64(0)
	late, lateIn, lateLast := int64(0), int64(0), int64(-1) // sectors that do not come at once, and their lines
	wait := func(s int64) {
		if late++; s/lineSectors != lateLast {
			lateIn, lateLast = lateIn+1, s/lineSectors
		}
	}
	for _, s := range sectors {
		if there, ok := p.l1.has(s); ok && !t.Past {
			if filled = max(filled, there); there < oldest {
				oldest, found = there, s
			}
			if there > at {
				wait(s)
			}
			continue
		}
		wait(s)
		missing++
		if s/lineSectors != last {
			lines, last = lines+1, s/lineSectors
		}
	}
	if w != nil && !t.Copy {
		p.serveLate(t, lateIn, late, int64(len(sectors)))
	}
	if oldest < never {
		p.met(t, oldest)
		if w != nil {
			p.outlasts(w, found, t, oldest)
		}
	}
	return missing, lines, filled
}

// lateLines is how many lines of a load that do not come at once the data path takes in a cycle, where of those that are there it takes four (seen on an H200: testdata/h200/measurement/rows.csv.gz,
// walk: rows 1200 B apart, without conflicts of banks, take 17 cycles a load by 32 sub-groups and 20 by 16; they would take 8 if all were there).
const lateLines = 2

// serveLate lets the data path take lines of a load which do not come at once.
func (p *multiprocessor) serveLate(t *Touched, lines, late, sectors int64) {
	if extra := lines/lateLines - max(t.Waves, 1)*late/max(sectors, 1); extra > 0 {
		p.shared[Shared] += extra * p.Units[Shared].Gap
		p.result.Busy[Shared] += extra * p.Units[Shared].Gap
	}
}

// send lets a store leave, and returns when. Each of its lines keeps the data path for a cycle (seen on an H200:
// testdata/h200/measurement/shapes.csv.gz, mixed: loads that hit, beside stores of 1 to 32 rows).
func (p *multiprocessor) send(sectors []int64, t *Touched, at int64) int64 {
	from, lines := p.stores(sectors, t, at)
	p.shared[Shared] += lines * p.Units[Shared].Gap
	p.result.Busy[Shared] += lines * p.Units[Shared].Gap
	p.leave(from)
	return from
}

// local is an access to the memory of the work-items themselves, which the first-level cache keeps until it is full. Stores pass it.
func (p *multiprocessor) local(e *Event, sectors []int64, at int64) int64 {
	t := e.Touch
	if t.Store {
		p.l1.fill(sectors, t, at)
		p.result.Traffic.Stored += int64(len(sectors))
		if from := p.send(sectors, t, at); p.owes(e, 1) {
			p.result.Traffic.ToDRAM += int64(len(sectors))
			p.dram(int64(len(sectors)), from)
		}
		return at + p.Units[L1].Latency
	}
	missing, lines, filled := p.lookUp(nil, sectors, t, at)
	p.result.Traffic.Sectors += int64(len(sectors))
	p.result.Traffic.Hits += int64(len(sectors)) - missing
	if missing == 0 {
		return max(at+p.Units[L1].Latency, filled)
	}
	p.result.Traffic.FromL2 += missing
	from := p.second(lines, missing, at)
	result := from + p.Units[L2].Latency
	if p.owes(e, 1) {
		p.result.Traffic.FromDRAM += missing
		p.brought(lines)
		result = p.dram(missing, from) + p.Units[DRAM].Latency + p.crowd()
	}
	p.l1.fill(sectors, t, result)
	return result
}

// sectorsOf are the distinct sectors that a request touches, in order.
func (p *multiprocessor) sectorsOf(c *cursor, t *Touched) []int64 {
	all, each := c.shift(t)
	p.sectors = p.sectors[:0]
	sorted := true
	for i := range t.Lanes {
		from := t.Lanes[i] + all
		if each {
			from = c.lane(t, i) + all
		}
		for s := from >> 5; s <= (from+t.Width-1)>>5; s++ {
			switch n := len(p.sectors); {
			case n > 0 && p.sectors[n-1] == s:
				continue
			case n > 0 && p.sectors[n-1] > s:
				sorted = false
			}
			p.sectors = append(p.sectors, s)
		}
	}
	if !sorted {
		slices.Sort(p.sectors)
		p.sectors = slices.Compact(p.sectors)
	}
	return p.sectors
}

// fence is when the accesses of a warp that asks for it are done: behind the atomic operations of the multiprocessor, and when L2 has told of what the
// warp has written (testdata/h200/measurement/ordered.csv.gz, fence: 286 cycles, 522 after a store, 530 after a sum).
func (p *multiprocessor) fence(w *warp, at int64) int64 {
	start := max(at, p.shared[Atomic])
	p.shared[Atomic] = start + p.Fence.Gap
	p.result.Busy[Atomic] += p.Fence.Gap
	return max(start, w.written) + p.Fence.Latency
}
