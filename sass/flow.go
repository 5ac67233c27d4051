package sass

import (
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Block is a run of instructions that are executed together: control enters at the first and leaves after the last.
type Block struct {
	Label    string // as the listing has it; "" for none
	From, To int    // the instructions From to To-1
	Next     []int
	Calls    []int // blocks at which subroutines of the function begin
	Loop     *Loop // the innermost loop that it is part of; nil for none
}

// flow cuts the function into blocks and joins them by edges.
func (f *Function) flow(p *parser) error {
	targets := make([][]int, len(f.Instructions)) // of each instruction, by index
	leader := make([]bool, len(f.Instructions)+1)
	leader[0] = true
	for i := range f.Instructions {
		in := &f.Instructions[i]
		jump := in.jump()
		if jump == Next {
			continue
		}
		leader[i+1] = leader[i+1] || jump != Meet
		for _, name := range in.jumpsTo() {
			to := f.find(name, p.labels)
			switch {
			case to >= 0:
				targets[i], leader[to] = append(targets[i], to), true
			case jump == Branch:
				p.number = in.line
				return p.err(in.column, "function %s has no instruction at %s, where this branch leads", f.Name, name).
					WithHint("was the listing cut off?")
			}
		}
	}
	labels := map[int]string{} // by the instruction that follows; that of a subroutine if there are several
	for _, label := range slices.Sorted(maps.Keys(p.labels)) {
		local := strings.HasPrefix(label, ".")
		if i := f.find(label, p.labels); i > 0 && (labels[i] == "" || !local) {
			labels[i], leader[i] = label, leader[i] || !local
		}
	}
	f.cut(leader, labels)
	for b := range f.Blocks {
		f.join(&f.Blocks[b], b, targets[f.Blocks[b].To-1])
	}
	return nil
}

func (f *Function) cut(leader []bool, labels map[int]string) {
	n := 0
	for i := range f.Instructions {
		if leader[i] {
			n++
		}
	}
	f.Blocks = make([]Block, 0, n)
	for i := range f.Instructions {
		if leader[i] {
			f.Blocks = append(f.Blocks, Block{Label: labels[i], From: i})
		}
		f.Blocks[len(f.Blocks)-1].To = i + 1
	}
}

// join adds the edges that leave block b, whose last instruction has these targets.
func (f *Function) join(block *Block, b int, targets []int) {
	last := &f.Instructions[block.To-1]
	jump := last.jump()
	if (jump == Next || jump == Meet || jump == Call || last.conditional()) && b+1 < len(f.Blocks) {
		block.Next = append(block.Next, b+1)
	}
	if jump == Meet {
		return
	}
	to := &block.Next
	if jump == Call {
		to = &block.Calls
	}
	for _, t := range targets {
		if at := f.blockOf(t); !slices.Contains(*to, at) {
			*to = append(*to, at)
		}
	}
}

// blockOf is the block that an instruction is part of.
func (f *Function) blockOf(instruction int) int {
	return sort.Search(len(f.Blocks), func(b int) bool { return f.Blocks[b].To > instruction })
}

func (in *Instruction) jump() Jump {
	if in.Opcode == nil {
		return Next
	}
	return in.Opcode.Jump
}

// conditional reports whether a jump may go on with the next instruction: it has a guard, or a condition among its operands.
func (in *Instruction) conditional() bool {
	if in.Guard != (Guard{}) {
		return true
	}
	return in.jump() == Branch && len(in.Operands) > 1 || in.Name == "EXIT" && len(in.Operands) > 0
}

// Targets of jumps, as listings have them.
var (
	labelTarget   = regexp.MustCompile("^`\\(([^)]+)\\)$")
	addressTarget = regexp.MustCompile(`^0x[0-9a-f]+$`)
	branchTargets = regexp.MustCompile(`^\(\*"(?:BRANCH_TARGETS|INDIRECT_CALL_TARGETS) ([^"]*)"\*\)$`)
)

// jumpsTo lists the labels and addresses that a jump may lead to, as the listing has them.
func (in *Instruction) jumpsTo() (all []string) {
	for _, o := range in.Operands {
		if m := branchTargets.FindStringSubmatch(o.Text); m != nil {
			for name := range strings.SplitSeq(m[1], ",") {
				all = append(all, strings.Trim(strings.TrimSpace(name), "`()"))
			}
		} else if j := in.jump(); j != Branch && j != Call && j != Meet {
			continue
		} else if m := labelTarget.FindStringSubmatch(o.Text); m != nil {
			all = append(all, m[1])
		} else if addressTarget.MatchString(o.Text) {
			all = append(all, o.Text)
		}
	}
	return all
}

// find returns the index of the instruction at a label or address, -1 where there is none.
func (f *Function) find(name string, labels map[string]int64) int {
	address, ok := labels[name]
	if !ok {
		var err error
		if address, err = strconv.ParseInt(name, 0, 64); err != nil {
			return -1
		}
	}
	i := sort.Search(len(f.Instructions), func(i int) bool { return f.Instructions[i].Address >= address })
	if i < len(f.Instructions) && f.Instructions[i].Address == address {
		return i
	}
	return -1
}
