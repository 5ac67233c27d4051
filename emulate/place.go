package emulate

import (
	"math"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
)

// place finds the word of global memory that most atomic operations meet at.
type place struct {
	sum, squares map[int64]float64 // of the operations of a block, by word
	block        map[int64]float64
}

// busiest is how many atomic operations of a block meet at the word that most do, at least. What differs between the blocks that were executed
// counts by as much less as it may differ by chance.
func (e *emulation) busiest() (most float64) {
	p := place{sum: map[int64]float64{}, squares: map[int64]float64{}}
	for _, b := range e.blocks {
		p.block = map[int64]float64{}
		for _, w := range b.Warps {
			p.visit(w.Nodes, nil)
		}
		for word, n := range p.block {
			p.sum[word] += n
			p.squares[word] += n * n
		}
	}
	n := float64(len(e.blocks))
	for word, sum := range p.sum {
		mean := sum / n
		spread := math.Sqrt(max(p.squares[word]/n-mean*mean, 0) / n)
		most = max(most, mean-spread)
	}
	return most
}

// visit counts the operations of nodes within loops of so many iterations.
func (p *place) visit(nodes []timing.Node, trips []int64) {
	for i := range nodes {
		if nodes[i].Body != nil {
			p.visit(nodes[i].Body, append(trips[:len(trips):len(trips)], nodes[i].Times))
		}
		for _, ev := range nodes[i].Events {
			t := ev.Touch
			if t == nil || !t.Atomic || t.Space != timing.GlobalSpace {
				continue
			}
			times := 1.0
			for level, n := range trips {
				if level >= len(t.Steps) || t.Steps[level].All == 0 && t.Steps[level].Each == nil {
					times *= float64(n)
				}
			}
			for _, a := range t.Lanes {
				p.block[a/wordBytes] += times
			}
		}
	}
}

const wordBytes = 4

// atomics is for how many cycles the device is busy with the word that most atomic operations of blocks meet at.
func (e *emulation) atomics(blocks float64) float64 {
	return e.meeting * blocks * e.Device.Value(facts.PlaceGap)
}
