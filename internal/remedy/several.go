package remedy

import (
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// several is a kernel at its sizes, whose work-items compute what those of so many work-groups along some axes did, interleaved.
func several(of *kernel.Kernel, at map[string]int64, axes []int, by int64) (k *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	sizes := map[string]int64{}
	for name, n := range at {
		if of.IsParam(name) {
			sizes[name] = n
		}
	}
	k = throw.Get(joined(throw.Get(transform.FixParameters(of, sizes))))
	for _, axis := range axes {
		tag := kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}
		for _, iname := range k.Inames() {
			if k.Tags[iname] == tag {
				k = k.Clone()
				delete(k.Tags, iname)
				k = throw.Get(transform.SplitIname(k, iname, by, transform.Split{OuterTag: tag.String(), InnerTag: "ilp"}))
			}
		}
	}
	_, err = transform.Prepare(k)
	return k, err
}

// joined is a kernel in which parts that have inames of their own for the axes of the launch, with the same values, have the same inames.
func joined(k *kernel.Kernel) (*kernel.Kernel, error) {
	axes, first := map[kernel.Tag]string{}, map[string]string{}
	for _, n := range k.Inames() {
		if tag := k.Tags[n]; !tag.Parallel() {
			continue
		} else if axes[tag] == "" {
			axes[tag] = n
		} else {
			first[n] = axes[tag]
		}
	}
	c := k.Clone()
	c.Domains = nil
	by := map[string]expr.Expr{}
	for _, d := range k.Domains {
		if slices.ContainsFunc(d.Dims(), func(n string) bool { return first[n] == "" }) {
			c.Domains = append(c.Domains, d)
			continue
		}
		all := k.Domains[k.DomainIndex(first[d.Dims()[0]])]
		for _, n := range d.Dims() {
			by[n] = expr.Var{Name: first[n]}
			delete(c.Tags, n)
			d = throw.Get(d.Rename(n, first[n]))
		}
		same, err := throw.Get(all.Project(d.Dims()...)).IsEqual(d)
		if err != nil || !same {
			return nil, k.Errorf("parts of it run at different places")
		}
	}
	c.MapStmts(func(s *kernel.Stmt) {
		s.MapExprs(func(e expr.Expr) expr.Expr { return expr.Subst(e, by) })
		s.Inames = slices.Clone(s.Inames)
		for i, n := range s.Inames {
			if one := first[n]; one != "" && by[n] != nil {
				s.Inames[i] = one
			}
		}
		slices.Sort(s.Inames)
	})
	return c, nil
}
