package kernel

import (
	"gpuperf/internal/nameset"
	"slices"
)

// AddDependency makes the statements that match depend on the others.
func (k *Kernel) AddDependency(match, on string) (*Kernel, error) {
	c := k.clone()
	from, err := k.matchSome(match)
	if err != nil {
		return nil, err
	}
	to, err := k.matchSome(on)
	if err != nil {
		return nil, err
	}
	for i, s := range c.Statements {
		if !slices.Contains(from, s) {
			continue
		}
		n := *s
		for _, t := range to {
			if t != s {
				n.Deps = nameset.Add(n.Deps, t.ID)
			}
		}
		c.Statements[i] = &n
	}
	if err := c.checkDeps(); err != nil {
		return nil, err
	}
	return c, nil
}
