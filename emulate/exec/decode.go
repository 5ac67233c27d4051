package exec

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gpuperf/internal/round"

	"gpuperf/sass"
)

// decoder makes operations from instructions.
type decoder struct {
	launch    *Launch
	constants banks
	o         *op
	in        *sass.Instruction
	number    number
	numbers   []uint64 // operands that are numbers in the text, in order
}

// lastRegisters are the last registers that code can name, by file.
var lastRegisters = map[sass.File]int{
	sass.General: zeroRow - 1, sass.Uniform: uniformZero - firstUniform - 1, sass.Predicate: truePredicate - 1,
	sass.UniformPredicate: alwaysTrue - uniformPredicate - 1, sass.ConvergenceBarrier: barriers - 1,
}

// registers finds out how many registers the function names, and refuses those that there are not.
func (l *Launch) registers() error {
	for i := range l.Function.Instructions {
		in := &l.Function.Instructions[i]
		for _, r := range append(in.Defines(), in.Uses()...) {
			if r.Index > lastRegisters[r.File] {
				return fmt.Errorf("%s at %04x: %s accesses %s, and there is no such register", l.Function.Name, in.Address, in, r)
			}
			switch r.File {
			case sass.General:
				l.used = max(l.used, r.Index+1)
			case sass.Uniform:
				l.uniforms = max(l.uniforms, r.Index+1)
			}
		}
	}
	return nil
}

func (l *Launch) decode(assume Assumptions) {
	f := l.Function
	l.outline()
	l.ops = make([]op, len(f.Instructions)+1)
	for i := range f.Instructions {
		d := &decoder{launch: l, constants: l.constants, o: &l.ops[i], in: &f.Instructions[i]}
		d.decode(i)
		d.follow()
	}
	l.ops[len(f.Instructions)] = op{in: &sass.Instruction{}, index: len(f.Instructions), run: lost, to: noRows, toPred: noPredicates, target: -1}
	l.branches(assume)
}

var (
	noRows       = [2]int{sinkRow, sinkRow}
	noPredicates = [2]int{sinkPredicate, sinkPredicate}
)

// lost is executed behind the last instruction.
func lost(w *Warp, o *op, lanes uint32) {
	w.launch.doubt(UnknownTarget, o.index)
	w.leave(lanes)
}

// converging are the opcodes that name a convergence barrier.
var converging = map[string]bool{"BSSY": true, "BSYNC": true, "BREAK": true}

func (d *decoder) decode(index int) {
	o, in := d.o, d.in
	*o = op{in: in, index: index, to: noRows, toPred: noPredicates, target: -1}
	if in.Guard != (sass.Guard{}) {
		o.guarded, o.guard = true, guard{reads(in.Guard.Register), in.Guard.Negated}
	}
	form, ok := find(in)
	d.number = form.number
	d.results()
	o.uniform = in.Opcode != nil && in.Opcode.Pipe == sass.UDP
	switch {
	case !ok:
		o.run = unknown
	case form.run != nil:
		o.run = form.run
		if form.operands {
			d.operands()
		}
		if form.decode != nil {
			form.decode(d)
		}
		if converging[in.Name] && o.to[1] >= barriers { // a listing that is damaged
			o.run = unknown
		}
	default:
		d.operands()
		o.run, o.chooses = each, form.chooses
		if o.compute = form.compute(d); o.compute == nil {
			o.run = unknown
		} else if o.vector = d.vector(); o.vector != nil {
			o.run = together
		} else {
			o.plain = !slices.ContainsFunc(o.sources, func(s source) bool { return s.wide || s.change != nil })
		}
	}
}

// results decodes what the instruction writes.
func (d *decoder) results() {
	o, in := d.o, d.in
	widths := in.Widths()
	registers := 0
	for i := range in.Written() {
		operand := &in.Operands[i]
		if operand.Kind != sass.RegisterOperand {
			continue
		}
		r := operand.Registers[0].Register
		switch {
		case r.File == sass.Predicate || r.File == sass.UniformPredicate:
			if o.results < len(o.toPred) {
				o.toPred[o.results] = writes(r)
				o.results++
			}
		case r.File == sass.ConvergenceBarrier:
			o.to[1] = r.Index
		default:
			if registers == 0 {
				o.to[0], o.width = writes(r), max(1, widths[i])
			}
			registers++
		}
	}
}

// operands decodes what the instruction reads: values and predicates.
func (d *decoder) operands() {
	o, in := d.o, d.in
	widths := in.Widths()
	for i := in.Written(); i < len(in.Operands); i++ {
		operand := &in.Operands[i]
		if operand.Kind == sass.AddressOperand || operand.Kind == sass.AllPredicates {
			continue
		}
		if operand.Kind == sass.RegisterOperand {
			switch r := operand.Registers[0].Register; r.File {
			case sass.Predicate, sass.UniformPredicate:
				o.guards = append(o.guards, guard{reads(r), strings.HasPrefix(operand.Text, "!")})
				continue
			case sass.ConvergenceBarrier:
				o.to[1] = r.Index
				continue
			}
		}
		if d.number == half && operand.Kind == sass.Other && i+1 < len(in.Operands) && in.Operands[i+1].Kind == sass.Other {
			high, ok1 := immediate(operand.Text, half, false)
			low, ok2 := immediate(in.Operands[i+1].Text, half, false)
			if in.Has("BF16_V2") {
				high, low = bfloats(operand.Text), bfloats(in.Operands[i+1].Text)
			}
			o.sources = append(o.sources, fixed(high&0xffff0000|low&0xffff, false, ok1 && ok2))
			i++
			continue
		}
		s := d.source(operand, max(1, widths[i]), d.number)
		if s.fixed != nil && operand.Kind == sass.Other {
			if s.known == 0 {
				continue // a name, such as that of a special register
			}
			d.numbers = append(d.numbers, uint64(s.fixed[0])|uint64(s.high[0])<<32)
		}
		o.sources = append(o.sources, s)
	}
	if len(o.sources) > len(item{}.v) || len(o.guards) > len(item{}.p) {
		o.sources, o.guards = o.sources[:min(len(o.sources), len(item{}.v))], o.guards[:min(len(o.guards), len(item{}.p))]
	}
}

// bfloats is a number as bfloat16 in both halves of a word.
func bfloats(text string) uint64 {
	v, _ := decimal(text)
	h := uint64(round.ToBfloat(v, round.Nearest))
	return h | h<<16
}

// at is the instruction at an address, -1 for none.
func (l *Launch) at(address int64) int {
	list := l.Function.Instructions
	i := sort.Search(len(list), func(i int) bool { return list[i].Address >= address })
	if i < len(list) && list[i].Address == address {
		return i
	}
	return -1
}

// unknown executes what is not known by name: its results are unknown.
func unknown(w *Warp, o *op, lanes uint32) {
	w.launch.doubt(UnknownOpcode, o.index)
	w.blur(o, lanes)
}

// blur makes the results of an operation unknown.
func (w *Warp) blur(o *op, lanes uint32) {
	f := w.path.file
	if o.uniform {
		lanes = all
	}
	var none row
	for k := range o.width {
		if o.to[0] != sinkRow {
			f.set(o.to[0]+k, lanes, &none, 0)
		}
	}
	for k := range o.results {
		f.setPredicate(o.toPred[k], lanes, truth{})
	}
}

// hexOr reads a number of the text, or gives another for what is none.
func hexOr(text string, otherwise int64) int64 {
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return otherwise
	}
	return v
}
