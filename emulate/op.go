package emulate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// decoder makes Ops of instructions.
type decoder struct {
	device  *facts.Device
	numbers map[sass.Register]uint16
	kept    [4]sass.Reference // of each operand, what the reuse cache holds
}

// ops are what the instructions of a function ask of a machine. Without control bits, instructions wait for the registers that they name.
func ops(f *sass.Function, device *facts.Device) []timing.Op {
	d := decoder{device: device, numbers: map[sass.Register]uint16{}}
	out := make([]timing.Op, len(f.Instructions))
	for i := range f.Instructions {
		reuse := 0
		if i+1 < len(f.Instructions) {
			reuse = reuses(&f.Instructions[i], &f.Instructions[i+1])
		}
		out[i] = d.op(&f.Instructions[i], reuse)
	}
	return out
}

// op is what an instruction asks of a machine. Reuse are the operands that are kept for the next one, where no control bits say so.
func (d *decoder) op(in *sass.Instruction, reuse int) timing.Op {
	op := timing.Op{Written: timing.NoBoard, Read: timing.NoBoard, Stall: timing.Cycle, Address: in.Address}
	timingOf(in).time(&op, d.device)
	op.Defines, op.Uses = d.registers(in.Defines()), d.registers(in.Uses())
	op.Action = action(in)
	op.Answers = in.Name == "ATOMG" || in.Name == "ATOM"
	if op.Unit == timing.Wide {
		d.wide(in, &op)
	}
	if in.Code == nil {
		if op.Pipe = cmp.Or(op.Beside, op.Unit); op.Action == timing.Access {
			op.Pipe = timing.Address
		}
		d.guards(in, &op)
	} else {
		c := in.Code.Control()
		op.Stall = max(int64(c.Stall), 1) * timing.Cycle
		op.Yield = c.Yield && c.Stall > 0
		if op.Unit != timing.Wide {
			op.Written = board(c.WriteBarrier)
		}
		op.Read = board(c.ReadBarrier)
		op.Waits = uint8(c.Wait)
		reuse = c.Reuse
	}
	if op.Action == timing.Commit {
		op.Written = max(op.Written, 0)
	}
	if in.Name == "DEPBAR" || in.Name == "WARPGROUP" && in.Has("DEPBAR") {
		op.Waits, op.Left = held(in)
	}
	op.Banks = d.banks(in, reuse)
	return op
}

// guards tells when predicates are there for what they guard, which is later than for what reads them: as if they were registers of their own.
func (d *decoder) guards(in *sass.Instruction, op *timing.Op) {
	as := func(r sass.Register) []uint16 {
		return d.registers([]sass.Register{{File: r.File, Index: -2 - r.Index}}) // no register has such a number
	}
	for _, r := range in.Defines() {
		switch {
		case !isPredicate(r.File):
		case op.Unit == timing.ALU:
			op.Late = append(op.Late, as(r)...)
		default:
			op.Defines = append(op.Defines, as(r)...)
		}
	}
	if r := in.Guard.Register; in.Guard != (sass.Guard{}) && r.Index != sass.Constant {
		op.Uses = append(op.Uses, as(r)...)
	}
}

func board(n int) int8 {
	if n == sass.None {
		return timing.NoBoard
	}
	return int8(n)
}

// action is what the instruction does beside occupying its unit.
func action(in *sass.Instruction) timing.Action {
	switch {
	case in.Opcode == nil:
		return timing.Compute
	case in.Name == "BAR" && !in.Has("ARV"):
		return timing.Wait
	case in.Name == "MEMBAR" && !in.Has("CTA"):
		return timing.Fence
	case in.Name == "CCTL" && in.Has("IVALL"):
		return timing.Empty
	case in.Name == "LDGDEPBAR" || in.Name == "UTMACMDFLUSH":
		return timing.Commit
	case in.Name == "WARPGROUP" && in.Has("ARRIVE"):
		return timing.Gather
	case in.Opcode.Space != "" && in.Opcode.Pipe != sass.UDP:
		return timing.Access
	}
	return timing.Compute
}

// groupBoard is the scoreboard of groups of products in the text of operands.
const groupBoard = "gsb0"

// held reads the operands of DEPBAR.LE: a scoreboard, and how many may hold it still.
func held(in *sass.Instruction) (waits uint8, left int) {
	for _, o := range in.Operands {
		if o.Text == groupBoard {
			waits |= 1 << timing.Products
		} else if n, ok := strings.CutPrefix(o.Text, "SB"); ok {
			if b, err := strconv.Atoi(n); err == nil {
				waits |= 1 << b
			}
		} else if n, err := strconv.ParseInt(o.Text, 0, 32); err == nil {
			left = int(n)
		}
	}
	return waits, left
}

func (d *decoder) registers(list []sass.Register) (out []uint16) {
	for _, r := range list {
		n, ok := d.numbers[r]
		if !ok {
			n = uint16(len(d.numbers))
			d.numbers[r] = n
		}
		out = append(out, n)
	}
	return out
}

// slots are the general registers that an instruction reads from the register banks, by the places that the reuse cache has for them.
func slots(in *sass.Instruction) (all [len(decoder{}.kept)]sass.Reference) {
	if in.Opcode == nil || in.Opcode.Latency != sass.Fixed || in.Opcode.Pipe == sass.FP64 {
		return all
	}
	slot := -1
	for i, o := range in.Operands {
		if o.Kind == sass.AllPredicates || i == 0 || o.Kind == sass.RegisterOperand && isPredicate(o.Registers[0].Register.File) {
			continue
		}
		if slot++; slot >= len(all) {
			break
		}
		if o.Kind == sass.RegisterOperand && o.Registers[0].Register.File == sass.General && o.Registers[0].Register.Index != sass.Constant {
			all[slot] = o.Registers[0]
		}
	}
	return all
}

// reuses are the operands, as bits, that an assembler keeps in the reuse cache for the instruction behind: those that it reads at the same place, where
// the one before does not write them.
func reuses(in, behind *sass.Instruction) (reuse int) {
	mine, next := slots(in), slots(behind)
	written := in.Defines()
	for i, r := range mine {
		if r != (sass.Reference{}) && r.Register == next[i].Register && !slices.Contains(written, r.Register) {
			reuse |= 1 << i
		}
	}
	return reuse
}

// banks counts the operands that an instruction of fixed latency reads from each of the two register banks, those in the reuse cache aside.
func (d *decoder) banks(in *sass.Instruction, reuse int) (n [2]int64) {
	for slot, r := range slots(in) {
		if r == (sass.Reference{}) {
			continue
		}
		if d.kept[slot].Register != r.Register {
			n[r.Register.Index%2]++
		}
		d.kept[slot] = sass.Reference{}
		if reuse>>slot&1 != 0 {
			d.kept[slot] = r
		}
	}
	return n
}

func isPredicate(f sass.File) bool { return f == sass.Predicate || f == sass.UniformPredicate }
