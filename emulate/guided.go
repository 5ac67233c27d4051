package emulate

import (
	"cmp"
	"slices"

	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

// Executed is how often an instruction was executed, as the hardware has counted it.
type Executed struct {
	Address int64
	Opcode  string // without modifiers
	Items   int64  // executions by work-items, of which the guard holds
}

// profile is how often the instructions of a function were executed.
type profile struct {
	f     *sass.Function
	items []int64 // by index
}

// guided reads from counts how often branches are taken and loops turn. It returns false for counts of other machine code. What is stated counts
// more.
func guided(f *sass.Function, counts []Executed, out *exec.Assumptions) bool {
	p := profile{f, make([]int64, len(f.Instructions))}
	if !p.read(counts) {
		return false
	}
	for _, l := range f.Loops {
		header := f.Blocks[l.Header].From
		if _, stated := out.Loops[header]; stated {
			continue
		}
		if turns, ok := p.turns(l); ok {
			out.Loops[header] = turns
		}
	}
	for b := range f.Blocks {
		at := f.Blocks[b].To - 1
		if _, stated := out.Branches[at]; stated || !conditional(f, b) || p.leaves(b) {
			continue
		}
		if part, ok := p.taken(b); ok {
			out.Branches[at] = part
		}
	}
	return true
}

// read takes the counts, if they are of the same code: of the same jumps, and but for a few of the same opcodes, as disassemblers call some by
// other names.
func (p *profile) read(counts []Executed) bool {
	other := 0
	for _, c := range counts {
		i, ok := slices.BinarySearchFunc(p.f.Instructions, c.Address, func(in sass.Instruction, at int64) int { return cmp.Compare(in.Address, at) })
		if !ok {
			return false
		}
		p.items[i] = c.Items
		if in := &p.f.Instructions[i]; in.Name != c.Opcode {
			if other++; in.Opcode == nil || in.Opcode.Jump != sass.Next {
				return false
			}
		}
	}
	const few = 10 // one of as many
	return other*few <= len(counts)
}

// conditional reports whether a block ends with a branch that goes on or to one target.
func conditional(f *sass.Function, block int) bool {
	b := &f.Blocks[block]
	op := f.Instructions[b.To-1].Opcode
	return op != nil && op.Jump == sass.Branch && len(b.Next) == 2
}

// inside reports whether a block is in a loop.
func inside(f *sass.Function, block int, loop *sass.Loop) bool {
	for l := f.Blocks[block].Loop; l != nil; l = l.Outer {
		if l == loop {
			return true
		}
	}
	return false
}

// leaves reports whether the branch at the end of a block decides about the turns of a loop.
func (p *profile) leaves(block int) bool {
	for l := p.f.Blocks[block].Loop; l != nil; l = l.Outer {
		if p.decides(block, l) {
			return true
		}
	}
	return false
}

// decides reports whether one of the two ways from a block stays in a loop.
func (p *profile) decides(block int, l *sass.Loop) bool {
	next := p.f.Blocks[block].Next
	return inside(p.f, next[0], l) != inside(p.f, next[1], l)
}

// arrived is how many work-items came to the end of a block: as many as executed one of its instructions, of which a guard may have kept some.
func (p *profile) arrived(block int) int64 {
	b := &p.f.Blocks[block]
	return slices.Max(p.items[b.From:b.To])
}

// taken is the part of the work-items at the end of a block that its branch sends to the target.
func (p *profile) taken(block int) (float64, bool) {
	all := p.arrived(block)
	jumped := p.items[p.f.Blocks[block].To-1]
	if all == 0 || p.f.Instructions[p.f.Blocks[block].To-1].Guard == (sass.Guard{}) {
		return 0, false
	}
	return float64(jumped) / float64(all), true
}

// turns is how often a loop turns each time that it is entered: executions of its header, over those that no jump back has led to.
func (p *profile) turns(l *sass.Loop) (float64, bool) {
	begun := p.arrived(l.Header)
	entered := begun
	for b := range p.f.Blocks {
		if !inside(p.f, b, l) || !slices.Contains(p.f.Blocks[b].Next, l.Header) {
			continue
		}
		last := p.f.Blocks[b].To - 1
		if op := p.f.Instructions[last].Opcode; op == nil || op.Jump != sass.Branch {
			return 0, false
		}
		entered -= p.items[last]
	}
	if begun == 0 || entered <= 0 {
		return 0, false
	}
	return float64(begun) / float64(entered), true
}
