package transform

import (
	"slices"
	"sort"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
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

// ChunkIname splits an iname into a fixed number of chunks, which the outer iname counts. The sizes of the chunks differ
// by one at most: with s values from lo on, chunk c starts at lo + floor(s*c/chunks). lo may be a parameter. The number of
// values must be constant. If s were a parameter, the start of any contiguous chunk, and also Loopy's
// floor(s/chunks)*c + min(c, s mod chunks), would be a product of a parameter and an iname, which is not polyhedral.
func ChunkIname(k *kernel.Kernel, iname string, chunks int64, opt Split) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	lo, size := checkChunks(k, iname, chunks)
	return divide(k, iname, opt, func(inner, outer polycount.Affine) (polycount.Affine, []polycount.Constraint) {
		start := outer.Scale(size).FloorDiv(chunks)
		next := outer.AddInt(1).Scale(size).FloorDiv(chunks)
		return inner.Add(start).Add(lo), []polycount.Constraint{
			polycount.GE(outer, polycount.Int(0)), polycount.GE(polycount.Int(chunks-1), outer),
			polycount.GE(inner, polycount.Int(0)), polycount.GE(next.Sub(start).AddInt(-1), inner),
		}
	}), nil
}

func checkChunks(k *kernel.Kernel, iname string, chunks int64) (lo polycount.Affine, size int64) {
	if !k.IsIname(iname) {
		panic(throw.Of(k.UnknownIname(iname)))
	}
	if chunks <= 0 {
		panic(throw.Of(k.Errorf("cannot divide iname %s into %d chunks: their number must be positive", iname, chunks)))
	}
	starts := starts(k, iname)
	for _, start := range starts {
		first, last, hasFirst, hasLast, err := k.Interval(polycount.Name(iname).Sub(start), []string{iname})
		throw.If(err)
		if hasFirst && hasLast {
			return start.AddInt(first), max(last-first+1, 0)
		}
	}
	panic(throw.Of(k.Errorf("cannot divide iname %[1]s into %[2]d chunks: the number of its values is not constant, so that the start of a chunk"+
		" would be a product of a parameter and the iname of the chunks, which no affine domain has; fix the parameters (fix_parameters),"+
		" or split into chunks of constant length (split_iname), or split by %[2]d, so that the inner iname counts parts of interleaved values", iname, chunks)))
}

// starts are candidates for the first value of an iname: 0, for a constant first value, and its lower bounds in parameters.
func starts(k *kernel.Kernel, iname string) []polycount.Affine {
	out := []polycount.Affine{polycount.Int(0)}
	d := throw.Get(k.DomainOf([]string{iname}))
	for _, part := range d.Disjuncts() {
		lower, _ := throw.Get2(part.Bounds(iname))
		for _, b := range lower {
			if b.Den == 1 && !slices.ContainsFunc(b.Num.Names(), func(n string) bool { return !k.IsParam(n) }) {
				out = append(out, b.Num)
			}
		}
	}
	return out
}

// resolveAuto gives inames tagged l.auto their axes, in place. In each statement, the iname with the smallest stride in
// memory gets the lowest axis that other statements use and this one does not, so that neighbouring work-items
// access neighbouring elements. An iname longer than its axis is split, and its outer part becomes a sequential loop, as
// does an iname for which there is no axis.
func resolveAuto(k *kernel.Kernel) {
	for {
		s, autos := nextAuto(k)
		if s == nil {
			return
		}
		var axes []int
		for axis := range 3 {
			used, here := false, false
			for n, t := range k.Tags {
				if t == (kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}) {
					used = true
					here = here || slices.Contains(s.Inames, n)
				}
			}
			if used && !here {
				axes = append(axes, axis)
			}
		}
		size := throw.Get(k.LocalSize())
		byStride(k, autos)
		for i, n := range autos {
			delete(k.Tags, n)
			if i >= len(axes) {
				continue
			}
			putOnAxis(k, n, axes[i], size[axes[i]])
		}
	}
}

func nextAuto(k *kernel.Kernel) (*kernel.Stmt, []string) {
	for _, s := range k.Statements {
		var autos []string
		for _, n := range s.Inames {
			if k.Tags[n].Kind == kernel.LocalAuto {
				autos = append(autos, n)
			}
		}
		if len(autos) > 0 {
			return s, autos
		}
	}
	for n, t := range k.Tags {
		if t.Kind == kernel.LocalAuto { // an iname of no statement
			delete(k.Tags, n)
		}
	}
	return nil, nil
}

// byStride sorts inames by their smallest stride in accesses to global memory, if each has one there, then by that in what is written.
func byStride(k *kernel.Kernel, inames []string) {
	var global, written []*kernel.LinearForm
	for _, s := range k.Statements {
		writes := k.Writes(s)
		for i, a := range slices.Concat(writes, k.Reads(s)) {
			form, err := k.FlatIndex(a)
			if err == nil && k.SpaceOf(a.Array) == kernel.Global {
				global = append(global, form)
			}
			if err == nil && i < len(writes) {
				written = append(written, form)
			}
		}
	}
	lists := [][]*kernel.LinearForm{global, written}
	if slices.ContainsFunc(inames, func(n string) bool { return smallest(global, n) == nil }) {
		lists = lists[1:]
	}
	sort.SliceStable(inames, func(i, j int) bool {
		for _, forms := range lists {
			if a, b := smallest(forms, inames[i]), smallest(forms, inames[j]); a.Smaller(b) != b.Smaller(a) {
				return a.Smaller(b)
			}
		}
		return false
	})
}

// smallest is the smallest stride of an iname.
func smallest(forms []*kernel.LinearForm, iname string) (stride *expr.Poly) {
	for _, f := range forms {
		if c := f.Coeff(iname); c.Smaller(stride) {
			stride = c
		}
	}
	return stride
}

func putOnAxis(k *kernel.Kernel, iname string, axis int, size int64) {
	tag := kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}
	lo, hi, okL, okH, err := k.Interval(polycount.Name(iname), k.Inames())
	throw.If(err)
	if okL && okH && lo >= 0 && hi < size {
		throw.If(k.SetTag(iname, tag))
		return
	}
	split := throw.Get(SplitIname(k, iname, size, Split{Outer: k.FreshName(iname + "_outer"), Inner: k.FreshName(iname + "_inner")}))
	inner := nameset.Remove(split.Inames(), k.Inames()...)[1]
	*k = *split
	throw.If(k.SetTag(inner, tag))
}
