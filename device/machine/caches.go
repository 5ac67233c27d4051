package machine

import (
	"slices"

	"gpuperf/device/facts"
	"gpuperf/memory"
)

// leastCache: of this part of L1 at least global memory has the use (Hopper: 28 KB of 256 stay beside 228 KB of local memory).
const leastCache = 16

// l1 is what local memory leaves of L1. Of a CPU it takes the cache as any memory does.
func l1(d *facts.Device, shared, resident int64) float64 {
	all, least := d.Int(facts.L1Bytes), d.Int(facts.L1LeastLocal)
	if shared > 0 {
		least = d.Int(facts.L1LeastLocalUsed)
	}
	need := max(resident*(shared+d.Int(facts.LocalReserved)), least)
	sizes := d.Values(facts.L1Carveouts)
	if i := slices.IndexFunc(sizes, func(bytes float64) bool { return int64(bytes) >= need }); i >= 0 {
		need = int64(sizes[i])
	}
	return float64(max(all-need, all/leastCache))
}

// Caches are those of a device, of which each multiprocessor has so many work-groups at once that each use so many bytes of local memory.
func Caches(d *facts.Device, local, resident int64) memory.Device {
	return memory.Device{
		Multiprocessors: d.Int(facts.Multiprocessors), Resident: resident, L1: l1(d, local, resident), L2: d.Value(facts.L2Bytes), Keeps: keeps(d),
	}
}

// keeps is how the device's L2 keeps data.
func keeps(d *facts.Device) memory.Keeping {
	return memory.Keeping{
		Clean: memory.Fading{All: d.Value(facts.L2CleanKept), None: d.Value(facts.L2CleanLost)},
		Dirty: memory.Fading{All: d.Value(facts.L2DirtyKept), None: d.Value(facts.L2DirtyLost)}, FirstDirty: d.Value(facts.L2FirstDirtyKept),
		Unwritten: memory.Fading{None: d.Value(facts.L2UnwrittenLost)},
		MostDirty: d.Value(facts.L2DirtyMost), DirtyRoom: d.Value(facts.L2DirtyRoom), FilledSooner: d.Value(facts.L2PartlyLost), SharedRoom: d.Value(facts.L2SharedRoom),
		Open: memory.Fading{All: d.Value(facts.L2OpenKept), None: d.Value(facts.L2OpenLost)},
	}
}
