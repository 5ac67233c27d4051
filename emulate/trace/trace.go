// Package trace tells what the warps of a block execute, as package timing wants it: instructions in order, and the addresses that they
// access.
//
// The values come from package exec. Only those that decide about addresses and jumps are computed (needed.go). A loop whose iterations
// do the same at addresses that move by constants is left early: how many iterations are alike follows from the comparisons in it, which
// come out the same until a difference that changes by a constant changes its sign (loop.go). So its cost does not grow with the number of
// its iterations.
package trace

import (
	"math/bits"

	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// Builder makes traces of the blocks of a launch.
type Builder struct {
	Launch *exec.Launch
	Steps  int // instructions executed so far
	// Long are the instructions of iterations that others stand for (long.go), and Apart is by how many these are off.
	Long, Apart int64
	// Unlike is set when iterations stand for others that meet elsewhere.
	Unlike bool
	// Uneven is set when iterations were left out of a loop which did not go on as it had before.
	Uneven bool
	// Stuck is set when sub-groups of a block waited for each other.
	Stuck bool
	// Lost is set when a warp was taken no further in a loop that looks at other places each time, which may end or not.
	Lost bool
	// Awaits are instructions that load what a loop waits for until others store it.
	Awaits map[int32]bool
	// Endless are instructions that begin loops which would never end.
	Endless map[int32]bool

	needs    *needs
	control  *needs // without what is only stored; nil until it is asked for
	kinds    []kind
	headers  []int // of each instruction, the block that begins there; -1 for none
	calls    bool  // the function has subroutines
	ways     []ways
	room     room
	number   int64 // of the next warp
	before   int   // Steps that do not count for the budget
	function *sass.Function
	spare    []*exec.Snapshot
	notes    []notes           // of recorders that are done with
	shares   map[share]*shared // of the bytes that phases of barriers of the block wait for
	keeps    int               // instructions of a block that are kept before iterations stand for others
	whole    bool              // for tests: all iterations are executed
}

// Most is how many instructions are executed for one block at most. It takes about a tenth of a second to execute a million.
const Most = 12_000_000

// Instructions of all blocks after which those that follow are executed to see where they begin alone, and how many that takes.
const (
	budget   = 1_500_000
	fewSteps = 50_000
)

// New prepares the traces of a launch.
func New(l *exec.Launch) *Builder {
	f := l.Function
	b := &Builder{Launch: l, function: f, needs: needed(f), Awaits: map[int32]bool{}, Endless: map[int32]bool{}, keeps: mostKept}
	b.kinds = kinds(f, b.needs)
	l.Only(b.needs.result, b.needs.data[inGlobal] || b.needs.data[inShared])
	b.headers, b.ways = make([]int, len(f.Instructions)), make([]ways, len(f.Instructions))
	for i := range f.Instructions {
		b.headers[i], b.ways[i] = -1, waysOf(&f.Instructions[i])
	}
	for n, block := range f.Blocks {
		b.headers[block.From], b.calls = n, b.calls || len(block.Calls) > 0
	}
	return b
}

// Block executes a block.
func (b *Builder) Block(index [3]uint32) *timing.Block {
	g := b.Launch.Group(index)
	recorders := make([]*recorder, len(g.Warps))
	b.shares = map[share]*shared{}
	for i, w := range g.Warps {
		recorders[i] = b.recorder(w, b.keeps/len(g.Warps))
	}
	const turn = 4096 // as exec.Group.Run has it
	bound := Most
	if b.Steps-b.before > budget {
		bound = fewSteps
	}
	most := bound
	for went := true; went && most > 0; {
		went = false
		for i, w := range g.Warps {
			for n := 0; w.State() == exec.Ready && !recorders[i].ended && n < turn && most > 0; n++ {
				recorders[i].step()
				most--
				went = true
			}
		}
	}
	defer g.Release()
	if most > 0 && g.Learn() {
		b.Steps += bound - most
		return b.Block(index)
	}
	cut := b.Lost || most == 0 && !g.Ended()
	for _, w := range g.Warps {
		b.Stuck = b.Stuck || !cut && most > 0 && len(b.Endless) == 0 && w.State() != exec.Ended
	}
	b.Steps += bound - most
	out := &timing.Block{Cut: cut}
	for _, r := range recorders {
		out.Warps = append(out.Warps, b.told(r))
	}
	return out
}

// recorder is one of the next warp, before iterations of which so many instructions are kept.
func (b *Builder) recorder(w *exec.Warp, most int) *recorder {
	r := &recorder{Builder: b, w: w, number: b.number, most: most, first: most}
	if n := len(b.notes); n > 0 {
		r.notes, b.notes = b.notes[n-1], b.notes[:n-1]
		clear(r.turned)
	} else {
		r.turned = make([]int, len(b.function.Blocks))
	}
	b.number++
	return r
}

// told is what a recorder has noted, with what was counted so far of a long loop. It is done with.
func (b *Builder) told(r *recorder) *timing.Trace {
	if r.long != nil {
		r.stand(r.long)
	}
	r.free(r.loops)
	out := &timing.Trace{Nodes: nodes(r.items)}
	if len(r.items) > mostNoted || len(r.noted.all) > mostNoted {
		return out
	}
	clear(r.items)
	r.noted.reset()
	b.notes = append(b.notes, notes{r.items[:0], r.noted, r.turned})
	return out
}

// mostNoted is how many instructions of a warp are noted at most where the memory for them is used again, at some tens of bytes each.
const mostNoted = 1 << 14

// Again lets the blocks that follow be executed as if none had been before.
func (b *Builder) Again() { b.before = b.Steps }

// Whole executes a block as if none had been before, and those that follow as if it had not been.
func (b *Builder) Whole(index [3]uint32) *timing.Block {
	before, steps := b.before, b.Steps
	b.Again()
	defer func() { b.before = before + b.Steps - steps }()
	return b.Block(index)
}

// Alone is how many instructions a warp of a block executes, up to so many. The others are executed only as far as it waits for them. It reports false where it waits for ever.
func (b *Builder) Alone(index [3]uint32, warp, most int) (n float64, ok bool) {
	g := b.Launch.Group(index)
	defer g.Release()
	b.shares = map[share]*shared{}
	all := make([]*recorder, len(g.Warps))
	for i, w := range g.Warps {
		all[i] = b.recorder(w, mostAlone)
	}
	r, steps := all[warp], 0
	waits := func() bool { return r.w.State() != exec.Ready && r.w.State() != exec.Ended }
	for went := true; went; {
		went = false
		for _, other := range all {
			for other.w.State() == exec.Ready && !other.ended && steps < most && (other == r || waits()) {
				other.step()
				steps++
				went = true
			}
		}
	}
	b.Steps += steps
	for i, r := range all {
		if t := b.told(r); i == warp {
			n = float64(t.Count())
		}
	}
	return n, r.w.State() == exec.Ended || steps == most
}

// mostAlone is how many instructions of a warp are kept that is executed alone, before iterations stand for others.
const mostAlone = 4_096

// recorder notes what a warp executes.
type recorder struct {
	*Builder
	w      *exec.Warp
	number int64
	notes
	loops  []*loop // that the warp is in, as far as it has come back to their headers
	waits  spin
	lanes  [exec.WarpSize]int64 // what each compares, of the last comparison
	kept   int                  // instructions that were noted
	most   int                  // the same before iterations stand for others
	first  int                  // the same before the first that do
	long   *long
	around []int // blocks that begin loops around the last one that stood for others: an iteration of theirs ends then, and long ones are few
	ended  bool  // it goes no further, as it is in a loop that never ends
}

// notes are what recorders note, one after the other.
type notes struct {
	items  []item
	noted  differences
	turned []int // of each block, how often its first instruction was noted
}

// item is an instruction or a loop.
type item struct {
	event timing.Event
	node  *timing.Node // of a loop
}

// step executes an instruction.
func (r *recorder) step() {
	at := r.w.Next()
	if at >= len(r.function.Instructions) { // behind the end of the code, where the sub-group leaves
		r.w.Step()
		return
	}
	r.shorten(at)
	if len(r.loops) > 0 || r.long != nil && !r.long.never {
		r.note(at)
	}
	s := r.w.Step()
	var t *timing.Touched
	if way := &r.ways[s.Index]; way.bulk {
		t = bulk(s.Accesses, &s.Tile)
	} else if t = r.room.touched(s.Accesses, r.number); t != nil {
		t.Past, t.Given = way.bypass || t.Space == timing.GlobalSpace && way.coherent, way.given
		if way.joined {
			t.Conflicts = pass(t.Lanes, t.Width)
		}
	}
	r.items = append(r.items, item{event: timing.Event{Op: int32(s.Index), Off: s.Lanes == 0, Lanes: uint8(bits.OnesCount32(s.Lanes)), Touch: t, Meet: r.met(&s.Meeting, t)}})
	r.kept++
	if block := r.headers[at]; block >= 0 {
		r.turned[block]++
	}
	if s.State != exec.Ready {
		return
	}
	if next := r.w.Next(); next <= at && !r.whole && (r.long == nil || next != r.long.header) {
		if r.w.Together() {
			r.back(next)
		} else {
			r.apart(next)
		}
	}
}
