package bench

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"gpuperf/samples"
)

// results are what a kernel has written.
type results struct {
	words []byte
	of    *Measurement
	told  map[string]samples.Metric
}

func (r *results) word(i int64) int64 { return int64(binary.LittleEndian.Uint64(r.words[8*i:])) }

func (r *results) warps() int64 { return (r.of.Items + 31) / 32 }

// say tells a number of cycles, unless it is not positive.
func (r *results) say(name string, v float64) {
	if v > 0 {
		r.told[name] = samples.Metric{Value: v, Unit: "cycle"}
	}
}

// span is the time from the first beginning to the last end of the warps of a block.
func (r *results) span(block int64) float64 {
	first, last := int64(math.MaxInt64), int64(0)
	for w := block * r.warps(); w < (block+1)*r.warps(); w++ {
		if end := r.word(2*w + 1); end > 0 { // others have left before
			first, last = min(first, r.word(2*w)), max(last, end)
		}
	}
	return max(float64(last-first), 0)
}

// cycles tells the time of one of the operations that each warp does between its clocks, one after the other: all warps of a block together, and
// the mean over blocks.
func cycles(r *results) {
	sum := 0.0
	for b := range r.of.Blocks {
		sum += r.span(b)
	}
	r.say("cycles", sum/float64(r.of.Blocks*max(r.of.operations, 1)))
}

// cyclesOf is cycles where the number of operations is fixed.
func cyclesOf(operations int64) func(*results) {
	return func(r *results) { r.say("cycles", r.span(0)/float64(operations)) }
}

// meanWarp tells the mean time over warps, each by its own clocks, of one of so many operations.
func meanWarp(operations int64) func(*results) {
	return func(r *results) {
		sum, n := 0.0, r.of.Blocks*r.warps()
		for w := range n {
			sum += float64(r.word(2*w+1) - r.word(2*w))
		}
		r.say("cycles", sum/float64(n*operations))
	}
}

// passes tells the time of each pass of a block through its code, all warps together.
func passes(n int64) func(*results) {
	return func(r *results) {
		for p := range n {
			r.say(fmt.Sprintf("pass_%d", p), r.span(p))
		}
	}
}

// starts tells, of blocks that each have a multiprocessor alone, the median time from the end of one to the start of the next.
func starts(r *results) {
	type block struct{ begin, end int64 }
	of := map[int64][]block{}
	for b := range r.of.Blocks {
		at := b * r.warps() * 3
		one := block{r.word(at + 1), r.word(at + 2)}
		for w := range r.warps() {
			one.begin, one.end = min(one.begin, r.word(at+3*w+1)), max(one.end, r.word(at+3*w+2))
		}
		of[r.word(at)] = append(of[r.word(at)], one)
	}
	var gaps []float64
	for _, list := range of {
		slices.SortFunc(list, func(a, b block) int { return int(a.begin - b.begin) })
		for i := 1; i < len(list); i++ {
			gaps = append(gaps, float64(list[i].begin-list[i-1].end))
		}
	}
	if len(gaps) > 0 {
		slices.Sort(gaps)
		r.say("between", gaps[len(gaps)/2])
	}
	r.told["multiprocessors"] = samples.Metric{Value: float64(len(of))}
}
