package memory

import (
	"math"
	"slices"
)

// Device are the caches of a device, and the work-groups that run at once.
type Device struct {
	Multiprocessors int64
	Resident        int64   // work-groups of a multiprocessor at once
	L1, L2          float64 // bytes; L1 is that of a multiprocessor
	Keeps           Keeping // how L2 keeps what launches leave
}

// Traffic is what a launch moves between the levels of memory.
type Traffic struct {
	L1Loads  float64 // sectors that sub-groups load
	L2Loads  float64 // sectors of these that L1 does not have
	L2Stores float64 // sectors that sub-groups store
	Written  float64 // distinct bytes, in whole sectors, that are stored
	Filled   float64 // bytes that are read because of stores of less than sectors
	Touched  float64 // the same, loaded or stored
	// Rewritten are bytes of these that L2 writes, and reads before, as it loses sectors that are stored in part before the next store to them.
	Rewritten float64
	Held      float64 // the same in whole lines, in which L2 keeps them

	// Missed are the loads by sub-groups for which L1 lacks something, and Fetched those for which L2 does, which holds nothing at the start.
	Missed, Fetched float64
	// LoadedLines and StoredLines are requests to L2: lines of which L1 loads, or stores, some sectors together.
	LoadedLines, StoredLines float64

	// Bytes that L2 reads from DRAM and writes to it, where it holds nothing at the start, and where it holds what the same launch has left
	// just before. What L2 has not written when the launch ends is not among them.
	DRAMReads, DRAMWrites float64
	WarmReads, WarmWrites float64

	// ReadUnits and WrittenUnits are the bytes that DRAM is busy with for DRAMReads and Written: it moves two sectors where one is asked for. Pages are how often
	// it turns to other places for these: the pages that work-groups which run at once touch together.
	ReadUnits, WrittenUnits float64
	Pages                   float64
}

// prepare joins neighbouring lanes, and finds the patterns of parts.
func (l *Launch) prepare() {
	l.memo = memo{at: map[outlined]*outline{}, touched: map[width]*touched{}}
	Each(l.Body, func(a *Access) {
		for i := range a.Parts {
			l.memo.enter(a, &a.Parts[i])
		}
	})
}

// Add adds the traffic of another launch, for which nothing that this one left in caches is of use.
func (t *Traffic) Add(o *Traffic) {
	t.L1Loads += o.L1Loads
	t.L2Loads += o.L2Loads
	t.L2Stores += o.L2Stores
	t.DRAMReads += o.DRAMReads
	t.DRAMWrites += o.DRAMWrites
	t.WarmReads += o.WarmReads
	t.WarmWrites += o.WarmWrites
	t.Written += o.Written
	t.Filled += o.Filled
	t.Rewritten += o.Rewritten
	t.Touched += o.Touched
	t.Missed += o.Missed
	t.Fetched += o.Fetched
	t.LoadedLines += o.LoadedLines
	t.StoredLines += o.StoredLines
	t.Held += o.Held
	t.ReadUnits += o.ReadUnits
	t.WrittenUnits += o.WrittenUnits
	t.Pages += o.Pages
}

// sampledWaves is for how many waves of work-groups L1 is looked into. Later ones go on as the later half of these.
const sampledWaves = 8

// Least is the traffic without a look into caches, which takes most of the time of Estimate: what sub-groups ask for, what is
// touched, and that everything is loaded once. No field is above that of Estimate, and L1Loads, L2Stores, StoredLines, Written, Touched and Held are the same.
func (l *Launch) Least() (t Traffic) {
	if l.Groups[0]*l.Groups[1]*l.Groups[2] == 0 {
		return t
	}
	l.prepare()
	Each(l.Body, func(a *Access) {
		for i := range a.Parts {
			switch p := &a.Parts[i]; {
			case a.Store:
				t.L2Stores, t.StoredLines = t.L2Stores+p.Sectors, t.StoredLines+p.Lines
			default:
				t.L1Loads += p.Sectors
			}
		}
	})
	whole := l.whole()
	t.Touched = l.footprint(l.Body, &whole, loads|stores, SectorBytes) * SectorBytes
	t.Held = l.footprint(l.Body, &whole, loads|stores, LineBytes) * LineBytes
	t.Written = l.footprint(l.Body, &whole, stores, SectorBytes) * SectorBytes
	t.DRAMReads = l.footprint(l.Body, &whole, loads, fetchBytes) * fetchBytes
	t.ReadUnits = t.DRAMReads
	t.WrittenUnits = l.footprint(l.Body, &whole, stores, fetchBytes) * fetchBytes
	return t
}

// Estimate derives the traffic of a launch.
func (l *Launch) Estimate(d Device) (t Traffic) {
	total := l.Groups[0] * l.Groups[1] * l.Groups[2]
	if t = l.Least(); total == 0 || t.Touched == 0 {
		return t
	}
	most := (total + d.Multiprocessors - 1) / d.Multiprocessors // groups of a multiprocessor
	resident := min(max(d.Resident, 1), most)
	t.L2Loads = t.L1Loads * l.missRatio(d, most, resident)
	whole := l.whole()
	l2 := cache{Launch: l, bytes: d.L2, line: LineBytes, holds: loads | stores, asks: loads, fetch: fetchBytes}
	misses := func() float64 {
		return max(l2.waves(total, min(resident*d.Multiprocessors, total), l.consecutive), l2.traffic(l.Body, &whole)) * float64(l2.fetch)
	}
	t.DRAMReads = misses()
	back := t.Written // bytes that L2 writes at some time, some of them again
	if t.Touched > d.L2/2 && t.L2Stores*SectorBytes > 1.1*t.Written {
		l2.asks, l2.fetch = stores, SectorBytes
		t.Rewritten = l.rewritten(&t, &d, resident*d.Multiprocessors, &whole)
		back = max(misses(), t.Written+t.Rewritten)
	}
	t.ReadUnits = t.DRAMReads
	l.keep(&t, back, &d, &whole)
	l.missed(&t, &whole)
	again := (back - t.Written) / SectorBytes * fetchBytes
	t.WrittenUnits += again
	t.Filled = l.filled(&whole)
	filled := t.Filled + again
	read, written := l.pages(loads, resident*d.Multiprocessors, &whole), l.pages(stores, resident*d.Multiprocessors, &whole)
	t.Pages = (t.ReadUnits*read + (t.WrittenUnits+filled)*written) / fetchBytes
	t.ReadUnits += filled
	return t
}

// pageBytes is the size of the places in DRAM that are opened at once, roughly: those of HBM3 have 1 KB.
const pageBytes = 1 << 10

// queued is how many iterations of a loop are taken to be under way in DRAM at once.
const queued = 16

// pages is the number of pages of DRAM that are touched for each unit that it moves: one where units lie far apart, much less where work-groups that run at once go
// through memory together.
func (l *Launch) pages(which direction, atOnce int64, whole *window) float64 {
	units, pages := make([]float64, len(l.Arrays)), make([]float64, len(l.Arrays))
	var visit func(steps []Step, w window)
	visit = func(steps []Step, w window) {
		for i, s := range steps {
			switch x := s.(type) {
			case *Loop:
				if all, ok := x.span(&w); ok {
					n := min(max(x.Together, queued), all.to-all.from)
					from := all.from + (all.to-all.from-n)/2
					inner := w
					inner.trips = append(w.trips[:len(w.trips):len(w.trips)], span{from, from + n})
					visit(x.Body, inner)
				}
			case *Access:
				if x.direction() == which {
					n := l.footprint(steps[i:i+1], &w, which, fetchBytes)
					units[x.Array], pages[x.Array] = units[x.Array]+n, pages[x.Array]+l.turns(steps[i:i+1], &w, which, n)
				}
			}
		}
	}
	visit(l.Body, l.consecutive(min(atOnce, l.Groups[0]*l.Groups[1]*l.Groups[2]))[0].window)
	sum, all := 0.0, 0.0
	for i, n := range l.footprints(l.Body, whole, which, fetchBytes) {
		if units[i] > 0 {
			sum, all = sum+n*pages[i]/units[i], all+n
		}
	}
	return sum / max(all, 1)
}

// turns is how often DRAM turns to a page for an access that moves some units. Those anywhere come in any order: to the same page it turns again.
func (l *Launch) turns(access []Step, w *window, which direction, units float64) float64 {
	o := l.outline(access, w, which)
	if !l.Lines || len(o.scattered) == 0 { // the model that was fitted to Pages counts pages anywhere, too
		return l.footprint(access, w, which, pageBytes)
	}
	moved, pages := 0.0, 0.0
	for i := range o.scattered {
		moved, pages = moved+o.scattered[i].units(fetchBytes), pages+o.scattered[i].units(pageBytes)
	}
	return units * pages / max(moved, 1)
}

// missed derives how many loads by sub-groups wait for L2 and for DRAM. Misses are divided among the arrays by what a work-group touches
// of each, and those of L2 by what the launch touches of each.
func (l *Launch) missed(t *Traffic, whole *window) {
	type load struct{ requests, sectors, lines, group, all float64 }
	arrays := make([]load, len(l.Arrays))
	steps := make([][]Step, len(l.Arrays))
	Each(l.Body, func(a *Access) {
		if a.Store {
			return
		}
		at := &arrays[a.Array]
		for i := range a.Parts {
			p := &a.Parts[i]
			at.requests, at.sectors, at.lines = at.requests+p.Requests, at.sectors+p.Sectors, at.lines+p.Lines
		}
		steps[a.Array] = append(steps[a.Array], a)
	})
	total := float64(l.Groups[0] * l.Groups[1] * l.Groups[2])
	var middle window
	for axis, n := range l.Groups {
		middle.groups[axis] = span{n / 2, n/2 + 1}
	}
	groups, all := 0.0, 0.0
	for i := range arrays {
		if a := &arrays[i]; a.sectors > 0 {
			a.group = min(l.footprint(steps[i], &middle, loads, SectorBytes)*total, a.sectors)
			a.all = l.footprint(steps[i], whole, loads, SectorBytes)
			groups, all = groups+a.group, all+a.all
		}
	}
	for _, a := range arrays {
		if a.sectors == 0 || groups == 0 || all == 0 {
			continue
		}
		bySector := a.requests / a.sectors
		misses := min(t.L2Loads*a.group/groups, a.sectors)
		missed := min(misses*max(bySector, 1.0/32), a.requests)
		t.LoadedLines += misses * a.lines / a.sectors
		t.Missed += missed
		t.Fetched += min(t.DRAMReads/SectorBytes*a.all/all*bySector, missed)
	}
}

// missRatio is the part of the sectors loaded that L1 does not have.
func (l *Launch) missRatio(d Device, most, resident int64) float64 {
	groups := l.dealt(d.Multiprocessors)
	l1 := cache{Launch: l, bytes: d.L1, line: LineBytes, holds: loads, asks: loads, fetch: SectorBytes}
	fetched := func(n int64) float64 { return l1.waves(n, resident, groups) }
	asked := func(n int64) float64 { return l.sectorsLoaded(groups(n)[0].list) }
	n := min(most, sampledWaves*resident)
	in, out := asked(n), fetched(n)
	if in == 0 {
		return 1
	}
	if half := n / 2; n < most && half > 0 {
		more := float64(most-n) / float64(n-half)
		in, out = in+more*max(in-asked(half), 0), out+more*max(out-fetched(half), 0)
	}
	return min(out/in, 1)
}

// sectorsLoaded are the sectors that sub-groups of some work-groups load.
func (l *Launch) sectorsLoaded(groups [][3]int64) (sum float64) {
	w := window{list: groups}
	Each(l.Body, func(a *Access) {
		for i := range a.Parts {
			if p := &a.Parts[i]; !a.Store {
				sum += p.Sectors / p.groups() * float64(w.has(p))
			}
		}
	})
	return sum
}

// Bytes is how much of an array a launch loads and stores, each once, in whole sectors. Between the first place that it loads and the last one lie so many bytes.
type Bytes struct {
	Name           string
	Loaded, Stored float64
	Apart          float64
}

// Bytes are those of the arrays that the launch accesses; arrays of one name are parts of one, in a row.
func (l *Launch) Bytes() (all []Bytes) {
	whole := l.whole()
	loaded, stored := l.footprints(l.Body, &whole, loads, SectorBytes), l.footprints(l.Body, &whole, stores, SectorBytes)
	ends := l.ends()
	for i, a := range l.Arrays {
		if loaded[i]+stored[i] == 0 {
			continue
		}
		if n := len(all); n == 0 || all[n-1].Name != a.Name {
			all = append(all, Bytes{Name: a.Name})
		}
		last := &all[len(all)-1]
		last.Loaded, last.Stored = last.Loaded+loaded[i]*SectorBytes, last.Stored+stored[i]*SectorBytes
		last.Apart = max(last.Apart, ends[i][1]-ends[i][0])
	}
	return all
}

// ends are the first and the last place of each array that is loaded. What goes anywhere goes no further than is known.
func (l *Launch) ends() [][2]float64 {
	all := make([][2]float64, len(l.Arrays))
	for i := range all {
		all[i] = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	Each(l.Body, func(a *Access) {
		for i := range a.Parts {
			p := &a.Parts[i]
			if a.Store || len(p.Lanes) == 0 {
				continue
			}
			from, to := float64(p.From+slices.Min(p.Lanes)), float64(p.From+slices.Max(p.Lanes)+a.Width)
			for _, r := range append(p.Loops[:len(p.Loops):len(p.Loops)], p.Groups[:]...) {
				by := float64(r.Stride) * float64(max(r.Count-1, 0))
				from, to = from+min(by, 0), to+max(by, 0)
			}
			all[a.Array] = [2]float64{min(all[a.Array][0], from), max(all[a.Array][1], to)}
		}
	})
	return all
}
