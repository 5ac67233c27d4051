package lower

import (
	"encoding/binary"
	"fmt"
	"math"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

func floatOf(x *ssa.Value) float32  { return math.Float32frombits(uint32(x.Int)) }
func doubleOf(x *ssa.Value) float64 { return math.Float64frombits(uint64(x.Int)) }

// split takes the constant from an address: what remains, and how many bytes further on.
func (l *lowering) split(p *pointer) (base *ssa.Value, off int64) {
	base, off = p.base, p.off
	for base != nil && base.Op == ssa.Add && base.Args[1].Op == ssa.Const {
		n := base.Args[1].Int
		if base.Type == ssa.W {
			n = int64(int32(n))
		}
		base, off = base.Args[0], off+n
	}
	if base != nil && base.Op == ssa.Const {
		n := base.Int
		if base.Type == ssa.W {
			n = int64(int32(n))
		}
		return nil, off + n
	}
	return base, off
}

// widest is the bytes of the widest access.
const widest = 16

// load reads the lanes of a number from memory.
func (l *lowering) load(p *pointer, t expr.DType) (out []*ssa.Value) {
	base := t.Base()
	each, lanes := base.Size(), t.Lanes()
	if p.space == ssa.Constant && p.base == nil {
		for i := range lanes {
			out = append(out, l.banked(p.off+i*each, base))
		}
		return out
	}
	for from := int64(0); from < lanes; {
		n := min(lanes-from, widest/each)
		q := p.shift(from * each)
		address, off := l.split(q)
		a := ssa.Access{
			Space: q.space, Bytes: int(n * each), Signed: base.IsSigned(), Offset: off, Object: q.object, ReadOnly: q.readOnly, Volatile: q.volatile, Lanes: n > 1,
		}
		words := n * each / 4
		kind := ssa.W
		switch {
		case words == 2:
			kind = ssa.D
		case words > 2:
			kind = ssa.V4
		}
		v := l.Load(kind, a, address)
		out = append(out, l.lanesOf(v, base, n)...)
		from += n
	}
	return out
}

// lanesOf takes the lanes from what was loaded.
func (l *lowering) lanesOf(v *ssa.Value, base expr.DType, n int64) (out []*ssa.Value) {
	each := base.Size()
	for i := range n {
		switch {
		case n == 1:
			out = append(out, v)
		case each == 8:
			out = append(out, l.Make(ssa.Pack, ssa.D, l.Word(v, int(2*i)), l.Word(v, int(2*i+1))))
		case each == 4:
			out = append(out, l.Word(v, int(i)))
		default:
			w := l.Word(v, int(i*each/4))
			if s := 8 * (i * each % 4); s > 0 {
				w = l.Make(ssa.ShrU, ssa.W, w, l.Const(s))
			}
			out = append(out, l.narrow(w, base))
		}
	}
	return out
}

// bank is an address among those of variables.
func (l *lowering) bank(at int64) *ssa.Value { return l.MakeWith(ssa.Bank, ssa.D, at, ssa.Addresses) }

// banked is a number at a constant place of constant memory.
func (l *lowering) banked(at int64, t expr.DType) *ssa.Value {
	switch t.Size() {
	case 8:
		return l.MakeInt(ssa.Bank, ssa.D, at)
	case 4:
		return l.MakeInt(ssa.Bank, ssa.W, at)
	}
	return l.Load(ssa.W, ssa.Access{Space: ssa.Constant, Bytes: int(t.Size()), Signed: t.IsSigned(), Offset: at, ReadOnly: true}, nil)
}

// store writes the lanes of a number to memory.
func (l *lowering) store(p *pointer, t expr.DType, lanes []*ssa.Value) {
	base := t.Base()
	each := base.Size()
	for from := int64(0); from < int64(len(lanes)); {
		n := min(int64(len(lanes))-from, widest/each)
		q := p.shift(from * each)
		address, off := l.split(q)
		l.Store(ssa.Access{Space: q.space, Bytes: int(n * each), Offset: off, Object: q.object, Volatile: q.volatile, Lanes: n > 1}, address, l.packed(lanes[from:from+n], each))
		from += n
	}
}

// packed has lanes beside each other in words.
func (l *lowering) packed(lanes []*ssa.Value, each int64) *ssa.Value {
	if len(lanes) == 1 {
		return lanes[0]
	}
	var words []*ssa.Value
	switch each {
	case 8:
		for _, x := range lanes {
			words = append(words, l.Word(x, 0), l.Word(x, 1))
		}
	case 4:
		words = lanes
	default:
		per := int(4 / each)
		for i := 0; i < len(lanes); i += per {
			words = append(words, l.joined(lanes[i:min(i+per, len(lanes))], each))
		}
	}
	switch len(words) {
	case 1:
		return words[0]
	case 2:
		return l.Make(ssa.Pack, ssa.D, words...)
	}
	return l.Make(ssa.Pack, ssa.V4, words...)
}

// joined puts short numbers into one word.
func (l *lowering) joined(lanes []*ssa.Value, each int64) *ssa.Value {
	pair := func(a, b *ssa.Value, selector int64) *ssa.Value {
		return l.MakeAux(ssa.Raw, ssa.W, "PRMT", a, l.Const(selector), b)
	}
	const halves, bytes = 0x5410, 0x3340 // selectors of PRMT: the lower halves of two words, the lowest bytes of two words
	if w := wordIn(lanes, each); w != nil {
		return w
	}
	switch {
	case len(lanes) == 1:
		return lanes[0]
	case each == 2 && lanes[0].Op == ssa.Const && lanes[1].Op == ssa.Const:
		return l.Const(lanes[0].Int&0xffff | lanes[1].Int<<16)
	case each == 2 && lanes[1].Op == ssa.ShrU && lanes[1].Args[0] == lanes[0] && lanes[1].Args[1].Op == ssa.Const && lanes[1].Args[1].Int == 16: // the halves of a word
		return lanes[0]
	case each == 2:
		return pair(lanes[0], lanes[1], halves)
	case len(lanes) == 2:
		return pair(lanes[0], lanes[1], bytes)
	}
	return pair(pair(lanes[0], lanes[1], bytes), pair(lanes[2], lanes[3], bytes), halves)
}

// wordIn is the word whose parts, without a sign, short numbers are in their order; nil of others.
func wordIn(lanes []*ssa.Value, each int64) (w *ssa.Value) {
	if int64(len(lanes))*each != 4 || len(lanes) < 2 {
		return nil
	}
	for i, x := range lanes {
		if x.Op == ssa.And && x.Args[1].Op == ssa.Const && x.Args[1].Int == 1<<(8*each)-1 {
			x = x.Args[0]
		} else if i+1 < len(lanes) {
			return nil // the last one has nothing above it
		}
		if i > 0 {
			if x.Op != ssa.ShrU || x.Args[1].Op != ssa.Const || x.Args[1].Int != 8*each*int64(i) {
				return nil
			}
			x = x.Args[0]
		}
		if w == nil {
			w = x
		}
		if x != w {
			return nil
		}
	}
	return w
}

// advanced is a pointer some elements of a size further on.
func (l *lowering) advanced(at cfront.Pos, p *pointer, i value, size int64) *pointer {
	l.supported(at, i.t)
	x := i.x[0]
	if x.Op == ssa.Const {
		n := x.Int
		if x.Type == ssa.W && (i.t.IsSigned() || i.t.Size() < 4 || i.t == expr.Bool) {
			n = int64(int32(n))
		}
		return p.shift(n * size)
	}
	if p.space == ssa.NoSpace {
		l.inMemory(p.v)
	}
	q := *p
	if q.space == ssa.Global || q.space == ssa.Generic {
		return l.advancedFar(&q, x, i.t, size)
	}
	if x.Type == ssa.D {
		x = l.Word(x, 0)
	}
	step := l.Make(ssa.Mul, ssa.W, x, l.Const(size))
	if step.Op == ssa.Add && step.Args[1].Op == ssa.Const {
		q.off += int64(int32(step.Args[1].Int))
		step = step.Args[0]
	}
	if q.base == nil {
		q.base = step
	} else {
		q.base = l.Make(ssa.Add, ssa.W, q.base, step)
	}
	return &q
}

// advancedFar is advanced in memory of 64-bit addresses.
func (l *lowering) advancedFar(q *pointer, x *ssa.Value, t expr.DType, size int64) *pointer {
	narrow, signed := x, t.IsSigned() || t.Size() < 4
	switch {
	case x.Op == ssa.Sext:
		narrow, signed = x.Args[0], true
	case x.Op == ssa.Zext:
		narrow, signed = x.Args[0], false
	case x.Type == ssa.D:
		if x.Op == ssa.Add && x.Args[1].Op == ssa.Const {
			q.off += x.Args[1].Int * size
			return l.advancedFar(q, x.Args[0], t, size)
		}
		if x.Op == ssa.Add { // of a product, or what was extended, on its own
			return l.advancedFar(l.advancedFar(q, x.Args[0], t, size), x.Args[1], t, size)
		}
		narrow = nil
	}
	if narrow != nil && signed && narrow.Op == ssa.Add && narrow.Args[1].Op == ssa.Const { // signed numbers do not run over
		q.off += int64(int32(narrow.Args[1].Int)) * size
		narrow = narrow.Args[0]
	}
	var step *ssa.Value
	switch {
	case narrow == nil:
		step = l.Make(ssa.Mul, ssa.D, x, l.Const64(size))
	case signed:
		step = l.Make(ssa.MulWideS, ssa.D, narrow, l.Const(size))
	default:
		step = l.Make(ssa.MulWideU, ssa.D, narrow, l.Const(size))
	}
	if q.base == nil {
		q.base = step
	} else {
		q.base = l.Make(ssa.Add, ssa.D, q.base, step)
	}
	return q
}

// initial is what a variable of constant memory starts with; nil for zeros.
func (l *lowering) initial(v *cfront.Var, size int64) ([]byte, error) {
	if v.Init == nil {
		return nil, nil
	}
	data := make([]byte, size)
	n := v.DType.Size()
	values := []cfront.Expr{v.Init}
	if len(v.Dims) > 0 {
		values = listed(v.Init)
	}
	if n == 0 || values == nil {
		return nil, fmt.Errorf("%s starts with values that are not compiled here", v.Name)
	}
	for i, e := range values {
		if int64(i+1)*n > size {
			break
		}
		x := l.convert(v.Pos, l.expression(e), v.DType).x[0]
		if x.Op != ssa.Const {
			return nil, fmt.Errorf("%s starts with values that are not constant", v.Name)
		}
		word := binary.LittleEndian.AppendUint64(nil, uint64(x.Int))
		copy(data[int64(i)*n:], word[:n])
	}
	return data, nil
}

// listed are the values of a list, of lists in it too; nil where it is none.
func listed(e cfront.Expr) (all []cfront.Expr) {
	list, ok := e.(*cfront.List)
	if !ok {
		return nil
	}
	for _, item := range list.Items {
		if inner := listed(item); inner != nil {
			all = append(all, inner...)
		} else {
			all = append(all, item)
		}
	}
	return all
}
