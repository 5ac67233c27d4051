package exec

import (
	"strings"
)

// flowForms are the opcodes of control and of synchronization.
var flowForms = map[string]form{
	"BRA":           {run: branchTo, operands: true, decode: decodeBranch},
	"JMP":           {run: branchTo, operands: true, decode: decodeBranch},
	"BRX":           {run: branchIndirect, operands: true, decode: decodeBranch},
	"BRXU":          {run: branchIndirect, operands: true, decode: decodeBranch},
	"JMX":           {run: branchIndirect, operands: true, decode: decodeBranch},
	"CALL":          {run: call, decode: decodeCall},
	"RET":           {run: branchIndirect, operands: true},
	"EXIT":          {run: exit, operands: true},
	"KILL":          {run: exit},
	"BPT":           {run: exit},
	"BSSY":          {run: begin},
	"BSYNC":         {run: stop, operands: true},
	"BREAK":         {run: breaks, operands: true},
	"WARPSYNC":      {run: syncWarp, operands: true},
	"BAR":           {run: waitGroup, operands: true},
	"B2R":           {run: readReduced},
	"YIELD":         {run: yield},
	"NANOSLEEP":     {run: sleep},
	"ENDCOLLECTIVE": {run: skip},
	"MEMBAR":        {run: skip},
	"USETSHMSZ":     {run: skip},
	"FENCE":         {run: skip},
	"ERRBAR":        {run: skip},
	"CGAERRBAR":     {run: skip},
	"DEPBAR":        {run: skip},
	"LDGDEPBAR":     {run: skip},
	"WARPGROUP":     {run: skip},
	"WARPGROUPSET":  {run: skip},
	"ACQBULK":       {run: skip},
	"PREEXIT":       {run: skip},
	"USETMAXREG":    {run: grant},
	"UCGABAR_ARV":   {run: arriveCluster},
	"UCGABAR_WAIT":  {run: waitCluster},
}

// grant says that what was asked for is there: registers.
func grant(w *Warp, o *op, _ uint32) {
	if o.results > 0 {
		w.path.file.setPredicate(o.toPred[0], all, truth{all, all})
	}
}

// yield lets another path of the sub-group go on.
func yield(w *Warp, _ *op, _ uint32) {
	for i, p := range w.paths {
		if p == w.path {
			for k := range w.paths {
				if q := w.paths[(i+1+k)%len(w.paths)]; q.wait == nothing {
					w.path = q
					return
				}
			}
		}
	}
}

// sleep lets the others go on: how long it lasts is not said, at most twice as long as it asks for.
func sleep(w *Warp, o *op, lanes uint32) {
	if lanes != 0 {
		w.launch.doubt(Sleeps, o.index)
	}
	yield(w, o, lanes)
}

// decodeBranch finds the target by the flow graph.
func decodeBranch(d *decoder) { d.o.target = d.launch.targetOf(d.o.index) }

// targetOf is the instruction that a branch leads to, -1 where there are several or none is known.
func (l *Launch) targetOf(index int) int {
	f := l.Function
	i := l.blockOf[index]
	switch next := f.Blocks[i].Next; {
	case len(next) == 1:
		return f.Blocks[next[0]].From
	case len(next) == 2 && next[0] == i+1:
		return f.Blocks[next[1]].From
	}
	return -1
}

// branchTo goes to the target in the lanes in which a condition among the operands holds too.
func branchTo(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	if o.in.Has("DIV") || o.in.Has("CONV") { // to the target if not all lanes of a mask are here, or if they are
		mask, known := uint32(all), true
		if len(o.sources) > 0 {
			v, ok := o.sources[0].first(f, lanes)
			mask, known = uint32(v), ok
		}
		if (known && mask&w.living() != w.path.lanes) == o.in.Has("DIV") {
			w.jump(o, lanes, o.target)
		}
		return
	}
	if o.in.Has("ANY") { // one lane takes all with it
		if lanes &^= w.step.Doubtful; lanes != 0 {
			w.step.Doubtful = 0
		} else {
			w.step.Doubtful = w.path.lanes
		}
		lanes = w.path.lanes
	}
	lanes = w.holds(o, lanes)
	if w.garbage {
		lanes = w.path.lanes
		w.step.Doubtful = lanes
	}
	if lanes == 0 {
		if o.flow != nil && o.flow.loop != 0 {
			w.trips[o.flow.loop-1].ends = true
		}
		return
	}
	w.jump(o, lanes, o.target)
}

// holds are the lanes in which the conditions among the operands hold, and those in which nobody knows, which it notes.
func (w *Warp) holds(o *op, lanes uint32) uint32 {
	for _, g := range o.guards {
		b := g.read(w.path.file)
		w.step.Doubtful |= lanes &^ b.known
		lanes &= b.value | ^b.known
	}
	w.step.Doubtful &= lanes
	return lanes
}

// branchIndirect goes where a register says: lanes with the same target together.
func branchIndirect(w *Warp, o *op, lanes uint32) {
	p := w.path
	relative := int64(0)
	if strings.HasPrefix(o.in.Name, "BRX") {
		relative = o.in.Address + instructionSize
	}
	if w.step.Doubtful != 0 { // of a guard: the jump is not taken
		w.launch.doubt(UnknownLeave, o.index)
		lanes &^= w.step.Doubtful
		w.step.Doubtful = 0
	}
	for lanes != 0 {
		v, known := o.target64(p.file, active(lanes))
		if !known {
			w.anywhere(o, lanes)
			return
		}
		var same uint32
		for i := range WarpSize {
			if u, ok := o.target64(p.file, i); ok && u == v && lanes>>i&1 != 0 {
				same |= 1 << i
			}
		}
		lanes &^= same
		target := w.launch.at(relative + v)
		if target < 0 {
			w.launch.doubt(UnknownTarget, o.index)
			w.leave(same)
			return
		}
		if p.lanes == same {
			p.pc = target
		} else {
			p.lanes &^= same
			w.fork(p, same, target, false)
		}
		w.step.Taken |= same
	}
}

func (o *op) target64(f *file, lane int) (sum int64, known bool) {
	known = true
	for i := range o.sources {
		s := o.sources[i]
		v, ok := s.lane(f, lane)
		if s.fixed != nil && !s.wide {
			v = uint64(int64(int32(v)))
		}
		sum += int64(v)
		known = known && ok
	}
	return sum, known && len(o.sources) > 0
}

// anywhere goes to each of the targets that an indirect jump may have, one after the other.
func (w *Warp) anywhere(o *op, lanes uint32) {
	p := w.path
	l := w.launch
	block := l.blockOf[o.index]
	targets := l.Function.Blocks[block].Next
	if len(targets) == 0 || p.joined == maxJoins {
		l.doubt(UnknownTarget, o.index)
		w.leave(lanes)
		return
	}
	l.doubt(UnknownBranch, o.index)
	w.step.Taken = lanes
	if join := l.joins[block]; join >= 0 && len(targets) > 1 {
		w.forks++
		p.joins[p.joined] = junction{w.forks, l.Function.Blocks[join].From}
		p.joined++
	}
	for _, t := range targets[1:] {
		w.fork(p, lanes, l.Function.Blocks[t].From, true)
	}
	if first := l.Function.Blocks[targets[0]].From; p.lanes == lanes {
		p.pc = first
	} else {
		p.lanes &^= lanes
		w.fork(p, lanes, first, false)
	}
}

func decodeCall(d *decoder) {
	f := d.launch.Function
	if b := &f.Blocks[d.launch.blockOf[d.o.index]]; len(b.Calls) == 1 {
		d.o.target = f.Blocks[b.Calls[0]].From
	}
}

// The registers that a function of another section may change, by the calling convention of NVIDIA's compilers.
const firstKept = 24

// call goes to a subroutine. What one of another section does is not known: it is passed over.
func call(w *Warp, o *op, lanes uint32) {
	if d := w.step.Doubtful; d != 0 && w.launch.paper && o.target >= 0 {
		w.launch.doubt(UnknownBranch, o.index)
		w.both(lanes&^d, d, o.target, o.index+1)
		return
	}
	if w.step.Doubtful != 0 {
		kind := UnknownLeave
		if w.launch.slow(o.index) {
			kind = UnlikelyWay
		}
		w.launch.doubt(kind, o.index)
		lanes &^= w.step.Doubtful
		w.step.Doubtful = 0
	}
	if o.target >= 0 {
		if lanes != 0 {
			w.jump(o, lanes, o.target)
		}
		return
	}
	if lanes == 0 {
		return
	}
	w.launch.doubt(UnknownCall, o.index)
	if len(o.in.Operands) == 0 { // of code that was compiled here, which has no convention
		return
	}
	var none row
	for n := range firstKept {
		if n != 1 { // the stack
			w.path.file.set(n, lanes, &none, 0)
		}
	}
}
