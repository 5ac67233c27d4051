package transform

import (
	"slices"

	"gpuperf/kernel"
)

// PrioritizeLoops asks for a nesting order of the loops, outermost first. Later requests give way to earlier ones.
func PrioritizeLoops(k *kernel.Kernel, inames []string) (*kernel.Kernel, error) {
	for i, n := range inames {
		if !k.IsIname(n) {
			return nil, k.UnknownIname(n)
		}
		if slices.Contains(inames[:i], n) {
			return nil, k.Errorf("loop priority names iname %s twice", n)
		}
	}
	c := k.Clone()
	c.Priorities = append(c.Priorities, slices.Clone(inames))
	return c, nil
}
