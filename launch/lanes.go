package launch

import (
	"math/bits"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// values are those of an index for some work-items: a form, of which the constant is that in each where they differ.
type values struct {
	form
	each []int64
}

// at is the constant of a work-item.
func (v *values) at(i int) int64 {
	if v.each == nil {
		return v.c
	}
	return v.each[i]
}

// scanned evaluates indices for some work-items at once, which takes a small part of the time of one after the other. It knows no selects
// and conditions.
type scanned struct {
	*walk
	*scene
	list      []int32
	undecided int // the first work-item for which the box must be divided; their number if there is none
}

// addresses is address for all work-items: the form of the first, and the constant of each. ok is false where it cannot tell.
func (l *scanned) addresses(a *access) (first form, each []int64, ok bool) {
	array := &l.p.arrays[a.array]
	each = l.vector(l.offsets[a.array])
	l.base = 0
	_, tiled := l.middleGroup(l.scene)
	var all []values
	for i, x := range a.index {
		v, ok := l.eval(x)
		if !ok {
			return first, nil, false
		}
		stride := l.strides[a.array][i]
		first.addScaled(&v.form, stride)
		for lane := range each {
			each[lane] += v.at(lane) * stride
		}
		if array.sized[i] {
			l.base = mix(l.base, uint64(v.at(len(each)-1)))
		}
		if tiled {
			all = append(all, v)
		}
	}
	first.c = each[0]
	if tiled && l.undecided < len(l.list) {
		return first, nil, false
	} else if tiled {
		l.addTiles(a, all)
	}
	return first, each, true
}

// vector is a list of a number for each work-item, in memory that is free again when the next access is looked at.
func (l *scanned) vector(number int64) []int64 {
	from, n := len(l.vectors), len(l.list)
	l.vectors = slices.Grow(l.vectors, n)[:from+n]
	out := l.vectors[from : from+n : from+n]
	for i := range out {
		out[i] = number
	}
	return out
}

func (l *scanned) eval(x *linear.Index) (v values, ok bool) {
	switch x.Kind {
	case linear.AffineIndex:
		return l.affine(x.Form), true
	case linear.CastIndex:
		return l.eval(x.Args[0])
	case linear.ArithmeticIndex:
	default:
		return v, false
	}
	for i, arg := range x.Args {
		g, ok := l.eval(arg)
		switch {
		case !ok:
			return v, false
		case i == 0 && x.Op != expr.Neg:
			v = g
		case x.Op == expr.Neg, x.Op == expr.Sub:
			l.add(&v, &g, -1)
		case x.Op == expr.Add:
			l.add(&v, &g, 1)
		case x.Op == expr.Mul && l.number(&v):
			by := v.c
			v = values{}
			l.add(&v, &g, by)
		case x.Op == expr.Mul && l.number(&g):
			f := v
			v = values{}
			l.add(&v, &f, g.c)
		case x.Op == expr.FloorDiv && l.number(&g) && g.c > 0:
			v = l.quotient(&v, g.c, x.Args[0].Form)
		case x.Op == expr.Mod && l.number(&g) && g.c > 0:
			q := l.quotient(&v, g.c, x.Args[0].Form)
			l.add(&v, &q, -g.c)
		default:
			return v, false
		}
	}
	return v, true
}

func (l *scanned) affine(x *linear.Form) (v values) {
	v.form, _ = l.scene.affine(&linear.Form{Constant: x.Constant, Terms: x.Terms})
	for axis := range lidVars {
		k := v.k[axis]
		if v.k[axis] = 0; k == 0 {
			continue
		}
		if v.each == nil {
			v.each = l.vector(v.c)
		}
		for i, lane := range l.list {
			v.each[i] += k * l.lanes[lane][axis]
		}
	}
	for i := range x.Floors {
		t := &x.Floors[i]
		num := l.affine(t.Num)
		q := l.quotient(&num, t.Den, t.Num)
		l.add(&v, &q, t.Coeff)
	}
	return v
}

// number reports whether a value is the same everywhere.
func (l *scanned) number(v *values) bool { return v.each == nil && l.constant(&v.form) }

// add adds times·b to a.
func (l *scanned) add(a, b *values, times int64) {
	switch {
	case b.each != nil && a.each == nil:
		a.each = l.vector(a.c)
		fallthrough
	case b.each != nil:
		for i, x := range b.each {
			a.each[i] += times * x
		}
	default:
		for i := range a.each {
			a.each[i] += times * b.c
		}
	}
	a.addScaled(&b.form, times)
}

// quotient is ⌊v/den⌋, v the value of num, which is nil where it is not affine.
func (l *scanned) quotient(v *values, den int64, num *linear.Form) (out values) {
	if l.scene.centre != nil && num != nil {
		if at, ok := l.usual(num, den); ok {
			out.c = at
			return out
		}
	}
	var rest form
	out.form, rest = l.divided(&v.form, den)
	rest.c = 0
	lo, hi := l.interval(&rest, 0)
	if v.each != nil {
		out.each = l.vector(0)
	}
	for i := range max(len(v.each), 1) {
		x := v.at(i)
		q := intmath.FloorDiv(x+lo, den)
		if lo != hi && q != intmath.FloorDiv(x+hi, den) {
			l.undecided = min(l.undecided, i)
		}
		if v.each == nil {
			out.c = q
		} else {
			out.each[i] = q
		}
	}
	return out
}

// differences is a hash of how addresses differ from the first.
func differences(list []int64) (h uint64) {
	for _, x := range list {
		h = bits.RotateLeft64(h^uint64(x-list[0])*0x9e3779b97f4a7c15, 29) * 0xff51afd7ed558ccd
	}
	return h
}

// several reports whether work-items of a mask differ along an axis of their group.
func (w *walk) several(mask *laneMask, axis int) bool {
	before := int32(1)
	for _, n := range w.local[:axis] {
		before *= int32(n)
	}
	at := func(lane int32) int32 { return lane / before % int32(w.local[axis]) }
	return slices.ContainsFunc(mask.lanes, func(lane int32) bool { return at(lane) != at(mask.lanes[0]) })
}
