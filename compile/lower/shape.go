package lower

import (
	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// A variable may be written as words and read or written as parts of them, or the other way, by pointers to other types: as in loads of four words whose halves are
// changed. Its values then take the shape of what was written last.

// partsOf are the types of numbers that a longer one is split into.
var partsOf = map[int64]expr.DType{1: expr.Uint8, 2: expr.Uint16, 4: expr.Uint32}

// partOfWord is a number that lies in a longer one that was written; nil where there is none.
func (l *lowering) partOfWord(k key, t expr.DType) *ssa.Value {
	for _, size := range []int64{2, 4, 8} {
		start := k.at / size * size
		if s, ok := l.env[key{k.v, start}]; ok && s.x != nil && s.t.Size() == size && t.Size() < size {
			return l.partOf(s, k.at-start, t)
		}
	}
	return nil
}

// partOf is a part of a number, some bytes from its beginning.
func (l *lowering) partOf(s slot, off int64, t expr.DType) *ssa.Value {
	word := s.x
	if s.t.Size() == 8 {
		word = l.Word(word, int(off)/4)
	}
	if by := 8 * (off % 4); by > 0 {
		word = l.Make(ssa.ShrU, ssa.W, word, l.Const(by))
	}
	return l.narrow(word, t)
}

// inside are the numbers that lie in a longer one and are shorter.
func (l *lowering) inside(k key, size int64) (all []key) {
	for d := range size {
		at := key{k.v, k.at + d}
		if s, ok := l.env[at]; ok && s.x != nil && s.t.Size() < size {
			all = append(all, at)
		}
	}
	return all
}

// wordOfParts is a number of 32 bits of parts that are alike and fill it; nil of others.
func (l *lowering) wordOfParts(k key, t expr.DType, inside []key) *ssa.Value {
	if len(inside) < 2 || t.Size() != 4 {
		return nil
	}
	var lanes []*ssa.Value
	each := t.Size() / int64(len(inside))
	for i, at := range inside {
		if s := l.env[at]; s.t.Size() != each || at.at != k.at+int64(i)*each {
			return nil
		}
		lanes = append(lanes, l.env[at].x)
	}
	return l.joined(lanes, each)
}

// makeRoom takes away what is to be written: a longer number that it lies in becomes as many parts, and shorter ones in it go. It is false where they cross.
func (l *lowering) makeRoom(k key, size int64) bool {
	for d := int64(0); d < 8; d++ {
		at := key{k.v, k.at - d}
		s, ok := l.env[at]
		if !ok || s.x == nil || s.t.Size() <= d || s.t.Size() == size && d == 0 {
			continue
		}
		switch longer := s.t.Size(); {
		case longer < size:
		case d%size != 0 || longer%size != 0:
			return false
		default:
			t := partsOf[size]
			for off := int64(0); off < longer; off += size {
				part := key{k.v, at.at + off}
				l.env[part] = slot{x: l.partOf(s, off, t), t: t}
			}
			l.reshaped[k.v] = true
			return true
		}
	}
	for _, at := range l.inside(k, size) {
		if at.at+l.env[at].t.Size() > k.at+size {
			return false
		}
		delete(l.env, at)
		l.reshaped[k.v] = true
	}
	for d := int64(1); d < size; d++ { // a number of the same size, or a pointer, that begins in it
		if _, ok := l.env[key{k.v, k.at + d}]; ok {
			return false
		}
	}
	return true
}

// shaped reports whether all environments that have a variable have a part of it as a number of the same size, or none of them has it.
func shaped(k key, from []snapshot) bool {
	var first *slot
	missing := false
	for _, s := range from {
		one, ok := s.env[k]
		switch {
		case ok && first == nil:
			first = &one
		case ok && one.t.Size() != first.t.Size():
			return false
		case !ok:
			missing = missing || holds(s.env, k.v)
		}
	}
	return !missing
}

// holds reports whether an environment has any part of a variable.
func holds(env map[key]slot, v *cfront.Var) bool {
	for k := range env {
		if k.v == v {
			return true
		}
	}
	return false
}
