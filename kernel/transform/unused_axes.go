package transform

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
)

// AddInamesForUnusedAxes adds to the statements that match the inames of the hardware axes that the kernel uses and they do
// not, so that each work-item runs them. It fails where AddInamesToInsn does, and if several inames are on such an axis.
func AddInamesForUnusedAxes(k *kernel.Kernel, match string) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	stmts := matchSome(k, match)
	c := k
	for _, s := range stmts {
		if s.Kind != kernel.Assign {
			continue
		}
		var add []string
		for _, kind := range []kernel.TagKind{kernel.GroupAxis, kernel.LocalAxis} {
			for axis := range 3 {
				tag := kernel.Tag{Kind: kind, Axis: axis}
				on := slices.DeleteFunc(k.Inames(), func(n string) bool { return k.Tags[n] != tag })
				if len(on) == 0 || len(nameset.Intersect(s.AllInames(), on)) > 0 {
					continue
				}
				if len(on) > 1 {
					return nil, k.Errorf("statement %s has no iname on %s, and %s are on it: add the intended one with add_inames_to_insn", s.ID, tag, nameset.Text(on))
				}
				add = append(add, on[0])
			}
		}
		if len(add) > 0 {
			c = throw.Get(AddInamesToInsn(c, add, "id:"+s.ID))
		}
	}
	return c, nil
}
