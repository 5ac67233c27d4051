package transform

import (
	"slices"

	"gpuperf/kernel"
)

// resolveILP unrolls the inames tagged ilp inside all other loops, so that their iterations are interleaved:
// temporaries written within them get an element per iteration, and if the statements are in different loops, each gets
// its own unrolled loop. It returns an error if that would change the result.
func resolveILP(k *kernel.Kernel) (*kernel.Kernel, error) {
	c := k
	for _, n := range k.Inames() {
		if k.Tags[n].Kind != kernel.ILP {
			continue
		}
		next, err := interleave(c, n)
		if err != nil {
			return nil, k.Errorf("iname %s is tagged ilp: %w; unr keeps its iterations one after the other", n, err)
		}
		c = next
	}
	return c, nil
}

func interleave(k *kernel.Kernel, iname string) (*kernel.Kernel, error) {
	c, err := PrivatizeTemporaries(k, []string{iname})
	if err != nil {
		return nil, err
	}
	var users []*kernel.Stmt
	alike := true
	loops := func(s *kernel.Stmt) []string {
		return slices.DeleteFunc(slices.Clone(s.Inames), func(n string) bool { return c.Tags[n].Parallel() })
	}
	for _, s := range c.Statements {
		if slices.Contains(s.Inames, iname) {
			users = append(users, s)
			alike = alike && slices.Equal(loops(s), loops(users[0]))
		}
	}
	inames := []string{iname}
	if !alike {
		for _, s := range users[1:] {
			name := c.FreshName(iname)
			if c, err = DuplicateInames(c, []string{iname}, "id:"+s.ID, name); err != nil {
				return nil, err
			}
			inames = append(inames, name)
		}
	}
	c = c.Clone()
	for _, n := range inames {
		c.Tags[n] = kernel.Tag{Kind: kernel.Unroll}
	}
	return c, nil
}
