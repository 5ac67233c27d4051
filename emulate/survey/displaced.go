package survey

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/memory"
)

// In an application other launches come between two of the same: what a launch loads may lie in the second-level cache, as an earlier one has left it there, or
// not. The launches of a folder are gone through in the order in which the application has made them, as far as launch files say: the first of each has its
// number there, and the others of a file are taken to come evenly until the end. Where launch files say where buffers lay, these are places in one memory. Else
// buffers of two files are taken to be the same where they have the same size and are the same one of those of this size in their files.

// region is memory that launches touch, in bytes: so many from a place on.
type region struct {
	memory         string // the buffer that the place is in; "" is all memory
	at             int64
	loaded, stored float64
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
			all = append(all, region{within, from + at, touched[i].Loaded / n, touched[i].Stored / n})
		}
	}
	return all
}

// held is what a cache holds, what was touched last first.
type held struct {
	bytes float64
	keeps memory.Fading
	list  []part
	turn  int
}

// little is the part of the cache up to which what is loaded is taken to be there: allocators give out small pieces of memory again and again, so that which of
// them are the same is not known, and what is in them was mostly stored just before. Chosen on testdata/h200/captured/eager.py.
const little = 32

// part is what is left of a region: from one place to another. Those with a turn were touched together.
type part struct {
	memory   string
	from, to float64
	turn     int
}

// common is where two parts overlap: from the second to the first, where they do not.
func (p part) common(q part) (from, to float64) {
	if p.memory != q.memory {
		return 0, 0
	}
	return max(p.from, q.from), min(p.to, q.to)
}

// without are the pieces of a part that another one does not have.
func (p part) without(q part) (rest []part) {
	from, to := p.common(q)
	if from >= to {
		return []part{p}
	}
	if p.from < from {
		rest = append(rest, part{p.memory, p.from, from, p.turn})
	}
	if to < p.to {
		rest = append(rest, part{p.memory, to, p.to, p.turn})
	}
	return rest
}

// launch touches regions, and tells which part of what it loads was not there.
func (h *held) launch(all []region) float64 {
	h.turn++
	found, loaded := 0.0, 0.0
	var now []part
	for _, r := range all {
		from := float64(r.at)
		now = append(now, part{r.memory, from, from + max(r.loaded, r.stored), h.turn})
		if loaded += r.loaded; r.loaded < h.bytes/little {
			found += r.loaded
			continue
		}
		for _, q := range h.list {
			if from, to := q.common(part{r.memory, from, from + r.loaded, 0}); from < to {
				found += h.keeps.After(h.since(q.turn)/h.bytes) * (to - from)
			}
		}
	}
	room, before := h.bytes*h.keeps.None, h.list
	for _, p := range now {
		var rest []part
		for _, q := range before {
			rest = append(rest, q.without(p)...)
		}
		before = rest
	}
	for _, q := range before {
		if room -= q.to - q.from; room > 0 {
			now = append(now, q)
		}
	}
	h.list = now
	return 1 - min(found/max(loaded, 1), 1)
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
	at   float64 // by the number of launches before it
	file int
}

// missing is which part of what launches of files load others have displaced from the cache since; of each file the regions that its launches touch are given.
func missing(d *facts.Device, rows []*Row, all [][]region) []float64 {
	const most = 64 // launches of a file that are gone through
	total, last := int64(0), int64(0)
	for _, r := range rows {
		total, last = total+r.Times, max(last, r.Application.Order)
	}
	total = max(total, last+1)
	var course []turn
	for i, r := range rows {
		n := min(r.Times, most)
		for k := range n {
			course = append(course, turn{float64(r.Application.Order) + float64(k)*float64(total-r.Application.Order)/float64(n), i})
		}
	}
	slices.SortStableFunc(course, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	h := held{bytes: d.Value(facts.L2Bytes), keeps: machine.Caches(d, 0, 1).Keeps.Clean}
	sums, seen := make([]float64, len(rows)), make([]float64, len(rows))
	for _, t := range course {
		part := h.launch(all[t.file])
		if seen[t.file]++; seen[t.file] > 1 || rows[t.file].Times == 1 { // times are those without the first one
			sums[t.file] += part
		}
	}
	for i := range sums {
		const steps = 10 // that launches of several files share
		sums[i] = math.Round(sums[i]/max(seen[i]-1, 1)*steps) / steps
	}
	return sums
}
