package emulate

import (
	"slices"

	"gpuperf/emulate/timing"
)

// Blocks that have nothing to do are started as others are. Where they lie among others, both go on at the same time; where they come before or after those, as beyond the end
// of the data, the multiprocessor does the one and then the other.

const (
	phases      = 64   // parts of a launch, one after the other, that are looked at
	ofPhase     = 16   // blocks of a part
	mostlyAlike = 0.05 // by how much lengths of blocks that have nothing to do may differ
)

// idleParts is the part of blocks that have nothing to do, in each part of the launch; nil where there are none.
func (e *emulation) idleParts(some []*timing.Block) (parts []float64) {
	at := slices.IndexFunc(some, func(b *timing.Block) bool { return touches(b) == 0 })
	if at < 0 || !slices.ContainsFunc(some, func(b *timing.Block) bool { return touches(b) > 0 }) || e.work.Groups < phases*ofPhase {
		return nil
	}
	length := instructions(some[at : at+1])
	for p := range int64(phases) {
		idle := 0.0
		for k := range int64(ofPhase) {
			of := e.lengths.of((p*ofPhase + k) * e.work.Groups / (phases * ofPhase))
			if of > length*(1-mostlyAlike) && of < length*(1+mostlyAlike) {
				idle += 1. / ofPhase
			}
		}
		parts = append(parts, idle)
	}
	return parts
}

// classes are the blocks that have something to do, with as many further ones as make waves, and those that have not.
func (e *emulation) classes(some []*timing.Block, want int64) (out [2][]*timing.Block) {
	for _, b := range some {
		i := 0
		if touches(b) == 0 {
			i = 1
		}
		out[i] = append(out[i], b)
	}
	own := int64(len(out[0]))
	for i := own; i < want; i++ {
		out[0] = append(out[0], e.shifted(out[0][i%own], i/own))
	}
	return out
}

// inPhases is for how many cycles the launch runs where blocks that have nothing to do are apart from others, with something changed; 0 where there are none.
func (e *emulation) inPhases(c Change, ops []timing.Op, resident, bound int64) (cycles float64) {
	if e.idle == nil {
		return 0
	}
	var each [2]float64
	for i, class := range e.apartBlocks {
		m := e.machine(resident)
		o := timing.Options{Resident: int(resident), Most: bound / 2, Again: e.again, Ends: max(len(class)-int(resident), int(resident)+1), Enough: enoughTimed, Apart: c.machines(m, len(ops))}
		each[i] = perBlock(m.Run(ops, &dealt{blocks: c.blocks(class), most: max(int64(len(class)), 2*resident+1)}, o), resident)
	}
	for _, part := range e.idle {
		cycles += max((1-part)*each[0], part*each[1])
	}
	return cycles / phases * float64(e.work.Groups) / float64(e.busy) / timing.Cycle
}

// perBlock is how long a multiprocessor takes for each further block, in parts of a cycle.
func perBlock(r *timing.Result, resident int64) float64 {
	n := int64(len(r.Ends))
	switch {
	case n == 0:
		return 0
	case n <= resident:
		return float64(r.Last) / float64(n)
	}
	return float64(r.Ends[n-1]-r.Ends[resident-1]) / float64(n-resident)
}

// usual is a block that accesses memory for others, and the part of all blocks that it stands for: the one in the middle, or one of a few drawn from all where that one accesses
// less than half of what those do on average. Blocks that access next to nothing, as those that have nothing to do, are left out.
func (e *emulation) usual(at [3]uint32, middle *timing.Block) (place [3]uint32, block *timing.Block, share float64) {
	const (
		drawn = 16     // blocks: enough to tell an eighth of them from none
		idle  = 1. / 8 // of the accesses of others: those of a guard alone, as of a flag that is read
	)
	mean := touches(e.blocks...) / float64(max(len(e.blocks), 1))
	if e.lengths == nil && 2*touches(middle) >= mean {
		return at, middle, 1
	}
	type one struct {
		at    [3]uint32
		block *timing.Block
	}
	some, sum := []one{{at, middle}}, 0.0
	for k := range min(drawn, e.work.Groups) {
		other := e.index(drawnAt(k, e.work.Groups))
		if b := e.block(other); !b.Cut {
			some, sum = append(some, one{other, b}), sum+touches(b)
		}
	}
	mean = sum / float64(max(len(some)-1, 1))
	usual := some[0]
	for _, x := range some {
		if usual = x; 2*touches(x.block) >= mean {
			break
		}
	}
	busy := 0
	for _, x := range some[1:] {
		if touches(x.block) > idle*touches(usual.block) {
			busy++
		}
	}
	if busy == 0 {
		return usual.at, usual.block, 1
	}
	return usual.at, usual.block, float64(busy) / float64(len(some)-1)
}

// touches is how often the lanes of blocks access global memory.
func touches(blocks ...*timing.Block) (sum float64) {
	for _, b := range blocks {
		for _, w := range b.Warps {
			sum += touchesOf(w.Nodes)
		}
	}
	return sum
}

func touchesOf(nodes []timing.Node) (sum float64) {
	for i := range nodes {
		n := &nodes[i]
		if n.Body != nil {
			sum += float64(n.Times) * touchesOf(n.Body)
		}
		for j := range n.Events {
			if t := n.Events[j].Touch; t != nil && t.Space == timing.GlobalSpace {
				sum += float64(len(t.Lanes))
			}
		}
	}
	return sum
}

// farBeside are the distances at which a block is looked for that accesses memory: the nearest first, and as far as guards by a part of the grid leave out.
var farBeside = []int64{1, -2, 2, -4, 4, -16, 16, -64, 64}

// busyBeside is a block and one after it along an axis that both access memory, of which one is the one in the middle, where that before it does not; else that one and the middle.
func (w *walker) busyBeside(middle *timing.Block, d int, apart uint32, before *timing.Block) (first, second *timing.Block) {
	for _, n := range farBeside {
		to := int64(w.at[d]) + n*int64(apart)
		if to < 0 || to >= w.grid[d] {
			continue
		}
		at := w.at
		at[d] = uint32(to)
		b := w.block(at)
		if b.Cut || touches(b) == 0 {
			continue
		}
		w.at[d] = uint32(int64(w.at[d]) / max(n, -n)) // those between them, which do nothing, are not counted
		if n > 0 {
			return middle, b
		}
		return b, middle
	}
	return before, middle
}
