package machine

import (
	"cmp"
	"fmt"
	"slices"

	"gpuperf/compile/ssa"
	"gpuperf/internal/lists"
)

// A spiller keeps units in private memory where more registers are needed than there are: they are stored where they are computed, and loaded where they are
// used. What one instruction makes of nothing, such as a parameter, is made again in place of that.
type spiller struct {
	*function
	limit int      // registers
	at    int64    // bytes of the stack so far
	frame *operand // how many bytes the stack has
	short set      // units that live from a load to a use
}

// mostSpills bounds how often registers are given out anew, each time with more in memory.
const mostSpills = 40

// spill is allocate with a limit.
func (f *function) spill(limit int) (numbers []int, most int, err error) {
	s := &spiller{function: f, limit: limit, at: f.stackBytes(), short: newSet(len(f.group))}
	for _, c := range f.blocks {
		for _, in := range c.ends { // behind which nothing can be stored
			for _, u := range in.uses {
				s.short.add(unit(f.group[u]))
			}
		}
	}
	numbers, most, err = f.allocate()
	for range mostSpills {
		if err != nil || most <= limit {
			return numbers, most, err
		}
		if !s.more(most) {
			break
		}
		numbers, most, err = f.allocate()
	}
	if err == nil && most > limit {
		err = fmt.Errorf("it takes %d registers and may have %d", most, limit)
	}
	return numbers, most, err
}

// more puts some units into memory: those that are needed for long and used seldom where most are needed. It reports false where none are left.
func (s *spiller) more(most int) bool {
	over := most - s.limit
	benefit, cost := s.pressing(over)
	var order []unit
	for u := range benefit {
		if s.size[u] > 0 && benefit[u] > 0 && !s.short.has(unit(u)) {
			order = append(order, unit(u))
		}
	}
	worth := func(u unit) float64 { return float64(benefit[u]) * float64(s.size[u]) / cost[u] }
	slices.SortStableFunc(order, func(a, b unit) int { return cmp.Compare(worth(b), worth(a)) })
	words := 0
	for _, u := range order {
		if words >= max(over/2, 1) {
			break
		}
		s.toMemory(u)
		words += int(s.size[u])
	}
	return words > 0
}

// turnsWeight is how often a loop is taken to turn.
const turnsWeight = 10

// pressing finds, for the first unit of each group, at how many of the places where the most registers are needed it is, and what its accesses cost.
func (s *spiller) pressing(over int) (benefit []int, cost []float64) {
	n := len(s.group)
	benefit, cost = make([]int, n), make([]float64, n)
	behind := s.live()
	most := 0
	s.places(behind, func(_ *code, live set, _ *instruction) { most = max(most, s.general(live)) })
	s.places(behind, func(c *code, live set, in *instruction) {
		weight := 1.0
		for l := c.block.Loop; l != nil; l = l.Outer {
			weight *= turnsWeight
		}
		for _, list := range [][]unit{in.uses, in.defines} {
			for _, u := range list {
				cost[s.group[u]] += weight
			}
		}
		if s.general(live) > most-over {
			live.each(func(u unit) {
				if s.class[u] == classGeneral && u != s.stack && !slices.Contains(in.uses, u) {
					benefit[s.group[u]]++
				}
			})
		}
	})
	return benefit, cost
}

// places visits all instructions with what is needed before each.
func (s *spiller) places(behind map[*code]set, visit func(*code, set, *instruction)) {
	for _, c := range s.blocks {
		live := slices.Clone(behind[c])
		c.all(func(in *instruction) {
			in.step(live)
			visit(c, live, in)
		})
	}
}

// general is how many registers units take.
func (s *spiller) general(live set) (n int) {
	live.each(func(u unit) {
		if s.class[u] == classGeneral {
			n++
		}
	})
	return n
}

// toMemory keeps the group of a unit in memory, or makes it again.
func (s *spiller) toMemory(first unit) {
	again := s.again(first)
	var at int64
	if again == nil {
		s.begin()
		words := int64(s.size[first])
		if words == 3 {
			words = 4
		}
		at = (s.at + 4*words - 1) / (4 * words) * 4 * words
		s.at = at + 4*words
		s.frame.value = int64(uint32(-(s.at + stackAlign - 1) / stackAlign * stackAlign))
	}
	for _, c := range s.blocks {
		var list []*instruction
		u, last := none, 0
		for _, in := range c.list {
			if in == again {
				continue
			}
			uses, defines := s.touches(in.uses, first), s.touches(in.defines, first)
			if !uses && !defines {
				list = append(list, in)
				continue
			}
			if known := u != none && len(list)-last <= nearUses; !known {
				u = s.instead(first)
				if uses || !s.whole(in, first) {
					list = append(list, s.load(again, u, at, in.line))
				}
			}
			s.exchange(in, first, u)
			list = append(list, in)
			last = len(list)
			if defines {
				list = append(list, s.store(u, at, in.line))
			}
		}
		c.list = list
	}
}

// nearUses is how many instructions may lie between two that use the same register without another load.
const nearUses = 3

// begin gives the function a stack.
func (s *spiller) begin() {
	if s.frame != nil {
		return
	}
	first := s.blocks[0]
	if s.stack == none {
		s.now = &code{}
		s.stack = s.newUnits(1)[0]
		s.emit("MOV", []operand{reg(s.stack)}, text("c[0x0][0x28]"))
		s.emit("IADD3", []operand{reg(s.stack)}, reg(s.stack), imm(0), reg(none))
		first.list = append(s.now.list, first.list...)
		s.grow()
	}
	isStack := func(in *instruction) bool { return slices.Contains(in.defines, s.stack) }
	prologue := lists.Where(first.list, func(in *instruction) bool { return isStack(in) })
	first.list = append(prologue, slices.DeleteFunc(first.list, isStack)...)
	s.frame = &prologue[1].operands[2]
}

// instead makes units in place of a group for one instruction.
func (s *spiller) instead(first unit) unit {
	u := s.newUnits(int(s.size[first]))[0]
	s.grow()
	s.short.add(u)
	return u
}

func (s *spiller) grow() {
	for len(s.short) < len(newSet(len(s.group))) {
		s.short = append(s.short, 0)
	}
}

// again is the instruction that makes a unit of nothing; nil where there is none, or where it is not the only one.
func (s *spiller) again(first unit) (found *instruction) {
	if s.size[first] != 1 {
		return nil
	}
	for _, c := range s.blocks {
		for _, in := range c.list {
			if !slices.Contains(in.defines, first) {
				continue
			}
			if found != nil || in.guard != none || len(in.uses) > 0 || len(in.defines) != 1 || in.access != nil || in.fixed || in.name != "MOV" {
				return nil
			}
			found = in
		}
	}
	return found
}

func (s *spiller) touches(list []unit, first unit) bool {
	return slices.ContainsFunc(list, func(u unit) bool { return unit(s.group[u]) == first })
}

// whole reports whether an instruction writes all of a group, or none.
func (s *spiller) whole(in *instruction, first unit) bool {
	n := 0
	for _, u := range in.defines {
		if unit(s.group[u]) == first {
			n++
		}
	}
	return n == 0 || n == int(s.size[first])
}

// exchange has an instruction name other units in place of a group.
func (s *spiller) exchange(in *instruction, first, by unit) {
	change := func(u *unit) {
		if *u != none && unit(s.group[*u]) == first {
			*u = by + *u - first
		}
	}
	in.operands, in.uses, in.defines = slices.Clone(in.operands), slices.Clone(in.uses), slices.Clone(in.defines)
	for i := range in.operands {
		if o := &in.operands[i]; o.kind == register || o.kind == address {
			change(&o.unit)
		}
	}
	for i := range in.uses {
		change(&in.uses[i])
	}
	for i := range in.defines {
		change(&in.defines[i])
	}
	change(&in.base)
}

var spillWords = map[uint8]string{1: "", 2: ".64", 3: ".128", 4: ".128"}

func (s *spiller) load(again *instruction, u unit, at int64, line int) *instruction {
	if again != nil {
		in := *again
		s.exchange(&in, again.defines[0], u)
		in.line = line
		return &in
	}
	words := s.size[u]
	return s.access("LDL", words, []operand{reg(u)}, at, line).wide(u, int(words))
}

func (s *spiller) store(u unit, at int64, line int) *instruction {
	words := s.size[u]
	in := s.access("STL", words, nil, at, line, reg(u))
	for i := 1; i < int(words); i++ {
		in.uses = append(in.uses, u+unit(i))
	}
	return in
}

// access is an access to the stack.
func (s *spiller) access(name string, words uint8, results []operand, at int64, line int, data ...operand) *instruction {
	s.now, s.line = &code{}, line
	in := s.emit(name+spillWords[words], results, append([]operand{{kind: address, unit: s.stack, width: 1, value: at}}, data...)...)
	in.access, in.base = &ssa.Access{Space: ssa.Private, Bytes: 4 * int(words)}, s.stack
	return in
}
