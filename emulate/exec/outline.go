package exec

import (
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/sass"
)

// outline finds out which blocks and loops the instructions are in, and where the ways of branches meet.
func (l *Launch) outline() {
	f := l.Function
	l.joins = f.Meetings()
	l.blockOf = make([]int, len(f.Instructions)+1)
	l.inside = make([][]int, len(f.Instructions)+1)
	l.entries = make([]int, len(f.Blocks))
	l.loops = len(f.Loops)
	numbers := map[*sass.Loop]int{}
	for i, loop := range f.Loops {
		numbers[loop] = i + 1
	}
	for i, b := range f.Blocks {
		var loops []int
		for loop := b.Loop; loop != nil; loop = loop.Outer {
			loops = append(loops, numbers[loop])
		}
		for n := b.From; n < b.To; n++ {
			l.blockOf[n], l.inside[n] = i, loops
		}
		for _, n := range b.Next {
			l.entries[n]++
		}
	}
	l.called = make([][]int, len(f.Instructions)+1)
	for i := range f.Blocks {
		for _, to := range f.Blocks[i].Calls {
			l.calls(to, l.inside[f.Blocks[i].From])
		}
	}
}

// calls notes that loops call a subroutine which begins at a block.
func (l *Launch) calls(block int, loops []int) {
	b := &l.Function.Blocks[block]
	more := lists.Where(loops, func(loop int) bool { return !l.Inside(b.From, loop) })
	if len(more) == 0 {
		return
	}
	all := append(slices.Clone(l.called[b.From]), more...)
	for n := b.From; n < b.To; n++ {
		l.called[n] = all
	}
	for _, n := range slices.Concat(b.Next, b.Calls) {
		l.calls(n, more)
	}
}

// branches finds out, for each branch, which of its ways are not to be taken on unknown conditions, and which loops it ends.
func (l *Launch) branches(assume Assumptions) {
	f := l.Function
	for i, loop := range f.Loops {
		l.ops[f.Blocks[loop.Header].From].loop = i + 1
	}
	for i := range f.Blocks {
		if o := &l.ops[f.Blocks[i].To-1]; o.in.Name == "BRA" || o.in.Name == "JMP" {
			o.flow = l.branch(i, assume)
		}
	}
}

// branch is what is known of the branch at the end of a block.
func (l *Launch) branch(block int, assume Assumptions) *branch {
	f := l.Function
	b := &f.Blocks[block]
	o := &l.ops[b.To-1]
	out := &branch{join: -1, taken: -1, turns: -1}
	if l.joins[block] >= 0 {
		out.join = f.Blocks[l.joins[block]].From
	}
	conditional := o.guarded || len(o.guards) > 0
	if o.target < 0 || b.To >= len(f.Instructions) || !conditional {
		return out
	}
	out.avoid = [2]bool{l.avoids(block + 1), l.avoids(l.blockOf[o.target])}
	if p, ok := assume.Branches[o.index]; ok {
		out.taken = p
	}
	for _, loop := range l.inside[b.From] {
		goesOn, jumps := l.inLoop(b.To, loop), l.inLoop(o.target, loop)
		if goesOn != jumps {
			out.loop, out.stays = loop, jumps
			header := f.Loops[loop-1].Header
			out.above = block == header && !slices.Contains(f.Blocks[header].Next, header)
			if turns, ok := assume.Loops[f.Blocks[header].From]; ok {
				out.turns = turns
			}
			break
		}
	}
	return out
}

// avoids reports whether a block leads straight to a trap or to a slow path.
func (l *Launch) avoids(block int) bool {
	f := l.Function
	for range len(f.Blocks) {
		b := &f.Blocks[block]
		if slices.Contains(f.Rare, f.Instructions[b.From].Address) {
			return true
		}
		for i := b.From; i < b.To; i++ {
			if l.slow(i) {
				return true
			}
		}
		if len(b.Next) != 1 || b.Next[0] <= block || l.inside[b.From] != nil {
			return false
		}
		if l.entries[b.Next[0]] > 1 {
			return false
		}
		block = b.Next[0]
	}
	return false
}

// slow reports whether an instruction is a trap or calls a slow path of arithmetic, or a function that nothing is known of.
func (l *Launch) slow(i int) bool {
	in := &l.Function.Instructions[i]
	switch in.Name {
	case "BPT", "KILL":
		return true
	case "CALL":
		target := ""
		for _, o := range in.Operands {
			target += o.Text
		}
		return l.ops[i].target < 0 || strings.HasPrefix(target, "0x") || strings.Contains(target, "$__internal_") || strings.Contains(target, "__cuda_sm")
	}
	return false
}
