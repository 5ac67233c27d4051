package trace

import (
	"math/bits"
	"slices"

	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// Banks of shared memory and of the first-level cache, and the bytes of a word of one (CUDA C++ Programming Guide, compute capability 5.x and later).
const (
	banks     = 32
	wordBytes = 4
	passBytes = banks * wordBytes // what the data path moves in a cycle
)

// privateAt is where the private memory of work-items begins, and privateBytes is that of a warp. It is beside all of global memory.
const (
	privateAt    = 1 << 48
	privateBytes = 1 << 24
)

var spaces = map[sass.Space]timing.Space{
	sass.Global: timing.GlobalSpace, sass.Generic: timing.GlobalSpace, sass.Local: timing.SharedSpace, sass.Private: timing.LocalSpace,
	sass.Bank: timing.ConstantSpace, sass.Cluster: timing.SharedSpace, sass.Textures: timing.GlobalSpace,
}

// touched is what timing needs to know of the accesses of a step; nil for none. number is that of the warp among all that are executed.
func touched(accesses []exec.Access, number int64) *timing.Touched {
	if len(accesses) == 0 {
		return nil
	}
	a := &accesses[0]
	t := &timing.Touched{
		Space: spaces[a.Space], Width: int64(a.Bytes), Store: a.Action == sass.Store, Atomic: a.Action == sass.Atomic,
		Unknown: bits.OnesCount32(a.Lanes &^ a.Known),
	}
	t.Lanes = make([]int64, 0, bits.OnesCount32(a.Known))
	for m := a.Known & a.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if t.Space == timing.LocalSpace {
			t.Lanes = private(t.Lanes, int64(a.Address[lane]), t.Width, int64(lane), number)
		} else {
			t.Lanes = append(t.Lanes, int64(a.Address[lane]))
		}
	}
	if t.Space == timing.LocalSpace {
		t.Width = min(t.Width, wordBytes)
	}
	t.Waves = waves(t)
	if t.Atomic {
		t.Conflicts = max(conflicts(t.Lanes), 1)
	}
	if len(accesses) > 1 {
		t.Copy = true
		if to := touched(accesses[1:], number); to != nil {
			t.Waves = max(t.Waves, to.Waves)
		}
	}
	return t
}

// private appends the addresses of the words of a lane in private memory, where words of the same address of all lanes lie side by side.
func private(list []int64, address, width, lane, number int64) []int64 {
	for at := address; at < address+width; at += wordBytes {
		list = append(list, privateAt+number*privateBytes+at/wordBytes*passBytes%privateBytes+lane*wordBytes)
	}
	return list
}

// halfWidth is the width of a lane above which the halves of a warp are served one after the other, even where they want the same (seen in
// the times of products of matrices on an H200: a load of 16 B by all lanes from one address takes two cycles, one of 8 B takes one).
const halfWidth = 8

// waves is how many cycles the data path is busy with an access: as many as there are different words of one bank, at most.
func waves(t *timing.Touched) (n int64) {
	if t.Space == timing.ConstantSpace {
		return 1
	}
	lanes := exec.WarpSize
	if t.Width > halfWidth {
		lanes /= 2
	}
	for first := 0; first < len(t.Lanes); first += lanes {
		n += pass(t.Lanes[first:min(first+lanes, len(t.Lanes))], t.Width)
	}
	if t.Space == timing.GlobalSpace {
		n = max(n, (distinct(t.Lanes, passBytes)+1)/2) // two lines are looked up in a cycle
	}
	n += int64(t.Unknown+1) / 2
	return max(n, 1)
}

// pass is how many words of one bank some lanes want at most.
func pass(lanes []int64, width int64) int64 {
	if inRow(lanes, width) {
		return (int64(len(lanes))*width + passBytes - 1) / passBytes
	}
	var words [banks][]int64
	most := 1
	for _, from := range lanes {
		for at := from / wordBytes; at <= (from+width-1)/wordBytes; at++ {
			b := &words[at%banks]
			if !slices.Contains(*b, at) {
				*b = append(*b, at)
				most = max(most, len(*b))
			}
		}
	}
	return int64(most)
}

// inRow reports whether lanes access a row of words, or all the same.
func inRow(lanes []int64, width int64) bool {
	if len(lanes) < 2 {
		return true
	}
	step := lanes[1] - lanes[0]
	if step != 0 && step != width || lanes[0]%wordBytes != 0 {
		return false
	}
	for i := 1; i < len(lanes); i++ {
		if lanes[i]-lanes[i-1] != step {
			return false
		}
	}
	return step > 0
}

func distinct(lanes []int64, unit int64) (n int64) {
	var seen [banks]int64
	for _, a := range lanes {
		if !slices.Contains(seen[:n], a/unit) {
			seen[n] = a / unit
			n++
		}
	}
	return n
}

// conflicts is how many lanes meet at one address at most.
func conflicts(lanes []int64) (most int64) {
	count := map[int64]int64{}
	for _, a := range lanes {
		count[a]++
		most = max(most, count[a])
	}
	return most
}
