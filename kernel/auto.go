package kernel

import (
	"slices"
	"sort"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// resolveAuto gives inames tagged l.auto their axes, in place. In each statement the iname with the smallest stride in
// global memory gets the lowest axis that other statements of the kernel use and this one does not, so that neighbouring
// work-items touch neighbouring elements. An iname longer than its axis is split, its outer part a sequential loop; one
// for which no axis is left becomes a sequential loop.
func (k *Kernel) resolveAuto() error {
	for {
		s, autos := k.nextAuto()
		if s == nil {
			return nil
		}
		var axes []int
		for axis := range 3 {
			used, here := false, false
			for n, t := range k.Tags {
				if t == (Tag{LocalAxis, axis}) {
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
		k.byStride(s, autos)
		for i, n := range autos {
			delete(k.Tags, n)
			if i >= len(axes) {
				continue
			}
			if err := k.putOnAxis(n, axes[i], size[axes[i]]); err != nil {
				return err
			}
		}
	}
}

func (k *Kernel) nextAuto() (*Stmt, []string) {
	for _, s := range k.Statements {
		var autos []string
		for _, n := range s.Inames {
			if k.Tags[n].Kind == LocalAuto {
				autos = append(autos, n)
			}
		}
		if len(autos) > 0 {
			return s, autos
		}
	}
	for n, t := range k.Tags {
		if t.Kind == LocalAuto { // an iname of no statement
			delete(k.Tags, n)
		}
	}
	return nil, nil
}

// byStride sorts inames by their stride in the statement's global accesses, those without one last.
func (k *Kernel) byStride(s *Stmt, inames []string) {
	var form *LinearForm
	for _, acc := range slices.Concat(k.Reads(s), k.Writes(s)) {
		if k.SpaceOf(acc.Array) == Global {
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

func (k *Kernel) putOnAxis(iname string, axis int, size int64) error {
	tag := Tag{LocalAxis, axis}
	lo, hi, okL, okH, err := k.interval(polycount.Name(iname), k.Inames())
	if err != nil {
		return err
	}
	if okL && okH && lo >= 0 && hi < size {
		return k.setTag(iname, tag)
	}
	split, err := k.SplitIname(iname, size, Split{Outer: k.freshName(iname + "_outer"), Inner: k.freshName(iname + "_inner")})
	if err != nil {
		return err
	}
	inner := removeNames(split.Inames(), k.Inames()...)[1]
	*k = *split
	return k.setTag(inner, tag)
}

// LocalSize is the extent of the work-group along the axes l.0 to l.2: one more than the largest value of a statement's
// iname on the axis, 1 where there is none. An extent that is not constant is an error.
func (k *Kernel) LocalSize() (size [3]int64, err error) {
	defer expr.Rescue(&err)
	size = [3]int64{1, 1, 1}
	used := map[string]bool{}
	for _, s := range k.Statements {
		for _, n := range s.AllInames() {
			used[n] = true
		}
	}
	for _, n := range k.Inames() {
		tag := k.Tags[n]
		if tag.Kind != LocalAxis || !used[n] {
			continue
		}
		lo, hi, okL, okH, err := k.interval(polycount.Name(n), k.Inames())
		switch {
		case err != nil:
			return size, err
		case !okH || !okL:
			return size, k.errorf("iname %s is tagged %s, but its extent is not constant; split it by the size of the work-group, or fix the parameters", n, tag)
		case lo < 0:
			return size, k.errorf("iname %s is tagged %s and takes negative values (from %d)", n, tag, lo)
		}
		size[tag.Axis] = max(size[tag.Axis], hi+1)
	}
	return size, nil
}
