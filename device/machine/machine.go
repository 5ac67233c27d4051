// Package machine answers what a device can do, from its data sheet: occupancy, caches and how local memory divides them,
// what its compiler does to loops, the rough cost of work, for choices, and the least time that work takes (roof.go).
//
// Facts are data (package facts). Where an answer needs a fact that is not known it says so, or takes the order of magnitude of typical devices: Of does the latter,
// for choices that are right whatever they are made by, as those of compilers.
package machine

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/internal/intmath"
	"gpuperf/memory"
)

// Usual is the data sheet of the device for which code is made where nobody names one: the one whose recorded times judge what is chosen.
const Usual = "NVIDIA H200"

// Machine is a device as choices are made by it.
type Machine struct {
	Name            string
	Multiprocessors int64
	Schedulers      int64 // of a multiprocessor
	Subgroup        int64 // work-items that execute together
	Line, Sector    int64 // bytes
	MostItems       int64 // work-items of a work-group
	MostLocal       int64 // bytes of local memory that a work-group may declare
	MostGroups      int64 // work-groups of a launch along each axis but the first
	Full            int64 // work-items that all multiprocessors hold

	device  *facts.Device
	seconds float64 // of a cycle
	launch  float64 // seconds of an empty launch
	dram    float64 // B/s
	second  float64 // bytes that L2 gives a multiprocessor in a cycle, when no other asks
	wait    float64 // cycles of a load that L2 serves
	away    float64 // cycles of a load that DRAM serves
	halt    float64 // cycles of a barrier, with what stores to local memory before it and loads behind it
}

// Of is the machine of a device. What is not known of it is as typical devices have it; of CPUs, for which there are no such forms, nothing is taken, and the
// machine is the usual one.
func Of(d *facts.Device) *Machine {
	if d == nil || d.CPU() {
		d, _ = facts.Named(Usual)
	}
	d = d.Typical()
	m := &Machine{
		Name: d.Name(), Multiprocessors: d.Int(facts.Multiprocessors), Schedulers: d.Int(facts.SubPartitions), Subgroup: d.Int(facts.SubgroupSize),
		Line: d.Int(facts.LineBytes), Sector: d.Int(facts.SectorBytes), MostItems: d.Int(facts.ItemsPerGroup), MostLocal: min(d.Int(facts.DeclaredLocal), d.Int(facts.LocalPerGroup)), MostGroups: min(d.Int(facts.GroupsY), d.Int(facts.GroupsZ)),
		device: d, seconds: 1e-6 / d.Value(facts.ClockMHz), launch: d.Value(facts.LaunchSeconds), dram: d.Value(facts.MemoryBandwidth),
		second: d.Value(facts.L2PortBytesPerClock), wait: d.Value(facts.L2Latency), away: d.Value(facts.DRAMLatency),
		halt: d.Value(facts.BarrierLatency) + 3*d.Value(facts.SharedLatency),
	}
	m.Full = m.Multiprocessors * d.Int(facts.Items)
	return m
}

// Told is the machine of a device that tells what it is, and what it refuses beyond.
func Told(i device.Info) *Machine {
	m, l := Of(facts.Of(i.Fingerprint)), facts.Limits(i)
	for _, one := range []struct {
		most  *int64
		limit int64
	}{{&m.MostItems, l.GroupItems}, {&m.MostLocal, l.Local}, {&m.MostLocal, l.Declared}} {
		if one.limit > 0 {
			*one.most = min(*one.most, one.limit)
		}
	}
	return m
}

// Named is the machine with the data sheet of a name or in a file.
func Named(nameOrPath string) (*Machine, error) {
	d, err := facts.Sheet(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Of(d), nil
}

// String is the name of the device.
func (m *Machine) String() string { return m.Name }

// Work is what launches do, as far as it is known: a part that is not takes no time. Bytes and operations are those of all launches; what follows Group is of one
// work-group.
type Work struct {
	Launches    float64 // one after the other; 0 where they are counted elsewhere
	GlobalBytes float64 // to and from global memory, behind the caches
	LocalBytes  float64 // that the banks of local memory can move in the time that its accesses take
	Operations  []Operations
	Groups      int64   // work-groups of a launch; 0 is a part of what one does that is alone
	Group               // what one takes of a multiprocessor; a work-group without work-items is taken to be alone there
	Issue       float64 // cycles in which schedulers issue its instructions, where these leave no gaps
	Rounds      float64 // loads from global memory that wait for each other
	Barriers    float64
	Lines       float64 // that its loads touch, of each sub-group its own
	Bytes       float64 // that L2 gives it
}

// Operations are additions, multiplications and multiply-adds of a data type, each one.
type Operations struct {
	DType string
	Count float64
}

// Add adds operations of a data type.
func (w *Work) Add(dtype string, count float64) {
	i := slices.IndexFunc(w.Operations, func(o Operations) bool { return o.DType == dtype })
	if i < 0 {
		i, w.Operations = len(w.Operations), append(w.Operations, Operations{DType: dtype})
	}
	w.Operations[i].Count += count
}

// Then is the work of a part and of what a work-group does behind it, where it is alone.
func (w Work) Then(next Work) Work {
	w.Issue, w.Rounds, w.Barriers = w.Issue+next.Issue, w.Rounds+next.Rounds, w.Barriers+next.Barriers
	w.Lines, w.Bytes = w.Lines+next.Lines, w.Bytes+next.Bytes
	return w
}

// Times is what a work-group does if it does so so many times.
func (w Work) Times(n float64) Work {
	w.Issue, w.Rounds, w.Barriers, w.Lines, w.Bytes = n*w.Issue, n*w.Rounds, n*w.Barriers, n*w.Lines, n*w.Bytes
	return w
}

// amount is the sum of all bytes and operations.
func (w Work) amount() float64 {
	sum := w.GlobalBytes + w.LocalBytes
	for _, o := range w.Operations {
		sum += o.Count
	}
	return sum
}

// What recordings of an H200 say that no data sheet does: 33 mappings of tiles of sums (scop/offload/testdata/h200.jsonl, TestCycles) and 84 of shared sums
// (h200_fill.jsonl, TestFill); the searches of testdata/h200/searched.jsonl.gz, by which nothing was chosen, judge them (TestRecordedSums).
const (
	gap     = 0.5   // cycles between instructions of a sub-group, as a part of those, that others fill
	begins  = 2     // loads from DRAM that a turn of work-groups waits for, with what begins and ends it
	perLine = 1.5   // cycles of a line in a load of a sub-group
	shared  = 0.525 // of the rate at which L2 serves one multiprocessor alone, when all ask
)

// Cycles is about what a launch takes on its busiest multiprocessor: what this issues and moves, one after the other, and what the work-groups that run there at once
// wait for together. It is for choices among mappings of the same work: no user sees it.
func (m *Machine) Cycles(w Work) float64 {
	turn, resident := float64(intmath.CeilDiv(max(w.Groups, 1), m.Multiprocessors)), 1.0
	if w.Items > 0 {
		resident = min(turn, float64(Held(m.device, w.Group)))
	}
	if resident < 1 {
		return math.Inf(1)
	}
	issue := w.Issue
	if w.Items > 0 {
		issue *= 1 + gap*float64(m.Schedulers*m.Subgroup)/(resident*float64(w.Items))
	}
	each := issue + perLine*w.Lines + w.Bytes/(shared*m.second)
	waits := w.Rounds*m.wait + w.Barriers*m.halt
	if w.Groups > 0 {
		waits += begins * m.away
	}
	return turn*each + math.Ceil(turn/resident)*waits
}

// Seconds is about what launches take.
func (m *Machine) Seconds(w Work) float64 {
	return w.Launches*m.launch + max(m.Cycles(w)*m.seconds, w.GlobalBytes/m.dram)
}

// Compiler is what the compiler for a device makes of code. Sizes are instructions.
type Compiler struct {
	Wholly   int64   // of all iterations of a loop whose number is constant, that is unrolled wholly
	Twice    int64   // of a body that is unrolled, and that again, if the counter takes consecutive values and its end is no quotient
	Once     int64   // of a body that is unrolled
	By       int64   // iterations that are unrolled
	Straight int64   // accesses and operations that a loop unrolls to without being told to
	Ahead    float64 // words of 32 bits that a work-item has in flight
	Rare     float64 // of a subroutine for rare cases, at most
	Calls    int     // of flow, outside of its loops, that a kernel with a subroutine has
}

// CompilerFor is the compiler for a device, roughly where its data sheet does not say.
func CompilerFor(d *facts.Device) Compiler {
	of := func(k facts.Key) int64 { return int64(d.Rough(k)) }
	return Compiler{
		Wholly: of(facts.UnrollWholly), Twice: of(facts.UnrollTwice), Once: of(facts.UnrollOnce), By: max(of(facts.UnrollBy), 2), Straight: of(facts.UnrollStraight),
		Ahead: d.Rough(facts.LoadsAhead), Rare: d.Rough(facts.RareCode), Calls: int(of(facts.RareCalls)),
	}
}

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
		MostDirty: d.Value(facts.L2DirtyMost), DirtyRoom: d.Value(facts.L2DirtyRoom), FilledSooner: d.Value(facts.L2PartlyLost), SharedRoom: d.Value(facts.L2SharedRoom),
	}
}

// ResidentFacts limit the resident work-groups of a multiprocessor. If there is at most one, registers do not matter: the compiler
// spills.
func ResidentFacts(d *facts.Device) []facts.Key {
	keys := []facts.Key{facts.Groups, facts.Items, facts.LocalBytes, facts.LocalReserved}
	if d.Int(facts.Groups) == 1 {
		return keys
	}
	return append(keys, facts.Registers, facts.RegistersPerItem, facts.RegisterUnit, facts.SubPartitions, facts.LocalUnit)
}

// Group is what a work-group takes of a multiprocessor.
type Group struct {
	Items     int64
	Registers int64 // of a work-item, as its code needs them
	Local     int64 // bytes of local memory
	Subgroup  int64 // work-items of a sub-group
}

// Allocated are the registers that a work-item of a sub-group is given where its code needs so many: sub-groups are given whole units.
func Allocated(d *facts.Device, registers, subgroup int64) int64 {
	return roundUp(registers*subgroup, d.Int(facts.RegisterUnit)) / subgroup
}

// roundUp is the least multiple of a unit that is n or more; a unit of 0 is not known, and changes nothing.
func roundUp(n, unit int64) int64 { return intmath.CeilDiv(n, max(unit, 1)) * max(unit, 1) }

// Limit is how many work-groups a resource of a multiprocessor has room for.
type Limit struct {
	Resource string
	Groups   int64
}

// Limits lists the resources that limit the resident work-groups of a multiprocessor, none where the facts of the device are not known.
// What is not of the group itself comes first. Registers are those of sub-partitions, each of which holds whole sub-groups; local memory is
// given in units, with what the device takes for itself (NVIDIA's cuda_occupancy.h, cudaOccMaxBlocksPerSMRegsLimit and
// cudaOccMaxBlocksPerSMSmemLimit).
func Limits(d *facts.Device, g Group) []Limit {
	if !d.Known(ResidentFacts(d)...) {
		return nil
	}
	subgroups := intmath.CeilDiv(g.Items, g.Subgroup)
	list := []Limit{{"work-groups", d.Int(facts.Groups)}, {"work-items", d.Int(facts.Items) / (subgroups * g.Subgroup)}}
	if most := d.Int(facts.RegistersPerItem); most > 0 {
		each := Allocated(d, max(min(g.Registers, most), 1), g.Subgroup) * g.Subgroup
		parts := max(d.Int(facts.SubPartitions), 1)
		list = append(list, Limit{"registers", d.Int(facts.Registers) / parts / each * parts / subgroups})
	}
	if local := roundUp(g.Local+d.Int(facts.LocalReserved), d.Int(facts.LocalUnit)); local > 0 {
		list = append(list, Limit{"local memory", d.Int(facts.LocalBytes) / local})
	}
	return list
}

// Resident is the number of work-groups that a multiprocessor runs at once, and the resource that allows no more; 0 if a group exceeds one.
// The device must know the facts that [Limits] asks for.
func Resident(list []Limit) (groups int64, by string) {
	groups, by = list[0].Groups, list[0].Resource
	for _, l := range list {
		if l.Groups < groups {
			groups, by = l.Groups, l.Resource
		}
	}
	return groups, by
}

// AtOnce is how many such work-groups all multiprocessors run at once, which bounds a cooperative launch; 0 where that is not known.
func AtOnce(d *facts.Device, g Group) int64 {
	list := Limits(d, g)
	if len(list) == 0 {
		return 0
	}
	n, _ := Resident(list)
	return n * d.Int(facts.Multiprocessors)
}

// Together says why work-groups that wait for each other, as those of a cooperative launch do, are too many to run at once; "" where they are not, or it is not known.
func Together(d *facts.Device, g Group, groups int64) string {
	if most := AtOnce(d, g); most > 0 && groups > most {
		return fmt.Sprintf("a cooperative launch of %d work-groups, the device runs %d at once", groups, most)
	}
	return ""
}

// Fits says why a multiprocessor has no room for a work-group, "" where it has, or where that is not known.
func Fits(d *facts.Device, g Group) string {
	if most := d.Int(facts.RegistersPerItem); most > 0 && g.Registers > most {
		return fmt.Sprintf("%d registers for a work-item, the device allows %d", g.Registers, most)
	}
	list := Limits(d, g)
	if len(list) == 0 {
		return ""
	}
	switch n, by := Resident(list); {
	case n > 0:
		return ""
	case by == "registers":
		subgroups := intmath.CeilDiv(g.Items, g.Subgroup)
		alone := Limits(d, Group{Items: 1, Registers: g.Registers, Subgroup: g.Subgroup})
		return fmt.Sprintf("a work-group of %d work-items with %d registers each is %d sub-groups, a multiprocessor has registers for %d", g.Items, g.Registers, subgroups,
			alone[slices.IndexFunc(alone, func(l Limit) bool { return l.Resource == by })].Groups)
	case by == "local memory":
		return fmt.Sprintf("%d bytes of local memory for a work-group, a multiprocessor has %d", g.Local, d.Int(facts.LocalBytes)-d.Int(facts.LocalReserved))
	}
	return fmt.Sprintf("a work-group of %d work-items, a multiprocessor holds %d", g.Items, d.Int(facts.Items))
}

// Held is how many such work-groups a multiprocessor runs at once, 0 if a group exceeds a limit. The device must know its ResidentFacts.
func Held(d *facts.Device, g Group) int64 {
	n, _ := Resident(Limits(d, g))
	return n
}
