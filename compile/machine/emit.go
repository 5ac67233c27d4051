package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/compile/ssa"
)

// Options say how code is made.
type Options struct {
	Architecture string // such as sm_90
	File         string // that lines are of; "" for no lines
	Gaps         Gaps   // of the device
	Limit        int    // registers that a work-item may have, 0 for all that there are: beyond these values are spilled
}

// mostUnits bounds the words that instructions compute: which of them are needed at the same time takes a bit for each two.
const mostUnits = 30_000

// instructionBytes is the size of an instruction.
const instructionBytes = 16

// Code is machine code as nvdisasm lists it, how many registers a work-item takes, and where ways begin that are hardly taken: addresses in bytes.
type Code struct {
	Listing   string
	Registers int
	Rare      []int64
}

// Make is the machine code of a function.
func Make(from *ssa.Func, o Options) (c Code, err error) {
	ends := slices.Clone(from.Blocks)
	pairs := make([][2]*ssa.Block, len(ends))
	preds := make([][]*ssa.Block, len(ends))
	for i, b := range ends {
		pairs[i], preds[i] = b.To, slices.Clone(b.Preds)
	}
	again := func(w way) (*function, []int, int, error) {
		for i, b := range ends {
			b.To, b.Preds = pairs[i], slices.Clone(preds[i])
		}
		return attempt(from, o, w)
	}
	for try, w := range ways {
		if w.repeated && !ways[try-1].repeated {
			ssa.RepeatComparisons(from)
		}
		f, numbers, most, err := again(w)
		limit := min(cmp.Or(o.Limit, mostRegisters), mostRegisters)
		if err == nil && most > limit { // the order of the text needs fewer at once, and the less freedom there is the fewer
			first, best := most, w
			for _, ordered := range []bool{true, false} {
				if g, other, fewer, err := again(w.with(ordered, first)); err == nil && fewer < most {
					f, numbers, most, best = g, other, fewer, w.with(ordered, first)
				}
			}
			if most > limit {
				if f, numbers, most, err = again(best); err == nil {
					numbers, most, err = f.spill(limit)
				}
			}
		}
		if err == nil {
			c.Listing, c.Rare = f.write(numbers, o)
			c.Registers = max(most, 2)
			if f.step > 0 {
				c.Registers = min(c.Registers, f.step)
			}
			return c, nil
		}
		if try+1 == len(ways) {
			return c, err
		}
	}
	return c, nil
}

// way is a way to make code.
type way struct {
	ordered    bool // in an order of its own, not in that of the text
	predicates int  // that may be live before the order is to save some
	repeated   bool // comparisons are repeated wherever they are needed
	less       int  // registers than there is usually room for
}

// ways are the ways in which code is made, until one needs no more predicates than there are: without an order of its own it needs few, and the fewest where it computes them again.
var ways = []way{{ordered: true, predicates: mostLive}, {ordered: true, predicates: fewLive}, {ordered: true, predicates: fewLive, repeated: true}, {repeated: true}}

func (w way) with(ordered bool, less int) way {
	w.ordered, w.less = ordered, less
	return w
}

// attempt makes code in a way.
func attempt(from *ssa.Func, o Options, w way) (f *function, numbers []int, most int, err error) {
	f = &function{
		Func: from, of: map[*ssa.Block]*code{}, units: map[*ssa.Value][]unit{}, made: map[constant]unit{}, folded: map[*ssa.Value]bool{}, stack: none,
	}
	f.fold()
	f.selectAll()
	if n := len(f.group); n > mostUnits {
		return nil, nil, 0, fmt.Errorf("its code has %d results, and code of up to %d is ordered", n, mostUnits)
	}
	g := f.interference()
	g.coalesce(f.copies)
	f.rename(g)
	f.needed()
	if w.ordered {
		behind := f.live()
		f.step = f.leastStep(behind)
		for _, c := range f.blocks {
			f.schedule(c, w, min(cmp.Or(o.Limit, mostRegisters)*3/4, f.step+f.step/moreOfStep), behind[c])
		}
	}
	for _, c := range f.blocks {
		f.longNumbers(c)
		f.balance(c, o.Gaps)
	}
	numbers, most, err = f.allocate()
	return f, numbers, most, err
}

func (f *function) write(numbers []int, o Options) (listing string, rare []int64) {
	var b strings.Builder
	fmt.Fprintf(&b, "\t.headerflags\t@\"EF_CUDA_SM%s\"\n\t.section\t.text.%s\n.text.%s:\n", strings.TrimPrefix(o.Architecture, "sm_"), f.Name, f.Name)
	labels := map[*ssa.Block]string{}
	for i, c := range f.blocks {
		labels[c.block] = fmt.Sprintf(".L_%d", i)
	}
	at, line := 0, 0
	for _, c := range f.blocks {
		fmt.Fprintf(&b, "%s:\n", labels[c.block])
		if c.block.Rare {
			rare = append(rare, int64(at))
		}
		for _, list := range [][]*instruction{c.list, c.ends} {
			for _, in := range list {
				if in.guard == none && in.not { // never
					continue
				}
				if o.File != "" && in.line != line && in.line > 0 {
					line = in.line
					fmt.Fprintf(&b, "\t//## File \"%s\", line %d\n", o.File, line)
				}
				fmt.Fprintf(&b, "        /*%04x*/                   %s ;\n", at, f.text(in, numbers, labels))
				at += instructionBytes
			}
		}
	}
	last := f.blocks[len(f.blocks)-1] // labels stand before instructions
	if len(last.list)+len(last.ends) == 0 || at == 0 {
		fmt.Fprintf(&b, "        /*%04x*/                   EXIT ;\n", at)
	}
	return b.String(), rare
}

func (f *function) text(in *instruction, numbers []int, labels map[*ssa.Block]string) string {
	var b strings.Builder
	if in.guard != none {
		b.WriteString("@")
		if in.not {
			b.WriteString("!")
		}
		fmt.Fprintf(&b, "P%d ", numbers[in.guard])
	}
	b.WriteString(in.name)
	for i, o := range in.operands {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + f.operandText(o, numbers, labels))
	}
	return b.String()
}

func (f *function) operandText(o operand, numbers []int, labels map[*ssa.Block]string) string {
	switch o.kind {
	case number:
		return fmt.Sprintf("0x%x", uint32(o.value))
	case label:
		return "`(" + labels[o.block] + ")"
	case address:
		return f.addressText(o, numbers)
	case literal:
		return signText(o, o.text)
	case predicate:
		name := "PT"
		if o.unit != none {
			name = fmt.Sprintf("P%d", numbers[o.unit])
		}
		if o.minus {
			return "!" + name
		}
		return name
	}
	name := "RZ"
	if o.unit != none {
		name = f.register(o.unit, numbers)
	}
	if o.text != "" { // a complement
		return o.text + name
	}
	if o.upper {
		name += ".H1_H1"
	}
	return signText(o, name)
}

func (f *function) register(u unit, numbers []int) string {
	if f.class[u] == classUniform {
		return fmt.Sprintf("UR%d", numbers[u])
	}
	return fmt.Sprintf("R%d", numbers[u])
}

func signText(o operand, text string) string {
	if o.abs {
		text = "|" + text + "|"
	}
	if o.minus {
		text = "-" + text
	}
	return text
}

func (f *function) addressText(o operand, numbers []int) string {
	name := ""
	if o.unit != none {
		name = f.register(o.unit, numbers)
		if o.width == 2 {
			name += ".64"
		}
	}
	switch {
	case name == "":
		name = fmt.Sprintf("0x%x", o.value)
	case o.value < 0:
		name += fmt.Sprintf("+-0x%x", -o.value)
	case o.value > 0:
		name += fmt.Sprintf("+0x%x", o.value)
	}
	return o.text + "[" + name + "]"
}
