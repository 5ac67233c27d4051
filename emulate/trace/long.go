package trace

import (
	"slices"

	"gpuperf/emulate/timing"
)

// A loop whose iterations are not alike, as what they do follows from data, is executed to its end. But where that is long, only the first iterations are
// kept. Of those that follow, stretches at even distances are kept, and stand for all of them (window.go): how many there are, and how many instructions these take, is counted while
// they are executed. Where there are too few for that, the last iterations that were kept stand for them.

// Bounds of what is kept.
const (
	mostKept    = 60_000 // instructions of a block, before iterations stand for others
	meetingKept = 8      // times as many, where warps meet in the loop at barriers in shared memory, whose phases are not counted
	leastKept   = 2_048  // instructions of a warp that are kept between two such loops
	leastTurns  = 8      // iterations of a loop that are kept before some stand for others
	fewTurns    = 4      // the same of long ones
	longWait    = 16     // times as many, in which the iterations of a loop around one may become enough
	leastSample = 4_096  // instructions of those that stand for others, where as many are kept
	longTurn    = 2_048  // instructions of an iteration from which on it is long: few are kept and executed one after the other
	windowLimit = 4      // times what is kept before: what windows keep of a loop with such iterations
)

// long is a loop of which what follows is counted and not kept.
type long struct {
	loop       int // by its number, from 1
	header     int // its first instruction
	from, end  int // of items: the iterations that stand for others
	turns      int // how many these are
	begun      int64
	count      int64 // instructions of what is counted
	inStep     bool  // warps meet in the loop: they must all turn as often
	meetsOften bool  // at barriers in shared memory, whose phases follow each other: these cannot be counted so
	windows
	jumps
}

// shorten is called before an instruction is executed. It begins and ends loops that are counted.
func (r *recorder) shorten(at int) {
	if l := r.long; l != nil {
		if !r.w.In(l.loop) {
			r.stand(l)
		} else if at == l.header {
			r.tally(l)
			r.sample(l)
			l.deciding.reset()
			r.forget()
		}
		return
	}
	block := r.headers[at]
	if block < 0 || r.whole || r.kept < r.most && !(slices.Contains(r.around, block) && r.kept > longTurn*r.turned[block]) {
		return
	}
	loop := r.Launch.Heads(at)
	if loop == 0 {
		return
	}
	for outer := r.function.Blocks[block].Loop.Outer; outer != nil; outer = outer.Outer {
		switch turned := r.turned[outer.Header]; { // that one comes back to its header soon
		case turned >= leastTurns && r.kept < 2*r.most, turned > 1 && r.kept < longWait*r.first:
			return
		}
	}
	if r.turned[block] >= r.enough(r.kept/max(r.turned[block], 1)) && (r.kept >= meetingKept*r.most || !r.has(loop, "SYNCS")) {
		r.begin(loop, at)
	}
}

// enough is how many iterations must be kept of a loop before some stand for others, where each has so many instructions.
func (r *recorder) enough(each int) int {
	if each > longTurn {
		return fewTurns
	}
	return leastTurns
}

// begin lets the last iterations that were kept of a loop stand for what follows.
func (r *recorder) begin(loop, header int) {
	var starts []int // of iterations, the last one first
	kept, first := int64(0), len(r.items)
	for i := len(r.items) - 1; i >= 0; i-- {
		op := r.items[i].first()
		if !r.Launch.Inside(op, loop) {
			break
		}
		if op == header && r.items[i].node != nil { // iterations of the loop that were alike, of which nobody knows here how many
			break
		}
		kept += r.items[i].count()
		if op == header {
			starts, first = append(starts, i), i
			if len(starts) >= r.enough(int(kept)/len(starts)) && kept >= leastSample {
				break
			}
		}
	}
	if len(starts) < r.enough(int(kept)/max(len(starts), 1)) {
		return
	}
	half := len(starts)
	if first == starts[len(starts)-1] && kept < leastSample { // all that there is: the first half may be unlike the others
		half = (len(starts) + 1) / 2
	}
	l := &long{loop: loop, header: header, from: starts[half-1], end: len(r.items), turns: half}
	l.inStep = r.has(loop, "BAR") || r.has(loop, "SYNCS")
	l.windows = windows{turns: max(half/windowParts, min(half, leastWindow)), apart: 1, most: 4 * (l.end - l.from)}
	l.length = stretchTurns
	if !l.inStep && countOf([][]item{r.items[l.from:l.end]}) > int64(half)*longTurn {
		l.length, l.windows.turns, l.windows.limit = shortTurns, 1, windowLimit*r.first
	}
	r.long = l
	r.forget()
	r.flush(l)
}

// has reports whether a loop has instructions of a name.
func (r *recorder) has(loop int, name string) bool {
	for i := range r.function.Instructions {
		if r.function.Instructions[i].Name == name && r.Launch.Inside(i, loop) {
			return true
		}
	}
	return false
}

// forget drops what is known of iterations before.
func (r *recorder) forget() {
	r.free(r.loops)
	r.loops = r.loops[:0]
	r.noted.reset()
	r.waits = spin{saved: r.waits.saved}
}

// flush counts what was executed since the last iteration of a loop began, and drops what is known of it.
func (r *recorder) flush(l *long) {
	r.tally(l)
	r.forget()
}

// tally counts what was executed since the last iteration of a loop began.
func (r *recorder) tally(l *long) {
	for i := l.end; i < len(r.items); i++ {
		x := &r.items[i]
		l.count += x.count()
		l.meetsOften = l.meetsOften || x.meets()
	}
	if l.begun > 0 {
		l.keep(r.items[l.end:])
	}
	clear(r.items[l.end:])
	r.items = r.items[:l.end]
	l.begun++
}

// stand puts the iterations that stand for others in the place of what was counted, at the end of a loop.
func (r *recorder) stand(l *long) {
	outer := r.function.Blocks[r.headers[l.header]].Loop.Outer
	r.flush(l)
	l.begun--
	r.long = nil
	r.most = r.kept + max(r.most/4, leastKept)
	for r.around = r.around[:0]; outer != nil; outer = outer.Outer {
		r.around = append(r.around, outer.Header)
	}
	if l.meetsOften {
		r.Unlike = true
	}
	for _, s := range l.saved {
		if s != nil {
			r.spare = append(r.spare, s)
		}
	}
	from, parts, turns := l.from, [][]item{r.items[l.from:l.end]}, int64(l.turns)
	off := apart(l, parts, turns)
	kept := l.whole()
	if kept != nil && off > l.count/unlike {
		from, parts, turns = len(r.items), kept, int64(len(kept)*l.windows.turns)
		off = apart(l, parts, turns)
	} else {
		kept = nil
	}
	if l.begun > 0 {
		r.Long += l.count
		r.Apart += l.off(l.begun) + off
	}
	sample, each := slices.Concat(parts...), countOf(parts)
	times, rest := l.begun/turns, 0
	if l.inStep {
		rest = r.turn(sample, l.header, int(l.begun%turns))
	} else {
		times = l.count / max(each, 1)
		left := l.count - times*each
		for rest < len(sample) && left >= sample[rest].count() {
			left -= sample[rest].count()
			rest++
		}
	}
	moved := newMovement()
	for _, part := range parts {
		moved.add(drift(part))
	}
	tail := enclosed(nodes(sample[:rest]), moved)
	if kept == nil {
		times++ // with those that were kept
	} else {
		r.items = append(r.items, sample...)
	}
	r.repeat(from, moved, times)
	if again(tail, times); len(tail) > 0 {
		r.items = append(r.items, item{node: &timing.Node{Body: tail, Times: 1}})
	}
}

// unlike is in how many instructions of a long loop those that stand for it are off by one, from which on windows of it are better.
const unlike = 20

// apart is by how many instructions as many iterations as were counted are off, if they are as those that stand for them.
func apart(l *long, parts [][]item, turns int64) int64 {
	all := countOf(parts) * l.begun / turns
	return max(l.count-all, all-l.count)
}

func countOf(parts [][]item) (n int64) {
	for _, part := range parts {
		for i := range part {
			n += part[i].count()
		}
	}
	return n
}

// turn is how many of the items a number of iterations has.
func (r *recorder) turn(sample []item, header, turns int) (n int) {
	for i := range sample {
		if sample[i].node == nil && int(sample[i].event.Op) == header {
			if turns == 0 {
				return i
			}
			turns--
		}
	}
	return len(sample)
}

// again moves accesses by as many steps of the outermost loop around them.
func again(nodes []timing.Node, times int64) {
	for i := range nodes {
		again(nodes[i].Body, times)
		for j := range nodes[i].Events {
			t := nodes[i].Events[j].Touch
			if t == nil {
				continue
			}
			moved := *t
			moved.Lanes = make([]int64, len(t.Lanes))
			for k, at := range t.Lanes {
				moved.Lanes[k] = at + times*t.Steps[0].All
			}
			nodes[i].Events[j].Touch = &moved
		}
	}
}

// first is the first instruction of an item.
func (x *item) first() int {
	n := x.node
	if n == nil {
		return int(x.event.Op)
	}
	for n.Body != nil {
		n = &n.Body[0]
	}
	return int(n.Events[0].Op)
}

// count is how many instructions an item stands for.
func (x *item) count() int64 {
	if x.node == nil {
		return 1
	}
	return (&timing.Trace{Nodes: []timing.Node{*x.node}}).Count()
}

// meets reports whether warps meet at a barrier in shared memory.
func (x *item) meets() (some bool) {
	if x.node == nil {
		return meetsInShared(&x.event)
	}
	Each([]timing.Node{*x.node}, func(e *timing.Event) { some = some || meetsInShared(e) })
	return some
}

func meetsInShared(e *timing.Event) bool {
	return e.Meet != nil && e.Meet.Kind != timing.Sync && e.Meet.Kind != timing.Signal
}

// drift is how far accesses move from some iterations to as many that follow: those whose first lane moves in one direction nearly always go on so. Those that are
// anywhere stay, as the same places are as good as others.
func drift(sample []item) movement {
	type path struct {
		touches     []*timing.Touched
		first, last int64
		forth, back int
	}
	moved := newMovement()
	paths := map[int32]*path{}
	each(sample, func(e *timing.Event) {
		if e.Meet != nil {
			moved.meets[e.Meet] = 0
		}
		t := e.Touch
		if t == nil {
			return
		}
		moved.touches[t] = timing.Step{}
		if len(t.Lanes) == 0 {
			return
		}
		p := paths[e.Op]
		if p == nil {
			p = &path{first: t.Lanes[0], last: t.Lanes[0]}
			paths[e.Op] = p
		}
		switch at := t.Lanes[0]; {
		case at > p.last:
			p.forth++
		case at < p.last:
			p.back++
		}
		p.touches, p.last = append(p.touches, t), t.Lanes[0]
	})
	const nearly = 10 // one of as many may go the other way
	for _, p := range paths {
		if n := int64(len(p.touches)); n > 1 && min(p.forth, p.back)*nearly <= max(p.forth, p.back) {
			step := timing.Step{All: (p.last - p.first) * n / (n - 1)}
			for _, t := range p.touches {
				moved.touches[t] = step
			}
		}
	}
	return moved
}
