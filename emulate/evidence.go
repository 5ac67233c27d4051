package emulate

import (
	"math"

	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
	"gpuperf/memory"
)

// The interval of a time is as wide as what speaks for it is weak. Each reason to doubt it gives a factor on each side, and reasons that are independent add up as
// squares of logarithms do. Factors were chosen such that nine of ten of the launches lie within that were looked at (choose.txt, and those of testdata/emulate/kinds), by
// reason; other sets are for reporting (docs/emulation.md).

// doubtful is by which factors the measured time may be less and more than the emulated one.
type doubtful struct{ less, more float64 }

// usual is what every time is off by: more often it is too short, as what is not modelled costs time. Where DRAM bounds, that passes while sub-groups wait for it, and how much of what
// is accessed comes from there is more often taken to be too much (chosen on programs of HeCBench, a to m).
var (
	usual     = doubtful{1.15, 1.25}
	dramBound = doubtful{1.2, 1.2}
)

// The reasons.
var (
	shortLaunch   = doubtful{1, 1.12}    // of which starting is a part
	fewRounds     = doubtful{1, 1.2}     // blocks that do not end together, in one to three waves
	busyUnit      = doubtful{1, 1.12}    // nearly always, and not DRAM: how it takes what comes at once matters
	busyUnits     = doubtful{1, 1.2}     // two of them or more: what comes to one late, as the other was busy, leaves gaps
	cutOff        = doubtful{1.15, 1.1}  // the end is extrapolated
	secondLevel   = doubtful{1.15, 1.35} // bounds, and which part of it each address belongs to is not known
	storedLines   = doubtful{1.3, 1.2}   // the same of lines that are stored
	joinedStores  = doubtful{4, 1}       // hardly more lines than a multiprocessor joins stores to: it may do so in part
	atomicPlaces  = doubtful{1.2, 1.7}   // atomic operations bound, and meet by that
	constantLines = doubtful{2, 2}       // constants whose lines go: which sub-groups stay together is known roughly
	blockBarrier  = doubtful{1, 1.35}    // bounds
	scattered     = doubtful{1.15, 1.3}  // addresses are anywhere
	privateMemory = doubtful{1.1, 2}     // arrays of work-items that are not in registers
	scaledSheet   = doubtful{1.15, 1.15} // what was measured of another device of the architecture is scaled: 52 of 55 launches with intervals lie within on an H100
	otherSheet    = doubtful{1.5, 1.5}   // the same of one of another architecture, of which nothing is recorded: wide
	longestBlock  = doubtful{1, 1.5}     // the launch ends with its longest block, and not all were looked at
	othersTurns   = doubtful{1.2, 1.2}   // work-groups are taken to come in turn
	othersWait    = doubtful{1.25, 1.35} // they are taken to come at once
	ownCode       = doubtful{1.2, 1.2}   // package compile made the code: another order, other registers
	ownCodeOfDRAM = doubtful{1.1, 1.1}   // the same where DRAM bounds, whatever the code is
)

// Parts of a time from which on a unit counts as what bounds it, and waves and seconds up to which a launch is short.
const (
	mostlyBusy   = 0.8   // chosen on the looked-at half of the development set, as those below
	ratherBusy   = 0.7   // where the second-level cache begins to delay what comes
	halfBusy     = 0.5   // of atomic operations, which queue sooner
	roundsAtMost = 3     // waves: with more the last one is a small part
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
	less, more := 0.0, 0.0
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
	add(top != timing.DRAM, usual)
	add(top == timing.DRAM, dramBound)
	add(top != timing.DRAM && several > 1, busyUnits)
	add(r.Seconds < shortSeconds, shortLaunch)
	add(r.Waves >= 1 && r.Waves < roundsAtMost, fewRounds)
	add(most > mostlyBusy && top != timing.DRAM, busyUnit)
	add(t.Cut, cutOff)
	add(e.scaled > 0, e.sheetDoubt())
	add(e.Compiled && top != timing.DRAM, ownCode)
	add(e.Compiled && top == timing.DRAM, ownCodeOfDRAM)
	add(busy(timing.L2) > ratherBusy, secondLevel)
	add(busy(timing.Lines) > ratherBusy, storedLines)
	if e.overwritten() > ratherBusy*r.Cycles {
		add(true, storedLines)
		add(len(e.storedLines) <= 2*joinedLines, joinedStores)
	}
	add(busy(timing.Atomic) > halfBusy || top == timing.SharedAtomic || e.swapsInside(), atomicPlaces)
	add(top == timing.Constant, constantLines)
	add(top == timing.Barrier, blockBarrier)
	add(e.anywhere() > muchAnywhere, scattered)
	add(e.accessesPrivate(), privateMemory)
	add(e.unseen > 0, longestBlock)
	for _, d := range e.launch.Doubts() {
		if d.Kind == exec.AssumedOrder {
			add(true, othersTurns)
			break
		}
	}
	for _, w := range e.waited() {
		if w.all {
			add(true, othersWait)
			break
		}
	}
	if e.lengths != nil && e.lengths.apart > 0 { // nine of ten means lie within 1.645 deviations
		by := 1 + 1.645*e.lengths.apart
		add(true, doubtful{by, by})
	}
	by := 1 + float64(e.builder.Apart)/float64(max(e.builder.Long, 1))
	add(true, doubtful{by, by})
	return [2]float64{r.Seconds / math.Exp(math.Sqrt(less)), r.Seconds * math.Exp(math.Sqrt(more))}
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
