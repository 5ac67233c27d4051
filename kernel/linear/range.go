package linear

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/intmath"
)

// GroupsAt is the number of work-groups along each axis at the given values of the parameters.
func (n *Nest) GroupsAt(params map[string]int64) (groups [3]int64, err error) {
	for axis, bounds := range n.Groups {
		count := int64(math.MaxInt64)
		for _, b := range bounds {
			v, err := b.Num.Eval(params)
			if err != nil {
				return groups, fmt.Errorf("number of groups along axis %d: %w", axis, err)
			}
			count = min(count, intmath.FloorDiv(v, b.Den)+1)
		}
		groups[axis] = max(count, 0)
	}
	return groups, nil
}

// Constants are the first and last value of the iname where the bounds are constants.
func (l *Loop) Constants() (first, last int64, ok bool) {
	for _, b := range slices.Concat(l.Lower, l.Upper) {
		if !b.Num.IsConstant() {
			return 0, 0, false
		}
	}
	first, last = math.MinInt64, math.MaxInt64
	for _, b := range l.Lower {
		first = max(first, intmath.CeilDiv(b.Num.Constant(), b.Den))
	}
	for _, b := range l.Upper {
		last = min(last, intmath.FloorDiv(b.Num.Constant(), b.Den))
	}
	return first, last, len(l.Lower) > 0 && len(l.Upper) > 0
}

// ConstantTrips is the number of iterations where it is the same for all values of what the bounds depend on; 0 where it is
// not known to be, and where there are none.
func (l *Loop) ConstantTrips() int64 {
	first, last, ok := l.Constants()
	if !ok && len(l.Lower) == 1 && len(l.Upper) == 1 && l.Lower[0].Den == 1 && l.Upper[0].Den == 1 {
		d := l.Upper[0].Num.Sub(l.Lower[0].Num)
		first, last, ok = 0, d.Constant(), d.IsConstant()
	}
	if !ok || last < first {
		return 0
	}
	return (last-first)/max(l.Step, 1) + 1
}
