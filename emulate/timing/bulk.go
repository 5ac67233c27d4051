package timing

// bulkStore is by how much a line of a copy to global memory takes longer than one from there (seen on an H200:
// testdata/h200/measurement/asynchronous.csv.gz, bulk_store_read and bulk_load of 32 KB by one multiprocessor).
const bulkStore = 3

// bulk is a copy of many lines between global and shared memory, which one unit of the multiprocessor makes one after the other. It returns when
// the last line has arrived, and when the operands have been read. Who waits for copies to global memory waits until shared memory has been read.
func (p *multiprocessor) bulk(w *warp, e *Event, at int64) (result, read int64) {
	t := e.Touch
	sectors := p.sectorsOf(&w.cursor, t)
	n := int64(len(sectors)) + int64(t.Unknown)
	if n == 0 {
		return at + p.Units[Bulk].Latency, at + Cycle
	}
	lines := (n + lineSectors - 1) / lineSectors
	gap := lines * p.Units[Bulk].Gap
	if t.Store {
		gap = lines * p.Units[Bulk].Gap * bulkStore
	}
	start := max(at, p.shared[Bulk])
	p.shared[Bulk] = start + gap
	p.result.Busy[Bulk] += gap
	tr := &p.result.Traffic
	tr.Requests++
	begun := start + p.Units[Bulk].Latency
	p.credit[e.Op] += float64(n) * t.DRAM
	missing := int64(p.credit[e.Op])
	p.credit[e.Op] -= float64(missing)
	times := max(t.Times, 1)
	moved := p.read(t.Waves*times, at)
	if t.Store {
		w.copies = max(w.copies, moved, begun+gap)
		tr.Stored += n
		from, _ := p.stores(sectors, t, begun)
		if missing > 0 {
			tr.ToDRAM += missing
			p.dram(missing, from)
		}
		return from + p.Units[L2].Latency, start + Cycle
	}
	tr.Sectors += n
	tr.FromL2 += n
	from := max(p.secondFor(lines, n, lines*times, begun), begun+gap)
	result = from + p.Units[L2].Latency
	if missing > 0 {
		tr.FromDRAM += missing
		result = p.dram(missing, from) + p.Units[DRAM].Latency + p.crowd()
	}
	return max(result, moved), start + Cycle
}
