package trace

import (
	"math"
	"math/bits"

	"gpuperf/emulate/exec"
)

// difference is what decides in an iteration how many more are like it: what a comparison compares in each lane that executes it. Of an
// instruction whose result may change in any way it is a hash of what it reads.
type difference struct {
	at    int
	lanes uint32
	alike bool // these compare the same
	from  int  // where its values begin: one of each lane, or of all
	hash  uint64
}

// differences are some, one after the other, with their values.
type differences struct {
	all    []difference
	values []int64
}

func (d *differences) reset() { d.all, d.values = d.all[:0], d.values[:0] }

// hash adds that of an instruction which may change in any way.
func (d *differences) hash(at int, hash uint64) {
	d.all = append(d.all, difference{at: at, from: len(d.values), hash: hash})
}

// compare adds what lanes compare.
func (d *differences) compare(at int, lanes uint32, values *[exec.WarpSize]int64) {
	x := difference{at: at, lanes: lanes, alike: true, from: len(d.values)}
	first := values[bits.TrailingZeros32(lanes)%exec.WarpSize]
	for m := lanes; m != 0; m &= m - 1 {
		x.alike = x.alike && values[bits.TrailingZeros32(m)] == first
	}
	for m := lanes; m != 0; m &= m - 1 {
		d.values = append(d.values, values[bits.TrailingZeros32(m)])
		if x.alike {
			break
		}
	}
	d.all = append(d.all, x)
}

// value is what a lane compares: the one before which there are so many others.
func (d *differences) value(x *difference, others int) int64 {
	if x.alike {
		others = 0
	}
	return d.values[x.from+others]
}

// part are those from one to before another.
func (d *differences) part(from, to int) differences { return differences{d.all[from:to], d.values} }

// drop removes the first ones.
func (d *differences) drop(n int) {
	from := len(d.values)
	if n < len(d.all) {
		from = d.all[n].from
	}
	for i := n; i < len(d.all); i++ {
		d.all[i].from -= from
	}
	d.all, d.values = d.all[:copy(d.all, d.all[n:])], d.values[:copy(d.values, d.values[from:])]
}

// copy takes those of others.
func (d *differences) copy(o *differences) {
	d.all, d.values = append(d.all[:0], o.all...), append(d.values[:0], o.values...)
}

// only is that of an instruction that is executed once; none where it is not.
func (d *differences) only(at int) (one differences, ok bool) {
	for i := range d.all {
		if d.all[i].at == at {
			if ok {
				return differences{}, false
			}
			one, ok = d.part(i, i+1), true
		}
	}
	return one, ok
}

// leastAlike is how many more iterations must be alike for a loop to be left early.
const leastAlike = 2

// alikeFor is for how many more iterations all comparisons of the last one come out as they did, if the differences go on to change as they
// did from the one before. exact is whether they are all that decides. It looks no further where some of the iterations that follow are not alike.
func alikeFor(a, b differences) (limit int64, exact bool) {
	if len(a.all) != len(b.all) {
		return 0, false
	}
	limit, exact = math.MaxInt32, true
	for i := range b.all {
		if x, y := &a.all[i], &b.all[i]; x.at != y.at || x.lanes != y.lanes {
			return 0, false
		} else if x.hash != y.hash {
			exact = false
		}
	}
	for i := range b.all {
		x, y := &a.all[i], &b.all[i]
		lanes := bits.OnesCount32(y.lanes)
		if x.alike && y.alike {
			lanes = min(lanes, 1)
		}
		for n := range lanes {
			v := b.value(y, n)
			limit = min(limit, sameSign(v, v-a.value(x, n)))
			if limit < leastAlike || !exact && limit < math.MaxInt32 {
				return 0, false
			}
		}
	}
	return limit, exact
}

// sameSign is how often a step can be added until a number is negative, zero or positive as it was not before.
func sameSign(value, step int64) int64 {
	switch {
	case step == 0 || value > 0 && step > 0 || value < 0 && step < 0:
		return math.MaxInt32
	case value == 0:
		return 0
	case value < 0:
		value, step = -value, -step
	}
	return (value - 1) / -step
}
