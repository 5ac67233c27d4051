package advice

import (
	"slices"

	"gpuperf/device/machine"
	"gpuperf/emulate"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// as times the launch with what a change makes of the accesses of some instructions.
func (s *study) as(in []bool, change func(*timing.Touched)) float64 {
	made := map[*timing.Touched]*timing.Touched{}
	return s.Again(emulate.Change{Events: func(i *emulate.Instruction) []emulate.Event {
		e := i.Event
		if in[e.Op] && e.Touch != nil {
			if made[e.Touch] == nil {
				t := *e.Touch
				change(&t)
				made[e.Touch] = &t
			}
			e.Touch = made[e.Touch]
		}
		return []emulate.Event{e}
	}})
}

// without times the launch without some instructions.
func (s *study) without(in []bool) float64 {
	return s.Again(emulate.Change{Events: func(i *emulate.Instruction) []emulate.Event {
		if in[i.Op] {
			return nil
		}
		return []emulate.Event{i.Event}
	}})
}

// together times the launch with fewer of some instructions: as if all lanes took part in each.
func (s *study) together(in []bool) float64 {
	credit := make([]float64, len(s.ops))
	return s.Again(emulate.Change{Events: func(i *emulate.Instruction) []emulate.Event {
		if in[i.Op] {
			if credit[i.Op] += float64(i.Lanes) / warpSize; credit[i.Op] < 1-1e-9 {
				return nil
			}
			credit[i.Op]--
		}
		return []emulate.Event{i.Event}
	}})
}

// coalesced lets the lanes of an access lie side by side. What a lane accesses in sequence is then apart by what all lanes access at once, so
// that as many bytes are accessed as before.
func coalesced(t *timing.Touched) {
	n := int64(len(t.Lanes))
	if n == 0 {
		return
	}
	first, before := t.Lanes[0]*n, float64(len(sectors(t.Lanes, t.Width)))
	lanes := make([]int64, n)
	for i := range lanes {
		lanes[i] = first + int64(i)*t.Width
	}
	steps := make([]timing.Step, len(t.Steps))
	for i, step := range t.Steps {
		if step.Each != nil {
			step.All += step.Each[0]
		}
		steps[i] = timing.Step{All: step.All * n}
	}
	t.Lanes, t.Steps, t.Waves = lanes, steps, fewest(n, t.Width)
	t.DRAM = min(1, t.DRAM*max(before/float64(len(sectors(lanes, t.Width))), 1))
}

// apart lets an access to shared memory have no conflicts.
func apart(t *timing.Touched) {
	t.Waves, t.Conflicts = fewest(int64(len(t.Lanes)+t.Unknown), t.Width), 1
}

// near lets an access be one to shared memory, without conflicts.
func near(t *timing.Touched) {
	apart(t)
	t.Space, t.Copy = timing.SharedSpace, false
}

// cached lets the second-level cache serve an access.
func cached(t *timing.Touched) { t.DRAM = 0 }

// launched emulates the launch with work-groups of another size, or a grid of another size, along the first axis; 0 where that cannot be, or
// other work is done.
func (s *study) launched(block, grid float64) float64 {
	in := *s.Input()
	in.Sensitivity, in.Regions = false, false
	in.Job.Local, in.Job.Global = slices.Clone(in.Job.Local), slices.Clone(in.Job.Global)
	groups := (in.Job.Global[0] + in.Job.Local[0] - 1) / in.Job.Local[0]
	in.Job.Local[0] = int64(float64(in.Job.Local[0]) * block)
	in.Job.Global[0] = int64(float64(groups)*grid+0.5) * in.Job.Local[0]
	r, err := emulate.Run(in)
	if err != nil || !r.Status.Finite() {
		return 0
	}
	if work := float64(r.Effort.Stands) / float64(max(s.Effort.Stands, 1)); work < 1-alike || work > 1+2*alike {
		return 0
	}
	return r.Seconds
}

// alike is by how much the instructions of launches differ at most that do the same, in parts.
const alike = 0.25

// room is how many work-groups run at once if each takes other resources.
func (s *study) room(change func(*machine.Group)) int64 {
	n, _ := s.Room(change)
	return n
}

// wider is the launch with several results by each work-item: what depends on loaded data, and loads, several times; addresses and control
// once. Registers are those of now, and those that hold such data for each further result.
type wider struct {
	*study
	by        int
	data      map[sass.Register]bool // that hold what depends on loaded data
	registers int64
}

func (s *study) wider(by int) *wider {
	w := &wider{study: s, by: by, data: map[sass.Register]bool{}}
	for changed := true; changed; {
		changed = false
		for i := range s.code.Instructions {
			if !w.work(i) && !w.loads(i) {
				continue
			}
			for _, r := range s.code.Instructions[i].Defines() {
				if !w.data[r] {
					w.data[r], changed = true, true
				}
			}
		}
	}
	for r := range w.data {
		if r.File == sass.General {
			w.registers++
		}
	}
	return w
}

// loads reports whether an instruction loads data.
func (w *wider) loads(i int) bool {
	u := &w.ops[i]
	return u.accesses && !u.store && u.space != timing.ConstantSpace
}

// work reports whether an instruction depends on loaded data.
func (w *wider) work(i int) bool {
	return slices.ContainsFunc(w.code.Instructions[i].Uses(), func(r sass.Register) bool { return w.data[r] })
}

// apart is how far the places of further results are in memory: beyond all that there is.
const farther = 1 << 40

// coarsened times the launch with so many results by each work-item and fewer work-groups.
func (w *wider) coarsened() float64 {
	return w.again(emulate.Change{Groups: 1 / float64(w.by)})
}

// unrolled times the launch with so many iterations of the innermost loops as one.
func (w *wider) unrolled() float64 {
	depth := 0
	for i := range w.ops {
		if w.loads(i) {
			depth = max(depth, w.ops[i].mostLoops)
		}
	}
	if depth == 0 {
		return 0
	}
	return w.again(emulate.Change{Trips: func(outer int, trips int64) int64 {
		if outer+1 < depth {
			return trips
		}
		return (trips + int64(w.by) - 1) / int64(w.by)
	}}, depth)
}

// again adds the copies of instructions to a change, those of loops of a depth alone where one is given.
func (w *wider) again(c emulate.Change, depth ...int) float64 {
	c.Ops = w.copied
	c.Events = w.spread(depth)
	c.Resident = w.room(func(g *machine.Group) { g.Registers = g.Registers + int64(w.by-1)*w.registers })
	if c.Resident = min(c.Resident, w.Blocks); c.Resident < 1 {
		return 0
	}
	return w.Again(c)
}

// copied are the instructions, and after them those of each further copy, with registers of their own.
func (w *wider) copied(ops []timing.Op) []timing.Op {
	numbers := uint16(0)
	for i := range ops {
		for _, r := range slices.Concat(ops[i].Defines, ops[i].Uses) {
			numbers = max(numbers, r+1)
		}
	}
	data := w.numbers(ops)
	out := slices.Clone(ops)
	for copy := 1; copy < w.by; copy++ {
		for i := range ops {
			op := ops[i]
			op.Defines, op.Uses = renamed(op.Defines, data, uint16(copy)*numbers), renamed(op.Uses, data, uint16(copy)*numbers)
			op.Stall = max(op.Stall/int64(w.by), timing.Cycle)
			out = append(out, op)
		}
	}
	for i := range ops {
		if w.work(i) {
			out[i].Stall = max(out[i].Stall/int64(w.by), timing.Cycle)
		}
	}
	return out
}

// spread executes the work of an instruction, in loops of the depth where one is given, once for each copy, each with addresses of its own.
func (w *wider) spread(depth []int) func(*emulate.Instruction) []emulate.Event {
	n := len(w.ops)
	moved := map[*timing.Touched][]*timing.Touched{}
	return func(i *emulate.Instruction) []emulate.Event {
		out := []emulate.Event{i.Event}
		op := int(i.Op)
		in := len(depth) == 0 || i.Loops == depth[0]
		if !in || !w.work(op) && (!w.loads(op) || w.ops[op].one) || w.named(op, "BAR") {
			return out
		}
		if i.Touch != nil && moved[i.Touch] == nil {
			for copy := range w.by {
				t := *i.Touch
				t.Lanes = slices.Clone(t.Lanes)
				if t.Space == timing.GlobalSpace {
					for l := range t.Lanes {
						t.Lanes[l] += int64(copy) * farther
					}
				}
				moved[i.Touch] = append(moved[i.Touch], &t)
			}
		}
		for copy := 1; copy < w.by; copy++ {
			e := i.Event
			e.Op += int32(copy * n)
			if e.Touch != nil {
				e.Touch = moved[i.Touch][copy]
			}
			out = append(out, e)
		}
		return out
	}
}

// numbers are the registers of data as the Ops number them.
func (w *wider) numbers(ops []timing.Op) map[uint16]bool {
	out := map[uint16]bool{}
	for i := range w.code.Instructions {
		in := &w.code.Instructions[i]
		for _, both := range []struct {
			registers []sass.Register
			numbers   []uint16
		}{{in.Defines(), ops[i].Defines}, {in.Uses(), ops[i].Uses}} {
			for k, r := range both.registers {
				if w.data[r] && k < len(both.numbers) {
					out[both.numbers[k]] = true
				}
			}
		}
	}
	return out
}

func renamed(list []uint16, data map[uint16]bool, by uint16) []uint16 {
	out := slices.Clone(list)
	for i, r := range out {
		if data[r] {
			out[i] += by
		}
	}
	return out
}
