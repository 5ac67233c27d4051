package exec

import (
	"encoding/binary"
	"math/bits"

	"gpuperf/sass"
)

// memoryForms are the opcodes that access memory.
var memoryForms = map[string]form{
	"LDG":    {run: load, decode: decodeAccess},
	"LD":     {run: load, decode: decodeAccess},
	"LDS":    {run: load, decode: decodeAccess},
	"LDL":    {run: load, decode: decodeAccess},
	"STG":    {run: store, decode: decodeAccess},
	"ST":     {run: store, decode: decodeAccess},
	"STS":    {run: store, decode: decodeAccess},
	"STL":    {run: store, decode: decodeAccess},
	"LDC":    {run: loadConstant, decode: decodeConstant},
	"LDCU":   {run: loadConstant, decode: decodeConstant},
	"LDGSTS": {run: copyToLocal, decode: decodeCopy},
	"LDSM":   {run: matrices, decode: decodeAccess},
	"STSM":   {run: matrices, decode: decodeAccess},
	"ATOM":   {run: atomic, decode: decodeAtomic},
	"ATOMG":  {run: atomic, decode: decodeAtomic},
	"ATOMS":  {run: atomic, decode: decodeAtomic},
	"RED":    {run: atomic, decode: decodeAtomic},
	"REDG":   {run: atomic, decode: decodeAtomic},
	"CCTL":   {run: skip},
	"CCTLL":  {run: skip},
}

// decodeAccess decodes the address, and what is stored there.
func decodeAccess(d *decoder) {
	in := d.in
	a := &access{space: in.Opcode.Space, bytes: in.AccessBytes(), signed: d.has("S8") || d.has("S16")}
	d.o.access = a
	d.o.width = max(d.o.width, 1)
	found := false
	for i := in.Written(); i < len(in.Operands); i++ {
		operand := &in.Operands[i]
		switch {
		case operand.Kind == sass.AddressOperand && !found:
			a.parts[0], found = d.address(operand.Text, d.has("E"))
		case operand.Kind == sass.RegisterOperand && isPredicate(operand):
			d.o.guards = append(d.o.guards, d.guard(operand))
		case operand.Kind != sass.AddressOperand:
			a.values = append(a.values, d.source(operand, 1, integer))
		}
	}
	if !found || a.bytes > 4*len(words{}.value) {
		d.o.run = unknown
	}
}

func isPredicate(o *sass.Operand) bool {
	f := o.Registers[0].Register.File
	return f == sass.Predicate || f == sass.UniformPredicate
}

// guard decodes a predicate operand.
func (d *decoder) guard(o *sass.Operand) guard {
	return guard{reads(o.Registers[0].Register), o.Text[0] == '!'}
}

// reach computes the addresses of an access, and notes it in the step.
func (w *Warp) reach(o *op, part *address, space sass.Space, action sass.Action, size int, lanes uint32) *Access {
	n := len(w.step.Accesses)
	if n == len(w.pair) {
		n--
	}
	w.step.Accesses = w.pair[:n+1]
	a := &w.pair[n]
	a.Space, a.Action, a.Bytes, a.Lanes, a.Known = space, action, size, lanes, 0
	part.all(w.path.file, lanes, a)
	if space == sass.Generic {
		a.Space = a.common()
	}
	if a.Space == sass.Local || a.Space == sass.Private {
		for i := range a.Address {
			a.Address[i] &= windowSize - 1
		}
	}
	if a.Known != lanes {
		w.launch.doubt(UnknownAddress, o.index)
	}
	w.allowed(o, a)
	return a
}

// allowed notes what a device would not access: an address that is no multiple of the size, and one that lies in no buffer. Lanes that may not take
// part do not count, and neither do addresses that follow from what nobody has said.
func (w *Warp) allowed(o *op, a *Access) {
	lanes := a.Known &^ w.step.Doubtful
	if lanes == 0 || w.path.joined > 0 || a.Space != sass.Local && a.Space != sass.Global {
		return
	}
	low, high, or := ^uint64(0), uint64(0), uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		at := a.Address[active(m)]
		low, high, or = min(low, at), max(high, at), or|at
	}
	misaligned := a.Bytes&(a.Bytes-1) == 0 && a.Bytes <= widest && or&uint64(a.Bytes-1) != 0
	outside := a.Space == sass.Global && !w.launch.Memory.within(low, high)
	if !misaligned && !outside || w.path.file.from.at(o.follows.address, lanes) != 0 {
		return
	}
	if misaligned {
		w.launch.doubt(Misaligned, o.index)
	}
	if outside {
		w.launch.doubt(Outside, o.index)
	}
}

// widest is the most that a work-item accesses at once, in bytes; bulk copies are more.
const widest = 16

// common is the space that all known generic addresses lie in, Generic if there are several or none.
func (a *Access) common() sass.Space {
	space := sass.Generic
	for m := a.Known; m != 0; m &= m - 1 {
		one := kindOf(a.Address[active(m)])
		if m != a.Known && one != space {
			return sass.Generic
		}
		space = one
	}
	return space
}

// kindOf is the space that a generic address lies in.
func kindOf(address uint64) sass.Space {
	switch {
	case address >= sharedAt && address < sharedAt+windowSize:
		return sass.Local
	case address >= privateAt && address < privateAt+windowSize:
		return sass.Private
	}
	return sass.Global
}

// memory is the space of an access, with the address in it.
func (w *Warp) memory(a *Access, lane int) (*space, uint64) {
	space, at := a.Space, a.Address[lane]
	if space == sass.Generic {
		space = kindOf(at)
	}
	switch space {
	case sass.Local:
		return w.Group.shared, at & (windowSize - 1)
	case sass.Private:
		if w.private == nil {
			w.private = newSpace(nil)
		}
		return w.private, at&(windowSize-1) | uint64(lane)*windowSize
	}
	return w.Group.global, at
}

// Await tells that a loop waits for what others store where an instruction loads: from then on it is not known what that is. It reports whether
// the instruction loads from global memory, or tells what was there before it changed it.
func (w *Warp) Await(index int) bool {
	o := &w.launch.ops[index]
	if o.access == nil || o.in.Opcode.Space != sass.Global && o.in.Opcode.Space != sass.Generic || o.in.Opcode.Action != sass.Load && (o.in.Opcode.Action != sass.Atomic || o.to[0] == sinkRow) {
		return false
	}
	o.access.others = true
	for _, loop := range w.launch.inside[index] {
		w.trips[loop-1].ends = false
	}
	return true
}

func load(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	a := w.reach(o, &o.access.parts[0], o.access.space, sass.Load, o.access.bytes, lanes)
	if o.to[0] == sinkRow {
		return
	}
	var known [4]uint32
	switch {
	case o.access.others: // not known
	case o.access.bytes == 4 && a.Space != sass.Generic:
		known[0] = w.loadWords(a, &f.rows[o.to[0]])
	default:
		w.loadAny(o, a, &known)
	}
	for k := range o.width {
		n := o.to[0] + k
		f.known[n] = f.known[n]&^lanes | known[k]
		for m := lanes &^ known[k]; m != 0; m &= m - 1 {
			f.rows[n][bits.TrailingZeros32(m)] = 0
		}
	}
	if o.results > 0 {
		f.setPredicate(o.toPred[0], lanes, truth{})
	}
}

// loadAny loads values of any size into registers, and tells which lanes of each register are known.
func (w *Warp) loadAny(o *op, a *Access, known *[4]uint32) {
	f := w.path.file
	for m := a.Known; m != 0; m &= m - 1 {
		i := active(m)
		s, at := w.memory(a, i)
		v := s.read(at, o.access.bytes)
		if o.access.bytes < 4 && o.access.signed {
			v.value[0] = uint32(int32(v.value[0]<<(32-8*o.access.bytes)) >> (32 - 8*o.access.bytes))
		}
		for k := range o.width {
			if v.known>>k&1 != 0 {
				known[k] |= 1 << i
				f.rows[o.to[0]+k][i] = v.value[k]
			}
		}
	}
}

// loadWords loads words of one space, and tells which lanes are known.
func (w *Warp) loadWords(a *Access, to *row) (known uint32) {
	var p *page
	var number uint64
	for m := a.Known; m != 0; m &= m - 1 {
		i := active(m) & (WarpSize - 1)
		s, at := w.memory(a, i)
		if at%4 != 0 {
			v := s.read(at, 4)
			to[i] = v.value[0]
			known |= uint32(v.known&1) << i
			continue
		}
		if n := at / pageSize; p == nil || n != number {
			p, number = s.find(n).page, n
		}
		to[i] = binary.LittleEndian.Uint32(p.data[at%pageSize:])
		known |= uint32(p.known[at%pageSize]&1) << i & -uint32(p.known[at%pageSize+3]&1)
		if p.known[at%pageSize+1]&p.known[at%pageSize+2] == 0 {
			known &^= 1 << i
		}
	}
	return known
}

func store(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	a := w.reach(o, &o.access.parts[0], o.access.space, sass.Store, o.access.bytes, lanes)
	if a.Known != lanes && a.Space == sass.Local {
		w.Group.shared.forget()
		return
	}
	if len(o.access.values) == 0 {
		return
	}
	value := &o.access.values[0]
	for m := a.Known; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		var v words
		for k := range (o.access.bytes + 3) / 4 {
			if value.fixed != nil {
				v.value[k] = value.fixed[i]
				v.known |= uint8(value.known>>i&1) << k
				continue
			}
			n := value.row + k
			if value.row == zeroRow || value.row == uniformZero {
				n = value.row
			}
			v.value[k] = f.rows[n][i]
			v.known |= uint8(f.known[n]>>i&1) << k
		}
		s, at := w.memory(a, i)
		s.store(at, o.access.bytes, &v, w.step.Doubtful>>i&1 != 0)
	}
}

// decodeConstant decodes the bank and the address of LDC.
func decodeConstant(d *decoder) {
	in := d.in
	d.o.access = &access{bytes: in.AccessBytes(), signed: d.has("S8") || d.has("S16")}
	for i := in.Written(); i < len(in.Operands); i++ {
		text := in.Operands[i].Text
		part, ok := d.address(text, false)
		if !ok || len(text) < 3 || text[:2] != "c[" {
			continue
		}
		d.o.access.parts[0] = part
		d.o.target = int(hexOr(text[2:indexOf(text, ']')], -1))
		return
	}
	d.o.run = unknown
}

func indexOf(text string, c byte) int {
	for i := range len(text) {
		if text[i] == c {
			return i
		}
	}
	return len(text)
}

// loadConstant loads from a constant bank: for each lane, or once (ULDC).
func loadConstant(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	if o.to[0] == sinkRow {
		return
	}
	uniform := o.to[0] >= firstUniform
	part := &o.access.parts[0]
	a := w.reach(o, part, sass.Bank, sass.Load, o.access.bytes, lanes)
	if len(part.terms) == 0 && !uniform {
		for k := range o.width {
			v, known := w.constant(o, part.offset+4*uint64(k), true)
			if lanes == all {
				f.spread(o.to[0]+k, uint32(v), known)
				continue
			}
			var values row
			for i := range values {
				values[i] = uint32(v)
			}
			f.set(o.to[0]+k, lanes, &values, -uint32(uint64Of(known)))
		}
		return
	}
	if uniform {
		i := active(lanes)
		at := a.Address[i]
		for k := range o.width {
			v, known := w.constant(o, at+4*uint64(k), a.Known>>i&1 != 0)
			f.spread(o.to[0]+k, uint32(v), known)
		}
		return
	}
	for k := range o.width {
		var values row
		known := uint32(0)
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			v, ok := w.constant(o, a.Address[i]+4*uint64(k), a.Known>>i&1 != 0)
			if ok {
				values[i] = uint32(v)
				known |= 1 << i
			}
		}
		f.set(o.to[0]+k, lanes, &values, known)
	}
}

// constant is a word of a constant bank, or less.
func (w *Warp) constant(o *op, at uint64, ok bool) (uint64, bool) {
	if !ok {
		return 0, false
	}
	size := min(o.access.bytes, 4)
	v, known := w.launch.constants.word(o.target, at, size)
	if o.access.signed {
		v = uint64(uint32(int32(v<<(32-8*size)) >> (32 - 8*size)))
	}
	return v, known
}

// decodeCopy decodes a copy from global to local memory: LDGSTS.
func decodeCopy(d *decoder) {
	in := d.in
	a := &access{bytes: in.AccessBytes()}
	d.o.access = a
	n := 0
	for i := range in.Operands {
		operand := &in.Operands[i]
		if operand.Kind == sass.AddressOperand && n < 2 {
			a.parts[n], _ = d.address(operand.Text, n == 1)
			n++
		} else if operand.Kind == sass.RegisterOperand && isPredicate(operand) {
			d.o.guards = append(d.o.guards, d.guard(operand))
		}
	}
	if n < 2 {
		d.o.run = unknown
	}
}

// copyToLocal copies at once; where a predicate among the operands does not hold, zeros are stored.
func copyToLocal(w *Warp, o *op, lanes uint32) {
	fills := truth{known: all}
	if len(o.guards) > 0 {
		b := o.guards[len(o.guards)-1].read(w.path.file)
		fills = b.not()
	}
	from := w.reach(o, &o.access.parts[1], sass.Global, sass.Copy, o.access.bytes, lanes)
	to := w.reach(o, &o.access.parts[0], sass.Local, sass.Copy, o.access.bytes, lanes)
	if to.Known != lanes {
		w.Group.shared.forget()
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		var v words
		switch {
		case fills.value>>i&1 != 0:
			v.known = 0xf
		case fills.known>>i&1 != 0 && from.Known>>i&1 != 0:
			v = w.Group.global.read(from.Address[i], o.access.bytes)
		}
		w.Group.shared.store(to.Address[i], o.access.bytes, &v, w.step.Doubtful>>i&1 != 0)
	}
}

// rowBytes is the bytes of a row of the matrices that are loaded at once; each lane gives the address of one row.
const rowBytes = 16

// matrices loads or stores matrices of 8 x 8 of 16 bits. Their values are not followed.
func matrices(w *Warp, o *op, lanes uint32) {
	given := uint32(1)<<min(WarpSize, 8*o.access.bytes/4) - 1
	action := o.in.Opcode.Action
	a := w.reach(o, &o.access.parts[0], sass.Local, action, rowBytes, lanes&given)
	if action == sass.Load {
		w.blur(o, lanes)
		return
	}
	if a.Known != a.Lanes {
		w.Group.shared.forget()
		return
	}
	for m := a.Known; m != 0; m &= m - 1 {
		w.Group.shared.blur(a.Address[bits.TrailingZeros32(m)], rowBytes)
	}
}
