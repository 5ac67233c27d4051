package exec

import (
	"math/bits"
	"strings"

	"gpuperf/sass"
)

// moveForms are the opcodes that move values between registers.
var moveForms = map[string]form{
	"MOV":    {compute: plain(func(x *item) { x.d = x.v[0] }), chooses: choosesNothing},
	"MOV32I": {compute: plain(func(x *item) { x.d = x.v[0] })},
	"S2R":    {run: readSpecial, decode: decodeSpecial},
	"S2UR":   {run: readSpecial, decode: decodeSpecial},
	"CS2R":   {run: readSpecial, decode: decodeSpecial},
	"CS2UR":  {run: readSpecial, decode: decodeSpecial},
	"R2UR":   {run: toUniform, operands: true},
	"P2R":    {run: fromPredicates, operands: true, decode: decodePredicates},
	"P2UR":   {run: fromPredicates, operands: true, decode: decodePredicates},
	"R2P":    {run: toPredicates, operands: true, decode: decodePredicates},
	"R2UP":   {run: toPredicates, operands: true, decode: decodePredicates},
	"BMOV":   {run: moveBarrier, operands: true, decode: decodeBarrier},
	"LEPC":   {run: ownAddress},
	"NOP":    {run: skip},
	"PMTRIG": {run: skip},
}

// choosesNothing knows nothing where an operand is unknown.
func choosesNothing(*op, *item, uint8, uint8) (bool, [2]bool) { return false, [2]bool{} }

// skip does nothing.
func skip(*Warp, *op, uint32) {}

// special is the value of a special register in a lane.
type specialRegister func(w *Warp, lane int) uint32

// specialRegisters is the table of special registers by name. What is not in it is unknown: clocks, and where the group runs.
var specialRegisters = map[string]specialRegister{
	"SRZ":            func(*Warp, int) uint32 { return 0 },
	"SR_LANEID":      func(_ *Warp, lane int) uint32 { return uint32(lane) },
	"SR_TID.X":       func(w *Warp, lane int) uint32 { return w.place(lane)[0] },
	"SR_TID.Y":       func(w *Warp, lane int) uint32 { return w.place(lane)[1] },
	"SR_TID.Z":       func(w *Warp, lane int) uint32 { return w.place(lane)[2] },
	"SR_TID":         func(w *Warp, lane int) uint32 { t := w.place(lane); return t[0] | t[1]<<16 | t[2]<<26 },
	"SR_CTAID.X":     func(w *Warp, _ int) uint32 { return w.Group.index[0] },
	"SR_CTAID.Y":     func(w *Warp, _ int) uint32 { return w.Group.index[1] },
	"SR_CTAID.Z":     func(w *Warp, _ int) uint32 { return w.Group.index[2] },
	"SR_NTID":        func(w *Warp, _ int) uint32 { return w.launch.Block[0] * w.launch.Block[1] * w.launch.Block[2] },
	"SR_NCTAID.X":    func(w *Warp, _ int) uint32 { return w.launch.Grid[0] },
	"SR_NCTAID.Y":    func(w *Warp, _ int) uint32 { return w.launch.Grid[1] },
	"SR_NCTAID.Z":    func(w *Warp, _ int) uint32 { return w.launch.Grid[2] },
	"SR_EQMASK":      func(_ *Warp, lane int) uint32 { return 1 << lane },
	"SR_LTMASK":      func(_ *Warp, lane int) uint32 { return 1<<lane - 1 },
	"SR_LEMASK":      func(_ *Warp, lane int) uint32 { return 2<<lane - 1 },
	"SR_GTMASK":      func(_ *Warp, lane int) uint32 { return ^uint32(2<<lane - 1) },
	"SR_GEMASK":      func(_ *Warp, lane int) uint32 { return ^uint32(1<<lane - 1) },
	"SR_SWINLO":      func(*Warp, int) uint32 { return sharedAt & 0xffffffff },
	"SR_SWINHI":      func(*Warp, int) uint32 { return sharedAt >> 32 },
	"SR_CgaCtaId":    func(w *Warp, _ int) uint32 { return w.Group.rank() },
	"SR_WARPID":      func(w *Warp, _ int) uint32 { return uint32(w.Number) },
	"SR_VIRTID":      func(w *Warp, _ int) uint32 { return uint32(w.Number) << 8 },
	"SR_CLUSTERID.X": func(w *Warp, _ int) uint32 { return w.Group.index[0] / w.launch.cluster[0] },
	"SR_CLUSTERID.Y": func(w *Warp, _ int) uint32 { return w.Group.index[1] / w.launch.cluster[1] },
	"SR_CLUSTERID.Z": func(w *Warp, _ int) uint32 { return w.Group.index[2] / w.launch.cluster[2] },
}

// rank is the number of the group in its cluster.
func (g *Group) rank() uint32 {
	c := g.launch.cluster
	return g.index[0]%c[0] + c[0]*(g.index[1]%c[1]+c[1]*(g.index[2]%c[2]))
}

// decodeSpecial finds the special register: the last operand.
func decodeSpecial(d *decoder) {
	name := d.in.Operands[len(d.in.Operands)-1].Text
	d.o.special = specialRegisters[name]
}

func readSpecial(w *Warp, o *op, lanes uint32) {
	if o.special == nil {
		w.blur(o, lanes)
		return
	}
	f := w.path.file
	if o.to[0] >= firstUniform && o.to[0] < sinkRow {
		lanes = all
	}
	var values, none row
	for i := range values {
		values[i] = o.special(w, i)
	}
	f.set(o.to[0], lanes, &values, all)
	if o.width == 2 && o.to[0] != sinkRow {
		f.set(o.to[0]+1, lanes, &none, all)
	}
}

// toUniform takes the value of the first lane: R2UR. A predicate tells in which lanes it is another one, with OR in which another one of these was, too.
func toUniform(w *Warp, o *op, lanes uint32) {
	if len(o.sources) == 0 {
		return
	}
	f := w.path.file
	v, known := o.sources[0].first(f, lanes)
	if o.results > 0 {
		other := truth{}
		for m := lanes; m != 0; m &= m - 1 {
			if x, ok := o.sources[0].lane(f, active(m)); ok && known {
				other.known |= m & -m
				if x != v {
					other.value |= m & -m
				}
			}
		}
		if o.in.Has("OR") {
			old := f.preds[o.toPred[0]]
			other = truth{value: old.value | other.value, known: old.known & other.known}
		}
		f.setPredicate(o.toPred[0], lanes, other)
	}
	w.spread(o, lanes, v, known)
}

// spread writes a value to a uniform register, or to lanes of another.
func (w *Warp) spread(o *op, lanes uint32, v uint64, known bool) {
	if o.to[0] == sinkRow {
		return
	}
	f := w.path.file
	for k := range max(o.width, 1) {
		n, part := o.to[0]+k, uint32(v>>(32*k))
		if n >= firstUniform || lanes == all {
			f.spread(n, part, known)
			continue
		}
		var values row
		for i := range values {
			values[i] = part
		}
		f.set(n, lanes, &values, -uint32(uint64Of(known)))
	}
}

// decodePredicates finds the first predicate that PR or UPR stands for, and by how many bits the register is shifted.
func decodePredicates(d *decoder) {
	d.o.target = 0
	for _, operand := range d.in.Operands {
		if operand.Kind == sass.AllPredicates && operand.Text == "UPR" {
			d.o.target = uniformPredicate
		}
	}
	for _, m := range d.in.Modifiers {
		if len(m) == 2 && m[0] == 'B' {
			d.o.shift = 8 * uint(m[1]-'0')
		}
	}
}

// predicateBits are the predicates that one register can hold.
const predicateBits = 7

// fromPredicates puts predicates into bits of a register, by a mask: P2R. Other bits are those of another register.
func fromPredicates(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	var values row
	known := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		v, sure := uint64(0), true
		if len(o.sources) > 1 {
			v, sure = o.sources[0].lane(f, i)
		}
		mask, also := uint64(1<<predicateBits-1), true
		if n := len(o.sources); n > 0 {
			mask, also = o.sources[n-1].lane(f, i)
		}
		sure = sure && also
		for k := range predicateBits {
			if mask>>k&1 == 0 {
				continue
			}
			p := f.preds[o.target+k]
			sure = sure && p.known>>i&1 != 0
			at := uint(k) + o.shift
			v = v&^(1<<at) | uint64(p.value>>i&1)<<at
		}
		values[i] = uint32(v)
		if sure {
			known |= 1 << i
		}
	}
	f.set(o.to[0], lanes, &values, known)
}

// toPredicates takes predicates from bits of a register, by a mask: R2P.
func toPredicates(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	n := len(o.sources)
	if n < 2 {
		unknown(w, o, lanes)
		return
	}
	for k := range predicateBits {
		var b truth
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			v, known := o.sources[n-2].lane(f, i)
			if known {
				b.known |= 1 << i
				b.value |= uint32(v>>(uint(k)+o.shift)&1) << i
			}
		}
		if mask, _ := o.sources[n-1].first(f, lanes); mask>>k&1 != 0 {
			f.setPredicate(o.target+k, lanes, b)
		}
	}
}

// decodeBarrier finds out which way a mask is moved.
func decodeBarrier(d *decoder) {
	for i, operand := range d.in.Operands {
		if operand.Kind == sass.RegisterOperand && operand.Registers[0].Register.File == sass.ConvergenceBarrier {
			d.o.to[1] = operand.Registers[0].Register.Index
			d.o.target = i // 0: to the barrier
		}
	}
}

// moveBarrier saves a convergence barrier in a register, or restores it: BMOV.
func moveBarrier(w *Warp, o *op, lanes uint32) {
	p := w.path
	if o.to[1] >= barriers {
		return
	}
	if o.target == 0 {
		if len(o.sources) > 0 {
			if v, known := o.sources[0].first(p.file, lanes); known {
				p.masks[o.to[1]] = uint32(v)
			}
		}
		return
	}
	var values row
	for i := range values {
		values[i] = p.masks[o.to[1]]
	}
	p.file.set(o.to[0], lanes, &values, all)
	if strings.Contains(o.in.Mnemonic(), "CLEAR") {
		p.masks[o.to[1]] = 0
	}
}

// ownAddress is where the operand, or the next instruction, lies: LEPC.
func ownAddress(w *Warp, o *op, lanes uint32) {
	var values, none row
	for i := range values {
		values[i] = uint32(o.in.Address + instructionSize)
	}
	w.path.file.set(o.to[0], lanes, &values, all)
	if o.to[0] != sinkRow {
		w.path.file.set(o.to[0]+1, lanes, &none, all)
	}
}

// instructionSize is the bytes of an instruction.
const instructionSize = 16
