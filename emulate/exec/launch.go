package exec

import (
	"cmp"
	"fmt"
	"slices"

	"gpuperf/device"
	"gpuperf/sass"
)

// Launch is one launch of a function, ready to be executed.
type Launch struct {
	Function    *sass.Function
	Grid, Block [3]uint32 // groups, and work-items of a group
	Memory      *Memory
	AtOnce      int64          // groups that run at once, if these are all; otherwise 0
	Asks        map[int32]bool // instructions that add 0 to a counter, to see what it holds

	ops       []op
	constants banks
	used      int // rows of general registers that the function names
	uniforms  int // the same of uniform ones
	loops     int
	inside    [][]int // of each instruction, the loops that it is in, from 1, the innermost first
	called    [][]int // of each instruction, the loops that call a subroutine that it is in
	blockOf   []int   // of each instruction
	joins     []int   // of each block, that where the ways from its end meet; -1 for none
	entries   []int   // of each block, from how many others it is reached
	cluster   [3]uint32
	others    map[uint64]int          // by barrier in local memory, how many of those that arrive there are of other groups of the cluster
	told      map[[3]uint32][]message // by group, what others of its cluster have told it alone
	trips     int                     // of loops that nothing is known of
	paper     bool                    // all ways are taken
	addresses bool                    // of bulk copies: their data is not needed
	doubts    map[Doubt]int
	decided   map[int]Origin // by instruction, what jumps followed from that nobody has said
	admitted  map[int]Origin // the same of whether lanes access memory
	addressed map[int]Origin // the same of addresses
}

// New binds a function to one launch of a job. The function's parameters lie where the cubin says, or else as C aligns the arguments.
// Buffers hold what they start with.
func New(f *sass.Function, job device.Job, assume Assumptions) (*Launch, error) {
	memory := newMemory()
	memory.overwritten = assume.Overwritten
	l := &Launch{Function: f, Memory: memory, doubts: map[Doubt]int{}, Asks: map[int32]bool{}, decided: map[int]Origin{}, admitted: map[int]Origin{}, addressed: map[int]Origin{}, others: map[uint64]int{}, told: map[[3]uint32][]message{}, trips: cmp.Or(assume.Trips, 1), paper: assume.Paper}
	if err := checkGrid(job); err != nil {
		return nil, err
	}
	l.Block, l.Grid = shape(job)
	l.cluster = [3]uint32{1, 1, 1}
	if job.Attributes != nil {
		for d, n := range job.Attributes.Cluster {
			l.cluster[d] = uint32(n)
		}
	}
	const most = 1024 // work-items of a work-group, in all versions of CUDA
	if items := int(l.Block[0]) * int(l.Block[1]) * int(l.Block[2]); items < 1 || items > most {
		return nil, fmt.Errorf("a group has %d work-items, and a device executes at most %d", items, most)
	}
	if err := l.registers(); err != nil {
		return nil, err
	}
	var err error
	if l.constants, err = constants(f, job, memory); err != nil {
		return nil, err
	}
	if err := l.variables(f, job); err != nil {
		return nil, err
	}
	if err := memory.check(); err != nil {
		return nil, err
	}
	l.decode(assume)
	return l, nil
}

// variables gives the program's variables their addresses. They start with what the job says, or else the program. Of what lies in constant banks
// nothing is known where the job sets it and does not say to what.
func (l *Launch) variables(f *sass.Function, job device.Job) error {
	for _, a := range f.Addresses {
		at := uint64(0)
		if i := slices.IndexFunc(job.Variables, func(v device.Arg) bool { return v.Name == a.Variable }); i >= 0 {
			at = l.Memory.place(job.Variables[i], nil)
		} else if data, ok := f.Variables[a.Variable]; ok && len(data) > 0 {
			at = l.Memory.place(device.Arg{Name: a.Variable, DType: "uint8", Count: int64(len(data))}, data)
		} else {
			continue
		}
		l.constants.words(a.Bank, uint64(a.At), uint32(at), uint32(at>>32))
	}
	for _, p := range f.Held {
		i := slices.IndexFunc(job.Variables, func(v device.Arg) bool { return v.Name == p.Variable })
		if i < 0 {
			continue
		}
		v := &job.Variables[i]
		l.constants.forget(p.Bank, uint64(p.At), p.Bytes)
		if !v.Said() {
			continue
		}
		data := make([]byte, min(v.Bytes(), int64(p.Bytes)))
		if err := v.Load(data, 0); err != nil {
			return fmt.Errorf("variable %s: %w", v.Name, err)
		}
		l.constants.set(p.Bank, uint64(p.At), data)
	}
	return nil
}

// doubt notes something that is not known.
func (l *Launch) doubt(kind Kind, index int) { l.doubts[Doubt{Kind: kind, Index: index}]++ }

// Doubts lists what was not known in all that was executed so far, by instruction.
func (l *Launch) Doubts() []Doubt {
	list := make([]Doubt, 0, len(l.doubts))
	for d, n := range l.doubts {
		d.Times = n
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Doubt) int { return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind)) })
	return list
}

// inLoop reports whether an instruction is in a loop.
func (l *Launch) inLoop(index, loop int) bool {
	return index >= 0 && slices.Contains(l.inside[index], loop)
}
