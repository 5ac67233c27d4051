package transform

import (
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// Split is how SplitIname names and tags the new inames. Empty names are <iname>_outer and <iname>_inner.
type Split struct {
	Outer, Inner       string
	OuterTag, InnerTag string
}

// SplitIname replaces iname i by two: i = inner + length·outer with 0 <= inner < length. A tagged iname is an error: its
// loop is already decided.
func SplitIname(k *kernel.Kernel, iname string, length int64, opt Split) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	if k.IsIname(iname) && length <= 0 {
		return nil, k.Errorf("cannot split iname %s by %d: the length must be positive", iname, length)
	}
	return divide(k, iname, opt, func(inner, outer polycount.Affine) (polycount.Affine, []polycount.Constraint) {
		return inner.Add(outer.Scale(length)), []polycount.Constraint{
			polycount.GE(inner, polycount.Int(0)), polycount.GE(polycount.Int(length-1), inner),
		}
	}), nil
}

// divide replaces an iname by an inner and an outer one, of which it is the function value under constraints.
func divide(k *kernel.Kernel, iname string, opt Split, value func(inner, outer polycount.Affine) (polycount.Affine, []polycount.Constraint)) *kernel.Kernel {
	if !k.IsIname(iname) {
		panic(throw.Of(k.UnknownIname(iname)))
	}
	if tag, ok := k.Tags[iname]; ok {
		panic(throw.Of(k.Errorf("cannot split iname %s: it is tagged %s; split first, then tag the parts", iname, tag)))
	}
	if opt.Outer == "" {
		opt.Outer = iname + "_outer"
	}
	if opt.Inner == "" {
		opt.Inner = iname + "_inner"
	}
	for _, n := range []string{opt.Outer, opt.Inner} {
		checkNewName(k, n)
	}
	if opt.Outer == opt.Inner {
		panic(throw.Of(k.Errorf("cannot split iname %s into %s twice", iname, opt.Outer)))
	}
	c := k.Clone()
	of, cs := value(polycount.Name(opt.Inner), polycount.Name(opt.Outer))
	if err := replaceIname(c, iname, []string{opt.Outer, opt.Inner}, of, cs...); err != nil {
		panic(throw.Of(k.Errorf("splitting iname %s: %w", iname, err)))
	}
	for _, t := range [2][2]string{{opt.Outer, opt.OuterTag}, {opt.Inner, opt.InnerTag}} {
		tag, err := kernel.ParseTag(t[1])
		if err != nil {
			panic(throw.Of(k.Errorf("iname %s: %w", t[0], err)))
		}
		throw.If(c.SetTag(t[0], tag))
	}
	return c
}
