package emulate

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"gpuperf/emulate/timing"
	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
)

// lengths are how many instructions the blocks of a launch execute, where these are not alike: along each axis of the grid, those of some blocks over
// those of the block in the middle. What blocks between them execute is taken to lie between.
type lengths struct {
	grid   [3]int64
	middle float64
	axes   [3][]float64 // for each place along the axis; nil where all are alike
	drawn  []drawn      // in place of axes, some blocks that stand for those next to them, by their number
	apart  float64      // by how much the mean of drawn ones may be off by chance, in parts of it
}

const (
	alike         = 1.05 // lengths within this factor are taken as one
	looked        = 8    // parts of an axis whose ends are looked at
	severalAtOnce = 4    // blocks of a multiprocessor that all run at once: of fewer, the longest decides, which is looked for
	mostBig       = 64   // rounds of blocks that are dealt one by one; those before are all done at the same rate
)

// unequal looks for differences between the block in the middle and those at corners, and if there are any, along each axis; nil for none.
func (e *emulation) unequal() *lengths {
	if e.most <= e.resident && (e.most < severalAtOnce || e.grid[0] == e.work.Groups) || e.cluster(0)*e.cluster(1)*e.cluster(2) > 1 {
		return nil
	}
	middle, last := [3]int64{}, [3]int64{}
	for d, n := range e.grid {
		middle[d], last[d] = n/2, n-1
	}
	l := &lengths{grid: e.grid, middle: e.length(middle)}
	if l.middle == 0 || !e.cornersDiffer(last, l.middle) {
		return nil
	}
	for d, n := range e.grid {
		at := []int64{0, 1, n - 2, n - 1}
		for k := int64(1); k < looked; k++ {
			at = append(at, n*k/looked, n*k/looked+1)
		}
		at = slices.DeleteFunc(at, func(i int64) bool { return i < 0 || i >= n })
		slices.Sort(at)
		at = slices.Compact(at)
		values := make([]float64, len(at))
		for i, place := range at {
			if e.builder.Steps > mostDrawn/4 { // to look at so many blocks would take long
				return e.draw()
			}
			where := middle
			where[d] = place
			values[i] = e.length(where) / l.middle
		}
		if slices.ContainsFunc(values, func(v float64) bool { return !near(v, 1) }) {
			if !byPlace(at, values) {
				return e.draw()
			}
			l.axes[d] = between(at, values, n)
		}
	}
	if l.spread() < alike {
		return nil
	}
	if !l.product(e.length) {
		return e.draw()
	}
	return l
}

// cornersDiffer reports whether the first block, the last, or one that is first along an axis and last along all others is of another length than the one in the
// middle: the first, the middle and the last may all lie on a diagonal beside which nothing is done. Of long blocks only the first and the last are looked at.
func (e *emulation) cornersDiffer(last [3]int64, middle float64) bool {
	all := [][3]int64{{}, last}
	for d := range last {
		at := last
		at[d] = 0
		all = append(all, at)
	}
	for i, at := range all {
		if i > 1 && (at == all[0] || at == last || e.builder.Steps > mostDrawn/4) {
			continue
		}
		if !near(e.length(at), middle) {
			return true
		}
	}
	return false
}

// product reports whether the lengths along the axes tell those of all blocks, as their products, by the blocks at a quarter and at three quarters of
// each axis: not where the blocks above a diagonal have nothing to do.
func (l *lengths) product(length func(at [3]int64) float64) bool {
	const within = 0.1 // of all that these blocks execute
	var all, apart float64
	for k := range 1 << len(l.grid) {
		at, number := [3]int64{}, int64(0)
		for d, n := range slices.Backward(l.grid[:]) {
			at[d] = n * int64(1+k>>d&1*2) / 4
			number = number*n + at[d]
		}
		have := length(at)
		all, apart = all+have, apart+math.Abs(l.of(number)-have)
	}
	return apart < within*all
}

// byPlace reports whether values follow from their places, and not from data that is anywhere: then those of neighbours are more alike than any two. Half of
// the mean square of the difference of neighbours, over the variance, is about 1 where they are independent (von Neumann, "Distribution of the Ratio
// of the Mean Square Successive Difference to the Variance", 1941), and 0.4 for 4 places in a line. Fewer tell nothing.
func byPlace(at []int64, values []float64) bool {
	const few, most = 3, 0.6 // places that tell nothing; between 0.4 of a line and 1 of chance
	if len(at) <= few {
		return true
	}
	var sum, squares, apart, pairs float64
	for i, v := range values {
		sum, squares = sum+v, squares+v*v
		if i > 0 && at[i] == at[i-1]+1 {
			apart, pairs = apart+(v-values[i-1])*(v-values[i-1]), pairs+1
		}
	}
	n := float64(len(values))
	return apart/pairs/2 < most*(squares/n-sum/n*sum/n)
}

func near(a, b float64) bool { return a < b*alike && b < a*alike }

// length is how many instructions a block executes. One that was not executed to its end is taken to be as the one in the middle.
func (e *emulation) length(at [3]int64) (n float64) {
	b := e.block([3]uint32{uint32(at[0]), uint32(at[1]), uint32(at[2])})
	middle := [3]int64{e.grid[0] / 2, e.grid[1] / 2, e.grid[2] / 2}
	if b.Cut && at != middle {
		return e.length(middle)
	}
	return lists.Sum(b.Warps, func(w *timing.Trace) float64 { return float64(w.Count()) })
}

// between are values at all places from 0 to n, of which some are given.
func between(at []int64, values []float64, n int64) []float64 {
	out := make([]float64, n)
	for i := range at {
		out[at[i]] = values[i]
		for k := int64(1); i > 0 && k < at[i]-at[i-1]; k++ {
			part := float64(k) / float64(at[i]-at[i-1])
			out[at[i-1]+k] = values[i-1] + part*(values[i]-values[i-1])
		}
	}
	return out
}

// of is the length of a block, by its number among all.
func (l *lengths) of(i int64) float64 {
	if l.drawn != nil {
		return l.drawn[l.next(i)].length
	}
	v := l.middle
	for d, n := range l.grid {
		if l.axes[d] != nil {
			v *= l.axes[d][i%n]
		}
		i /= n
	}
	return v
}

// mean is the mean length of all blocks.
func (l *lengths) mean() float64 {
	v := l.middle
	if l.drawn != nil {
		return v
	}
	for _, axis := range l.axes {
		if axis != nil {
			sum := lists.Sum(axis, func(f float64) float64 { return f })
			v *= sum / float64(len(axis))
		}
	}
	return v
}

// spread is how much longer a block is that is among the longest tenth than the mean, or the mean than the median where few are much longer. Some that are shorter, as at an
// edge, make no difference.
func (l *lengths) spread() float64 {
	v, few := l.middle, 1.0
	if l.drawn != nil {
		sorted := slices.SortedFunc(slices.Values(l.drawn), func(a, b drawn) int { return cmp.Compare(a.length, b.length) })
		return sorted[len(sorted)*9/10].length / v
	}
	for _, axis := range l.axes {
		if axis != nil {
			sorted := slices.Sorted(slices.Values(axis))
			v *= sorted[len(sorted)*9/10]
			few *= sorted[len(sorted)/2]
		}
	}
	mean := l.mean()
	return max(v/mean, mean/(few*l.middle))
}

// mixed chooses blocks of all lengths that stand for those of a multiprocessor: in an order in which any that follow each other have about the mean
// length.
func (e *emulation) mixed(want int64) {
	done, most := e.builder.Steps, mostExecuted
	var some []*timing.Block
	var numbers []int64
	places := min(want, 2*looked)
	if e.lengths.drawn != nil {
		most = mostDrawn
		e.builder.Again()
	}
	for i := range places {
		if i > 2 && e.builder.Steps-done > most {
			break
		}
		k := turned(i, places)
		number := e.lengths.typical(2*k+1, 2*places, e.work.Groups)
		at := e.index(number)
		b := e.block(at)
		if b.Cut && i > 0 { // those before it stand for it
			continue
		}
		if len(some) == 0 {
			e.shown = at
		}
		some, numbers = append(some, b), append(numbers, number)
	}
	if e.blocks = some; len(some) == 1 {
		e.repeat(want)
		return
	}
	if int64(len(some)) < want && e.builder.Steps-done <= most {
		e.steps = e.turns(some, numbers)
	}
	if e.idle = e.idleParts(some); e.idle != nil {
		e.apartBlocks = e.classes(some, want)
	}
	for i := int64(len(some)); i < want; i++ {
		e.blocks = append(e.blocks, e.shifted(some[i%int64(len(some))], i/int64(len(some))))
	}
}

// longestOf is the longest of the blocks whose lengths are known, where all run at once: the launch takes as long as it does by itself at least.
func (e *emulation) longestOf() *timing.Block {
	if e.most > e.resident {
		return nil
	}
	at, longest := int64(0), 0.0
	look := func(i int64, length float64) {
		if length > longest {
			at, longest = i, length
		}
	}
	for _, d := range e.lengths.drawn {
		look(d.at, d.length)
	}
	for i := int64(0); i < e.work.Groups && e.lengths.drawn == nil; i++ {
		look(i, e.lengths.of(i))
	}
	if b := e.block(e.index(at)); !b.Cut {
		return b
	}
	return nil
}

// turns is how far the accesses of a block are from those of the block that comes before or after it on the same multiprocessor, by instruction: of the first of some, with their
// numbers, for which both access memory. Blocks farther apart would be copied onto others of these. nil where there is none.
func (e *emulation) turns(some []*timing.Block, numbers []int64) map[int32]timing.Step {
	for i, b := range some {
		if touches(b) == 0 {
			continue
		}
		for _, other := range []int64{numbers[i] - e.busy, numbers[i] + e.busy} {
			if other < 0 || other >= e.work.Groups {
				continue
			}
			o := e.block(e.index(other))
			if o.Cut || touches(o) == 0 {
				continue
			}
			if other > numbers[i] {
				return firsts(b, o)
			}
			return firsts(o, b)
		}
		return nil // one more would take as long, and tell as little
	}
	return nil
}

// turned is the place of a number in an order that goes through n of them in steps of about 0.6 n.
func turned(i, n int64) int64 {
	step := n*5/8 + 1
	for intmath.GCD(step, n) > 1 {
		step++
	}
	return i * step % n
}

// dealtOut is for how many cycles the launch runs, where a multiprocessor with as many blocks as it has room for executes so many instructions in a
// cycle: the next block goes to the multiprocessor that first has room for it, and those that are left at the end share nothing with others.
func (e *emulation) dealtOut(l *lengths, rate float64, resident int64) float64 {
	e.known.Do(func() {
		if e.shares == nil {
			e.alone(rate)
		}
	})
	slots := e.busy * resident
	first := max(e.work.Groups-mostBig*slots, 0)
	begin := float64(first) * l.mean() / rate / float64(e.busy)
	d := dealer{next: first, total: e.work.Groups, lengths: l, all: make([]*running, e.busy)}
	for i := range d.all {
		d.all[i] = &running{rates: make([]float64, resident+1), ends: make([]float64, 0, resident)}
		for k := range resident {
			d.all[i].rates[k+1] = rate * e.shares[min(k+1, e.resident)]
		}
	}
	for range resident {
		for _, m := range d.all {
			d.deal(m)
		}
	}
	heap.Init(&d)
	now := 0.0
	for len(d.all[0].ends) > 0 {
		m := d.all[0]
		now = m.at
		m.end()
		d.deal(m)
		heap.Fix(&d, 0)
	}
	return begin + now
}

// running is a multiprocessor: its blocks all have the same part of what it executes, and end in the order of what they had to execute.
type running struct {
	rates []float64 // instructions in a cycle, by how many blocks it has
	ends  []float64 // of blocks, in instructions that a block has executed which was there from the start; the greatest first
	done  float64   // such instructions until now
	now   float64   // cycles
	at    float64   // when the next block ends
}

func (m *running) end() {
	m.done, m.now = m.ends[len(m.ends)-1], m.at
	m.ends = m.ends[:len(m.ends)-1]
	m.ahead()
}

// ahead finds when the next block ends.
func (m *running) ahead() {
	if n := len(m.ends); n > 0 {
		m.at = m.now + (m.ends[n-1]-m.done)*float64(n)/m.rates[n]
	}
}

// dealer gives blocks to multiprocessors, of which the first is that where a block ends next; those without blocks come last.
type dealer struct {
	*lengths
	next, total int64
	all         []*running
}

func (d *dealer) Len() int      { return len(d.all) }
func (d *dealer) Swap(i, j int) { d.all[i], d.all[j] = d.all[j], d.all[i] }
func (d *dealer) Less(i, j int) bool {
	a, b := d.all[i], d.all[j]
	if len(a.ends) == 0 || len(b.ends) == 0 {
		return len(a.ends) > len(b.ends)
	}
	return a.at < b.at
}
func (d *dealer) Push(any) {}
func (d *dealer) Pop() any { return nil }

// deal gives a multiprocessor the next block.
func (d *dealer) deal(m *running) {
	if d.next >= d.total {
		return
	}
	end := m.done + d.of(d.next)
	d.next++
	at, _ := slices.BinarySearchFunc(m.ends, end, func(have, want float64) int { return cmp.Compare(want, have) })
	m.ends = slices.Insert(m.ends, at, end)
	m.ahead()
}

// alone measures what a multiprocessor executes in a cycle with fewer blocks at once, over what it does with all that it has room for.
func (e *emulation) alone(rate float64) {
	e.shares = make([]float64, e.resident+1)
	e.shares[e.resident] = 1
	known := int64(0)
	for k := int64(1); k < e.resident; k = min(2*k, e.resident) {
		s := &dealt{blocks: e.blocks, most: int64(len(e.blocks))}
		r := e.machine(k).Run(e.ops, s, timing.Options{Resident: int(k), Most: mostTimed / 4, Enough: enoughTimed / 4, Ends: len(e.blocks), Again: e.again})
		e.shares[k] = min(perCycle(r)/rate, 1)
		e.fill(known, k)
		known = k
	}
	e.fill(known, e.resident)
}

// fill sets the shares between two that are known.
func (e *emulation) fill(from, to int64) {
	for k := from + 1; k < to; k++ {
		e.shares[k] = e.shares[from] + (e.shares[to]-e.shares[from])*float64(k-from)/float64(to-from)
	}
}

// perCycle is how many instructions a run has executed in a cycle.
func perCycle(r *timing.Result) float64 {
	return float64(r.Issued) / float64(max(r.Last, 1)) * timing.Cycle
}

// mostEach is by how many cycles an instruction of a sub-group that runs alone is taken to come after the one before, at most, before it is timed.
const mostEach = 16

// tail is how many cycles a multiprocessor needs at least for rounds of blocks, each of which lasts until its longest sub-group has ended: that goes no faster than alone, however few
// instructions the others have. It is timed for so many instructions at most: what it does first need not be like what it does alone. It is 0 where so many cycles are enough in any case.
func (e *emulation) tail(m *timing.Machine, ops []timing.Op, blocks []*timing.Block, rounds, cycles float64, bound int64) float64 {
	sum, most := 0.0, 0.0
	var longest *timing.Trace
	for _, b := range blocks {
		if len(b.Warps) == 0 {
			continue
		}
		w := slices.MaxFunc(b.Warps, func(a, b *timing.Trace) int { return int(a.Count() - b.Count()) })
		n := float64(w.Count())
		if sum += n; n > most {
			longest, most = w, n
		}
	}
	mean := sum / float64(len(blocks))
	if longest == nil || rounds*mean*mostEach < cycles {
		return 0
	}
	r := m.Run(ops, &dealt{blocks: []*timing.Block{{Warps: []*timing.Trace{longest}}}, most: 1}, timing.Options{Resident: 1, Most: bound})
	if r.Stuck || r.Issued == 0 {
		return 0
	}
	each := float64(r.Finished) / timing.Cycle / most
	return math.Ceil(rounds) * mean * each
}
