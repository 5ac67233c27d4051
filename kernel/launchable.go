package kernel

import (
	"math"
	"math/big"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// LocalSize is the extent of the work-group along the axes l.0 to l.2: one more than the largest value of a statement's
// iname on the axis, 1 where there is none. An extent that is not constant is an error.
func (k *Kernel) LocalSize() (size [3]int64, err error) {
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
		lo, hi, okL, okH, err := k.Interval(polycount.Name(n), k.Inames())
		switch {
		case err != nil:
			return size, err
		case !okH && !okL && k.nowhere(n):
			continue // for no sizes that are assumed
		case !okH || !okL:
			return size, k.Errorf("iname %s is tagged %s, but its extent is not constant; split it by the size of the work-group, or fix the parameters", n, tag)
		case lo < 0:
			return size, k.Errorf("iname %s is tagged %s and takes negative values (from %d)", n, tag, lo)
		}
		size[tag.Axis] = max(size[tag.Axis], hi+1)
	}
	return size, nil
}

// nowhere reports whether an iname has no value at any sizes that are assumed.
func (k *Kernel) nowhere(iname string) bool {
	d, err := k.DomainOf([]string{iname})
	if err != nil {
		return false
	}
	parts, err := Inhabited(d)
	return err == nil && len(parts) == 0
}

// maxGroup is more work-items than the work-group of any device has.
const maxGroup = math.MaxInt32

// CheckGroup refuses a work-group that no device can have. One whose size is not constant is left to [Kernel.Launchable].
func (k *Kernel) CheckGroup() error {
	size, err := k.LocalSize()
	if err != nil {
		return nil
	}
	items := new(big.Int).Mul(big.NewInt(size[0]), big.NewInt(size[1]))
	if items.Mul(items, big.NewInt(size[2])); items.Cmp(big.NewInt(maxGroup)) > 0 {
		return k.Errorf("a work-group of %d x %d x %d work-items is more than any device has; split the inames tagged l.0 to l.2", size[0], size[1], size[2])
	}
	return nil
}

// Launchable verifies what a prepared kernel needs to run but not to be counted: work-groups and tiles of constant size.
func (k *Kernel) Launchable() error {
	for _, a := range k.Arrays() {
		if a.Space != Local && a.Space != Private {
			continue
		}
		for axis, size := range a.Shape {
			if _, ok := size.(expr.Int); !ok {
				return k.Errorf("the size %s of axis %d of %s is not constant, as %s memory needs; fix the parameters", size, axis, a.Name, a.Space)
			}
		}
	}
	_, err := k.LocalSize()
	return err
}
