package remedy

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launch"
)

// at lists the accesses as a set with an effect.
func at(sites []Row, e launch.Effect) launch.Edit {
	edit := launch.Edit{Access: map[launch.Site]launch.Effect{}}
	for _, s := range sites {
		edit.Access[s.Site] = e
	}
	return edit
}

// those are the rows for which a condition holds, the largest share first.
func (x *study) those(is func(*Row) bool) (list []Row) {
	for i := range x.rows {
		if is(&x.rows[i]) {
			list = append(list, x.rows[i])
		}
	}
	return list
}

// sum adds shares, of which all together are the time at most.
func sum(list []Row) (all float64) {
	for _, r := range list {
		all += r.Share
	}
	return min(all, 1)
}

// result is what a line computes: the array in global memory that it stores to, or else the variable, or the array that this has an element of.
func (x *study) result(line kernel.Place, variable string) string {
	for _, s := range x.Kernel.Statements {
		if to := s.Target(); to != "" && s.At.Line == line.Line && s.At.File == line.File && x.Kernel.SpaceOf(to) == kernel.Global {
			return to
		}
	}
	for _, s := range x.Kernel.Statements {
		if a, is := s.RHS.(*expr.Access); is && s.Target() == variable && s.At.Line == line.Line && x.Kernel.SpaceOf(a.Array) != kernel.Private {
			return a.Array
		}
		if s.Target() == variable && s.At.Line == line.Line && x.isCondition(variable) {
			if list := expr.Accesses(s.RHS); len(list) > 0 {
				return list[0].Array
			}
		}
	}
	return variable
}

// isCondition reports whether nothing but conditions of statements uses a variable: front ends name such values.
func (x *study) isCondition(variable string) bool {
	return !slices.ContainsFunc(x.Kernel.Statements, func(s *kernel.Stmt) bool { return s.RHS != nil && expr.Mentions(s.RHS, variable) })
}

// subgroups are those of a work-group.
func (x *study) subgroups() int64 { return (x.Items + subgroup - 1) / subgroup }
