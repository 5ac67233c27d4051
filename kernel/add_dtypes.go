package kernel

import (
	"maps"
	"slices"

	"gpuperf/kernel/expr"
)

// AddDTypes sets the element types of arguments and temporaries. Changing a type that is already set is an error.
func (k *Kernel) AddDTypes(types map[string]expr.DType) (*Kernel, error) {
	c := k.Clone()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		a := c.Array(name)
		if a == nil {
			return nil, k.Errorf("dtype for %s, which is neither an argument nor a temporary of the kernel", name)
		}
		if !types[name].Known() {
			return nil, k.Errorf("%s: unknown element type %q (%s)", name, types[name], expr.KnownDTypes)
		}
		if a.DType != "" && a.DType != types[name] && !(a.IsValue && k.inferredParam(a)) {
			return nil, k.Errorf("%s has dtype %s already, not %s", name, a.DType, types[name])
		}
		c.ChangeArray(name, func(a *Array) { a.DType = types[name] })
	}
	return c, nil
}

// inferredParam reports whether the value argument has the type that Make gives to undeclared parameters.
func (k *Kernel) inferredParam(a *Array) bool { return a.DType == expr.Int32 && k.IsParam(a.Name) }
