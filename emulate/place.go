package emulate

import (
	"math"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
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

// most is how many operations of a block meet at the place that most do, of so many blocks: at least, by so many deviations of the mean, or as many more as the greatest of so many
// places is expected to be off by chance.
func (c counted) most(blocks, deviations float64) (most float64) {
	deviations = max(deviations, math.Sqrt(2*math.Log(float64(max(len(c), 1)))))
	for _, p := range c {
		mean := p.sum / blocks
		spread := math.Sqrt(max(p.squares/blocks-mean*mean, 0) / blocks)
		most = max(most, mean-deviations*spread)
	}
	return most
}

// together is by how much more than elsewhere operations that take longer than others do so where they meet in one part of the second-level cache (seen on an H200:
// testdata/h200/measurement/traffic.csv.gz, cas over exch and redd over red64: 1.3 with 131,072 lines, 1.95 and 1.83 with one).
const together = 1.45

// meetings finds where atomic operations meet: those of all blocks, and those of blocks that run at once, which may meet at places that move along the grid.
func (e *emulation) meetings() meeting {
	m := e.meetingsOf(e.evenly())
	room := e.resident * e.busy
	if m.sectors == 0 || room >= e.work.Groups {
		return m
	}
	var beside meeting
	for k := range int64(stretches) {
		list := e.scattered(drawnAt(k, e.work.Groups-room), room, mostCounted/stretches)
		if len(list) < mostCounted/stretches {
			return m
		}
		one := e.meetingsOf(list)
		beside.word, beside.slice = beside.word+one.word/stretches, beside.slice+one.slice/stretches
	}
	m.word, m.slice = max(m.word, beside.word), max(m.slice, beside.slice)
	return m
}

// meetingsOf is where atomic operations of some blocks meet.
func (e *emulation) meetingsOf(blocks []*timing.Block) (m meeting) {
	words, slices := counted{}, counted{}
	count := e.Device.Int(facts.L2Slices)
	for _, b := range blocks {
		for _, w := range b.Warps {
			atomics(w.Nodes, nil, 1, func(ev *timing.Event, times, here float64) {
				t, each, parts := ev.Touch, e.Device.Value(facts.PlaceGap), max(e.ops[ev.Op].Parts, 1)
				if in := &e.Function.Instructions[ev.Op]; in.Has("F32") || in.Has("F64") {
					each = e.Device.Value(facts.PlaceFloat)
				}
				m.sectors += e.Device.Value(facts.AtomicLine) * t.Changed * times * parts
				all, meets := map[int64]float64{}, map[int64]float64{}
				for _, a := range t.Lanes {
					all[a/wordBytes]++
					meets[a/sectorBytes] = max(meets[a/sectorBytes], all[a/wordBytes])
				}
				for word, n := range all {
					words.add(word, here*n*each)
				}
				for sector, n := range meets {
					m.sectors += n * times * parts
					if parts > 1 {
						n *= parts * together
					}
					slices.add(slice(sector*sectorBytes/sliceBytes, count), n*here)
				}
			})
		}
		words.end()
		slices.end()
	}
	n, deviations := float64(max(len(blocks), 1)), 1.0
	if len(blocks) < mostCounted/2 {
		deviations = 2 // what one of two or three blocks does alone is not what most do
	}
	m.sectors /= n
	m.word, m.slice = words.most(n, deviations), slices.most(n, deviations)
	return m
}

// mostCounted is how many blocks are looked at for where atomic operations meet: as many as differ by an eighth of what one does by chance.
const mostCounted = 64

// stretches are how many parts of the grid are looked at that run at once.
const stretches = 4

// evenly are blocks from all of the grid, where those that are looked at have atomic operations: all of these may belong to one multiprocessor, and with that do what others
// do not. Those that go on as others, whose addresses are written once, are left out.
func (e *emulation) evenly() []*timing.Block {
	some := false
	var own, list []*timing.Block
	for _, b := range e.blocks {
		if len(b.Warps) > 0 && b.Warps[0].Trips == nil {
			own = append(own, b)
		}
		for _, w := range b.Warps {
			atomics(w.Nodes, nil, 1, func(*timing.Event, float64, float64) { some = true })
		}
	}
	if !some || e.lengths != nil || e.cluster(0)*e.cluster(1)*e.cluster(2) > 1 {
		return own
	}
	list = e.scattered(0, e.work.Groups, mostCounted)
	if len(list) < len(own) && len(list) < mostCounted {
		return own
	}
	return list
}

// scattered are some blocks of so many from one on.
func (e *emulation) scattered(from, count, some int64) (list []*timing.Block) {
	for k, done := int64(0), e.builder.Steps; k < min(some, count) && e.builder.Steps-done <= mostExecuted; k++ {
		if b := e.block(e.index(from + drawnAt(k, count))); !b.Cut {
			list = append(list, b)
		}
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

// Loops that compare and swap in shared memory, as sums of floating-point numbers are made there, try again where another lane has been faster. A warp is executed as if it
// were alone, so that of m of its lanes that meet at a place one is done with each try. Where lanes of other warps come to the place at the same time, too, λ in all, a try of the warp is the last of
// λ/m of which one succeeds (testdata/h200/measurement/pieces.csv.gz, swaps_inside: each lane tries λ/2 times), and its answer comes as much later.

// swaps are the tries of a warp until all of its lanes are done, and how many of its lanes come to each place.
type swaps struct {
	tries  []*timing.Touched
	places map[int64]float64
}

// contend tells atomic operations of shared memory that try again of the other warps that do at the same time.
func (e *emulation) contend() {
	told := map[*timing.Touched]bool{}
	each := e.Device.Value(facts.SharedSwapCycles) * timing.Cycle
	for _, b := range e.blocks {
		turns := map[visit][]swaps{} // by instruction, and how often a warp has come to it
		for _, w := range b.Warps {
			e.swaps(w.Nodes, func(at visit, s swaps) { turns[at] = append(turns[at], s) })
		}
		for _, warps := range turns {
			all := map[int64]float64{}
			for _, s := range warps {
				for place, lanes := range s.places {
					all[place] += lanes
				}
			}
			for _, s := range warps {
				lanes, times := 0.0, 0.0
				for place, own := range s.places {
					lanes, times = lanes+own, times+all[place]
				}
				for _, t := range s.tries {
					if !told[t] {
						told[t] = true
						t.Later = int64(each * max(times/lanes-1, 0))
					}
				}
			}
		}
	}
}

// swaps visits the sequences of tries of a warp.
func (e *emulation) swaps(nodes []timing.Node, visit func(visit, swaps)) {
	seen, open := e.noVisits(), map[int32]*swaps{}
	trace.Each(nodes, func(ev *timing.Event) {
		t := ev.Touch
		if t == nil || !t.Atomic || t.Space != timing.SharedSpace || len(t.Lanes) == 0 || !e.Function.Instructions[ev.Op].Has("CAST") {
			return
		}
		s := open[ev.Op]
		if s == nil {
			s = &swaps{places: map[int64]float64{}}
			for _, at := range t.Lanes {
				s.places[at]++
			}
			open[ev.Op] = s
		}
		s.tries = append(s.tries, t)
		left := map[int64]bool{}
		for _, at := range t.Lanes {
			left[at] = true
		}
		if len(left) == len(t.Lanes) { // each lane is the last one at its place
			visit(seen.next(ev.Op), *s)
			delete(open, ev.Op)
		}
	})
}

// overwrite notes stores that all work-groups make to the same places, by the part of the second-level cache that these lie in.
func (e *emulation) overwrite(p *memory.Part) {
	if p.Scattered || moves(p.Groups[:]) || moves(p.Loops) {
		return
	}
	if e.stored == nil {
		e.stored, e.storedLines = map[int64]float64{}, map[int64]bool{}
	}
	sectors := map[int64]bool{}
	for _, at := range p.Lanes {
		sectors[(p.From+at)/sectorBytes] = true
		e.storedLines[(p.From+at)/lineBytes] = true
	}
	for s := range sectors {
		e.stored[slice(s*sectorBytes/sliceBytes, e.Device.Int(facts.L2Slices))] += p.Sectors / float64(len(sectors))
	}
}

// moves reports whether an access moves along one of some runs.
func moves(runs []memory.Run) bool {
	return slices.ContainsFunc(runs, func(r memory.Run) bool { return r.Count > 1 && (r.Stride != 0 || r.Anywhere) })
}

// joinedLines is up to how many lines a multiprocessor joins stores to before they leave (seen on an H200: testdata/h200/measurement/contended.csv.gz, stores to 16 lines and fewer are
// as fast as to any).
const joinedLines = 16

// overwritten is for how many cycles the part of the second-level cache is busy to which most of such stores go: it takes one sector after the other, for as long as of atomic
// operations (the same: to 64 lines 0.33, 1.15 and 2.58 cycles for 4, 16 and 32 sectors; here 0.33, 1.32 and 2.64).
func (e *emulation) overwritten() float64 {
	if len(e.storedLines) <= joinedLines {
		return 0
	}
	most := 0.0
	for _, n := range e.stored {
		most = max(most, n)
	}
	return most * e.Device.Value(facts.SliceGap)
}
