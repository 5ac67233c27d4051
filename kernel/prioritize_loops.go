package kernel

import "slices"

// PrioritizeLoops asks for a nesting order of the loops, outermost first. Later requests give way to earlier ones.
func (k *Kernel) PrioritizeLoops(inames []string) (*Kernel, error) {
	for i, n := range inames {
		if !k.IsIname(n) {
			return nil, k.unknownIname(n)
		}
		if slices.Contains(inames[:i], n) {
			return nil, k.errorf("loop priority names iname %s twice", n)
		}
	}
	c := k.clone()
	c.Priorities = append(c.Priorities, slices.Clone(inames))
	return c, nil
}
