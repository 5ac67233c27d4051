package facts

import "maps"

// scaling is how a fact of one device becomes that of another: it grows as another fact does, or falls.
type scaling struct {
	by    Key
	falls bool
}

// scaled are the facts that follow from sheets. Others, in cycles and sizes of a multiprocessor, are taken to be the same.
var scaled = map[Key]scaling{
	DRAMReadRate: {by: MemoryBandwidth}, DRAMWriteRate: {by: MemoryBandwidth}, DRAMPageSeconds: {by: MemoryBandwidth, falls: true},
	// what memory takes is the same time, and so more cycles of a faster clock
	DRAMLatency: {by: ClockMHz}, L2Latency: {by: ClockMHz}, AtomicLatency: {by: ClockMHz}, StartCycles: {by: ClockMHz},
	FMAGap: {by: Float32MaddsPerClock, falls: true}, FP64Gap: {by: Float64MaddsPerClock, falls: true},
	L2BytesPerClock: {by: Multiprocessors}, L2StoreLines: {by: Multiprocessors}, L2Sectors: {by: Multiprocessors},
	AtomicSectors: {by: Multiprocessors}, ReductionSectors: {by: Multiprocessors},
}

// Scaled is the device with what its data sheet lacks of keys taken from another device, scaled by what both sheets have, and these keys. What vendors
// publish of a device and its sheet lacks, such as the size of a cache, stays unknown.
func (d *Device) Scaled(from *Device, keys ...Key) (out *Device, taken []Key) {
	own := *d
	own.facts = maps.Clone(d.facts)
	for _, k := range keys {
		other, known := from.Fact(k)
		if _, has := d.facts[k]; has || !known || published[k] {
			continue
		}
		if s, ok := scaled[k]; ok {
			mine, theirs := d.Value(s.by), from.Value(s.by)
			if mine == 0 || theirs == 0 {
				continue
			}
			if s.falls {
				mine, theirs = theirs, mine
			}
			other.Value *= mine / theirs
		}
		other.Source = "that of " + from.Name() + ", scaled by data sheets: " + other.Source
		own.facts[k], taken = other, append(taken, k)
	}
	return &own, taken
}

// published are facts that each data sheet has for itself.
var published = map[Key]bool{
	Multiprocessors: true, ClockMHz: true, Items: true, Groups: true, Registers: true, RegistersPerItem: true, LocalBytes: true, L1Bytes: true, L2Bytes: true,
	MemoryBandwidth: true, Float32MaddsPerClock: true, Float64MaddsPerClock: true,
}
