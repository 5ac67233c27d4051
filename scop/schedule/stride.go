package schedule

import (
	"math"
	"slices"

	"gpuperf/scop"
)

// in is what is known inside of loops. Those of work-items are the outermost parallel ones of a launch, or of what a work-group does up to a barrier.
func (e extents) in(loops []Loop, outermost bool) extents {
	e.around = append(slices.Clip(e.around), loops...)
	if outermost {
		e.items = nil
		for i, l := range loops {
			if l.Parallel {
				e.items = append(e.items, len(e.around)-len(loops)+i)
			}
		}
	}
	return e
}

// lines are about those that the loads of a point of a statement touch: parts of some that neighbours share, or whole ones where neighbouring work-items are in different ones. Work-items are
// numbered along the loop by which these are fewest.
func (e extents) lines(s *scop.Statement) float64 {
	least := math.Inf(1)
	for _, number := range e.items {
		least = min(least, e.apart(s, number))
	}
	if len(e.items) == 0 {
		least = 0
	}
	return moved/float64(e.on.Line) + least
}

// apart is how many loads of a statement are from another line for each work-item, if neighbours are one step of a loop apart, and no step of any other. Of those that move by less than a
// line it is a part.
func (e extents) apart(s *scop.Statement, loop int) (sum float64) {
	columns := make([][]int64, len(s.Iterators))
	for _, l := range e.around {
		for i, c := range l.row(s) {
			columns[i] = append(columns[i], c)
		}
	}
	unit := make([]int64, len(e.around))
	unit[loop] = 1
	step, ok := combination(columns, unit)
	if !ok {
		return 0
	}
	for _, a := range s.Accesses {
		if a.Write {
			continue
		}
		for dim, subscript := range a.Index {
			moves := 0.0
			for i, it := range s.Iterators {
				moves += step[i] * float64(subscript.Coeff(it))
			}
			if moves = math.Abs(moves); moves > 0 && dim < len(a.Index)-1 {
				sum++
				break
			}
			if moves > 1 {
				sum += min(1, moves*float64(a.Array.DType.Size())/float64(e.on.Line))
			}
		}
	}
	return sum
}
