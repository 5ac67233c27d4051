package emulate

import (
	"cmp"
	"math"
	"slices"

	"gpuperf/emulate/timing"
)

// Where the lengths of blocks follow from data, or from places in a way that is no product along the axes of the grid, blocks are drawn from all of the grid, evenly
// spread. Each stands for those next to it.

// Bounds of what is drawn.
const (
	mostDraws  = 64        // blocks
	leastDraws = 16        // the same, where these are long
	mostDrawn  = 1_000_000 // instructions that are executed for the lengths of blocks, and again for those that are timed

	mostAlone   = 300_000   // the same of a warp: about 30 ms
	mostLongest = 2_000_000 // the same for the longest of a launch that is as long as that one
)

// golden is the part of the grid that lies between two blocks which are drawn one after the other: however many there are, they are spread evenly, and at no
// distance that an axis of the grid has, too.
const golden = 0.6180339887498949

// drawn is a block by its number, and how many instructions it executes.
type drawn struct {
	at     int64
	length float64
}

// draw finds the lengths of blocks from all of the grid. It is nil where they are alike.
func (e *emulation) draw() *lengths {
	l := &lengths{grid: e.grid}
	done, steps := e.builder.Steps, 0
	for k := range min(mostDraws, e.work.Groups) {
		if steps = e.builder.Steps - done; k >= leastDraws && steps > mostDrawn || steps > 2*mostDrawn {
			break
		}
		at := drawnAt(k, e.work.Groups)
		l.drawn = append(l.drawn, drawn{at, e.lengthOf(at, int(k), mostAlone)})
	}
	slices.SortFunc(l.drawn, func(a, b drawn) int { return cmp.Compare(a.at, b.at) })
	l.drawn = slices.CompactFunc(l.drawn, func(a, b drawn) bool { return a.at == b.at })
	n, sum, squares := float64(len(l.drawn)), 0.0, 0.0
	for _, d := range l.drawn {
		sum, squares = sum+d.length, squares+d.length*d.length
	}
	l.middle = sum / n
	if l.middle == 0 {
		return nil
	}
	l.apart = math.Sqrt(max(squares/n-l.middle*l.middle, 0)/n) / l.middle
	if l.spread() < alike && l.apart < alike-1 {
		return nil
	}
	return l
}

// longestDrawn is the number of the block that executes most of some that are drawn, by one warp of each: the first one, which was executed, where others execute hardly more.
func (e *emulation) longestDrawn() (number int64) {
	done, longest := e.builder.Steps, alike*instructions([]*timing.Block{e.block(e.index(0))})
	for k := range min(leastDraws, e.work.Groups) {
		if e.builder.Steps-done > mostLongest {
			break
		}
		at := drawnAt(k, e.work.Groups)
		if n := e.lengthOf(at, int(k), 2*mostAlone); n > longest {
			number, longest = at, n
		}
	}
	return number
}

// drawnAt is the number of a block of so many that is drawn.
func drawnAt(k, total int64) int64 {
	_, part := math.Modf((float64(k) + 0.5) * golden)
	return int64(part * float64(total))
}

// lengthOf is how many instructions a block executes, by its number: by one of its warps alone, up to so many, where that does not wait for ever.
func (e *emulation) lengthOf(number int64, warp, most int) float64 {
	at := e.index(number)
	if n, ok := e.builder.Alone(at, warp%int(e.warps), most); ok {
		return n * float64(e.warps)
	}
	return e.length([3]int64{int64(at[0]), int64(at[1]), int64(at[2])})
}

// next is which of the drawn blocks stands for one.
func (l *lengths) next(i int64) int {
	k, _ := slices.BinarySearchFunc(l.drawn, i, func(d drawn, i int64) int { return cmp.Compare(d.at, i) })
	if k == len(l.drawn) || k > 0 && i-l.drawn[k-1].at < l.drawn[k].at-i {
		k--
	}
	return k
}

// typical is the number of the block up to which a part of all that blocks execute is executed, of drawn ones: those that execute more stand for more of the time.
func (l *lengths) typical(part, of, total int64) int64 {
	if l.drawn == nil {
		return total * part / of
	}
	left := l.middle * float64(len(l.drawn)) * float64(part) / float64(of)
	for _, d := range l.drawn {
		if left -= d.length; left < 0 {
			return d.at
		}
	}
	return l.drawn[len(l.drawn)-1].at
}
