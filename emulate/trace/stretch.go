package trace

import (
	"math"
	"math/bits"
	"slices"

	"gpuperf/emulate/exec"
	"gpuperf/internal/lists"
	"gpuperf/sass"
)

// A long loop that does what data lets it do may still have a known number of iterations: where it ends by comparisons of numbers that change by constants, and
// all registers that jumps and addresses need change by constants, too. Such a loop is not executed to its end. Short stretches of it are, spread over all of
// its iterations, and between two of them as many instructions are counted for an iteration as the one before has.
//
// Where the number of iterations is known and data changes other registers, as a generator of random numbers does, and they would take long, stretches are executed of these as well: what changes by constants
// goes on by as many iterations as are left out, and all else stays as it is. So iterations that are executed follow each other as they would without those between them, and stand for as many.

const (
	stretchTurns = 16 // iterations of a stretch
	shortTurns   = 3  // the same where an iteration is long: its begin and two that end where the next one begins
	stretches    = 32 // of all iterations that are left when the first one has ended, at least
	drawnTimes   = 24 // times as many instructions as are kept before are executed of stretches of what data changes, and all where these are more than half
	leastDrawn   = 4  // such stretches
)

// stretch is some iterations of a long loop that are executed, between others that are not.
type stretch struct {
	turns  int
	before int64             // instructions that were counted before
	saved  [4]*exec.Snapshot // at its begin, and at the last three times that the warp came to the header
	lanes  uint32            // that are in it

	// What the comparisons that may end the loop compare in the iteration so far, in the first one of the stretch, and in the one before the last one. Loops inside of it drop their own.
	deciding, first, noted differences
}

// jumps is how a long loop is executed in stretches.
type jumps struct {
	stretch
	length int     // iterations of a stretch
	never  bool    // it is executed to its end
	drawn  bool    // data changes registers that decide
	each   []int64 // instructions of an iteration of each stretch of these, which is one but for the first
	left   int64   // iterations
	step   exec.Change
	steady []sass.Register // that change by step
	ends   []int           // comparisons that may end it
	gap    int64           // iterations between two stretches; 0 before the first one has ended
	gone   bool            // iterations were left out
	last   int64           // instructions of the stretch before
	square float64         // of by how many instructions what was counted for iterations between two stretches may be off, for all that were left out
}

// sample is called when the warp has come to the header of a long loop, and what it did since the last time is counted.
func (r *recorder) sample(l *long) {
	j := &l.jumps
	if j.never {
		return
	}
	if j.ends == nil {
		if j.ends = r.ends(l); j.ends == nil {
			j.never = true
			return
		}
	}
	lanes := r.w.Lanes()
	if !r.w.Together() || j.turns > 0 && lanes != j.lanes { // lanes have left: it begins anew
		j.turns = 0
	}
	keep := func(n int) {
		if j.saved[n] == nil {
			j.saved[n] = r.snapshot()
		}
		r.w.Save(j.saved[n])
	}
	if j.turns == 1 {
		j.first.copy(&j.deciding)
	}
	switch j.turns {
	case 0:
		if !r.w.Together() {
			return
		}
		j.before, j.lanes = l.count, lanes
		keep(0)
	case j.length - 2:
		keep(1)
	case j.length - 1:
		keep(2)
		j.noted.copy(&j.deciding)
	case j.length:
		keep(3)
		j.turns = 0
		if r.jump(l) {
			j.before = l.count
			keep(0)
			j.turns = 1
		}
		return
	}
	j.turns++
}

// jump leaves out iterations after a stretch. It reports whether another stretch begins.
func (r *recorder) jump(l *long) bool {
	j := &l.jumps
	if j.drawn && j.gone {
		return r.goOn(l)
	}
	list := r.decisive(r.headers[l.header])
	step, steady := exec.Between(j.saved[1], j.saved[2], j.saved[3], list)
	if steady = steady && step.Holds(j.saved[0], j.saved[3], uint32(j.length), list); !steady {
		step, j.steady = exec.Steady(j.saved, uint32(j.length), list)
		j.never = j.gone && !j.drawn || !j.straight()
		j.drawn = !j.never
	}
	if j.never {
		r.Uneven = r.Uneven || j.gone // what was left out was not as it was taken to be
		return false
	}
	left := min(j.turnsLeft(), step.Limit(j.saved[3]), r.w.TurnsLeft(l.header)) - 1
	counted := l.count - j.before
	if j.gap == 0 {
		j.gap = r.between(j, left, counted)
	}
	if left < 0 || j.gap < int64(j.length) {
		j.never = true
		return false
	}
	if j.gone {
		off := float64(counted-j.last) * float64(j.gap) / float64(2*j.length)
		j.square += off * off
	}
	j.last = counted
	n := min(j.gap, left)
	if n == 0 {
		return false
	}
	r.w.Forget(slices.DeleteFunc(slices.Clone(r.registers(r.headers[l.header])), func(r sass.Register) bool { return slices.Contains(list, r) }))
	r.omit(l, step, n, counted/int64(j.length))
	if j.drawn {
		j.step, j.left, j.each, j.length = step, left-n, []int64{counted / int64(j.length)}, 1
	}
	return true
}

// omit leaves out iterations, of about so many instructions each.
func (r *recorder) omit(l *long, step exec.Change, n, each int64) {
	r.w.Advance(step, n, l.header, 1)
	l.begun += n
	l.count += each * n
	l.gone = true
	l.cut()
}

// goOn leaves out iterations after another one of those that stand for others.
func (r *recorder) goOn(l *long) bool {
	j := &l.jumps
	counted := l.count - j.before
	j.left--
	if !j.step.Holds(j.saved[0], j.saved[3], 1, j.steady) {
		j.never, r.Uneven = true, true
		return false
	}
	off := float64(counted-j.each[len(j.each)-1]) * float64(j.gap) / 2
	j.square, j.each = j.square+off*off, append(j.each, counted)
	n := min(j.gap, j.left)
	if j.never = n <= 0; !j.never {
		r.omit(l, j.step, n, counted)
		j.left -= n
	}
	return !j.never
}

// between is how many iterations are left out between two stretches, of so many, where the first stretch has executed so many instructions.
func (r *recorder) between(j *jumps, left, counted int64) int64 {
	all := int64(stretches)
	if j.drawn {
		most := int64(drawnTimes * r.first)
		if left*counted < 2*most*int64(j.length) {
			return 0
		}
		all = max(most*int64(j.length)/counted, leastDrawn)
	}
	return left/all - int64(j.length)
}

// decisive are the registers that decide about jumps and addresses from a block on, but for those whose values are stored first.
func (r *recorder) decisive(block int) []sass.Register {
	if r.control == nil {
		r.control = neededBy(r.function, false)
	}
	return r.control.at(block)
}

// turnsLeft is for how many iterations all comparisons that may end a loop come out as in the last one; less than 0 where that is not known.
func (j *jumps) turnsLeft() int64 {
	left := int64(math.MaxInt32)
	for _, at := range j.ends {
		x, ok := j.noted.only(at)
		y, found := j.deciding.only(at)
		if !ok || !found || x.all[0].lanes != j.lanes || y.all[0].lanes != j.lanes {
			return -1
		}
		limit, _ := alikeFor(x, y)
		left = min(left, limit)
	}
	if left == math.MaxInt32 {
		return -1
	}
	return left
}

// straight reports whether all comparisons that may end the loop change by constants in the stretch.
func (j *jumps) straight() bool {
	for _, at := range j.ends {
		x, a := j.first.only(at)
		y, b := j.noted.only(at)
		z, c := j.deciding.only(at)
		if !a || !b || !c || x.all[0].lanes != j.lanes || y.all[0].lanes != j.lanes || z.all[0].lanes != j.lanes {
			return false
		}
		for n := range bits.OnesCount32(j.lanes) {
			last := z.value(&z.all[0], n)
			if last-x.value(&x.all[0], n) != int64(j.length-1)*(last-y.value(&y.all[0], n)) {
				return false
			}
		}
	}
	return true
}

// off is by how many instructions, of so many iterations, what was counted for those that were left out may be off: the stretches on both sides of some differ. Where data changes what they do, and the
// second half of the stretches executes more or fewer than the first one by more than chance, it may go on to do so.
func (j *jumps) off(iterations int64) int64 {
	off := math.Sqrt(j.square)
	if n := len(j.each); j.drawn && n >= leastDrawn {
		first, second, scatter := mean(j.each[:n/2]), mean(j.each[n/2:]), 0.0
		for _, x := range j.each {
			scatter += math.Pow(float64(x)-(first+second)/2, 2)
		}
		const deviations = 3 // of the difference of two halves
		if apart := math.Abs(first - second); apart > deviations*2*math.Sqrt(scatter)/float64(n) {
			off = max(off, apart*float64(iterations))
		}
	}
	return int64(off)
}

func mean(list []int64) (m float64) {
	return lists.Sum(list, func(x int64) float64 { return float64(x) / float64(len(list)) })
}

// ends are the comparisons that may end a loop; nil where it also ends by something else, or where an iteration may depend on those before by what these
// have stored.
func (r *recorder) ends(l *long) (list []int) {
	if l.inStep {
		return nil
	}
	f := r.function
	for i := range f.Instructions {
		if !r.Launch.Inside(i, l.loop) {
			continue
		}
		in, need := &f.Instructions[i], &r.needs.in[i]
		switch in.Name {
		case "EXIT", "RET", "BRX", "BRXU", "JMX", "JMXU", "CALL", "BREAK":
			return nil
		}
		if r.kinds[i] == counted || r.needs.holds(need.stores) {
			return nil
		}
		if slices.ContainsFunc(need.defines, func(n int) bool { return r.needs.registers[n].File == slot }) {
			return nil
		}
	}
	for b := range f.Blocks {
		block := &f.Blocks[b]
		last := block.To - 1
		if !r.Launch.Inside(last, l.loop) || !slices.ContainsFunc(block.Next, func(n int) bool { return !r.Launch.Inside(f.Blocks[n].From, l.loop) }) {
			continue
		}
		guard := f.Instructions[last].Guard.Register
		if by := predicatesOf(&f.Instructions[last]); len(by) != 1 || by[0] != guard {
			return nil
		}
		by := r.compared(guard, last, block.From, 0)
		if by < 0 {
			by = r.once(guard, l.loop)
		}
		if by < 0 {
			return nil
		}
		list = append(list, by)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// once is the comparison that alone gives a predicate its value in a loop, in another block than that which ends it; -1 where there is none, or another one.
func (r *recorder) once(predicate sass.Register, loop int) int {
	at := -1
	for i := range r.function.Instructions {
		in := &r.function.Instructions[i]
		if !slices.Contains(in.Defines(), predicate) || !r.Launch.Inside(i, loop) {
			continue
		}
		if at >= 0 || in.Guard != (sass.Guard{}) || r.kinds[i] != compares || len(predicatesOf(in)) > 0 {
			return -1
		}
		at = i
	}
	return at
}

// predicatesOf are the predicates that an instruction reads.
func predicatesOf(in *sass.Instruction) []sass.Register {
	return slices.DeleteFunc(in.Uses(), func(r sass.Register) bool { return r.File != sass.Predicate && r.File != sass.UniformPredicate })
}

// compared is the comparison that gives a predicate the value that it has at an instruction, in the block that begins at another one; -1 where something else
// does.
func (r *recorder) compared(predicate sass.Register, at, from, depth int) int {
	const deep = 4 // predicates that depend on each other: compilers nest no more in a loop's condition
	if depth > deep || predicate.File != sass.Predicate && predicate.File != sass.UniformPredicate {
		return -1
	}
	for i := at - 1; i >= from; i-- {
		in := &r.function.Instructions[i]
		if !slices.Contains(in.Defines(), predicate) {
			continue
		}
		others := predicatesOf(in)
		switch {
		case in.Guard != (sass.Guard{}):
			return -1
		case r.kinds[i] == compares && len(others) == 0:
			return i
		case (in.Name == "PLOP3" || in.Name == "UPLOP3") && len(others) == 1:
			return r.compared(others[0], i, from, depth+1)
		}
		return -1
	}
	return -1
}
