package survey

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate"
	"gpuperf/memory"
)

// In an application other launches come between two of the same: what a launch loads may lie in the second-level cache, as an earlier one has left it there, or
// not, and what others have stored may be written to DRAM only when it needs the room. The launches of a folder are gone through in the order in which the application
// has made them, as far as launch files say: when those with times began, else the number of the first of each, and the others of a file are taken to come evenly
// until the end. Where launch files say where buffers lay, these are places in one memory. Else
// buffers of two files are taken to be the same where they have the same size and are the same one of those of this size in their files.

// region is memory that launches touch, in bytes: so many from a place on.
type region struct {
	memory         string // the buffer that the place is in; "" is all memory
	at             int64
	loaded, stored float64
	apart          float64 // bytes between the first place that is loaded and the last one
}

// sparse reports whether little is loaded, here and there in a region that is not small: what is there of it was left by others.
func (r *region) sparse(little float64) bool {
	return r.stored == 0 && r.loaded < little && r.apart >= little
}

// regions are those that a launch touches. What it touches of a buffer that several arguments point into is dealt to their places evenly.
func regions(job device.Job, addresses map[string]int64, touched []memory.Bytes) (all []region) {
	places := map[string][]int64{}
	for a := range job.Pointers() {
		if !slices.Contains(places[a.Name], a.At) {
			places[a.Name] = append(places[a.Name], a.At)
		}
	}
	ofSize := map[int64]int{}
	for i, b := range job.Buffers() {
		within := fmt.Sprint(b.Bytes(), " ", ofSize[b.Bytes()])
		ofSize[b.Bytes()]++
		if i >= len(touched) {
			continue
		}
		from, known := addresses[b.Name]
		if known {
			within = ""
		}
		n := float64(len(places[b.Name]))
		for _, at := range places[b.Name] {
			all = append(all, region{within, from + at, touched[i].Loaded / n, touched[i].Stored / n, touched[i].Apart})
		}
	}
	return all
}

// held is what a cache holds, what was touched last first.
type held struct {
	memory.Device
	list []part
	turn int
}

// little is the part of the cache up to which what is loaded is taken to be there: allocators give out small pieces of memory again and again, so that which of
// them are the same is not known, and what is in them was mostly stored just before. Chosen on testdata/h200/captured/eager.py.
const little = 32

// part is what is left of a region: from one place to another. Those with a turn were touched together.
type part struct {
	memory   string
	from, to float64
	stored   float64 // bytes of it that DRAM does not have, at the end of the turn if the cache had room for all
	turn     int
	room     float64 // bytes that were touched in this turn
	unlike   float64 // by how much more room these took, as what is stored may not take all
}

// common is where two parts overlap: from the second to the first, where they do not.
func (p part) common(q part) (from, to float64) {
	if p.memory != q.memory {
		return 0, 0
	}
	return max(p.from, q.from), min(p.to, q.to)
}

// piece is a part of a part, with its share of what is stored.
func (p part) piece(from, to float64) part {
	p.stored *= (to - from) / (p.to - p.from)
	p.from, p.to = from, to
	return p
}

// without are the pieces of a part that another one does not have.
func (p part) without(q part) (rest []part) {
	from, to := p.common(q)
	if from >= to {
		return []part{p}
	}
	if p.from < from {
		rest = append(rest, p.piece(p.from, from))
	}
	if to < p.to {
		rest = append(rest, p.piece(to, p.to))
	}
	return rest
}

// launch touches regions, and tells which part of what it loads was not there, and what the cache writes meanwhile of what others have stored, less what it keeps of
// what this launch stores.
func (h *held) launch(all []region) (missing, written float64) {
	h.turn++
	before := h.unwritten()
	found, loaded, stored, room := 0.0, 0.0, 0.0, 0.0
	var now []part
	for _, r := range all {
		if r.sparse(h.L2 / little) {
			loaded, found = loaded+r.loaded, found+h.sparsely(&r)
			continue
		}
		from := float64(r.at)
		p := part{memory: r.memory, from: from, to: from + max(r.loaded, r.stored), stored: r.stored, turn: h.turn}
		kept := 0.0
		loaded += r.loaded
		stored += r.stored
		room += p.to - p.from
		if r.loaded < h.L2/little {
			found += r.loaded
		}
		for _, q := range h.list {
			from, to := p.common(q)
			if from >= to {
				continue
			}
			// What is stored again is not written before, as far as it is still there, and what is loaded again stays as it is.
			since, same := h.since(q.turn)/h.L2, q.piece(from, to).stored
			if r.stored > 0 {
				same *= h.Keeps.Dirty.After(since * q.unlike)
			} else {
				same *= h.Keeps.Unwritten.Of(q.room/h.L2, h.since(q.turn+1)/h.L2)
			}
			before -= same
			kept += same
			if until := min(to, p.from+r.loaded); r.loaded >= h.L2/little && from < until {
				found += h.Keeps.Clean.After(since) * (until - from)
			}
		}
		p.stored = max(p.stored, kept)
		now = append(now, p)
	}
	for i := range now {
		now[i].room, now[i].unlike = room, max(1, h.Keeps.DirtyRoom*stored/max(room, 1))
	}
	h.put(now, room)
	return 1 - min(found/max(loaded, 1), 1), before - h.unwritten()
}

// sparsely are the bytes of a sparse region that are there: it changes next to nothing.
func (h *held) sparsely(r *region) (found float64) {
	p := part{memory: r.memory, from: float64(r.at), to: float64(r.at) + r.apart}
	for _, q := range h.list {
		if from, to := p.common(q); from < to {
			found += h.Keeps.Clean.After(h.since(q.turn)/h.L2) * (to - from) / r.apart * r.loaded
		}
	}
	return found
}

// put has the cache hold parts of so many bytes, and what has room of those before.
func (h *held) put(now []part, room float64) {
	rest := h.list
	for _, p := range now {
		var without []part
		for _, q := range rest {
			without = append(without, q.without(p)...)
		}
		rest = without
	}
	later, most := room, h.L2*max(h.Keeps.Clean.None, h.Keeps.Unwritten.None)
	for _, q := range rest {
		if later < most {
			now = append(now, q)
		}
		later += q.to - q.from
	}
	h.list = now
	if all, most := h.unwritten(), h.Keeps.MostDirty*h.L2; all > most {
		for i := range h.list {
			h.list[i].stored *= most / all
		}
	}
}

// unwritten are the bytes that the cache has yet to write to DRAM.
func (h *held) unwritten() (bytes float64) {
	since, turn, later := 0.0, h.turn, 0.0 // later than the turn
	for _, q := range h.list {
		if q.turn != turn {
			turn, later = q.turn, since
		}
		bytes += q.stored * h.Keeps.Unwritten.Of(q.room/h.L2, later/h.L2)
		since += q.to - q.from
	}
	return bytes
}

// since are the bytes that were touched since a turn, and in it.
func (h *held) since(turn int) (bytes float64) {
	for _, q := range h.list {
		if q.turn >= turn {
			bytes += q.to - q.from
		}
	}
	return bytes
}

// turn is a launch of a file in the course of an application.
type turn struct {
	at     float64 // by the number of launches before it, or in seconds
	file   int
	launch int64 // of the file, by number
}

// course are launches of an application in their order: all of them, or of each file as many as there may be for no more than so many in all.
func course(rows []*Row, inAll int64) (all []turn) {
	total, last, timed, most := int64(0), int64(0), true, int64(1)
	for _, r := range rows {
		total, last, most = total+r.Times, max(last, r.Application.Order), max(most, r.Times)
		timed = timed && r.Application.Starts != nil
	}
	for taken := total; taken > inAll && most > 1; {
		most = (most + 1) / 2
		taken = 0
		for _, r := range rows {
			taken += min(r.Times, most)
		}
	}
	total = max(total, last+1)
	for i, r := range rows {
		n := min(r.Times, most)
		for k := range n {
			t := turn{float64(r.Application.Order) + float64(k)*float64(total-r.Application.Order)/float64(n), i, k * r.Times / n}
			if timed {
				t.at = r.Application.Start(float64(t.launch) / float64(r.Times))
			}
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	return all
}

// others is what launches of an application have done to the cache since one of the same file, in the mean of those of a file; of each file the regions are
// given that its launches touch, one after the other, over and over.
func others(d *facts.Device, rows []*Row, all [][][]region) []emulate.Others {
	const inAll = 1 << 13 // launches that are gone through
	cache := machine.Caches(d, 0, 1)
	h := held{Device: cache}
	sums, seen := make([]emulate.Others, len(rows)), make([]float64, len(rows))
	for _, t := range course(rows, inAll) {
		ways := all[t.file]
		missing, written := h.launch(ways[t.launch%int64(len(ways))])
		if seen[t.file]++; seen[t.file] > 1 || rows[t.file].Times == 1 { // times are those without the first one
			sums[t.file].Missing += missing
			sums[t.file].Written += written
		}
	}
	for i := range sums {
		const steps = 10 // that launches of several files share
		n, step := max(seen[i]-1, 1), cache.Keeps.MostDirty*cache.L2/steps
		sums[i].Missing = math.Round(sums[i].Missing/n*steps) / steps
		sums[i].Written = math.Round((sums[i].Written/n-alone(cache, all[i][0]))/step) * step
	}
	return sums
}

// alone are the bytes that the cache writes during a launch after the same one, as [held.launch] tells them.
func alone(cache memory.Device, all []region) (written float64) {
	h := held{Device: cache}
	for range 2 {
		_, written = h.launch(all)
	}
	return written
}
