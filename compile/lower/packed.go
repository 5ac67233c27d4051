package lower

import (
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// The highest bits of the numbers in a word.
const (
	topOfBytes  = 0x80808080
	topOfHalves = 0x80008000
)

// ofParts is a function of CUDA C of the bytes or halves of words, such as __vadd4; nil of others. The library has them for both, with the highest bits as the last argument.
func (l vectors) ofParts(x *cfront.Call, name string, a []*ssa.Value) *ssa.Value {
	op, is := strings.CutPrefix(name, "packed_")
	if !is {
		return nil
	}
	top, ending := int64(topOfBytes), "4"
	if strings.HasSuffix(x.Func, "2") {
		top, ending = topOfHalves, "2"
	}
	if f := library().Function(ownPrefix + "v" + op + ending); f != nil && len(f.Params) == len(a) { // that one instruction is
		return l.ofLibrary(x.Pos, f, a...)
	}
	flipped := func() []*ssa.Value { // numbers with a sign in the order of those without
		out := []*ssa.Value{}
		for _, v := range a {
			out = append(out, l.Make(ssa.Xor, ssa.W, v, l.Const(top)))
		}
		return out
	}
	set, ones := false, l.Const(topOfBytes>>7)
	if ending == "2" {
		ones = l.Const(topOfHalves >> 15)
	}
	if rest, is := strings.CutPrefix(op, "set"); is {
		op, set = "cmp"+rest, true
	}
	if how := strings.TrimPrefix(op, "cmp"); how != op && len(how) == 3 { // gts, leu
		if how[2] == 's' {
			a = flipped()
		}
		if how[0] == 'g' {
			a = []*ssa.Value{a[1], a[0]}
		}
		op = map[byte]string{'t': "cmplt", 'e': "cmple"}[how[1]]
	}
	f := library().Function(ownPrefix + "v" + op)
	if f == nil || len(f.Params) != len(a)+1 {
		return nil
	}
	r := l.ofLibrary(x.Pos, f, append(append([]*ssa.Value{}, a...), l.Const(top))...)
	if set {
		r = l.Make(ssa.And, ssa.W, r, ones)
	}
	return r
}

// ofThree is a minimum or maximum of two or three numbers, or of a sum and a number, which __viaddmax_s32 and its like are; nil of others.
func (l vectors) ofThree(x *cfront.Call, name string, a []*ssa.Value) *ssa.Value {
	name, relu := strings.CutSuffix(name, "_relu")
	in := map[string]string{"max": "VIMNMX", "min": "VIMNMX", "max3": "VIMNMX3", "min3": "VIMNMX3", "addmax": "VIADDMNMX", "addmin": "VIADDMNMX"}[name]
	if in == "" || !strings.HasPrefix(x.Func, "__vi") {
		return nil
	}
	switch {
	case strings.Contains(x.Func, "_s16x2"):
		in += ".S16x2"
	case strings.Contains(x.Func, "_u16x2"):
		in += ".U16x2"
	case !x.DType.IsSigned():
		in += ".U32"
	}
	if relu {
		in += ".RELU"
	}
	return l.MakeAux(ssa.Raw, wordType(expr.Uint32), in, append(append([]*ssa.Value{}, a...), l.Const(map[bool]int64{true: 1}[strings.Contains(name, "max")]))...)
}
