package emulate

import (
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
	"gpuperf/memory"
)

// The interval of a time is as wide as what speaks for it is weak. Each reason to doubt it gives a factor on each side, and reasons that are independent add up as
// squares of logarithms do. Factors were chosen such that nine of ten of the launches lie within that were looked at (choose.txt, and those of testdata/emulate/kinds), by
// reason; other sets are for reporting (docs/emulation.md).

// doubtful is by which factors the measured time may be less and more than the emulated one. That of no reason is 1 on both sides.
type doubtful struct{ less, more float64 }

var none = doubtful{1, 1}

// reasons are what speaks against times of one origin.
type reasons struct {
	usual         doubtful // what every time is off by: more often it is too short, as what is not modelled costs time
	manyRounds    doubtful // the same where blocks come in many waves, so that the begin and the end of a launch, and blocks that differ, count little
	dramBound     doubtful // the same where DRAM bounds: that passes while sub-groups wait for it
	idle          doubtful // nothing is busy for half of the time: what the launch waits for is the order of its code, and how much is under way
	idleDRAM      doubtful // the same where DRAM is busier than what else there is
	fewRounds     doubtful // blocks that do not end together, in one to three waves
	busyUnit      doubtful // nearly always, and not DRAM: how it takes what comes at once matters
	busyUnits     doubtful // two of them or more: what comes to one late, as the other was busy, leaves gaps
	secondLevel   doubtful // bounds, and which part of it each address belongs to is not known
	storedLines   doubtful // the same of lines that are stored
	atomicPlaces  doubtful // atomic operations bound, and meet by that
	scattered     doubtful // addresses are anywhere
	shortLaunch   doubtful // of which starting is a part
	cutOff        doubtful // the end is extrapolated
	otherRegister bool     // how many registers a work-item has is estimated: the times with fewer work-groups at once, and with more, lie within
}

// ofMachineCode and ofSource are those of code of the device's compiler, and of package compile. Of the latter more is known to be off (another order, other registers), and less follows
// from how busy a unit is. They were chosen on the launches that were looked at, the second on 475 in testdata whose sources have a whole time (scaled to hold nine of ten of all other kinds, 90 % of a kind lie within).
var (
	ofMachineCode = reasons{
		usual: doubtful{1.15, 1.25}, manyRounds: doubtful{1.15, 1.25}, dramBound: doubtful{1.2, 1.2}, idle: none, idleDRAM: none, fewRounds: doubtful{1, 1.2}, busyUnit: doubtful{1, 1.12},
		busyUnits: doubtful{1, 1.2}, secondLevel: doubtful{1.15, 1.35}, storedLines: doubtful{1.3, 1.2}, atomicPlaces: doubtful{1.2, 1.7}, scattered: doubtful{1.15, 1.3},
		shortLaunch: doubtful{1, 1.12}, cutOff: doubtful{1.15, 1.1},
	}
	ofSource = reasons{
		usual: doubtful{1.18, 1.26}, manyRounds: doubtful{1.16, 1.18}, dramBound: doubtful{1.17, 1.18}, idle: doubtful{1.5, 1.3}, idleDRAM: doubtful{1.1, 1.4}, fewRounds: doubtful{1, 1.15}, busyUnit: none,
		busyUnits: none, secondLevel: doubtful{1.15, 1.4}, storedLines: doubtful{1.15, 1.3}, atomicPlaces: doubtful{1.4, 1.6}, scattered: doubtful{1.35, 1.4},
		shortLaunch: doubtful{1, 1.12}, cutOff: doubtful{1.15, 1.1}, otherRegister: true,
	}
)

// Reasons that are the same for all code.
var (
	sameLines     = doubtful{1.3, 1.2}   // all work-groups store in the same lines, which bounds
	joinedStores  = doubtful{4, 1}       // hardly more lines than a multiprocessor joins stores to: it may do so in part
	constantLines = doubtful{2, 2}       // constants whose lines go: which sub-groups stay together is known roughly
	blockBarrier  = doubtful{1, 1.35}    // bounds
	privateMemory = doubtful{1.1, 2}     // arrays of work-items that are not in registers
	scaledSheet   = doubtful{1.15, 1.15} // what was measured of another device of the architecture is scaled: 52 of 55 launches with intervals lie within on an H100
	otherSheet    = doubtful{1.5, 1.5}   // the same of one of another architecture, of which nothing is recorded: wide
	longestBlock  = doubtful{1, 1.5}     // the launch ends with its longest block, and not all were looked at
	othersTurns   = doubtful{1.2, 1.2}   // work-groups are taken to come in turn
	othersWait    = doubtful{1.25, 1.35} // they are taken to come at once
)

// Parts of a time from which on a unit counts as what bounds it, and waves and seconds up to which a launch is short.
const (
	mostlyBusy   = 0.8   // chosen on the looked-at half of the development set, as those below
	ratherBusy   = 0.7   // where the second-level cache begins to delay what comes
	halfBusy     = 0.5   // of atomic operations, which queue sooner
	mostlyIdle   = 0.5   // what does not bound is less busy than that
	idleUpTo     = 0.45  // the same of DRAM
	roundsAtMost = 3     // waves: with more the last one is a small part
	roundsMany   = 20    // with so many, launches of source are half as far off as those of fewer
	nearlyBound  = 0.87  // 1.15 times as fast is the most that is left then, and all intervals are as wide
	nearby       = 8     // registers: within so many are four of five estimates
	shortSeconds = 10e-6 // of which the start, a few microseconds, is a part
	muchAnywhere = 0.3   // of the sectors that are accessed
)

// sheetDoubt is what scaling the numbers of another device may be off by.
func (e *emulation) sheetDoubt() doubtful {
	switch most := len(Facts()) / 2; {
	case e.scaled > most:
		return otherSheet
	case e.scaled > 0:
		return scaledSheet
	}
	return doubtful{1, 1}
}

// interval is what a whole time is taken to be in, in seconds.
func (e *emulation) interval(r *Result, t timed) [2]float64 {
	w, less, more := &ofMachineCode, 0.0, 0.0
	if e.Compiled {
		w = &ofSource
	}
	add := func(holds bool, d doubtful) {
		if holds {
			less, more = less+math.Log(d.less)*math.Log(d.less), more+math.Log(d.more)*math.Log(d.more)
		}
	}
	busy := func(u timing.Unit) float64 { return r.Utilization[u] }
	top, most, several := timing.Dispatch, 0.0, 0
	for _, u := range timing.Units() {
		if busy(u) > most {
			top, most = u, busy(u)
		}
		if busy(u) > ratherBusy && u != timing.Dispatch && u != timing.IMAD { // these are busy with what others are
			several++
		}
	}
	switch {
	case top == timing.DRAM:
		add(true, w.dramBound)
		add(most < idleUpTo, w.idleDRAM)
	case most < mostlyIdle:
		add(true, w.usual)
		add(true, w.idle)
	case r.Waves > roundsMany:
		add(true, w.manyRounds)
	default:
		add(true, w.usual)
	}
	add(top != timing.DRAM && several > 1, w.busyUnits)
	add(r.Seconds < shortSeconds, w.shortLaunch)
	add(r.Waves >= 1 && r.Waves < roundsAtMost, w.fewRounds)
	add(most > mostlyBusy && top != timing.DRAM, w.busyUnit)
	add(t.Cut, w.cutOff)
	add(e.scaled > 0, e.sheetDoubt())
	add(busy(timing.L2) > ratherBusy, w.secondLevel)
	add(busy(timing.Lines) > ratherBusy, w.storedLines)
	add(busy(timing.Atomic) > halfBusy || top == timing.SharedAtomic || e.swapsInside(), w.atomicPlaces)
	add(top == timing.Constant, constantLines)
	add(top == timing.Barrier, blockBarrier)
	add(e.anywhere() > muchAnywhere, w.scattered)
	add(e.accessesPrivate(), privateMemory)
	add(e.unseen > 0, longestBlock)
	e.othersDoubts(r, add)
	if w.otherRegister {
		add(true, e.registersDoubt(t, most))
	}
	return [2]float64{r.Seconds / math.Exp(math.Sqrt(less)), r.Seconds * math.Exp(math.Sqrt(more))}
}

// othersDoubts adds what is not known of other work-groups: what they store, when they come, how long they are.
func (e *emulation) othersDoubts(r *Result, add func(holds bool, d doubtful)) {
	if e.overwritten() > ratherBusy*r.Cycles {
		add(true, sameLines)
		add(len(e.storedLines) <= 2*joinedLines, joinedStores)
	}
	add(slices.ContainsFunc(e.launch.Doubts(), func(d exec.Doubt) bool { return d.Kind == exec.AssumedOrder }), othersTurns)
	for _, w := range e.waited(e.asks()...) {
		if w.all {
			add(true, othersWait)
			break
		}
	}
	if e.lengths != nil { // nine of ten means lie within 1.645 deviations
		by := 1 + 1.645*e.lengths.apart
		add(true, doubtful{by, by})
	}
	by := 1 + float64(e.builder.Apart)/float64(max(e.builder.Long, 1))
	add(true, doubtful{by, by})
}

// registersDoubt is by how much the launch is faster and slower where a work-item has a few registers more or fewer, and a multiprocessor has room for another number of work-groups. Where
// a unit is busy for a part of the time, more of them make it no faster than that part, which lies within anyway if it is large.
func (e *emulation) registersDoubt(t timed, busy float64) doubtful {
	d := none
	for _, by := range []int64{-nearby, nearby} {
		g := e.work.Group
		g.Registers = machine.Allocated(e.Device, max(int64(e.Function.Registers)+by, 1), exec.WarpSize)
		room, _ := machine.Resident(machine.Limits(e.Device, g))
		if room = min(room, e.most); room == min(e.resident, e.most) || room == 0 || room > e.resident && busy > nearlyBound {
			continue
		}
		part := e.time(Change{Resident: room}).cycles / t.cycles
		d.less, d.more = max(d.less, 1/part), max(d.more, part)
	}
	return d
}

// anywhere is which part of the sectors that are accessed lies at no distance from those of the block or the iteration before.
func (e *emulation) anywhere() float64 {
	if e.accessed == nil {
		return 0
	}
	all, some := 0.0, 0.0
	memory.Each(e.accessed.Body, func(x *memory.Access) {
		for i := range x.Parts {
			all += x.Parts[i].Sectors
			if x.Parts[i].Scattered {
				some += x.Parts[i].Sectors
			}
		}
	})
	return some / max(all, 1)
}

// accessesPrivate reports whether work-items access arrays of their own in memory.
func (e *emulation) accessesPrivate() bool {
	return e.accessesSo(func(ev *timing.Event) bool { return ev.Touch.Space == timing.LocalSpace })
}

// swapsInside reports whether work-items compare and swap in shared memory: how often they try again is roughly known.
func (e *emulation) swapsInside() bool {
	return e.accessesSo(func(ev *timing.Event) bool {
		in := &e.Function.Instructions[ev.Op]
		return ev.Touch.Atomic && ev.Touch.Space == timing.SharedSpace && (in.Has("CAS") || in.Has("CAST"))
	})
}

// accessesSo reports whether a block has an access of a kind.
func (e *emulation) accessesSo(kind func(*timing.Event) bool) (some bool) {
	if len(e.blocks) == 0 {
		return false
	}
	for _, w := range e.blocks[0].Warps {
		trace.Each(w.Nodes, func(ev *timing.Event) { some = some || ev.Touch != nil && kind(ev) })
	}
	return some
}
