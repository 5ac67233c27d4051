package timing

import "slices"

// Second is how the second-level cache takes requests beside the gaps of L2, for a sector that is loaded, and Lines, for a line that is stored
// wholly.
type Second struct {
	Line          float64 // what a line takes that sectors are loaded of, in sectors
	Port          int64   // between two such lines of a multiprocessor
	Store, Sector float64 // what a line takes that is not stored wholly, and each of its sectors, in whole lines
	Fill          float64 // what a sector takes besides that is stored in part and goes to DRAM, in whole lines
	Update        float64 // what a sector takes besides that is changed in place, in whole lines
	StorePort     int64   // between two sectors that a multiprocessor stores
}

// second lets sectors of some lines come from the second-level cache. It returns when the last one does.
func (p *multiprocessor) second(lines, sectors, at int64) int64 {
	return p.secondFor(lines, sectors, lines, at)
}

// secondFor does it while so many lines arrive, as other blocks of the cluster ask for some of them.
func (p *multiprocessor) secondFor(lines, sectors, arrive, at int64) int64 {
	busy := max(int64((float64(sectors)+p.Second.Line*float64(lines))*float64(p.Units[L2].Gap)), arrive*p.Second.Port)
	start := max(at, p.shared[L2])
	p.shared[L2] = start + busy
	p.result.Busy[L2] += busy
	return start + busy - busy/max(sectors, 1)
}

// stores lets the second-level cache take a store, line by line. It returns when it has the last one, and how many there are. A line that one of the last
// stores has touched goes with that, which waits for such.
func (p *multiprocessor) stores(sectors []int64, t *Touched, at int64) (from, sent int64) {
	whole := wholly(sectors, t)
	busy := int64(0)
	sent = int64(t.Unknown)
	for i := 0; i < len(sectors); {
		n := 1
		for i+n < len(sectors) && sectors[i+n]/lineSectors == sectors[i]/lineSectors {
			n++
		}
		line := sectors[i] / lineSectors
		i += n
		if slices.Contains(p.stored[:], line) {
			continue
		}
		p.stored[p.lately] = line
		p.lately = (p.lately + 1) % len(p.stored)
		busy += p.storedLine(n, whole && n == lineSectors)
		sent++
	}
	busy += int64(t.Unknown) * p.storedLine(1, false)
	start := max(at, p.shared[Lines])
	p.shared[Lines] = start + busy
	p.result.Busy[Lines] += busy
	return start + busy, sent
}

// storedLine is what a line takes of which some sectors are stored.
func (p *multiprocessor) storedLine(sectors int, whole bool) int64 {
	if whole {
		return max(p.Units[Lines].Gap, lineSectors*p.Second.StorePort)
	}
	part := p.Second.Store + p.Second.Sector*float64(sectors)
	return max(int64(part*float64(p.Units[Lines].Gap)), int64(sectors+1)*p.Second.StorePort)
}

// dram lets sectors pass between the second-level cache and DRAM.
func (p *multiprocessor) dram(n, at int64) int64 {
	gap := p.Units[DRAM].Gap
	start := max(at, p.shared[DRAM])
	p.shared[DRAM] = start + n*gap
	p.result.Busy[DRAM] += n * gap
	return start + (n-1)*gap
}

// window is over how long it is looked at how busy DRAM is.
const window = 2000 * Cycle

// crowd is how much longer than its latency a request to DRAM takes, as others are in its way.
func (p *multiprocessor) crowd() int64 {
	if p.now-p.load.since >= window {
		now := load{since: p.now, busy: p.result.Busy[DRAM], read: p.result.Traffic.FromDRAM, written: p.result.Traffic.ToDRAM}
		part := min(float64(now.busy-p.load.busy)/float64(now.since-p.load.since), mostBusy)
		read, written := float64(now.read-p.load.read), float64(now.written-p.load.written)
		now.wait = int64(float64(p.Queue)*part/(1-part) + float64(p.Turn)*part*min(2*written/max(read+written, 1), 1))
		p.load = now
	}
	return p.load.wait
}

// fill lets sectors take so many lines besides, each: those that are stored in part and come from DRAM first, and those that are changed in place.
func (p *multiprocessor) fill(sectors, lines float64) {
	busy := int64(sectors * lines * float64(p.Units[Lines].Gap))
	p.shared[Lines] += busy
	p.result.Busy[Lines] += busy
}

// brought lets sectors of some lines from DRAM be written to the second-level cache, which takes as long for each line as to read a sector
// (testdata/h200/measurement/tiles.csv.gz, tile: 7 µs more for 2.1 million sectors that are loaded one by one from 64 MB than from four times 16 MB).
func (p *multiprocessor) brought(lines int64) {
	busy := lines * p.Units[L2].Gap
	p.shared[L2] += busy
	p.result.Busy[L2] += busy
}

// mostBusy is how busy DRAM is taken to be at most: beyond, requests wait in the queue that they make.
const mostBusy = 0.87

// load is how busy DRAM was, and the sectors that were moved.
type load struct{ since, busy, read, written, wait int64 }
