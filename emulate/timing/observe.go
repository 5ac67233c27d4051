package timing

// Issue is the issue of an instruction, and what its warp has waited for since its last one.
type Issue struct {
	Partition   int
	Block, Warp int // by their number, from 0, in the order in which they start
	Op          int32
	Off         bool     // its guard is false for all lanes
	At          int64    // when, in units of time
	Waits       [4]Pause // one after the other; they end at At
}

// Pause is a time in which a warp does not issue.
type Pause struct {
	Reason Reason
	Time   int64
}

// observed is the issue of the next instruction of a warp.
func (p *multiprocessor) observed(part *partition, w *warp, e *Event, at int64) Issue {
	return Issue{Partition: w.part, Block: w.block.number, Warp: w.age, Op: e.Op, Off: e.Off, At: at, Waits: p.waits(part, w, e, at)}
}
