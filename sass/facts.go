package sass

import (
	"cmp"
	"slices"
)

// Facts is what the code of a function says about its performance.
type Facts struct {
	Registers    int           `json:"registers,omitempty"` // allocated to a work-item; 0 where that is not known
	Named        int           `json:"registers_named"`     // those up to the last that the code names
	Instructions int           `json:"instructions"`
	Classes      []ClassCount  `json:"classes"`
	Accesses     []AccessCount `json:"accesses"`
	Spills       Spills        `json:"spills"`
	Barriers     int           `json:"barriers"` // instructions at which a work-group waits
	Loops        []LoopFacts   `json:"loops"`
}

// ClassCount is how many instructions are of a class.
type ClassCount struct {
	Class        Class `json:"class"`
	Instructions int   `json:"instructions"`
}

// AccessCount is how many instructions access memory in one way.
type AccessCount struct {
	Space        Space  `json:"space"`
	Action       Action `json:"action"`
	Bytes        int    `json:"bytes"` // for each work-item
	Instructions int    `json:"instructions"`
}

// Spills are instructions that access private memory, where the compiler keeps what it has no register for, and arrays that it cannot
// keep in registers.
type Spills struct {
	Loads      int `json:"loads"`
	LoadBytes  int `json:"load_bytes"`
	Stores     int `json:"stores"`
	StoreBytes int `json:"store_bytes"`
}

// LoopFacts is what the body of a loop holds, inner loops aside.
type LoopFacts struct {
	Address      int64         `json:"address"` // of its header
	Depth        int           `json:"depth"`   // 1 for the outermost
	Blocks       int           `json:"blocks"`
	Instructions int           `json:"instructions"`
	Classes      []ClassCount  `json:"classes"`
	Accesses     []AccessCount `json:"accesses"`
	Barriers     int           `json:"barriers"`
	Lines        []int         `json:"lines,omitempty"` // of the function's file, the first and the last
}

// unknownClass is that of opcodes that are not in the table.
const unknownClass Class = "unknown"

// tally counts instructions.
type tally struct {
	instructions, barriers int
	classes                map[Class]int
	accesses               map[AccessCount]int
}

func newTally() *tally { return &tally{classes: map[Class]int{}, accesses: map[AccessCount]int{}} }

func (t *tally) add(in *Instruction) {
	class := in.Class()
	if class == Nothing {
		return
	}
	t.instructions++
	t.classes[class]++
	if bytes := in.AccessBytes(); bytes > 0 {
		t.accesses[AccessCount{Space: in.Opcode.Space, Action: in.Opcode.Action, Bytes: bytes}]++
	}
	if in.waits() {
		t.barriers++
	}
}

// Class is what kind of work the instruction is. One that computes from numbers in its text alone is a move, whatever its opcode: the
// compiler takes the pipe that has time.
func (in *Instruction) Class() Class {
	switch {
	case in.Opcode == nil:
		return unknownClass
	case in.written() > 0 && arithmetic[in.Opcode.Class] && in.constant():
		return Move
	}
	return in.Opcode.Class
}

// arithmetic are the classes of instructions that compute a number from their operands.
var arithmetic = map[Class]bool{Float16: true, Float32: true, Float64: true, Integer: true, Logic: true}

// constant reports whether the instruction reads neither registers nor constant banks.
func (in *Instruction) constant() bool {
	for _, o := range in.Operands[in.written():] {
		if o.Kind == ConstantOperand || slices.ContainsFunc(o.Registers, func(r Reference) bool { return r.Register.Index != Constant }) {
			return false
		}
	}
	return true
}

// waits reports whether work-items wait here for others of their work-group.
func (in *Instruction) waits() bool { return in.Name == "BAR" && !in.Has("ARV") }

// classCounts lists the classes, the most frequent first.
func (t *tally) classCounts() []ClassCount {
	list := []ClassCount{}
	for class, n := range t.classes {
		list = append(list, ClassCount{class, n})
	}
	slices.SortFunc(list, func(a, b ClassCount) int {
		return cmp.Or(cmp.Compare(b.Instructions, a.Instructions), cmp.Compare(a.Class, b.Class))
	})
	return list
}

// accessCounts lists the accesses by space, action and width.
func (t *tally) accessCounts() []AccessCount {
	list := []AccessCount{}
	for access, n := range t.accesses {
		access.Instructions = n
		list = append(list, access)
	}
	slices.SortFunc(list, func(a, b AccessCount) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Bytes, b.Bytes))
	})
	return list
}

// Facts counts what the function holds. Padding is left out.
func (f *Function) Facts() Facts {
	all := newTally()
	facts := Facts{Registers: f.Registers, Loops: []LoopFacts{}}
	for n, b := range f.Blocks {
		for i := b.From; i < b.To && !f.padding(n); i++ {
			all.add(&f.Instructions[i])
			facts.Named = max(facts.Named, f.Instructions[i].named())
		}
	}
	facts.Instructions, facts.Classes, facts.Accesses, facts.Barriers = all.instructions, all.classCounts(), all.accessCounts(), all.barriers
	facts.Spills = spills(facts.Accesses)
	blocks := map[*Loop][]Block{}
	for _, b := range f.Blocks {
		blocks[b.Loop] = append(blocks[b.Loop], b)
	}
	for _, l := range f.Loops {
		facts.Loops = append(facts.Loops, f.loopFacts(l, blocks[l]))
	}
	return facts
}

// padding reports whether block n is of those behind the end of a function: a branch to itself, or instructions that do nothing.
func (f *Function) padding(n int) bool {
	b := f.Blocks[n]
	spins := b.To == b.From+1 && len(b.Next) == 1 && b.Next[0] == n
	return spins || !slices.ContainsFunc(f.Instructions[b.From:b.To], func(in Instruction) bool { return in.Class() != Nothing })
}

// named is how many general registers there are up to the last that the instruction names.
func (in *Instruction) named() (n int) {
	for _, r := range append(in.Defines(), in.Uses()...) {
		if r.File == General {
			n = max(n, r.Index+1)
		}
	}
	return n
}

func spills(accesses []AccessCount) (s Spills) {
	for _, a := range accesses {
		switch {
		case a.Space != Private:
		case a.Action == Load:
			s.Loads += a.Instructions
			s.LoadBytes += a.Instructions * a.Bytes
		default:
			s.Stores += a.Instructions
			s.StoreBytes += a.Instructions * a.Bytes
		}
	}
	return s
}

// loopFacts counts what the loop holds, inner loops aside.
func (f *Function) loopFacts(l *Loop, blocks []Block) LoopFacts {
	body := newTally()
	facts := LoopFacts{Address: f.address(f.Blocks[l.Header]), Depth: l.Depth, Blocks: len(blocks)}
	for _, b := range blocks {
		for i := b.From; i < b.To; i++ {
			body.add(&f.Instructions[i])
			if place := f.Instructions[i].Source; place.File == f.Instructions[0].Source.File {
				facts.Lines = span(facts.Lines, place.Line)
			}
		}
	}
	facts.Instructions, facts.Classes, facts.Accesses, facts.Barriers = body.instructions, body.classCounts(), body.accessCounts(), body.barriers
	return facts
}

// span extends a range of lines, which is empty at first.
func span(lines []int, line int) []int {
	switch {
	case line == 0:
		return lines
	case lines == nil:
		return []int{line, line}
	}
	return []int{min(lines[0], line), max(lines[1], line)}
}
