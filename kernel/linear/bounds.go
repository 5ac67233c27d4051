package linear

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// loop makes the loop over k.iname in the context ctx; path are the loops around it. Without a barrier in it its bounds
// may differ between work-items; with one every work-item of a group makes the same iterations.
func (b *builder) loop(k *block, path []string, ctx *polycount.Set) (*Loop, *polycount.Set) {
	stmts := k.statements()
	uniform := k.synchronizes()
	unroll := b.k.Tags[k.iname].Kind == kernel.Unroll || b.k.Tags[k.iname].Kind == kernel.ILP
	if lo, hi, ok := b.boxed(stmts, k.iname); ok {
		l := &Loop{
			Iname: k.iname, Step: 1, Unroll: unroll, Rolled: b.k.Tags[k.iname].StaysLoop(),
			Lower: []polycount.Bound{{Num: polycount.Int(lo), Den: 1}}, Upper: []polycount.Bound{{Num: polycount.Int(hi), Den: 1}},
		}
		inner, err := ctx.AddDims(k.iname).Constrain(l.Constraints()...)
		throw.If(err)
		return l, inner
	}
	if uniform && !unroll {
		// The work-items of a group share its index, so that the iterations may depend on that.
		if parts, err := b.parts(k, stmts, path, isGroup); err == nil {
			if l, inner, err := b.bounded(k, parts, ctx, false); err == nil && slices.ContainsFunc(l.Constraints(), b.onAxis) {
				return l, inner
			}
		}
	}
	var parts []*polycount.Set
	var err error
	if unroll { // constants only: for all values of everything else
		parts, err = throw.Value(func() []*polycount.Set {
			return eachDomain(stmts, func(s *stmt) (*polycount.Set, error) {
				return s.domain.ToDims(s.domain.Params()...).Project(k.iname)
			})
		})
	} else {
		parts, err = b.parts(k, stmts, path, func(string) bool { return !uniform })
	}
	if err != nil {
		panic(throw.Errorf("bounds of %s: %w", k.iname, err))
	}
	l, inner, err := b.bounded(k, parts, ctx, unroll)
	if unroll || uniform || err == nil && !slices.ContainsFunc(l.Constraints(), b.onAxis) {
		throw.If(err)
		return l, inner
	}
	if even, evenInner := b.even(k, parts, path, ctx, err != nil); even != nil {
		return even, evenInner
	}
	throw.If(err)
	return l, inner
}

// even is the loop with bounds that do not differ between work-items. It is nil where there are none, or where they are not enough: unless any will do, all that the
// statements need of the iname must follow.
func (b *builder) even(k *block, parts []*polycount.Set, path []string, ctx *polycount.Set, anyWillDo bool) (*Loop, *polycount.Set) {
	var plain []*polycount.Set
	for _, p := range parts {
		q := throw.Get(p.Project(append(slices.Clone(path), k.iname)...))
		plain = append(plain, q.Disjuncts()...)
	}
	l, inner, err := b.bounded(k, distinct(plain), ctx, false)
	switch {
	case err != nil:
		return nil, nil
	case anyWillDo:
		return l, inner
	}
	for _, p := range parts {
		cs, _ := p.Constraints()
		for _, c := range cs {
			if !slices.Contains(c.Affine.Names(), k.iname) {
				continue
			}
			if ok, err := inner.Implies(c); err != nil || !ok {
				throw.If(err)
				return nil, nil
			}
		}
	}
	return l, inner
}

// synchronizes reports whether there is a barrier in a loop.
func (k *block) synchronizes() bool {
	return count(k.kids) > 0 || slices.ContainsFunc(k.statements(), func(s *stmt) bool { return s.Kind == kernel.LocalBarrier })
}

// parts are the values of k.iname that the statements take, given the loops around it and the axes that are to be kept.
func (b *builder) parts(k *block, stmts []*stmt, path []string, kept func(axis string) bool) (_ []*polycount.Set, err error) {
	defer throw.Catch(&err)
	return eachDomain(stmts, func(s *stmt) (*polycount.Set, error) {
		keep := append(slices.Clone(path), k.iname)
		for _, d := range s.domain.Dims() {
			if _, ok := s.axes[d]; ok && kept(d) {
				keep = append(keep, d)
			}
		}
		return s.domain.Project(keep...)
	}), nil
}

// eachDomain collects the different disjuncts of what f makes of the domains of the statements.
func eachDomain(stmts []*stmt, f func(s *stmt) (*polycount.Set, error)) []*polycount.Set {
	var parts, seen []*polycount.Set
	for _, s := range stmts {
		if slices.Contains(seen, s.domain) {
			continue
		}
		seen = append(seen, s.domain)
		p := throw.Get(f(s))
		some := inhabited(p.Disjuncts())
		parts = append(parts, some...)
	}
	return distinct(parts)
}

// inhabited leaves out those of several sets that have no point, which projections may leave.
func inhabited(sets []*polycount.Set) (some []*polycount.Set) {
	var err error
	for _, s := range sets {
		empty := false
		if len(sets) > 1 {
			empty, err = s.IsEmpty()
		}
		throw.If(err)
		if !empty {
			some = append(some, s)
		}
	}
	return some
}

func (b *builder) onAxis(c polycount.Constraint) bool {
	return slices.ContainsFunc(c.Affine.Names(), func(n string) bool { return slices.Contains(b.dims, n) })
}

// mostParts bounds the parts of the statements in a loop, each with bounds of its own: to find what hundreds have in common takes minutes.
const mostParts = 128

// bounded is the loop over k.iname for the parts of the statements in it, and the context within.
func (b *builder) bounded(k *block, parts []*polycount.Set, ctx *polycount.Set, unroll bool) (_ *Loop, _ *polycount.Set, err error) {
	defer throw.Catch(&err)
	l := &Loop{Iname: k.iname, Step: 1, Unroll: unroll, Rolled: b.k.Tags[k.iname].StaysLoop()}
	if len(parts) == 0 {
		l.Lower, l.Upper = []polycount.Bound{{Den: 1}}, []polycount.Bound{{Num: polycount.Int(-1), Den: 1}}
	} else if len(parts) > mostParts {
		return nil, nil, fmt.Errorf("the loop over %s falls into %d parts with bounds of their own, and may have %d", k.iname, len(parts), mostParts)
	} else {
		l.Lower, l.Upper = throw.Get2(kernel.CommonBounds(parts, k.iname))
		if unroll {
			l.Lower, l.Upper = constant(l.Lower), constant(l.Upper)
		}
	}
	if len(l.Lower) == 0 || len(l.Upper) == 0 {
		if unroll {
			return nil, nil, fmt.Errorf("loop %s is to be unrolled, but its number of iterations is not constant (%s)", k.iname, parts[0])
		}
		return nil, nil, fmt.Errorf("loop %s has no bounds that hold for all of its statements %s: give them loops of their own with duplicate_inames",
			k.iname, ids(k.statements()))
	}
	inner := ctx.AddDims(k.iname)
	l.tighten(inner, parts)
	b.evenlyBounded(k, l)
	inner, err = inner.Constrain(l.Constraints()...)
	return l, inner, err
}

// evenlyBounded refuses a loop with a barrier in it whose bounds differ between the work-items of a group.
func (b *builder) evenlyBounded(k *block, l *Loop) {
	if !k.synchronizes() {
		return
	}
	for _, c := range l.Constraints() {
		for _, name := range c.Affine.Names() {
			for _, w := range b.stmts {
				if !b.k.IsTemp(name) || !w.writes(name) {
					continue
				}
				for _, axis := range slices.Sorted(maps.Keys(w.axes)) {
					if iname := w.axes[axis]; strings.HasPrefix(axis, "lid") {
						panic(throw.Errorf("loop %s needs a barrier in it, and its bound %s differs between work-items (statement %s, iname %s on %s)",
							k.iname, name, w.ID, iname, axis))
					}
				}
			}
		}
	}
}

// tighten drops bounds that the others imply in the context, and finds the step.
func (l *Loop) tighten(ctx *polycount.Set, parts []*polycount.Set) {
	for _, side := range []struct {
		list       *[]polycount.Bound
		constraint func(string, polycount.Bound) polycount.Constraint
		up         bool
	}{{&l.Lower, kernel.AtLeast, true}, {&l.Upper, kernel.AtMost, false}} {
		list := irredundant(ctx, *side.list, func(b polycount.Bound) polycount.Constraint { return side.constraint(l.Iname, b) })
		*side.list = divisible(ctx, list, side.up)
	}
	if len(parts) == 0 || len(l.Lower) > 1 {
		return
	}
	// With one lower bound ⌈Num/Den⌉ and iname ≡ r (mod m), the first value is r − m·⌊(Den·r − Num)/(Den·m)⌋. Several
	// lower bounds and strides that differ between the statements leave the congruence to guards.
	m, r := parts[0].Stride(l.Iname)
	for _, p := range parts[1:] {
		if m2, r2 := p.Stride(l.Iname); m2 != m || !r2.Equal(r) {
			return
		}
	}
	if m > 1 {
		low := l.Lower[0]
		first := r.Sub(r.Scale(low.Den).Sub(low.Num).FloorDiv(low.Den * m).Scale(m))
		l.Lower, l.Step = []polycount.Bound{{Num: first, Den: 1}}, m
		throw.If(first.Err())
		return
	}
}

// divisible rounds the constants of bounds where the rest of the numerator is known to be a multiple of the divisor:
// floor((n - 1)/16) is (n - 16)/16 where 16 divides n.
func divisible(ctx *polycount.Set, list []polycount.Bound, up bool) []polycount.Bound {
	out := slices.Clone(list)
	for i, b := range out {
		if b.Den == 1 {
			continue
		}
		c := b.Num.Constant()
		whole := b.Num.AddInt(-c)
		if ok, err := ctx.Implies(polycount.EQ(whole.Mod(b.Den), polycount.Int(0))); err != nil {
			panic(throw.Of(err))
		} else if !ok {
			continue
		}
		round := intmath.FloorDiv
		if up {
			round = intmath.CeilDiv
		}
		out[i].Num = whole.AddInt(round(c, b.Den) * b.Den)
	}
	return out
}

func constant(list []polycount.Bound) []polycount.Bound {
	return slices.DeleteFunc(slices.Clone(list), func(b polycount.Bound) bool { return !b.Num.IsConstant() })
}

func distinct(parts []*polycount.Set) []*polycount.Set {
	var out []*polycount.Set
	for _, p := range parts {
		if !slices.ContainsFunc(out, p.SameForm) {
			out = append(out, p)
		}
	}
	return out
}
