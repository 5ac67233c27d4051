package trace

import (
	"math"
	"slices"

	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

// A long loop that does what data lets it do may still have a known number of iterations: where it ends by comparisons of numbers that change by constants, and
// all registers that jumps and addresses need change by constants, too. Such a loop is not executed to its end. Short stretches of it are, spread over all of
// its iterations, and between two of them as many instructions are counted for an iteration as the one before has.

const (
	stretchTurns = 16 // iterations of a stretch
	stretches    = 32 // of all iterations that are left when the first one has ended, at least
)

// stretch is some iterations of a long loop that are executed, between others that are not.
type stretch struct {
	turns  int
	before int64             // instructions that were counted before
	saved  [4]*exec.Snapshot // at its begin, and at the last three times that the warp came to the header
	noted  differences       // of the iteration before the last one
	lanes  uint32            // that are in it
}

// jumps is how a long loop is executed in stretches.
type jumps struct {
	stretch
	never  bool    // it is executed to its end
	ends   []int   // comparisons that may end it
	gap    int64   // iterations between two stretches; 0 before the first one has ended
	gone   bool    // iterations were left out
	last   int64   // instructions of the stretch before
	square float64 // of by how many instructions what was counted for iterations between two stretches may be off, for all that were left out
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
	switch j.turns {
	case 0:
		if !r.w.Together() {
			return
		}
		j.before, j.lanes = l.count, lanes
		keep(0)
	case stretchTurns - 2:
		keep(1)
	case stretchTurns - 1:
		keep(2)
		j.noted.copy(&r.noted)
	case stretchTurns:
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
	list := r.decisive(r.headers[l.header])
	step, ok := exec.Between(j.saved[1], j.saved[2], j.saved[3], list)
	if !ok || !step.Holds(j.saved[0], j.saved[3], stretchTurns, list) {
		j.never = true
		r.Uneven = r.Uneven || j.gone // what was left out was not as it was taken to be
		return false
	}
	left := min(r.left(j), step.Limit(j.saved[3]), r.w.TurnsLeft(l.header)) - 1
	if j.gap == 0 {
		j.gap = left/stretches - stretchTurns
	}
	if left < 0 || j.gap < stretchTurns {
		j.never = true
		return false
	}
	counted := l.count - j.before
	if j.gone {
		off := float64(counted-j.last) * float64(j.gap) / (2 * stretchTurns)
		j.square += off * off
	}
	j.last = counted
	n := min(j.gap, left)
	if n == 0 {
		return false
	}
	r.w.Advance(step, n, l.header, 1)
	r.w.Forget(slices.DeleteFunc(r.registers(r.headers[l.header]), func(r sass.Register) bool { return slices.Contains(list, r) }))
	l.begun += n
	l.count += counted * n / stretchTurns
	j.gone = true
	l.cut()
	return true
}

// decisive are the registers that decide about jumps and addresses from a block on, but for those whose values are stored first.
func (r *recorder) decisive(block int) []sass.Register {
	if r.control == nil {
		r.control = neededBy(r.function, false)
	}
	return r.control.at(block)
}

// left is for how many iterations all comparisons that may end a loop come out as in the last one; less than 0 where that is not known.
func (r *recorder) left(j *jumps) int64 {
	left := int64(math.MaxInt32)
	for _, at := range j.ends {
		x, ok := j.noted.only(at)
		y, found := r.noted.only(at)
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

// off is by how many instructions what was counted for iterations that were left out may be off: the stretches on both sides of some differ.
func (j *jumps) off() int64 { return int64(math.Sqrt(j.square)) }

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
			return nil
		}
		list = append(list, by)
	}
	slices.Sort(list)
	return slices.Compact(list)
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
