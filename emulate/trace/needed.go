package trace

import (
	"slices"
	"strings"

	"gpuperf/sass"
)

// set is a set of registers by number.
type set []uint64

func (s set) has(n int) bool { return s[n/64]>>(n%64)&1 != 0 }

// live are the registers that are needed: always, which is the first set, or only where a predicate holds, or does not hold.
type live [1 + 2*predicates]set

// predicates are those of the lanes, whose guards are told apart.
const predicates = 7

func newLive(registers int) (l live) {
	for i := range l {
		l[i] = make(set, registers/64+1)
	}
	return l
}

func under(g sass.Guard) int {
	if g.Register.File != sass.Predicate || g.Register.Index < 0 || g.Register.Index >= predicates {
		return 0
	}
	if g.Negated {
		return 2 + 2*g.Register.Index
	}
	return 1 + 2*g.Register.Index
}

func (l *live) add(n, set int) { l[set][n/64] |= 1 << (n % 64) }

// remove takes away what an instruction under a guard defines.
func (l *live) remove(n, set int) {
	for i := range l {
		if set == 0 || i == set {
			l[i][n/64] &^= 1 << (n % 64)
		}
	}
}

// any reports whether the register is needed at all.
func (l *live) any(n int) bool {
	for i := range l {
		if l[i].has(n) {
			return true
		}
	}
	return false
}

// where reports whether what an instruction under a guard defines is needed.
func (l *live) where(n, set int) bool {
	for i := range l {
		opposite := set > 0 && i > 0 && (i-1)^1 == set-1
		if !opposite && l[i].has(n) {
			return true
		}
	}
	return false
}

// forget turns what is needed under a predicate into what is always needed, where the predicate gets its value.
func (l *live) forget(predicate int) {
	for _, i := range []int{1 + 2*predicate, 2 + 2*predicate} {
		for k := range l[i] {
			l[0][k] |= l[i][k]
			l[i][k] = 0
		}
	}
}

// join adds what is needed elsewhere. It reports whether there was anything new.
func (l *live) join(o *live) (more bool) {
	for i := range l {
		for k := range l[i] {
			more = more || o[i][k]&^l[i][k] != 0
			l[i][k] |= o[i][k]
		}
	}
	return more
}

// needs are the values of a function that decide where its warps go and which addresses they access.
type needs struct {
	stored    bool // what is stored counts as needed where something that is needed may load it
	numbers   map[sass.Register]int
	registers []sass.Register // by number
	in        []instruction
	before    []live            // of each block, what is needed when it begins
	begins    [][]sass.Register // the same as a list, once it was asked for
	result    []bool            // of each instruction, whether one of its results is needed
	data      [places]bool      // values that are stored there are needed
	stack     sass.Register     // from which the words of private memory are a distance that are taken as registers
	returns   []int             // the blocks behind calls
}

// instruction is what an instruction defines and uses, by number.
type instruction struct {
	defines, uses []int
	control       []int   // those of uses that are needed whatever becomes of the results
	guard         int     // as a set of live
	partly        bool    // under a guard that is none of these
	loads, stores []place // where values are kept that it loads and stores, those in slots aside
	copies        bool    // from one to the other
}

// needed finds them by an analysis of liveness in which only jumps, barriers and addresses use registers, and whatever gives their values.
func needed(f *sass.Function) *needs { return neededBy(f, true) }

// neededBy is needed, or without what is needed only because it is stored where something else that is needed may load it.
func neededBy(f *sass.Function, stored bool) *needs {
	n := &needs{stored: stored, numbers: map[sass.Register]int{}, result: make([]bool, len(f.Instructions)), stack: stack(f)}
	for i := range f.Instructions {
		if f.Instructions[i].Name == "UTMACCTL" { // the program makes tensor maps, in memory
			n.data = [places]bool{inGlobal: true, inShared: true, inPrivate: true}
		}
		n.in = append(n.in, n.instruction(&f.Instructions[i]))
	}
	for b := range f.Blocks {
		if len(f.Blocks[b].Calls) > 0 {
			n.returns = append(n.returns, f.Blocks[b].Next...)
		}
		n.before = append(n.before, newLive(len(n.registers)))
	}
	for {
		for again := true; again; {
			again = false
			for b := len(f.Blocks) - 1; b >= 0; b-- {
				again = n.block(f, b) || again
			}
		}
		if !n.loaded() {
			return n
		}
	}
}

// block goes backward through a block. It reports whether more is needed at its begin than was known.
func (n *needs) block(f *sass.Function, b int) bool {
	now := newLive(len(n.registers))
	for _, to := range slices.Concat(f.Blocks[b].Next, f.Blocks[b].Calls) {
		now.join(&n.before[to])
	}
	if f.Instructions[f.Blocks[b].To-1].Name == "RET" {
		for _, to := range n.returns {
			now.join(&n.before[to])
		}
	}
	for i := f.Blocks[b].To - 1; i >= f.Blocks[b].From; i-- {
		n.step(i, &now)
	}
	return n.before[b].join(&now)
}

func (n *needs) step(i int, now *live) {
	in := &n.in[i]
	for _, d := range in.defines {
		n.result[i] = n.result[i] || now.where(d, in.guard)
	}
	for _, d := range in.defines {
		if !in.partly {
			now.remove(d, in.guard)
		}
		if r := n.registers[d]; r.File == sass.Predicate && r.Index < predicates {
			now.forget(r.Index)
		}
	}
	uses := in.control
	if n.result[i] || n.stored && n.holds(in.stores) {
		uses = in.uses
	}
	for _, u := range uses {
		if r := n.registers[u]; r.File == sass.Predicate {
			now.add(u, 0)
			continue
		}
		now.add(u, in.guard)
	}
}

func (n *needs) number(list []sass.Register) (out []int) {
	for _, r := range list {
		if r.Index == sass.Constant {
			continue
		}
		at, ok := n.numbers[r]
		if !ok {
			at = len(n.registers)
			n.numbers[r] = at
			n.registers = append(n.registers, r)
		}
		out = append(out, at)
	}
	return out
}

func (n *needs) instruction(in *sass.Instruction) instruction {
	out := instruction{defines: n.number(in.Defines()), uses: n.number(in.Uses()), guard: under(in.Guard)}
	guarded := in.Guard != sass.Guard{}
	out.partly = guarded && out.guard == 0
	if in.Opcode == nil {
		return out
	}
	switch op := in.Opcode; {
	case op.Class == sass.Flow || op.Class == sass.Synchronize:
		out.control = out.uses
		return out
	case op.Action == "":
		return out
	default:
		n.keep(in, &out)
	}
	if guarded {
		out.control = n.number([]sass.Register{in.Guard.Register})
	}
	if in.Opcode.Pipe == sass.TMA {
		out.control = append(out.control, n.number(bulkRegisters(in))...)
		out.uses = append(out.uses, out.control...)
		return out
	}
	for _, o := range in.Operands {
		if o.Kind != sass.AddressOperand && (o.Kind != sass.ConstantOperand || in.Opcode.Space != sass.Bank) {
			continue
		}
		for _, r := range o.Registers {
			out.control = append(out.control, n.number(addressRegisters(in, r))...)
		}
	}
	return out
}

// keep says where an instruction that accesses memory takes values from and keeps them.
func (n *needs) keep(in *sass.Instruction, out *instruction) {
	if in.Opcode.Space != sass.Private || n.stack == (sass.Register{}) {
		out.through(in.Opcode)
		return
	}
	_, words := slots(in)
	if in.Opcode.Action == sass.Store {
		out.defines = n.number(words)
	} else {
		out.uses = append(out.uses, n.number(words)...)
	}
}

// bulkRegisters are all registers that a bulk copy names, with those behind them: an address has 64 bits, a place in shared memory has a barrier beside,
// and behind that stand the coordinates of a tile.
func bulkRegisters(in *sass.Instruction) (list []sass.Register) {
	behind := 1
	if strings.HasPrefix(in.Name, "UTMA") {
		behind += mostAxes
	}
	for _, r := range in.Uses() {
		list = append(list, r)
		if r.File == sass.Uniform && r.Index != sass.Constant {
			for i := range behind {
				list = append(list, sass.Register{File: r.File, Index: r.Index + i + 1})
			}
		}
	}
	return list
}

// mostAxes is how many axes a tensor has at most.
const mostAxes = 5

func addressRegisters(in *sass.Instruction, r sass.Reference) []sass.Register {
	list := []sass.Register{r.Register}
	if r.Register.Index != sass.Constant && (r.Width == 2 || r.Width == 0 && in.Has("E") && r.Register.File == sass.General) {
		list = append(list, sass.Register{File: r.Register.File, Index: r.Register.Index + 1})
	}
	return list
}
