package emulate

import (
	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
)

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
	seen, open := visits{}, map[int32]*swaps{}
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
