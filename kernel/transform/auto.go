package transform

import (
	"slices"
	"sort"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// resolveAuto gives inames tagged l.auto their axes, in place. In each statement, the iname with the smallest stride in
// global memory gets the lowest axis that other statements use and this one does not, so that neighbouring work-items
// access neighbouring elements. An iname longer than its axis is split, and its outer part becomes a sequential loop, as
// does an iname for which there is no axis.
func resolveAuto(k *kernel.Kernel) error {
	for {
		s, autos := nextAuto(k)
		if s == nil {
			return nil
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
		size, err := k.LocalSize()
		if err != nil {
			return err
		}
		byStride(k, s, autos)
		for i, n := range autos {
			delete(k.Tags, n)
			if i >= len(axes) {
				continue
			}
			if err := putOnAxis(k, n, axes[i], size[axes[i]]); err != nil {
				return err
			}
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

// byStride sorts inames by their stride in the statement's global accesses, those without one last.
func byStride(k *kernel.Kernel, s *kernel.Stmt, inames []string) {
	var form *kernel.LinearForm
	for _, acc := range slices.Concat(k.Reads(s), k.Writes(s)) {
		if k.SpaceOf(acc.Array) == kernel.Global {
			if f, err := k.FlatIndex(acc); err == nil {
				form = f
				break
			}
		}
	}
	if form == nil {
		return
	}
	sort.SliceStable(inames, func(i, j int) bool {
		return form.Coeff(inames[i]).Smaller(form.Coeff(inames[j]))
	})
}

func putOnAxis(k *kernel.Kernel, iname string, axis int, size int64) error {
	tag := kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}
	lo, hi, okL, okH, err := k.Interval(polycount.Name(iname), k.Inames())
	if err != nil {
		return err
	}
	if okL && okH && lo >= 0 && hi < size {
		return k.SetTag(iname, tag)
	}
	split, err := SplitIname(k, iname, size, Split{Outer: k.FreshName(iname + "_outer"), Inner: k.FreshName(iname + "_inner")})
	if err != nil {
		return err
	}
	inner := nameset.Remove(split.Inames(), k.Inames()...)[1]
	*k = *split
	return k.SetTag(inner, tag)
}
