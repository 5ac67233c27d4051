package offload

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/transform"
	"gpuperf/scop"
)

// errGroup is wrapped where one work-group cannot do what several launches do.
var errGroup = errors.New("a work-group cannot run it")

// inOneGroup makes a kernel of one work-group: its work-items share one loop of each band of parallel loops, and of each reduction that no such loop is around. What depends on
// each other is between barriers.
func (c *compiler) inOneGroup(plain *kernel.Kernel, n *scop.Nest, bands [][]string) (*kernel.Kernel, error) {
	m := c.ask(Form{Kernel: plain.Name, Group: true}, n.Statements)
	parallel := slices.Concat(bands...)
	k := reductions(plain, parallel)
	if err := runs(k, c.on()); err != nil {
		k = plain
	}
	var shared []string
	for _, band := range bands {
		band = slices.DeleteFunc(slices.Clone(band), func(p string) bool { return !plain.IsIname(p) })
		if len(band) > 0 {
			shared = append(shared, fastest(n, band))
		}
	}
	for _, s := range k.Statements {
		list := slices.DeleteFunc(s.ReductionInames(), func(r string) bool { // a loop around other statements stays one
			return slices.Contains(shared, r) || slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) bool { return slices.Contains(s.Inames, r) })
		})
		if len(list) > 0 && !slices.ContainsFunc(s.Inames, func(i string) bool { return slices.Contains(parallel, i) }) {
			shared = append(shared, fastest(n, list))
		}
	}
	var err error
	for _, p := range shared {
		if k, err = transform.SplitIname(k, p, m.Block[0], transform.Split{Outer: p + "_part", Inner: p + "_item", InnerTag: "l.0"}); err != nil {
			return nil, err
		}
	}
	if err := runs(k, c.on()); err != nil {
		return nil, fmt.Errorf("%w: %w", errGroup, err)
	}
	return k, nil
}
