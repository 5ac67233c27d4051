package machine

import (
	"slices"

	"gpuperf/compile/ssa"
	"gpuperf/internal/lists"
)

// phis puts the values of phis into their units at the ends of the blocks before: first all are read, then all are written.
func (f *function) phis() {
	for _, c := range slices.Clone(f.blocks) {
		b := c.block
		for i, from := range b.Preds {
			var phis []*ssa.Value
			outside := false
			for _, v := range b.Values {
				if v.Op == ssa.Phi && v.Args[i] != v && v.Args[i].Op != ssa.Undef {
					phis = append(phis, v)
					outside = outside || f.usedOutside(v)
				}
			}
			if len(phis) == 0 {
				continue
			}
			to := f.of[from]
			if outside && from.End != ssa.Jump && b.Loop != nil && b.Loop.Header == b || leaves(from, b) {
				to = f.between(from, b, i)
			}
			f.at(to, func() { f.copyPhis(phis, i) })
		}
	}
}

// leaves reports whether the way from one block to another is that out of a loop at the end of an iteration: what is copied there is not copied in each.
func leaves(from, to *ssa.Block) bool {
	l := from.Loop
	return from.End == ssa.Branch && l != nil && l != to.Loop && (from.To[0] == l.Header || from.To[1] == l.Header)
}

func (f *function) copyPhis(phis []*ssa.Value, i int) {
	temps := make([][]unit, len(phis))
	for n, v := range phis {
		f.line = v.Line
		if f.uniform.values[v] {
			f.copyOnce(v, i)
		}
		if !f.inVector(v) {
			continue
		}
		if v.Type == ssa.Pred {
			temps[n] = []unit{f.newPred()}
			f.movePred(temps[n][0], f.condition(v.Args[i]))
			continue
		}
		temps[n] = f.newUnits(v.Type.Words())
		if v.Type == ssa.W {
			f.move(temps[n][0], v.Args[i])
			continue
		}
		for k, o := range f.parts(v.Args[i]) {
			in := f.emit("MOV", []operand{reg(temps[n][k])}, o)
			if o.kind == register && o.unit != none {
				f.copies = append(f.copies, copied{temps[n][k], o.unit, in})
			}
		}
	}
	for n, v := range phis {
		if !f.inVector(v) {
			continue
		}
		for k, u := range f.result(v) {
			if v.Type == ssa.Pred {
				f.movePred(u, pred(temps[n][k]))
				continue
			}
			in := f.emit("MOV", []operand{reg(u)}, reg(temps[n][k]))
			f.copies = append(f.copies, copied{u, temps[n][k], in})
		}
	}
}

// copyOnce is copyPhis of a counter that is computed once.
func (f *function) copyOnce(v *ssa.Value, i int) {
	o := f.onceOperand(v.Args[i])
	in := f.emit("UMOV", []operand{reg(f.onceUnit(v))}, o)
	if o.kind == register {
		f.copies = append(f.copies, copied{f.onceUnit(v), o.unit, in})
	}
}

// parts are the words of a value as operands.
func (f *function) parts(v *ssa.Value) []operand {
	if v.Type == ssa.D {
		return f.halves(v)
	}
	return lists.Map(f.words(v), reg)
}

// usedOutside reports whether the value of a phi of a loop is needed behind it.
func (f *function) usedOutside(v *ssa.Value) bool {
	l := v.Block.Loop
	for _, b := range f.Blocks {
		if b.Loop.In(l) {
			continue
		}
		for _, u := range b.Values {
			for i, a := range u.Args {
				if a == v && (u.Op != ssa.Phi || !u.Block.Preds[i].Loop.In(l) || true) {
					return true
				}
			}
		}
		if b.Cond == v {
			return true
		}
	}
	return false
}

// between makes a block on the way from one to another.
func (f *function) between(from, to *ssa.Block, pred int) *code {
	b := &ssa.Block{ID: -f.Next(), Preds: []*ssa.Block{from}, End: ssa.Jump, To: [2]*ssa.Block{to}, Loop: to.Loop}
	to.Preds[pred] = b
	for i := range from.To {
		if from.To[i] == to {
			from.To[i] = b
		}
	}
	c := &code{block: b}
	f.of[b] = c
	i := slices.Index(f.blocks, f.of[from])
	f.blocks = slices.Insert(f.blocks, i+1, c)
	return c
}

// mostRegions are the registers for regions whose work-items meet again.
const mostRegions = 16

// flow writes how control goes on behind each block, and where work-items meet again.
func (f *function) flow() {
	regions := f.regions()
	open := map[*ssa.Block]int{}
	for i, c := range f.blocks {
		f.now = &code{}
		b := c.block
		if n, ok := open[b]; ok && b.Meets {
			in := f.emit("BSYNC", nil, barrier(n))
			in.fixed = true
			c.list = append([]*instruction{in}, c.list...)
			f.now.list = nil
			delete(open, b)
		}
		for _, m := range b.Breaks {
			if n, ok := open[m]; ok {
				f.emit("BREAK", nil, barrier(n))
			}
		}
		if b.Meet != nil && regions[b] {
			n := 0
			for taken := true; taken; {
				taken = false
				for _, other := range open {
					taken = taken || other == n
				}
				if taken {
					n++
				}
			}
			if n < mostRegions {
				open[b.Meet] = n
				f.emit("BSSY", nil, barrier(n), operand{kind: label, block: b.Meet})
			}
		}
		var next *ssa.Block
		if i+1 < len(f.blocks) {
			next = f.blocks[i+1].block
		}
		f.ending(b, next)
		c.ends = f.now.list
	}
}

func barrier(n int) operand {
	return text("B" + string("0123456789ABCDEF"[n%10:n%10+1]))
}

func (f *function) ending(b, next *ssa.Block) {
	jump := func(to *ssa.Block) {
		if to != next {
			f.emit("BRA", nil, operand{kind: label, block: to})
		}
	}
	conditional := func(to *ssa.Block, not bool) {
		p := f.condition(b.Cond)
		if p.unit == none {
			if p.minus == not {
				f.emit("BRA", nil, operand{kind: label, block: to})
			}
			return
		}
		in := f.emit("BRA", nil, operand{kind: label, block: to})
		in.guard, in.not = p.unit, p.minus != not
		in.uses = append(in.uses, p.unit)
	}
	switch b.End {
	case ssa.Jump:
		jump(b.To[0])
	case ssa.Branch:
		if b.To[0] == next {
			conditional(b.To[1], true)
			return
		}
		conditional(b.To[0], false)
		jump(b.To[1])
	case ssa.Leave:
		in := f.emit("EXIT", nil)
		p := f.condition(b.Cond)
		in.guard, in.not = p.unit, p.minus
		if p.unit != none {
			in.uses = append(in.uses, p.unit)
		}
		jump(b.To[0])
	default:
		f.emit("EXIT", nil)
	}
}

// regions are the blocks whose branches work-items may leave in different ways, so that those must meet again.
func (f *function) regions() map[*ssa.Block]bool {
	place := map[*ssa.Block]int{}
	for i, c := range f.blocks {
		place[c.block] = i
	}
	different := ssa.Different(f.Func)
	out := map[*ssa.Block]bool{}
	for i, c := range f.blocks {
		if c.block.Meet == nil || !c.block.Meet.Meets {
			continue
		}
		end, ok := place[c.block.Meet]
		out[c.block] = !ok || f.parts2(different, i, end)
	}
	return out
}

// parts2 reports whether work-items part between two places such that the region there must bring them together.
func (f *function) parts2(different map[*ssa.Value]bool, from, to int) bool {
	end := f.blocks[to].block
	for i := from; i < to; i++ {
		b := f.blocks[i].block
		if b.End == ssa.Branch && different[b.Cond] && (i == from || b.Meet == nil) {
			return true
		}
		if slices.Contains(b.Breaks, end) {
			return true
		}
	}
	return false
}
