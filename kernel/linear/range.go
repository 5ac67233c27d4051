package linear

import (
	"fmt"
	"math"

	"gpuperf/internal/intmath"
	"gpuperf/polycount"
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
	tightest := func(list []polycount.Bound, round func(a, b int64) int64, better func(a, b int64) int64) (best int64, ok bool) {
		for i, b := range list {
			if !b.Num.IsConstant() {
				return 0, false
			}
			v := round(b.Num.Constant(), b.Den)
			if i > 0 {
				v = better(v, best)
			}
			best = v
		}
		return best, len(list) > 0
	}
	first, lower := tightest(l.Lower, intmath.CeilDiv, func(a, b int64) int64 { return max(a, b) })
	last, upper := tightest(l.Upper, intmath.FloorDiv, func(a, b int64) int64 { return min(a, b) })
	return first, last, lower && upper
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
