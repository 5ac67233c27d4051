package transform

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
)

// AddDependency makes the statements that match depend on those that on matches.
func AddDependency(k *kernel.Kernel, match, on string) (*kernel.Kernel, error) {
	c := k.Clone()
	from, err := matchSome(k, match)
	if err != nil {
		return nil, err
	}
	to, err := matchSome(k, on)
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
	if err := c.CheckDeps(); err != nil {
		return nil, err
	}
	return c, nil
}
