package advice

import (
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
	"gpuperf/sass"
)

const (
	sectorBytes = memory.SectorBytes
	warpSize    = exec.WarpSize
	passBytes   = memory.Banks * memory.WordBytes // what the data path of shared memory moves in a cycle
)

// study is what rules look at.
type study struct {
	*emulate.Result
	code  *sass.Function
	ops   []use
	spent []float64 // of each instruction, the part of the time of warps
	waits map[timing.Reason]float64
	each  float64 // atomic operations on global memory of the launch for each place
}

// use is what warps do with an instruction.
type use struct {
	times     float64 // it is executed
	lanes     float64 // that take part, on average
	space     timing.Space
	accesses  bool
	store     bool
	atomic    bool
	width     int64
	sectors   float64 // of each access, and what would be enough
	enough    float64
	waves     float64 // cycles of the data path, and what would be enough
	fewest    float64
	conflicts float64
	mostLoops int
	one       bool     // all lanes access the same place
	arrays    []string // of global memory
	apart     int64    // bytes between the first two lanes, in the last access that has two
}

func look(r *emulate.Result) *study {
	s := &study{Result: r, code: r.Input().Function}
	s.ops = make([]use, len(s.code.Instructions))
	s.spent, s.waits = r.Spent()
	places, atomics, blocks := map[int64]bool{}, 0.0, float64(r.Effort.Blocks)
	r.Each(func(i *emulate.Instruction, times int64) {
		u := &s.ops[i.Op]
		u.add(i, float64(times))
		if t := i.Touch; t != nil && t.Space == timing.GlobalSpace && len(t.Lanes) > 0 {
			if name := r.Buffer(t.Lanes[0]); name != "" && !slices.Contains(u.arrays, name) {
				u.arrays = append(u.arrays, name)
			}
		}
		if t := i.Touch; t != nil && t.Atomic && t.Space == timing.GlobalSpace {
			for _, at := range t.Lanes {
				places[at] = true
				atomics += float64(times)
			}
		}
	})
	s.each = atomics / max(float64(len(places)), 1) * s.groups() / blocks
	for i := range s.ops {
		s.ops[i].average()
	}
	return s
}

func (u *use) add(i *emulate.Instruction, times float64) {
	u.times += times
	u.lanes += times * float64(i.Lanes)
	u.mostLoops = max(u.mostLoops, i.Loops)
	t := i.Touch
	if t == nil {
		return
	}
	u.accesses, u.space, u.store, u.atomic, u.width = true, t.Space, t.Store, t.Atomic, t.Width
	n := int64(len(t.Lanes) + t.Unknown)
	u.sectors += times * float64(int64(len(sectors(t.Lanes, t.Width)))+int64(t.Unknown))
	u.enough += times * float64((n*t.Width+sectorBytes-1)/sectorBytes)
	u.waves += times * float64(t.Waves)
	u.fewest += times * float64(fewest(n, t.Width))
	u.conflicts += times * float64(t.Conflicts)
	if len(t.Lanes) > 1 {
		u.apart = max(t.Lanes[1]-t.Lanes[0], t.Lanes[0]-t.Lanes[1])
	}
	u.one = len(t.Lanes) > 1 && slices.Min(t.Lanes) == slices.Max(t.Lanes)
}

func (u *use) average() {
	if u.times == 0 {
		return
	}
	for _, n := range []*float64{&u.lanes, &u.sectors, &u.enough, &u.waves, &u.fewest, &u.conflicts} {
		*n /= u.times
	}
}

// fewest is how many cycles the data path needs for so many lanes at least.
func fewest(lanes, width int64) int64 { return max((lanes*width+passBytes-1)/passBytes, 1) }

// sectors are the distinct sectors that lanes access.
func sectors(lanes []int64, width int64) (list []int64) {
	for _, at := range lanes {
		for s := at / sectorBytes; s <= (at+width-1)/sectorBytes; s++ {
			list = append(list, s)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// pick are the instructions of a kind, with the part of the time of warps that passes in them.
func (s *study) pick(is func(*use) bool) (in []bool, some bool) {
	in = make([]bool, len(s.ops))
	for i := range s.ops {
		if s.ops[i].times > 0 && is(&s.ops[i]) {
			in[i], some = true, true
		}
	}
	return in, some
}

// depends is how much the time depends on a parameter.
func (s *study) depends(kind emulate.Kind, units ...timing.Unit) (sum float64) {
	for _, p := range s.Sensitivity {
		if p.Kind == kind && slices.Contains(units, p.Unit) {
			sum += max(p.Value, 0)
		}
	}
	return sum
}

// groups are the work-groups of the launch.
func (s *study) groups() float64 {
	all := 1.0
	job := s.Input().Job
	for d := range job.Global {
		n := int64(1)
		if d < len(job.Local) {
			n = job.Local[d]
		}
		all *= float64((job.Global[d] + n - 1) / max(n, 1))
	}
	return all
}

func (s *study) multiprocessors() float64 { return s.Input().Device.Value(facts.Multiprocessors) }

// items are the work-items of a work-group.
func (s *study) items() int64 {
	n := int64(1)
	for _, v := range s.Input().Job.Local {
		n *= v
	}
	return n
}

// Where launches leave the size of work-groups and of the grid in the constant bank 0 (seen in what nvcc makes for sm_70 and later).
var (
	groupSize = []string{"c[0x0][0x0]", "c[0x0][0x4]", "c[0x0][0x8]"}
	gridSize  = []string{"c[0x0][0xc]", "c[0x0][0x10]", "c[0x0][0x14]"}
)

// reads reports whether the code reads a constant.
func (s *study) reads(place string) bool {
	for i := range s.code.Instructions {
		for _, o := range s.code.Instructions[i].Operands {
			if o.Text == place {
				return true
			}
		}
	}
	return false
}

// numbered reports whether the code asks for the number of a work-group along the first axis only to multiply it by the size of one: then the same work-items may be in
// groups of another size. It goes through the text, and takes a register to have what the last instruction before wrote into it.
func (s *study) numbered() bool {
	of := map[sass.Register]string{} // what registers have, of the number and the size
	for i := range s.code.Instructions {
		in := &s.code.Instructions[i]
		number, size, is := false, false, ""
		for _, o := range in.Operands {
			size = size || o.Text == groupSize[0]
			if o.Text == groupNumber {
				is = groupNumber
			}
		}
		for _, r := range in.Uses() {
			number, size = number || of[r] == groupNumber, size || of[r] == groupSize[0]
		}
		if number && !(size && (in.Name == "IMAD" || in.Name == "UIMAD")) {
			return false
		}
		if size && !number && (slices.Contains(moves, in.Name) || in.Has("MOV")) {
			is = groupSize[0]
		}
		for _, r := range in.Defines() {
			of[r] = is
		}
	}
	return true
}

// groupNumber is where code reads the number of a work-group along the first axis, and moves are instructions that copy.
const groupNumber = "SR_CTAID.X"

var moves = []string{"MOV", "UMOV", "LDC", "ULDC", "R2UR"}

// named reports whether an instruction has a name, and modifiers.
func (s *study) named(i int, name string, modifiers ...string) bool {
	in := &s.code.Instructions[i]
	for _, m := range modifiers {
		if !in.Has(m) {
			return false
		}
	}
	return in.Name == name
}

// lines are the arrays in global memory that instructions access, and their source lines, for sentences; addresses where they are not known.
func (s *study) lines(in []bool) string {
	var arrays []string
	for i := range in {
		for _, name := range s.ops[i].arrays {
			if in[i] && !slices.Contains(arrays, name) {
				arrays = append(arrays, name)
			}
		}
	}
	if len(arrays) == 0 {
		return s.Places(in)
	}
	return strings.Join(arrays, " and ") + ", " + s.Places(in)
}

// site is the array and the source line of the instruction of some in which most of the time passes.
func (s *study) site(in []bool) (array string, line int) {
	most := -1
	for i := range in {
		if in[i] && s.code.Instructions[i].Source.Line > 0 && (most < 0 || s.spent[i] > s.spent[most]) {
			most = i
		}
	}
	if most < 0 {
		return "", 0
	}
	if list := s.ops[most].arrays; len(list) > 0 {
		array = list[0]
	}
	return array, s.code.Instructions[most].Source.Line
}

// worst is the use of the instruction of some by which most sectors are accessed.
func (s *study) worst(in []bool) *use {
	most := 0
	for i := range in {
		if in[i] && (!in[most] || s.ops[i].times*s.ops[i].sectors > s.ops[most].times*s.ops[most].sectors) {
			most = i
		}
	}
	return &s.ops[most]
}
