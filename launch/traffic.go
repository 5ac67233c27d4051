package launch

import (
	"slices"

	"gpuperf/device/facts"
	"gpuperf/memory"
)

// trafficFacts are what an estimate of traffic needs to know of a device, beside its residentFacts.
var trafficFacts = []facts.Key{facts.Multiprocessors, facts.L1Bytes, facts.L2Bytes}

// carveouts are the sizes of local memory, in KB, that multiprocessors divide off their L1 (CUDA C++ Programming Guide, compute capability
// 9.0; devices with less have a part of these).
var carveouts = []int64{0, 8, 16, 32, 64, 100, 132, 164, 196, 228}

// The driver divides off at least so much, in KB, for kernels without local memory and with. Seen in the counters of an H200.
const (
	leastCarveout      = 32
	leastCarveoutLocal = 64
)

// l1 is what local memory leaves of L1.
func (r *result) l1() float64 {
	all, least := r.device(facts.L1Bytes), int64(leastCarveout)
	if r.shared > 0 {
		least = leastCarveoutLocal
	}
	need := max(r.onSM*(r.shared+r.device(facts.LocalReserved)), least<<10)
	for _, kb := range carveouts {
		if kb<<10 >= need {
			need = kb << 10
			break
		}
	}
	return float64(max(all-need, all/16))
}

// Traffic estimates what the launch moves between the levels of memory at the given sizes.
func (p *Program) Traffic(sizes map[string]int64) (memory.Traffic, error) {
	r, err := p.collect(sizes)
	if err != nil {
		return memory.Traffic{}, p.error(err)
	}
	return r.traffic(), nil
}

// collect walks the program for the traffic of its accesses.
func (p *Program) collect(sizes map[string]int64) (*result, error) {
	if err := p.opt.Device.Need(append(residentFacts(p.opt.Device), trafficFacts...)...); err != nil {
		return nil, err
	}
	return p.runWith(sizes, &stream{at: map[*access]*memory.Access{}})
}

// traffic is the estimate from what was collected.
func (r *result) traffic() memory.Traffic {
	return r.stream.launch(r).Estimate(memory.Device{
		Multiprocessors: r.device(facts.Multiprocessors), Resident: r.onSM, L1: r.l1(), L2: float64(r.device(facts.L2Bytes)),
	})
}

// trafficTotals are totals of this, in bytes.
var trafficTotals = []struct {
	name, doc string
	of        func(*memory.Traffic) float64
}{
	{"l1_load_bytes", "sectors of global memory that sub-groups load", func(t *memory.Traffic) float64 { return t.L1Loads * SectorBytes }},
	{"l2_load_bytes", "what L1 loads from L2", func(t *memory.Traffic) float64 { return t.L2Loads * SectorBytes }},
	{"l2_store_bytes", "sectors that sub-groups store, which all go to L2; those that are stored in a row as one", func(t *memory.Traffic) float64 { return t.L2Stores * SectorBytes }},
	{"dram_read_bytes", "what L2 loads from DRAM if it holds nothing at the start", func(t *memory.Traffic) float64 { return t.DRAMReads }},
	{"dram_write_bytes", "distinct sectors that are stored", func(t *memory.Traffic) float64 { return t.Written }},
	{"warm_read_bytes", "what L2 loads from DRAM if the same launch came just before", func(t *memory.Traffic) float64 { return t.WarmReads }},
	{"warm_write_bytes", "what L2 writes to DRAM then, before the launch ends", func(t *memory.Traffic) float64 { return t.WarmWrites }},
	{"touched_bytes", "distinct sectors that are loaded or stored", func(t *memory.Traffic) float64 { return t.Touched }},
}

// needTraffic reports whether some of the totals with these identifiers are estimates of traffic.
func needTraffic(totals []string) bool {
	return slices.ContainsFunc(allTotals, func(t Total) bool { return t.Traffic && slices.Contains(totals, t.Feature()) })
}

// Totals returns the values of the totals with the given identifiers at the given sizes, in order.
func (p *Program) Totals(sizes map[string]int64, totals []string) ([]float64, error) {
	run, estimate := p.run, needTraffic(totals)
	if estimate {
		run = p.collect
	}
	r, err := run(sizes)
	if err != nil {
		return nil, p.error(err)
	}
	v := r.vector(sizes)
	if estimate {
		t := r.traffic()
		for _, s := range trafficTotals {
			v.Features, v.Values = append(slices.Clip(v.Features), Feature{Name: s.name}), append(v.Values, s.of(&t))
		}
	}
	values, err := v.Totals(totals)
	if err != nil {
		return nil, p.error(err)
	}
	return values, nil
}
