package exec

import "math/bits"

// Warp is a sub-group as it runs.
type Warp struct {
	Group  *Group
	Number int // in its group

	launch    *Launch
	first     int // the number in the group of the work-item of lane 0
	lanes     uint32
	paths     []*path
	path      *path // the one that runs
	spare     []*path
	files     []*file // that are not in use
	step      Step
	operands  operands // of the operation that is executed
	item      item
	result    [2]row
	pair      [2]Access // of step
	old       [4]row
	oldP      [2]truth
	oldN      [4]uint32
	forks     int // how many branches on unknown conditions were taken so far
	private   *space
	inPrivate Origin
	garbage   bool        // the step is a jump whose condition compares bits that are no number
	trips     []tripCount // of each loop
	reduction string      // of the last barrier that reduced a predicate: POPC, AND or OR
	reduced   votes
	state     State
	progress  map[uint64]*progress // at barriers in local memory, by address
	gates     int                  // times that it has come to the barrier of the cluster
}

// path is a set of lanes that are at the same instruction.
type path struct {
	pc     int // an instruction
	from   int // the instruction before
	lanes  uint32
	file   *file
	wait   wait
	at     int                // the barrier that it waits at
	phase  int                // of phaseSync, how many phases are to be over
	masks  [barriers]uint32   // the convergence barriers: lanes that meet
	joins  [maxJoins]junction // unknown branches that it has not left behind
	joined int                // how many
}

// barriers is how many convergence barriers a sub-group has.
const barriers = 16

// wait is what a path waits for.
type wait uint8

const (
	nothing     wait = iota
	convergence      // BSYNC
	warpSync         // WARPSYNC
	groupSync        // BAR
	phaseSync        // SYNCS.PHASECHK
	clusterSync      // UCGABAR_WAIT
	junctions        // the other ways of a branch on an unknown condition
)

// Step executes the next instruction. It may be called while State is Ready.
func (w *Warp) Step() *Step {
	p := w.path
	o := &w.launch.ops[p.pc]
	s := &w.step
	s.Index, s.Active, s.Lanes, s.Doubtful, s.Taken = p.pc, p.lanes, p.lanes, 0, 0
	s.Accesses, s.Meeting, s.Tile.Times = s.Accesses[:0], Meeting{}, 0
	if o.loop != 0 {
		w.turn(o, p)
	}
	if o.guarded {
		g := o.guard.read(p.file)
		s.Doubtful = p.lanes &^ g.known
		s.Lanes = p.lanes & (g.value | ^g.known)
	}
	f := &p.file.from
	if w.garbage = false; o.follows.decides {
		w.decide(o, f)
	}
	if o.follows.admits != nil {
		w.admit(o, f)
	}
	if w.garbage {
		s.Lanes, s.Doubtful = p.lanes, p.lanes
	}
	p.from = p.pc
	p.pc++
	switch {
	case s.Lanes == 0:
	case s.Doubtful != 0 && o.flow == nil:
		w.doubtful(o)
	default:
		o.run(w, o, s.Lanes)
	}
	if s.Lanes != 0 {
		w.hand(o, f)
	}
	if w.path == nil || w.path.wait != nothing || w.path.joined > 0 {
		w.next()
	}
	s.State = w.state
	return s
}

// State is what the sub-group does next.
func (w *Warp) State() State { return w.state }

// doubtful executes an instruction that some lanes may not execute: there, only what it does not change stays known.
func (w *Warp) doubtful(o *op) {
	f := w.path.file
	lanes := w.step.Doubtful
	if o.width > len(w.old) { // a product of matrices
		o.run(w, o, w.step.Lanes)
		return
	}
	for k := range o.width {
		if n := o.to[0] + k; o.to[0] != sinkRow {
			w.old[k], w.oldN[k] = f.rows[n], f.known[n]
		}
	}
	for k := range o.results {
		w.oldP[k] = f.preds[o.toPred[k]]
	}
	o.run(w, o, w.step.Lanes)
	if w.path == nil {
		return
	}
	for k := range o.width {
		n := o.to[0] + k
		if o.to[0] == sinkRow {
			break
		}
		for m := lanes & f.known[n]; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			if w.oldN[k]>>i&1 == 0 || w.old[k][i] != f.rows[n][i] {
				f.known[n] &^= 1 << i
				f.rows[n][i] = 0
			}
		}
	}
	for k := range o.results {
		p, old := &f.preds[o.toPred[k]], w.oldP[k]
		p.known &= ^lanes | old.known&^(p.value^old.value)
		p.value &= p.known
	}
}

// next chooses the path that runs: that which ran, or else the first by address.
func (w *Warp) next() {
	if w.path != nil && w.path.wait == nothing && w.path.joined > 0 {
		w.arrive(w.path)
	}
	if w.path != nil && w.path.wait == nothing {
		w.state = Ready
		return
	}
	w.path = nil
	waiting := false
	for _, p := range w.paths {
		if p.wait == nothing && p.joined > 0 {
			w.arrive(p)
		}
	}
	for _, p := range w.paths {
		if p.wait == groupSync || p.wait == phaseSync || p.wait == clusterSync {
			waiting = true
		}
		if p.wait == nothing && (w.path == nil || p.pc < w.path.pc) {
			w.path = p
		}
	}
	switch {
	case w.path != nil:
		w.state = Ready
	case len(w.paths) == 0:
		w.state = Ended
	case waiting:
		w.state = Waiting
	default:
		w.state = Stuck
		w.launch.doubt(Deadlock, w.step.Index)
	}
}

// fork makes a path of some lanes that goes elsewhere. Its registers are those of the path it leaves, unless copied.
func (w *Warp) fork(p *path, lanes uint32, pc int, copied bool) *path {
	var q *path
	if n := len(w.spare); n > 0 {
		q, w.spare = w.spare[n-1], w.spare[:n-1]
	} else {
		q = &path{}
	}
	*q = *p
	q.lanes, q.pc = lanes, pc
	if copied {
		q.file = w.newFile()
		q.file.take(p.file, all, w.launch.used)
	}
	w.paths = append(w.paths, q)
	return q
}

func (w *Warp) newFile() *file {
	if n := len(w.files); n > 0 {
		f := w.files[n-1]
		w.files = w.files[:n-1]
		return f
	}
	return w.launch.newFile()
}

// remove forgets a path whose lanes have left or became part of another.
func (w *Warp) remove(p *path) {
	used := false
	for i, q := range w.paths {
		if q == p {
			w.paths[i] = w.paths[len(w.paths)-1]
			w.paths = w.paths[:len(w.paths)-1]
			break
		}
	}
	for _, q := range w.paths {
		used = used || q.file == p.file
	}
	if !used {
		w.files = append(w.files, p.file)
	}
	if w.path == p {
		w.path = nil
	}
	w.spare = append(w.spare, p)
}

// merge adds the lanes of path q to path p.
func (w *Warp) merge(p, q *path) {
	if p.file != q.file {
		p.file.meet(q.file, p.lanes&q.lanes, w.launch.used)
		p.file.take(q.file, q.lanes&^p.lanes, w.launch.used)
	}
	p.lanes |= q.lanes
	w.remove(q)
}
