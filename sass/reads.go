package sass

import (
	"slices"
	"strconv"
	"strings"
)

// driverWords are bytes of constant bank 0 that say no more than the ND-range and where private memory and buffers are.
const driverWords = 0x30

// Reads tells which bytes of the parameters of a kernel its code reads, as they lie in constant bank 0 from the first parameter on: the others may be
// anything, as the bytes between the fields of a structure often are. It is false where that is not known: offsets are computed, or the bank has an address.
func (f *Function) Reads() (read []bool, known bool) {
	if len(f.Parameters) == 0 {
		return nil, false
	}
	first := f.Parameters[0].From
	for _, p := range f.Parameters {
		first = min(first, p.From)
		read = append(read, make([]bool, max(0, p.From+p.Bytes-f.Parameters[0].From-len(read)))...)
	}
	if first != f.Parameters[0].From {
		return nil, false
	}
	for i := range f.Instructions {
		in := &f.Instructions[i]
		for _, o := range in.Operands {
			if strings.HasPrefix(o.Text, "cx[") {
				return nil, false
			}
			if o.Kind != ConstantOperand || !strings.Contains(o.Text, "c[0x0]") {
				continue
			}
			m := parameterBankOperand.FindStringSubmatch(o.Text)
			if m == nil {
				return nil, false
			}
			at, err := strconv.ParseInt(m[1], 16, 32)
			if err != nil || int(at) < first && at >= driverWords && !in.describes() {
				return nil, false
			}
			for k := max(int(at)-first, 0); k < min(int(at)-first+in.constantBytes(), len(read)); k++ {
				read[k] = true
			}
		}
	}
	return read, true
}

// describes reports whether what an instruction loads goes to uniform registers, as what describes global memory does.
func (in *Instruction) describes() bool {
	return in.Name == "ULDC" && slices.Contains(in.Modifiers, "64")
}

// constantBytes is how much an instruction reads of a constant bank at most.
func (in *Instruction) constantBytes() int {
	if in.Name != "LDC" && in.Name != "ULDC" {
		return 8 // operands of arithmetic have 32 or 64 bits
	}
	for modifier, n := range map[string]int{"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16} {
		if slices.Contains(in.Modifiers, modifier) {
			return n
		}
	}
	return 4
}
