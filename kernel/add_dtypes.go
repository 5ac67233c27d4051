package kernel

import (
	"sort"

	"gpuperf/kernel/expr"
)

// AddDTypes sets the element types of arguments and temporaries. A type that was set differently before is an error.
func (k *Kernel) AddDTypes(types map[string]expr.DType) (*Kernel, error) {
	c := k.Clone()
	var names []string
	for name := range types {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		a := c.Array(name)
		if a == nil {
			return nil, k.Errorf("dtype for %s, which is no argument or temporary of the kernel", name)
		}
		if !types[name].Known() {
			return nil, k.Errorf("%s: unknown element type %q (%s)", name, types[name], expr.KnownDTypes)
		}
		if a.DType != "" && a.DType != types[name] && !(a.IsValue && k.inferredParam(a)) {
			return nil, k.Errorf("%s has dtype %s already, not %s", name, a.DType, types[name])
		}
		n := *a
		n.DType = types[name]
		c.SetArray(&n)
	}
	return c, nil
}

// inferredParam reports whether the value argument has the type that Make gives to parameters by itself.
func (k *Kernel) inferredParam(a *Array) bool { return a.DType == expr.Int32 && k.IsParam(a.Name) }
