package launch

import (
	"math"
	"slices"
	"strings"

	hw "gpuperf/device/machine"

	"gpuperf/device/facts"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
)

// Feature describes a component of static vectors.
type Feature struct {
	Name string
	Unit string // "" for ratios
	Doc  string
	// Lift marks the features of Table 1 of the paper on static features of Lift programs.
	Lift bool
	of   func(*result) float64
	// needs are the facts of the device that the feature depends on; if one is unknown, vectors lack the feature.
	needs    []facts.Key
	resident bool // it also depends on the number of resident work-groups of a multiprocessor
}

// tally is a quantity that is summed over a launch, over work-items unless noted.
type tally int

// The tally of stores follows that of loads of the same kind.
const (
	globalLoads tally = iota
	globalStores
	localLoads
	localStores
	privateLoads
	privateStores
	globalBytes // as work-items ask for them
	warpLoads   // of global memory, by sub-groups
	warpStores
	lineLoads // lines that these touch
	lineStores
	sectorLoads
	sectorStores
	uniformAccess   // accesses of these that go to one element
	coalescedAccess // that use half of the bytes of their sectors or more
	scatteredAccess // that use less
	localWarps      // loads from local memory by sub-groups
	localWarpStores
	localCycles
	localCycleStores
	barriers
	warpBarriers // by sub-groups
	ifs
	loopBodies
	selects
	gathers
	statements
	rounds
	distinctGlobal // loads of elements that the work-item does not hold yet
	distinctLocal
	straightLines // of these loads and of stores to global memory
	straightSectors
	straightCycles                                           // of these and those of local memory
	straightLocal                                            // of these cycles those of loads from local memory
	straightLocalStores                                      // and those of stores to it
	constantWarps                                            // loads from constant memory by sub-groups
	constantAddresses                                        // different addresses that they ask for
	constantCycles                                           // of the cache of constants, for those that ask for several
	operations                                               // of the first of opClasses; the others follow
	floating            = operations + tally(len(opClasses)) // of the first of floatOps; the others follow
	tallies             = floating + tally(len(floatOps))
)

// sums are the totals over a launch.
type sums [tallies]int64

// accesses are the tallies of loads by memory; those of stores follow.
var accesses = map[kernel.Space]tally{kernel.Global: globalLoads, kernel.Local: localLoads, kernel.Private: privateLoads}

// distinct are the loads of elements that work-items do not hold yet.
var distinct = map[kernel.Space]tally{kernel.Global: distinctGlobal, kernel.Local: distinctLocal}

func (s *sums) of(list ...tally) (sum int64) {
	return lists.Sum(list, func(t tally) int64 { return s[t] })
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// perItem divides tallies by the work-items of the launch.
func perItem(list ...tally) func(*result) float64 {
	return func(r *result) float64 { return ratio(r.sum.of(list...), r.total) }
}

// each divides tallies by those of accesses.
func each(list, accesses []tally) func(*result) float64 {
	return func(r *result) float64 { return ratio(r.sum.of(list...), r.sum.of(accesses...)) }
}

// whole converts a number that is not a tally.
func whole(of func(r *result) int64) func(*result) float64 {
	return func(r *result) float64 { return float64(of(r)) }
}

func (r *result) numGroups() int64 {
	return r.groups[0] * r.groups[1] * r.groups[2] * max(r.p.edit.Divided, 1) * max(r.p.edit.Spread, 1)
}

// waves are the work-groups by those that the device runs at once.
func (r *result) waves() float64 {
	n := ratio(r.numGroups(), max(r.onSM, 1)*r.device(facts.Multiprocessors))
	if r.p.edit.Even {
		n = math.Ceil(n - 0.5)
	}
	return n
}

func (r *result) sectorBytes() int64 { return r.sum.of(sectorLoads, sectorStores) * SectorBytes }

// device is a fact of the device that is known.
func (r *result) device(k facts.Key) int64 { return r.p.opt.Device.Int(k) }

// data is the size of the arrays in global memory that are accessed.
func (r *result) data() (sum int64) {
	for _, n := range r.arrays {
		sum += n
	}
	return sum
}

func (r *result) intensity() float64 {
	flops := 0.0
	for i, class := range opClasses {
		flops += float64(r.sum[operations+tally(i)]) * class.flops
	}
	return flops / float64(max(r.sectorBytes(), 1))
}

const (
	byItem   = "per work-item"
	byAccess = "per access of a sub-group"
)

var (
	warps   = []tally{warpLoads, warpStores}
	lines   = []tally{lineLoads, lineStores}
	sectors = []tally{sectorLoads, sectorStores}
)

// paperFeatures are those of Table 1 of the paper on static features of Lift programs.
var paperFeatures = []Feature{
	{Name: "global_size_0", Unit: "work-items", Doc: "work-items of the launch along axis 0", of: whole(func(r *result) int64 { return r.groups[0] * r.local[0] })},
	{Name: "global_size_1", Unit: "work-items", Doc: "work-items of the launch along axis 1", of: whole(func(r *result) int64 { return r.groups[1] * r.local[1] })},
	{Name: "global_size_2", Unit: "work-items", Doc: "work-items of the launch along axis 2", of: whole(func(r *result) int64 { return r.groups[2] * r.local[2] })},
	{Name: "local_size_0", Unit: "work-items", Doc: "work-items of a group along axis 0", of: whole(func(r *result) int64 { return r.local[0] })},
	{Name: "local_size_1", Unit: "work-items", Doc: "work-items of a group along axis 1", of: whole(func(r *result) int64 { return r.local[1] })},
	{Name: "local_size_2", Unit: "work-items", Doc: "work-items of a group along axis 2", of: whole(func(r *result) int64 { return r.local[2] })},
	{Name: "local_bytes", Unit: "B", Doc: "local memory of a work-group", of: whole(func(r *result) int64 { return r.shared })},
	{Name: "global_stores", Unit: byItem, Doc: "stores to global memory", of: perItem(globalStores)},
	{Name: "global_loads", Unit: byItem, Doc: "loads from global memory", of: perItem(globalLoads)},
	{Name: "local_stores", Unit: byItem, Doc: "stores to local memory", of: perItem(localStores)},
	{Name: "local_loads", Unit: byItem, Doc: "loads from local memory", of: perItem(localLoads)},
	{Name: "cache_lines", Unit: byAccess, Doc: "distinct lines of 128 B that an access to global memory touches", of: each(lines, warps)},
	{Name: "barriers", Unit: byItem, Doc: "barriers passed", of: perItem(barriers)},
	{Name: "ifs", Unit: byItem, Doc: "guards evaluated", of: perItem(ifs)},
	{Name: "loop_bodies", Unit: byItem, Doc: "iterations of loops that are not unrolled", of: perItem(loopBodies)},
}

var workFeatures = []Feature{
	{Name: "work_groups", Doc: "work-groups of the launch", of: whole((*result).numGroups)},
	{Name: "group_size", Unit: "work-items", Doc: "work-items of a group", of: whole(func(r *result) int64 { return r.items })},
	{Name: "lanes_used", Doc: "share of the work-items of sub-groups that exist", of: func(r *result) float64 {
		size := int64(r.p.opt.SubgroupSize)
		return ratio(r.items, (r.items+size-1)/size*size)
	}},
	{Name: "private_loads", Unit: byItem, Doc: "loads from private arrays", of: perItem(privateLoads)},
	{Name: "private_stores", Unit: byItem, Doc: "stores to private arrays", of: perItem(privateStores)},
	{Name: "cache_lines_load", Unit: byAccess, Doc: "lines of 128 B that a load touches", of: each(lines[:1], warps[:1])},
	{Name: "cache_lines_store", Unit: byAccess, Doc: "lines of 128 B that a store touches", of: each(lines[1:], warps[1:])},
	{Name: "sectors", Unit: byAccess, Doc: "distinct sectors of 32 B that an access to global memory touches", of: each(sectors, warps)},
	{Name: "sectors_item", Unit: byItem, Doc: "sectors that all accesses to global memory touch", of: perItem(sectors...)},
	{Name: "sector_use", Doc: "bytes that work-items ask for by bytes of the sectors touched; above 1 they share", of: func(r *result) float64 {
		return ratio(r.sum[globalBytes], r.sectorBytes())
	}},
	{Name: "uniform", Doc: "share of global accesses by sub-groups that go to one element", of: each([]tally{uniformAccess}, warps)},
	{Name: "coalesced", Doc: "share that want half of the bytes of their sectors, or more", of: each([]tally{coalescedAccess}, warps)},
	{Name: "scattered", Doc: "share that want less", of: each([]tally{scatteredAccess}, warps)},
	{Name: "gathers", Unit: byItem, Doc: "accesses with indices read from memory, whose units are taken to be all different", of: perItem(gathers)},
	{Name: "bank_cycles", Unit: byAccess, Doc: "words in the busiest bank of local memory; 1 without conflicts", of: each([]tally{localCycles, localCycleStores}, []tally{localWarps, localWarpStores})},
	{Name: "access_bytes", Unit: "B", Doc: "size of the widest access to global memory: an element, or a vector of them", of: whole(func(r *result) int64 { return r.widest })},
	{Name: "selects", Unit: byItem, Doc: "selects evaluated", of: perItem(selects)},
	{Name: "launches", Doc: "kernels that run one after the other", of: whole(func(r *result) int64 { return r.launches })},
	{Name: "statements", Unit: byItem, Doc: "statements run", of: perItem(statements)},
	{Name: "load_rounds", Unit: byItem, Doc: "straight lines of code with loads from global memory, which are waited for together", of: perItem(rounds)},
	{Name: "global_loads_distinct", Unit: byItem, Doc: "loads from global memory less those of what straight-line code has loaded already", of: perItem(distinctGlobal)},
	{Name: "local_loads_distinct", Unit: byItem, Doc: "the same of local memory", of: perItem(distinctLocal)},
	{Name: "sectors_distinct", Unit: byItem, Doc: "sectors that these loads from global memory touch, and stores", of: perItem(straightSectors)},
	{Name: "lines_distinct", Unit: byItem, Doc: "lines of 128 B that they touch", of: perItem(straightLines)},
	{Name: "wavefronts", Unit: byItem, Doc: "cycles of these loads and of stores, of global and local memory, of which a bank gives a word in each, and those of loads of different constants", of: perItem(straightCycles, constantCycles)},
}

var deviceFeatures = []Feature{
	{Name: "intensity", Unit: "per B", Doc: "operations, a multiply-add for two, by bytes of the sectors touched", of: (*result).intensity},
	{Name: "data_bytes", Unit: "B", Doc: "size of the arrays in global memory that are accessed", of: whole((*result).data)},
	{Name: "data_l2", Doc: "the same by the size of the L2 cache", needs: []facts.Key{facts.L2Bytes}, of: func(r *result) float64 {
		return ratio(r.data(), r.device(facts.L2Bytes))
	}},
	{Name: "reuse", Doc: "bytes that work-items ask for by the size of the arrays", of: func(r *result) float64 { return ratio(r.sum[globalBytes], r.data()) }},
	{Name: "tile_bytes", Unit: "B", Doc: "global memory in the bounding boxes of what a work-group accesses", of: func(r *result) float64 { return float64(r.tileBytes()) }},
	{
		Name: "tile_l1", Doc: "the same for the groups of a multiprocessor, by the size of its L1 cache without local memory in use",
		needs: []facts.Key{facts.L1Bytes}, resident: true, of: func(r *result) float64 {
			l1 := r.device(facts.L1Bytes)
			return ratio(r.tileBytes()*r.onSM, max(l1-r.onSM*r.shared, l1/8))
		},
	},
	{Name: "registers", Unit: "of 32 bits", Doc: "estimate of what a work-item needs", of: whole(func(r *result) int64 { return r.p.registers })},
	{
		Name: "groups_resident", Doc: "work-groups that run at once on a multiprocessor, by work-items, local memory and registers",
		resident: true, of: whole(func(r *result) int64 { return r.onSM }),
	},
	{
		Name: "occupancy", Doc: "work-items that run at once on a multiprocessor by its limit",
		needs: []facts.Key{facts.Items}, resident: true, of: func(r *result) float64 { return ratio(r.onSM*r.items, r.device(facts.Items)) },
	},
	{
		Name: "waves", Doc: "work-groups by those that the device runs at once",
		needs: []facts.Key{facts.Multiprocessors}, resident: true, of: func(r *result) float64 {
			return r.waves()
		},
	},
}

// features are the components of a vector, in order.
var features = func() []Feature {
	list := slices.Clone(paperFeatures)
	for i := range list {
		list[i].Lift = true
	}
	list = append(list, workFeatures...)
	for i, class := range opClasses {
		doc := "operations: " + strings.ReplaceAll(strings.Join(class.names, ", "), "func:", "functions")
		if class.names == nil {
			doc = "operations of other kinds"
		}
		list = append(list, Feature{Name: class.feature, Unit: byItem, Doc: doc, of: perItem(operations + tally(i))})
	}
	return append(list, deviceFeatures...)
}()

// Features describes the components of static vectors, in their order.
func Features() []Feature { return slices.Clone(features) }

// Needs returns an error that names the facts of a device without which its vectors lack the static feature of that name, nil where
// they have it.
func Needs(d *facts.Device, feature string) error {
	i := slices.IndexFunc(features, func(f Feature) bool { return f.Name == feature })
	if i < 0 {
		return nil
	}
	return d.Need(features[i].facts(d)...)
}

// facts are those of the device that the feature depends on.
func (f *Feature) facts(d *facts.Device) []facts.Key {
	if f.resident {
		return slices.Concat(f.needs, hw.ResidentFacts(d))
	}
	return f.needs
}

// featuresOn returns the static features that are known on a device.
func featuresOn(d *facts.Device) []Feature {
	return slices.DeleteFunc(Features(), func(f Feature) bool { return !d.Known(f.facts(d)...) })
}

// Names returns the names of the static features that are known on a device, in the order of Features.
func Names(d *facts.Device) []string { return namesOf(featuresOn(d)) }

func namesOf(list []Feature) (names []string) {
	return lists.Map(list, func(f Feature) string { return f.Name })
}
