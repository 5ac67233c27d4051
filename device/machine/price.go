package machine

import (
	"math"
	"slices"

	"gpuperf/internal/intmath"
)

// Work is what launches do, as far as it is known: a part that is not takes no time. Bytes and operations are those of all launches; what follows Group is of one
// work-group.
type Work struct {
	Launches    float64 // one after the other; 0 where they are counted elsewhere
	GlobalBytes float64 // to and from global memory, behind the caches
	L2Bytes     float64 // between L2 and the multiprocessors, each element once, in the direction in which more pass
	LocalBytes  float64 // that the banks of local memory can move in the time that its accesses take
	Operations  []Operations
	Groups      int64   // work-groups of a launch; 0 is a part of what one does that is alone
	Group               // what one takes of a multiprocessor; a work-group without work-items is taken to be alone there
	Issue       float64 // cycles in which schedulers issue its instructions, where these leave no gaps
	Rounds      float64 // loads from global memory that wait for each other
	Waits       float64 // additions that wait for each other
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
	w.Issue, w.Rounds, w.Waits, w.Barriers = w.Issue+next.Issue, w.Rounds+next.Rounds, w.Waits+next.Waits, w.Barriers+next.Barriers
	w.Lines, w.Bytes = w.Lines+next.Lines, w.Bytes+next.Bytes
	return w
}

// Times is what a work-group does if it does so so many times.
func (w Work) Times(n float64) Work {
	w.Issue, w.Rounds, w.Waits, w.Barriers, w.Lines, w.Bytes = n*w.Issue, n*w.Rounds, n*w.Waits, n*w.Barriers, n*w.Lines, n*w.Bytes
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
	waits := w.Rounds*m.wait + w.Waits*m.add + w.Barriers*m.halt
	if w.Groups > 0 {
		waits += begins * m.away
	}
	return turn*each + math.Ceil(turn/resident)*waits
}

// Seconds is about what launches take.
func (m *Machine) Seconds(w Work) float64 {
	return w.Launches*m.launch + max(m.Cycles(w)*m.seconds, w.GlobalBytes/m.dram)
}
