package launch

import (
	"math"
	"slices"

	hw "gpuperf/device/machine"

	"gpuperf/device/facts"
	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
	"gpuperf/launch/machine"
	"gpuperf/memory"
	"gpuperf/samples"
)

// trafficFacts are what an estimate of traffic needs to know of a device, beside its residentFacts.
var trafficFacts = []facts.Key{facts.Multiprocessors, facts.L1Bytes, facts.L2Bytes}

// Traffic estimates what the launch moves between the levels of memory at the given sizes.
func (p *Program) Traffic(sizes map[string]int64) (memory.Traffic, error) {
	r, err := p.collect(sizes, &stream{})
	if err != nil {
		return memory.Traffic{}, p.error(err)
	}
	return r.traffic(), nil
}

// collect walks the program for the traffic of its accesses.
func (p *Program) collect(sizes map[string]int64, s *stream) (*result, error) {
	if err := p.opt.Device.Need(append(hw.ResidentFacts(p.opt.Device), trafficFacts...)...); err != nil {
		return nil, err
	}
	s.at = map[*access]*memory.Access{}
	return p.runWith(sizes, s)
}

// traffic is the estimate from what was collected.
func (r *result) traffic() memory.Traffic {
	l := r.stream.launch(r)
	by := max(r.p.edit.Divided, 1) // the accesses are those of whole work-groups
	t := l.Estimate(hw.Caches(r.p.opt.Device, r.shared*by, intmath.CeilDiv(r.onSM, by)))
	if !r.p.edit.Fetched {
		return t
	}
	if least := l.Least(); least.ReadUnits < t.ReadUnits {
		part := least.ReadUnits / t.ReadUnits
		t.DRAMReads, t.ReadUnits, t.Pages, t.Fetched = least.DRAMReads, least.ReadUnits, t.Pages*part, t.Fetched*part
	}
	return t
}

// estimate is what a walk with the accesses tells of a launch, beside its vector.
type estimate struct {
	*result
	memory.Traffic
	code *machine.Counts // what sub-groups execute of the machine code; nil where nobody asks
}

// cachedTotals are those of walkedTotals that depend on what caches hold.
var cachedTotals = []string{
	"l2_load_bytes", "l2_load_lines", "dram_read_bytes", "dram_read_unit_bytes", "dram_write_unit_bytes", "dram_pages", "warm_read_bytes", "warm_write_bytes",
	"l2_rounds", "dram_rounds",
}

// walkedTotals are totals of estimates.
var walkedTotals = func() []Total {
	bytes := func(name, doc string, of func(*estimate) float64) Total {
		return Total{Name: name, Unit: "B", Doc: doc, walked: of}
	}
	count := func(name, doc string, of func(*estimate) float64) Total {
		return Total{Name: name, Doc: doc, walked: of}
	}
	list := []Total{
		bytes("l1_load_bytes", "sectors of global memory that sub-groups load", func(e *estimate) float64 { return e.L1Loads * SectorBytes }),
		bytes("l2_load_bytes", "what L1 loads from L2", func(e *estimate) float64 { return e.L2Loads * SectorBytes }),
		bytes("l2_store_bytes", "sectors that sub-groups store, which all go to L2; two stores in a row to the same sectors go as one", func(e *estimate) float64 { return e.L2Stores * SectorBytes }),
		count("l2_load_lines", "lines of 128 B of which L1 loads some sectors together", func(e *estimate) float64 { return e.LoadedLines }),
		count("l2_store_lines", "lines of which sub-groups store some sectors together", func(e *estimate) float64 { return e.StoredLines }),
		bytes("dram_read_bytes", "what L2 loads from DRAM if it holds nothing at the start", func(e *estimate) float64 { return e.DRAMReads }),
		bytes("dram_write_bytes", "distinct sectors that are stored", func(e *estimate) float64 { return e.Written }),
		bytes("dram_read_unit_bytes", "the same with what stores of parts of sectors load, as DRAM moves it: two sectors where one is asked for", func(e *estimate) float64 { return e.ReadUnits }),
		bytes("dram_write_unit_bytes", "what L2 writes to DRAM at some time, as DRAM moves it", func(e *estimate) float64 { return e.WrittenUnits }),
		count("dram_pages", "how often DRAM turns to another place of 1 KB for these", func(e *estimate) float64 { return e.Pages }),
		bytes("warm_read_bytes", "what L2 loads from DRAM if the same launch came just before", func(e *estimate) float64 { return e.WarmReads }),
		bytes("warm_write_bytes", "what L2 writes to DRAM then, before the launch ends", func(e *estimate) float64 { return e.WarmWrites }),
		bytes("touched_bytes", "distinct sectors that are loaded or stored", func(e *estimate) float64 { return e.Touched }),
		bytes("held_bytes", "lines of 128 B that have such sectors: what L2 has to hold for a next launch", func(e *estimate) float64 { return e.Held }),
		count("rounds", "loads from global memory that a work-item waits for one after the other, those in flight together being one, in each wave of work-groups", (*estimate).rounds),
		count("l2_rounds", "such rounds that wait for L2, and fences, which wait until it has all that was stored", func(e *estimate) float64 { return e.rounds()*e.share(e.Missed) + e.fences() }),
		count("dram_rounds", "such rounds that wait for DRAM, if L2 holds nothing at the start", func(e *estimate) float64 { return e.rounds() * e.share(e.Fetched) }),
		count("chain_cycles", "cycles of the longest chains of dependent instructions of a work-item, loads from global memory left out, in each wave of work-groups", (*estimate).chain),
		{Name: "sub_group_share", Doc: "1 by the sub-groups that a multiprocessor runs at once; more where some work-groups have more work than others", walked: (*estimate).subgroupShare},
		{Name: "store_lines", Doc: "lines of which sub-groups store some sectors together", Busiest: true, walked: func(e *estimate) float64 { return e.StoredLines }},
		count("turnover", "sub-groups of a work-group, in each wave of work-groups", func(e *estimate) float64 { return float64(e.subgroups()) * math.Ceil(e.waves()) }),
		{Name: "constant_loads", Doc: "loads from constant memory, by sub-groups", Busiest: true, walked: func(e *estimate) float64 { return float64(e.sum[constantWarps]) }},
		{Name: "constant_addresses", Doc: "different addresses that these ask for", Busiest: true, walked: func(e *estimate) float64 { return float64(e.sum[constantAddresses]) }},
		count("axes", "axes of the launch that have several work-items, by sub-groups", (*estimate).axes),
	}
	for kind, k := range issued {
		list = append(list, Total{Name: k.name, Doc: k.doc + "; by sub-groups", Busiest: true, walked: func(e *estimate) float64 { return float64(e.issued[kind]) * e.excess(e.byMultiprocessor()) }})
	}
	list = append(list, codeTotals...)
	for i := range list {
		list[i].Walked = true
		list[i].Cached = slices.Contains(cachedTotals, list[i].Name)
	}
	return list
}()

// trafficTotals are what Options.Traffic adds to vectors: the walked totals that need no machine code, and those of vectors that compilers change.
var trafficTotals = func() (list []Total) {
	return lists.Where(allTotals, func(t Total) bool { return t.Walked && !t.Code || slices.Contains(compilerTotals, t.Name) })
}()

// compilerTotals are totals of vectors that Options.Compiled changes.
var compilerTotals = []string{"wavefronts", "lines"}

// TrafficNames are the names of the components that vectors have with Options.Traffic after those that they always have.
func TrafficNames() (names []string) {
	return lists.Map(trafficTotals, func(t Total) string { return t.Feature() })
}

// addTraffic adds totals of kernels that run one after the other, as compilers make them: their sums.
func (v *Vector) addTraffic(list []*Program, sizes map[string]int64) error {
	sums := make([]float64, len(trafficTotals))
	for _, p := range list {
		opt := p.opt
		opt.Compiled, opt.Values = true, true
		compiled, err := New(p.nest, opt)
		if err != nil {
			return err
		}
		r, err := compiled.collect(sizes, &stream{})
		if err != nil {
			return p.error(err)
		}
		e := &estimate{result: r, Traffic: r.traffic()}
		own := statics{compiled.places, r.vector(sizes).Values, new(string)}
		for i, t := range trafficTotals {
			sums[i] += t.count(e, own)
		}
	}
	v.Features = slices.Clone(v.Features)
	for _, t := range trafficTotals {
		v.Features = append(v.Features, Feature{Name: t.Feature(), Unit: t.Unit, Doc: t.Doc})
	}
	v.Values = append(v.Values, sums...)
	return nil
}

// rounds are those of the sub-group with most where others wait for it at barriers, else of all in the mean.
func (e *estimate) rounds() float64 {
	rounds := e.most()
	if e.sum[barriers] > 0 {
		rounds = max(rounds, e.path.longest)
	}
	waves := math.Ceil(e.waves())
	return rounds * waves * e.excess(waves)
}

// fences are those of a sub-group, in the mean.
func (e *estimate) fences() float64 {
	waves := math.Ceil(e.waves())
	return e.path.fences * waves * e.excess(waves)
}

// chain is how long a sub-group computes, in the mean, if nothing else holds it up.
func (e *estimate) chain() float64 {
	waves := math.Ceil(e.waves())
	return e.path.cycles * waves * e.excess(waves)
}

// share is the part of the rounds of all sub-groups that so many loads are, each in a round of its own.
func (e *estimate) share(loads float64) float64 {
	all := e.most() * float64(e.numGroups()*e.subgroups())
	if all == 0 {
		return 0
	}
	return min(loads/all, 1)
}

// byMultiprocessor are the work-groups that a multiprocessor runs.
func (e *estimate) byMultiprocessor() float64 {
	return float64(e.numGroups()) / float64(e.device(facts.Multiprocessors))
}

// subgroups are those of a work-group.
func (r *result) subgroups() int64 { return intmath.CeilDiv(r.items, int64(r.p.opt.SubgroupSize)) }

func (e *estimate) subgroupShare() float64 {
	groups := min(max(e.onSM, 1), intmath.CeilDiv(e.numGroups(), e.device(facts.Multiprocessors)))
	return e.excess(math.Ceil(e.waves())) / float64(max(groups*e.subgroups(), 1))
}

func (e *estimate) axes() (n float64) {
	for axis, groups := range e.groups {
		if groups*e.local[axis] > 1 {
			n += float64(e.numGroups() * e.subgroups())
		}
	}
	return n
}

// needWalked reports whether some of the totals with these identifiers are of estimates.
func needWalked(totals []string) bool {
	return slices.ContainsFunc(totals, func(id string) bool { t := byFeature[id]; return t != nil && t.Walked })
}

// Totals returns the values of the totals with the given identifiers at the given sizes, in order.
func (p *Program) Totals(sizes map[string]int64, totals []string) ([]float64, error) {
	return p.TotalsOf(nil, sizes, totals)
}

// TotalsOf is Totals where it is known what the compiler made of the kernel: from there come the work-groups that are resident at once, and the
// totals that count instructions of machine code. Where it is not sure how often these are executed, a *NoCode says why.
func (p *Program) TotalsOf(compiled *samples.Compiled, sizes map[string]int64, totals []string) ([]float64, error) {
	v, err := p.walked(sizes, totals, compiled)
	if err != nil {
		return nil, p.error(err)
	}
	values, err := v.totals(p.places, totals)
	if err != nil {
		return nil, p.error(err)
	}
	return values, nil
}

// walked is the vector, and after it the totals that a walk makes, in their places, where some are asked for.
func (p *Program) walked(sizes map[string]int64, totals []string, compiled *samples.Compiled) (*Vector, error) {
	if !needWalked(totals) {
		r, err := p.run(sizes)
		if err != nil {
			return nil, err
		}
		return r.vector(sizes), nil
	}
	s, coded := &stream{compiled: compiled}, ofCode(totals)
	if coded {
		s.parts = p.newParts()
	}
	r, err := p.collect(sizes, s)
	if err != nil {
		return nil, err
	}
	e := &estimate{result: r, Traffic: r.traffic()}
	if coded {
		if e.code, err = r.executed(); err != nil {
			return nil, err
		}
	}
	return e.vector(sizes, func(t *Total) float64 { return t.walked(e) }), nil
}

// vector is that of the launch, and after it the totals of the estimate. Those of machine code are 0 where nobody asks for them.
func (e *estimate) vector(sizes map[string]int64, walked func(*Total) float64) *Vector {
	v := e.result.vector(sizes)
	for i := range walkedTotals {
		value := 0.0
		if t := &walkedTotals[i]; !t.Code || e.code != nil {
			value = walked(t)
		}
		v.Values = append(v.Values, value)
	}
	return v
}

// TotalsWithin returns the least values that the totals with the given identifiers can have at the given sizes, and the greatest, from a walk without
// a look into caches: these take most of the time of Totals. Both are the value of Totals where it does not depend on caches; elsewhere the greatest is
// infinite. Totals of machine code have no such values.
func (p *Program) TotalsWithin(sizes map[string]int64, totals []string) (least, most []float64, err error) {
	if ofCode(totals) {
		return nil, nil, &NoCode{"the machine code of the kernel was not asked for"}
	}
	r, err := p.collect(sizes, &stream{})
	if err != nil {
		return nil, nil, p.error(err)
	}
	e := &estimate{result: r, Traffic: r.stream.launch(r).Least()}
	least, err = e.vector(sizes, func(t *Total) float64 { return t.walked(e) }).totals(p.places, totals)
	if err != nil {
		return nil, nil, p.error(err)
	}
	most, err = e.vector(sizes, func(t *Total) float64 {
		if t.Cached {
			return math.Inf(1)
		}
		return t.walked(e)
	}).totals(p.places, totals)
	if err != nil {
		return nil, nil, p.error(err)
	}
	return least, most, nil
}
