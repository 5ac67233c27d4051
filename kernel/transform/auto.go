package transform

import (
	"slices"
	"sort"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

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
		autos := lists.Where(s.Inames, func(n string) bool { return k.Tags[n].Kind == kernel.LocalAuto })
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
