package kernel

import (
	"gpuperf/kernel/expr"
)

// SpaceOf is the address space of a variable: the declared one, or, for a temporary without one, global where a group
// iname indexes an assignment to it, local where a local iname does, else private (Loopy's rule).
func (k *Kernel) SpaceOf(name string) Space {
	a := k.Array(name)
	if a == nil {
		return Private
	}
	if a.Space != Auto {
		return a.Space
	}
	if !k.IsTemp(name) {
		if a.IsValue {
			return Private
		}
		return Global
	}
	space := Private
	for _, w := range k.Writers(name) {
		acc, ok := w.LHS.(*expr.Access)
		if !ok {
			continue
		}
		for _, e := range acc.Index {
			expr.FreeVars(e, func(n string) {
				switch k.Tags[n].Kind {
				case GroupAxis:
					space = Global
				case LocalAxis, LocalAuto:
					if space == Private {
						space = Local
					}
				}
			})
		}
	}
	return space
}
