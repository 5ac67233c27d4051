package memory

import "math"

// Keeping is how L2 keeps what launches leave in it, in parts of its capacity: not what was used last, but all as long as little was read or
// written since, then less and less. The zero Keeping is of a cache that keeps all that it has room for.
type Keeping struct {
	Clean, Dirty Fading  // of sectors that are as in DRAM, and of others
	Unwritten    Fading  // of sectors that are not as in DRAM while others come, as they are spread among those that are
	FirstDirty   float64 // Dirty.All of a launch that began when L2 was empty
	MostDirty    float64 // of the capacity are used for dirty sectors
	FilledSooner float64 // by this part less is kept of dirty sectors that are stored in part
	DirtyRoom    float64 // that dirty sectors take, as they may not take all
	Open         Fading  // of the lines that are stored to in part at once, up to which none is lost before the next store to it, and from which on each is; None 0 is a cache that loses none
	SharedRoom   float64 // that data takes more where many multiprocessors read it, as L2 has parts that hold the same
}

// Fading is which part of the sectors L2 still has when others have come, of so many bytes by its capacity: all up to the first number, none
// from the second on.
type Fading struct{ All, None float64 }

// plain is a cache that keeps all that it has room for.
var plain = Keeping{Clean: Fading{1, 1}, Dirty: Fading{1, 1}, FirstDirty: 1, MostDirty: 1, DirtyRoom: 1}

// After is the part that is left when others have come, in parts of the capacity.
func (f Fading) After(others float64) float64 {
	switch {
	case others <= f.All:
		return 1
	case others >= f.None:
		return 0
	}
	x := (f.None - others) / (f.None - f.All)
	return x * x * (3 - 2*x)
}

// gone is the part that is lost of what is open at once, in parts of the capacity: it grows evenly.
func (f Fading) gone(open float64) float64 { return max(0, min((open-f.All)/(f.None-f.All), 1)) }

// Of is the part that is left of what came evenly, all in parts of the capacity, when others have come since.
func (f Fading) Of(all, others float64) float64 {
	if all <= 0 {
		return f.After(others)
	}
	return (f.until(others+all) - f.until(others)) / all
}

// until is what is left of what comes evenly, in parts of the capacity, of so much that came last.
func (f Fading) until(last float64) float64 {
	if last <= f.All {
		return last
	}
	x := min(last, f.None) - f.All
	if x > 0 {
		x -= x * x / 2 / (f.None - f.All)
	}
	return f.All + x
}

// keep estimates what L2 keeps: of a launch that finds L2 empty, at the end; and of one that comes after the same launch. In all L2 writes
// back so many bytes.
func (l *Launch) keep(t *Traffic, back float64, d *Device, whole *window) {
	k := d.Keeps
	if k == (Keeping{}) {
		k = plain
	}
	loaded := l.footprint(l.Body, whole, loads, fetchBytes) * fetchBytes
	again := back - t.Written
	// Sectors that are written back more than once are stored in part each time.
	filled := min(l.filled(whole)+2*again, back)
	reads := t.DRAMReads
	room := l.footprint(l.Body, whole, loads|stores, fetchBytes) * fetchBytes
	if l.Lines {
		room = t.Held
	}
	if loaded > 0 {
		times := max(t.L2Loads*SectorBytes/loaded, 1)
		room += loaded * k.SharedRoom * (1 - math.Exp2(1-times))
	}
	kept := min(t.Written*Fading{k.FirstDirty, k.Dirty.None}.Of(room/d.L2, 0), k.MostDirty*d.L2) * (1 - k.FilledSooner*filled/max(back, 1))
	t.DRAMWrites = back - kept
	copied := l.copied()
	t.WarmWrites, t.WarmReads = back, reads
	read, written := l.footprints(l.Body, whole, loads, fetchBytes), l.footprints(l.Body, whole, stores, SectorBytes)
	for i, since := range l.since(d, k.Dirty.All, whole, room+copied) {
		if l.Arrays[i].Copied { // half of what the copies touch comes after it, and half of what the launch touches before
			since /= 2
		}
		t.WarmWrites -= written[i] * SectorBytes * k.Dirty.After((since*max(room, k.DirtyRoom*t.Written)+copied)/d.L2)
		t.WarmReads -= read[i] * fetchBytes * k.Clean.After((since*room+copied)/d.L2)
	}
	t.WarmReads = max(t.WarmReads, 0)
	if back > 0 {
		t.DRAMReads += filled * t.DRAMWrites / back
		t.WarmReads += filled * t.WarmWrites / back
	}
}

// since is what comes before each array is touched again, as a part of all that a launch touches: 1, or what a quarter of the launch touches where
// that goes through the array and is more than the work-groups that run at once. What takes little room is not looked into: all of it is kept.
func (l *Launch) since(d *Device, kept float64, whole *window, room float64) []float64 {
	const mostly = 0.9 // of an array, but for its borders
	out := make([]float64, len(l.Arrays))
	for i := range out {
		out[i] = 1
	}
	n := l.Groups[0] * l.Groups[1] * l.Groups[2] / 4
	if room < kept*d.L2 || n < d.Multiprocessors*max(d.Resident, 1) {
		return out
	}
	all, quarter := l.footprints(l.Body, whole, loads|stores, SectorBytes), make([]float64, len(l.Arrays))
	touched, most := 0.0, 0.0
	for _, w := range l.consecutive(n) {
		for i, units := range l.footprints(l.Body, &w.window, loads|stores, SectorBytes) {
			quarter[i] += w.weight * units
			touched += w.weight * units
		}
	}
	for _, units := range all {
		most += units
	}
	for i := range out {
		if quarter[i] > mostly*all[i] {
			out[i] = touched / most
		}
	}
	return out
}

// copied are the bytes that are copied to arrays before the launch.
func (l *Launch) copied() (sum float64) {
	for _, a := range l.Arrays {
		if a.Copied {
			sum += float64(a.Bytes)
		}
	}
	return sum
}

// filled are the bytes that L2 reads because of stores: it fills sectors that a work-group stores in part, even where other work-groups store the rest, unless the array
// is loaded too (testdata/h200/measurement/tiles.csv.gz, tile of 4 to 16 B).
func (l *Launch) filled(w *window) (sum float64) {
	loaded := map[int]bool{}
	stored := make([][]Step, len(l.Arrays))
	Each(l.Body, func(a *Access) {
		if a.Store {
			stored[a.Array] = append(stored[a.Array], a)
		} else {
			loaded[a.Array] = true
		}
	})
	const mostly, half = 0.9, 0.6 // of a sector; the edges of rows that a work-group stores are not seen to cost
	one := *w
	for axis, n := range l.Groups {
		one.groups[axis] = span{n / 2, n/2 + 1}
	}
	bytes := func(steps []Step, w *window, unit int64) float64 {
		return l.footprint(steps, w, stores, unit) * float64(unit)
	}
	for i, steps := range stored {
		if loaded[i] {
			continue
		}
		// The model that was fitted to counts has those alone that nobody stores wholly.
		if bytes(steps, w, WordBytes) < mostly*bytes(steps, w, SectorBytes) || l.Lines && bytes(steps, &one, WordBytes) < half*bytes(steps, &one, SectorBytes) {
			sum += bytes(steps, w, fetchBytes)
		}
	}
	return sum
}

// joinedLines is to how many lines a multiprocessor joins stores.
const joinedLines = 16

// rewritten are the bytes that L2 writes again, and reads before, as it gives way to others what work-groups that run at once have stored in part and go on to store: the more, the more lines
// these touch at once (testdata/h200/measurement/rows.csv.gz: rows of 1 KB that work-items store word by word are written 1.5, 1.8 and 2.2 times where 67,584, 135,168 and 270,336 are open, and 3.9
// and 7.1 times with four arrays). What is loaded before it is stored to is whole: it is lost only where there is no room for all that is open (1.2 times with one array, 7.5 with four). Where all that a launch
// touches fits, nothing is lost.
func (l *Launch) rewritten(t *Traffic, d *Device, atOnce int64, whole *window) (bytes float64) {
	if d.Keeps.Open.None == 0 || t.Touched <= d.L2 || !l.Lines {
		return 0
	}
	sent, loaded := make([]float64, len(l.Arrays)), make([]bool, len(l.Arrays))
	Each(l.Body, func(a *Access) {
		loaded[a.Array] = loaded[a.Array] || !a.Store
		for i := range a.Parts {
			// What goes anywhere comes to no sector again soon, and stores to few lines are joined with those that follow.
			if p := &a.Parts[i]; a.Store && !p.Scattered && p.Lines > joinedLines*p.Requests {
				sent[a.Array] += p.Sectors * SectorBytes
			}
		}
	})
	groups := l.Groups[0] * l.Groups[1] * l.Groups[2]
	atOnceIn := l.consecutive(min(atOnce, groups))[0].window
	one := *whole // a work-group: what others store there later is no longer expected
	for axis, n := range l.Groups {
		one.groups[axis] = span{n / 2, n/2 + 1}
	}
	lost := d.Keeps.Open.gone(l.open(l.Body, atOnceIn, stores) * LineBytes / d.L2)
	room := l.open(l.Body, atOnceIn, loads|stores) * LineBytes / d.L2
	for i, own := range l.footprints(l.Body, &one, stores, SectorBytes) {
		switch again := max(sent[i]-own*SectorBytes*float64(groups), 0); {
		case !loaded[i]:
			bytes += again * lost
		case room > 1: // how much that is is known to a tenth
			bytes += again * min(10*(room-1), 1)
		}
	}
	return bytes
}

// open are the lines that the work-groups of a window touch together: of each array those of the access that touches most, in one iteration of the loops around it.
func (l *Launch) open(steps []Step, w window, which direction) (all float64) {
	lines := make([]float64, len(l.Arrays))
	var visit func(steps []Step, w window)
	visit = func(steps []Step, w window) {
		for i, s := range steps {
			switch x := s.(type) {
			case *Loop:
				if all, ok := x.span(&w); ok {
					middle, inner := (all.from+all.to)/2, w
					inner.trips = append(w.trips[:len(w.trips):len(w.trips)], span{middle, middle + 1})
					visit(x.Body, inner)
				}
			case *Access:
				lines[x.Array] = max(lines[x.Array], l.footprint(steps[i:i+1], &w, which, LineBytes))
			}
		}
	}
	visit(steps, w)
	for _, n := range lines {
		all += n
	}
	return all
}
