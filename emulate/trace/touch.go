package trace

import (
	"math/bits"
	"slices"
	"strings"

	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
	"gpuperf/sass"
)

// Banks of shared memory and of the first-level cache, and the bytes of a word of one (CUDA C++ Programming Guide, compute capability 5.x and later).
const (
	banks     = memory.Banks
	wordBytes = memory.WordBytes
	passBytes = banks * wordBytes // what the data path moves in a cycle
)

// privateAt is where the private memory of work-items begins, and privateBytes is that of a warp. It is beside all of global memory.
const (
	privateAt    = 1 << 48
	privateBytes = 1 << 24
)

// spaceOf is where timing has a space: generic accesses and textures in global memory.
func spaceOf(s sass.Space) timing.Space {
	switch s {
	case sass.Local, sass.Cluster:
		return timing.SharedSpace
	case sass.Private:
		return timing.LocalSpace
	case sass.Bank:
		return timing.ConstantSpace
	}
	return timing.GlobalSpace
}

// ways are what an instruction says of its accesses.
type ways struct {
	bulk             bool // they are those of a bulk copy
	bypass, coherent bool
	// joined are those of lanes that count the same, which are counted together, and that swap at a place, where the first one does:
	// testdata/h200/measurement/pieces.csv.gz, inside 0, swaps_inside 1.
	joined bool
	given  bool // they are those of arguments
}

func waysOf(in *sass.Instruction) ways {
	return ways{
		bulk: in.Opcode != nil && in.Opcode.Pipe == sass.TMA, bypass: in.Has("BYPASS"), coherent: coherent(in),
		joined: in.Name == "ATOMS" && (in.Has("POPC") || in.Has("CAST")),
		given:  slices.ContainsFunc(in.Operands, func(o sass.Operand) bool { return strings.HasPrefix(o.Text, "c[0x0]") }),
	}
}

// room is memory for accesses, many of them at once.
type room struct {
	touches []timing.Touched
	lanes   []int64
	before  [roomBefore]*timing.Touched // by a hash of their addresses: most accesses are at the places of others
}

// Room is made for so many accesses at once: 16 KB for their lanes, as much as the allocator gives without asking for more.
const (
	roomTouches = 64
	roomLanes   = roomTouches * exec.WarpSize
	roomBefore  = 4096
)

// touch is room for an access of so many lanes, which keep takes.
func (r *room) touch(lanes int) *timing.Touched {
	if len(r.touches) == 0 {
		r.touches = make([]timing.Touched, roomTouches)
	}
	if len(r.lanes) < lanes {
		r.lanes = make([]int64, roomLanes)
	}
	t := &r.touches[0]
	t.Lanes = r.lanes[:0:lanes]
	r.touches = r.touches[1:]
	return t
}

// keep takes the room of an access, which shares its addresses with one at the same places. It returns that; nil for none.
func (r *room) keep(t *timing.Touched) *timing.Touched {
	n := len(t.Lanes)
	if n == 0 {
		return nil
	}
	const prime = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio, as lineIndex of package timing has it
	hash := ((uint64(t.Lanes[0])*prime^uint64(t.Lanes[n/2]))*prime ^ uint64(t.Lanes[n-1])) * prime
	before := &r.before[hash>>32%roomBefore]
	if *before != nil && slices.Equal((*before).Lanes, t.Lanes) {
		t.Lanes = (*before).Lanes
		return *before
	}
	if &r.lanes[0] == &t.Lanes[0] { // not where they are more than lanes
		r.lanes = r.lanes[n:]
	}
	*before = t
	return nil
}

// coherent reports whether an access is to be seen by other multiprocessors, or sees what they do, as those of volatile variables: their first-level caches are not
// coherent, so that it passes them (PTX ISA, "Memory Consistency Model": strong operations of scope gpu and sys).
func coherent(in *sass.Instruction) bool {
	return in.Has("STRONG") && (in.Has("GPU") || in.Has("SYS"))
}

// touched is what timing needs to know of the accesses of a step; nil for none. number is that of the warp among all that are executed.
func (r *room) touched(accesses []exec.Access, number int64) *timing.Touched {
	if len(accesses) == 0 {
		return nil
	}
	a := &accesses[0]
	t := r.touch(bits.OnesCount32(a.Known))
	t.Space, t.Width, t.Store, t.Atomic = spaceOf(a.Space), int64(a.Bytes), a.Action == sass.Store, a.Action == sass.Atomic
	t.Unknown = bits.OnesCount32(a.Lanes &^ a.Known)
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
	if o := r.keep(t); o != nil && o.Space == t.Space && o.Width == t.Width && o.Store == t.Store && o.Unknown == t.Unknown && !o.Copy {
		t.Waves = o.Waves
	} else {
		t.Waves = waves(t)
	}
	if t.Atomic {
		t.Conflicts, t.Changed, t.Apart = conflicts(t), changed(t), linesApart(t)
	}
	if len(accesses) > 1 {
		t.Copy = true
		if to := r.touched(accesses[1:], number); to != nil {
			t.Waves = max(t.Waves, to.Waves, turned(t, to))
		}
	}
	return t
}

// turned is how many cycles the data path takes for copies to shared memory from several lines: as if for all lanes at once, and more, as lines come one
// after the other, by the times that their lanes would take alone (seen in the counters of an H200: products whose operands are copied by 4 B, to rows or
// to columns; testdata/h200/measurement/copies.csv.gz, turned).
func turned(from, to *timing.Touched) int64 {
	lines := map[int64][]int64{}
	for i, a := range from.Lanes {
		if i < len(to.Lanes) {
			lines[a/passBytes] = append(lines[a/passBytes], to.Lanes[i])
		}
	}
	if len(lines) < 2 || to.Waves*passBytes <= int64(len(to.Lanes))*to.Width {
		return 0
	}
	alone := int64(0)
	for _, lanes := range lines {
		alone += pass(lanes, to.Width)
	}
	return to.Waves + 3*alone/8
}

// private appends the addresses of the words of a lane in private memory, where words of the same address of all lanes lie side by side.
func private(list []int64, address, width, lane, number int64) []int64 {
	for at := address; at < address+width; at += wordBytes {
		list = append(list, privateAt+number*privateBytes+at/wordBytes*passBytes%privateBytes+lane*wordBytes)
	}
	return list
}

// together is how many lanes the data path serves at once: as many as a pass has room for, even where they want the same (testdata/h200/measurement/mem.csv.gz,
// rate_l1 and rate_sts of stride 0). Loads from shared memory take twice as many where lanes next to each other, or next but one, want the same, and those of
// a word take all (seen in the counters of products of matrices on an H200: testdata/h200/triton_further.jsonl.gz, ieee).
func together(t *timing.Touched) int {
	lanes := int(min(exec.WarpSize, passBytes/max(t.Width, 1)))
	if t.Space != timing.SharedSpace || t.Store {
		return lanes
	}
	if t.Width <= wordBytes {
		return exec.WarpSize
	}
	if paired(t.Lanes, 1) || paired(t.Lanes, 2) {
		return 2 * lanes
	}
	return lanes
}

// paired reports whether all lanes want the same as those that are so far from them.
func paired(lanes []int64, apart int) bool {
	for i := range lanes {
		if other := i ^ apart; other < len(lanes) && lanes[other] != lanes[i] {
			return false
		}
	}
	return true
}

// lookUps is how many lines of global memory are looked up in a cycle, wherever they lie (testdata/h200/measurement/mem.csv.gz, rate_l1, strides of 12 to
// 132 B; shapes.csv.gz, latency of lanes in lines of their own, 132 B and 1028 B apart).
const lookUps = 4

// waves is how many cycles the data path is busy with an access: as many as there are different words of one bank, at most. Constants come one address after the other, also where these
// lie in one word (testdata/h200/measurement/meeting.csv.gz, element: 16 bytes beside each other take as long as 16 words, 203 cycles, and one takes 38).
func waves(t *timing.Touched) (n int64) {
	if t.Space == timing.ConstantSpace {
		return max(distinct(t.Lanes, max(min(t.Width, wordBytes), 1))+int64(t.Unknown), 1)
	}
	lanes := max(together(t), 1)
	for first := 0; first < len(t.Lanes); first += lanes {
		n += pass(t.Lanes[first:min(first+lanes, len(t.Lanes))], t.Width)
	}
	if t.Space == timing.GlobalSpace {
		n = max(n, (distinct(t.Lanes, passBytes)+int64(t.Unknown)+lookUps-1)/lookUps)
	} else {
		n += int64(t.Unknown+meeting-1) / meeting
	}
	return max(n, 1)
}

// meeting is for how many lanes at random places one more word of a bank is wanted: of 32 lanes the bank that most want has 3.5 words in the mean.
const meeting = 8

// pass is how many words of one bank some lanes want at most.
func pass(lanes []int64, width int64) int64 {
	if inRow(lanes, width) {
		return (int64(len(lanes))*width + passBytes - 1) / passBytes
	}
	var first, count [banks]int16 // of each bank, the last of its words from 1, and how many these are
	var some [2 * banks]word
	words, most := some[:0], int16(1)
	for _, from := range lanes {
		for at := from / wordBytes; at <= (from+width-1)/wordBytes; at++ {
			bank := at % banks
			i := first[bank]
			for i > 0 && words[i-1].at != at {
				i = words[i-1].before
			}
			if i == 0 {
				words = append(words, word{at, first[bank]})
				first[bank] = int16(len(words))
				count[bank]++
				most = max(most, count[bank])
			}
		}
	}
	return int64(most)
}

// word is a word that lanes want, and the one before it of its bank, from 1.
type word struct {
	at     int64
	before int16
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
		if u := a / unit; (n == 0 || seen[n-1] != u) && !slices.Contains(seen[:n], u) {
			seen[n] = a / unit
			n++
		}
	}
	return n
}

// conflicts is how often an atomic operation is done one after the other. In shared memory, lanes of one bank are; in global memory, the
// sectors, each as often as lanes meet at a word of it (testdata/h200/measurement/mem.csv.gz, rate_atoms and rate_red by stride).
func conflicts(t *timing.Touched) (n int64) {
	if t.Space == timing.SharedSpace {
		var lanes [banks]int64
		for _, a := range t.Lanes {
			b := a / wordBytes % banks
			lanes[b]++
			n = max(n, lanes[b])
		}
		return max(n, 1)
	}
	words, sectors := map[int64]int64{}, map[int64]int64{}
	for _, a := range t.Lanes {
		words[a/wordBytes]++
		sectors[a/sectorBytes] = max(sectors[a/sectorBytes], words[a/wordBytes])
	}
	for _, times := range sectors {
		n += times
	}
	return max(n+int64(t.Unknown), 1)
}

// changed are the lines of global memory that an atomic operation changes, those of which it changes less than a sector in part
// (testdata/h200/measurement/ordered.csv.gz, sums of 1 to 32 lanes beside each other).
func changed(t *timing.Touched) (n float64) {
	if t.Space == timing.SharedSpace {
		return 0
	}
	lines := map[int64]int64{}
	for _, a := range t.Lanes {
		lines[a/passBytes] += t.Width
	}
	for _, bytes := range lines {
		n += min(float64(bytes)/sectorBytes, 1)
	}
	return n + float64(t.Unknown)*float64(t.Width)/sectorBytes
}

// linesApart is how many of the lines of global memory that an atomic operation changes lie apart from all others that it does, but for one, over as many as lanes can
// have: few seldom meet in a part of the cache (testdata/h200/triton_study.jsonl.gz, deposit: 4 lines take as long as in order).
func linesApart(t *timing.Touched) float64 {
	if t.Space == timing.SharedSpace {
		return 0
	}
	lines, alone := map[int64]bool{}, 0
	for _, a := range t.Lanes {
		lines[a/passBytes] = true
	}
	for line := range lines {
		if !lines[line-1] && !lines[line+1] {
			alone++
		}
	}
	return float64(max(alone-1, 0)) / (exec.WarpSize - 1)
}

const sectorBytes = memory.SectorBytes
