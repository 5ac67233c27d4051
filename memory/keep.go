package memory

import "math"

// L2 has two halves. What a multiprocessor of one reads that belongs to the other is in both, so that data read by one multiprocessor takes
// one and a half times its size, and data read by many twice. L2 does not drop what was used longest ago, but has all as long as little was
// read or written since, then less and less. All this is seen where launches read or write one array over and over (docs/counters.md).

// fading is which part of the sectors L2 still has when others have come, of so many bytes by its capacity: all up to the first number, none from
// the second on.
type fading struct{ all, none float64 }

var (
	clean = fading{0.55, 0.85}
	dirty = fading{0.46, 0.91} // not yet written to DRAM
	// young are dirty sectors of a launch that began when L2 was empty.
	young = fading{0.32, 0.91}
)

const (
	// mostDirty is how much of its capacity L2 uses for dirty sectors.
	mostDirty = 0.45
	// filledSooner is how much less L2 keeps of dirty sectors that are stored in part.
	filledSooner = 0.67
	// dirtyRoom is how much room dirty sectors take, as they may not take all.
	dirtyRoom = 1.3
)

// after is the part that is left when others have come, in parts of the capacity.
func (f fading) after(others float64) float64 {
	x := min(max((f.none-others)/(f.none-f.all), 0), 1)
	return x * x * (3 - 2*x)
}

// through is the part that is left of all that comes evenly, at its end.
func (f fading) through(all float64) float64 {
	if all <= f.all {
		return 1
	}
	x := min(all, f.none) - f.all
	return (f.all + x - x*x/2/(f.none-f.all)) / all
}

// keep estimates what L2 keeps: of a launch that finds L2 empty, at the end; and of one that comes after the same launch. In all L2 writes
// back so many bytes.
func (l *Launch) keep(t *Traffic, back float64, d *Device, whole *window) {
	loaded := l.footprint(l.Body, whole, loads, fetchBytes) * fetchBytes
	again := back - t.Written
	// Sectors that are written back more than once are stored in part each time.
	filled := min(l.filled(whole)+2*again, back)
	reads := t.DRAMReads
	room := l.footprint(l.Body, whole, loads|stores, fetchBytes) * fetchBytes
	if loaded > 0 {
		times := max(t.L2Loads*SectorBytes/loaded, 1)
		room += loaded * ((2-math.Exp2(-times))/1.5 - 1)
	}
	kept := min(t.Written*young.through(room/d.L2), mostDirty*d.L2) * (1 - filledSooner*filled/max(back, 1))
	t.DRAMWrites = back - kept
	room += l.restored()
	t.WarmWrites, t.WarmReads = back, reads
	read, written := l.footprints(l.Body, whole, loads, fetchBytes), l.footprints(l.Body, whole, stores, SectorBytes)
	for i, since := range l.since(d, whole, room) {
		t.WarmWrites -= written[i] * SectorBytes * dirty.after(since*max(room, dirtyRoom*t.Written)/d.L2)
		t.WarmReads -= read[i] * fetchBytes * clean.after(since*room/d.L2)
	}
	t.WarmReads = max(t.WarmReads, 0)
	if back > 0 {
		t.DRAMReads += filled * t.DRAMWrites / back
		t.WarmReads += filled * t.WarmWrites / back
	}
}

// since is what comes before each array is touched again, as a part of all that a launch touches: 1, or what a quarter of the launch touches where
// that goes through the array and is more than the work-groups that run at once. What takes little room is not looked into: all of it is kept.
func (l *Launch) since(d *Device, whole *window, room float64) []float64 {
	const mostly = 0.9
	out := make([]float64, len(l.Arrays))
	for i := range out {
		out[i] = 1
	}
	n := l.Groups[0] * l.Groups[1] * l.Groups[2] / 4
	if room < dirty.all*d.L2 || n < d.Multiprocessors*max(d.Resident, 1) {
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

// restored are the bytes of arrays that are loaded and stored. Whoever times a launch over and over restores them before each, from copies.
func (l *Launch) restored() (sum float64) {
	used := make([]direction, len(l.Arrays))
	each(l.Body, func(a *Access) { used[a.Array] |= a.direction() })
	for i, u := range used {
		if u == loads|stores {
			sum += float64(l.Arrays[i].Bytes)
		}
	}
	return sum
}
