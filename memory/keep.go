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
	t.WarmWrites = back - t.Written*dirty.after(max(room, dirtyRoom*t.Written)/d.L2)
	t.WarmReads = max(reads-loaded*clean.after(room/d.L2), 0)
	if back > 0 {
		t.DRAMReads += filled * t.DRAMWrites / back
		t.WarmReads += filled * t.WarmWrites / back
	}
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
