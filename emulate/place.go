package emulate

import (
	"math"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
)

// meeting is where the atomic operations of a launch on global memory meet, by what a block does on average.
type meeting struct {
	sectors float64 // that operations take one after the other, each as often as lanes meet at a word of it
	word    float64 // cycles for which the word is busy that most meet at
	slice   float64 // sectors at the part of the second-level cache that most meet in
}

// counted are the operations of blocks by place. What differs between the blocks that were executed counts by as much less as it may differ by chance.
type counted map[int64]*struct{ block, sum, squares float64 }

func (c counted) add(place int64, n float64) {
	if c[place] == nil {
		c[place] = &struct{ block, sum, squares float64 }{}
	}
	c[place].block += n
}

// end ends a block.
func (c counted) end() {
	for _, p := range c {
		p.sum, p.squares, p.block = p.sum+p.block, p.squares+p.block*p.block, 0
	}
}

// most is how many operations of a block meet at the place that most do, of so many blocks: at least, by so many deviations of the mean.
func (c counted) most(blocks, deviations float64) (most float64) {
	for _, p := range c {
		mean := p.sum / blocks
		spread := math.Sqrt(max(p.squares/blocks-mean*mean, 0) / blocks)
		most = max(most, mean-deviations*spread)
	}
	return most
}

// meetings finds where atomic operations meet.
func (e *emulation) meetings() (m meeting) {
	words, slices := counted{}, counted{}
	count := e.Device.Int(facts.L2Slices)
	blocks := e.evenly()
	for _, b := range blocks {
		for _, w := range b.Warps {
			atomics(w.Nodes, nil, 1, func(ev *timing.Event, times, here float64) {
				t, each := ev.Touch, e.Device.Value(facts.PlaceGap)
				if in := &e.Function.Instructions[ev.Op]; in.Has("F32") || in.Has("F64") {
					each = e.Device.Value(facts.PlaceFloat)
				}
				m.sectors += e.Device.Value(facts.AtomicLine) * t.Changed * times
				all, meets := map[int64]float64{}, map[int64]float64{}
				for _, a := range t.Lanes {
					all[a/wordBytes]++
					meets[a/sectorBytes] = max(meets[a/sectorBytes], all[a/wordBytes])
				}
				for word, n := range all {
					words.add(word, here*n*each)
				}
				for sector, n := range meets {
					m.sectors += n * times
					slices.add(slice(sector*sectorBytes/sliceBytes, count), n*here)
				}
			})
		}
		words.end()
		slices.end()
	}
	n := float64(max(len(blocks), 1))
	m.sectors /= n
	m.word, m.slice = words.most(n, 1), slices.most(n, 1)
	return m
}

// evenly are blocks from all of the grid, where those that are looked at have atomic operations: all of these may belong to one multiprocessor, and with that do what others
// do not.
func (e *emulation) evenly() []*timing.Block {
	const most = 64 // as many as differ by an eighth of what one does by chance
	some := false
	for _, b := range e.blocks {
		for _, w := range b.Warps {
			atomics(w.Nodes, nil, 1, func(*timing.Event, float64, float64) { some = true })
		}
	}
	if !some || e.lengths != nil || e.cluster(0)*e.cluster(1)*e.cluster(2) > 1 {
		return e.blocks
	}
	var list []*timing.Block
	for k, done := int64(0), e.builder.Steps; k < min(most, e.work.Groups); k++ {
		if e.builder.Steps-done > mostExecuted {
			return e.blocks
		}
		if b := e.block(e.index(drawnAt(k, e.work.Groups))); !b.Cut {
			list = append(list, b)
		}
	}
	if len(list) < len(e.blocks) && len(list) < most {
		return e.blocks
	}
	return list
}

// sliceBytes is how much memory in a row belongs to one part of the second-level cache (seen on an H200: testdata/h200/measurement/traffic.csv.gz,
// places).
const sliceBytes = 256

// slice is the part of the second-level cache that a place belongs to. Which one that is on a device nobody tells. Two places in which nothing but the second bit
// differs belong to one, eight such pairs in a row to different ones, and rows begin as if by chance: then those of 1 to 512 lines meet as often as on an H200 (the
// same: places 512 B apart, and atoms, by which 3.2, 4.4, 6.8 and 16 lines of 8, 32, 128 and 512 meet; here 4, 4, 7 and 16).
func slice(place, count int64) int64 {
	const row, apart = 8, 5 // pairs; 5 has no divisor with the number of parts
	pair := place>>2<<1 | place&1
	x := uint64(pair/row) * 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	return int64((x%uint64(count) + uint64(pair%row*apart)) % uint64(count))
}

// atomics visits the atomic operations on global memory of nodes that are executed so many times, within loops of so many iterations: with how often
// each is done, and how often at the same place.
func atomics(nodes []timing.Node, trips []int64, times float64, visit func(ev *timing.Event, times, here float64)) {
	for i := range nodes {
		if nodes[i].Body != nil {
			atomics(nodes[i].Body, append(trips[:len(trips):len(trips)], nodes[i].Times), times*float64(nodes[i].Times), visit)
		}
		for j := range nodes[i].Events {
			t := nodes[i].Events[j].Touch
			if t == nil || !t.Atomic || t.Space != timing.GlobalSpace {
				continue
			}
			here := 1.0
			for level, n := range trips {
				if level >= len(t.Steps) || t.Steps[level].All == 0 || t.Steps[level].Each != nil {
					here *= float64(n)
				}
			}
			visit(&nodes[i].Events[j], times, here)
		}
	}
}

const wordBytes = memory.WordBytes

// crowded is for how many cycles a multiprocessor has to itself, for each sector of its atomic operations, the part of the second-level cache that
// most of them meet in, or the word.
func (e *emulation) crowded() float64 {
	if e.met.sectors == 0 {
		return 0
	}
	most := max(e.met.word, e.met.slice*e.Device.Value(facts.SliceGap))
	return most / e.met.sectors * float64(e.busy)
}
