package kernel

import "slices"

// resolveILP unrolls the inames tagged ilp inside all other loops, so that their iterations advance side by side: the
// temporaries written within get an element per iteration, and where the statements are in different loops each has an
// unrolled loop of its own. What makes that change the result is an error.
func (k *Kernel) resolveILP() (*Kernel, error) {
	c := k
	for _, n := range k.Inames() {
		if k.Tags[n].Kind != ILP {
			continue
		}
		next, err := c.interleave(n)
		if err != nil {
			return nil, k.errorf("iname %s is tagged ilp: %w; unr keeps its iterations one after the other", n, err)
		}
		c = next
	}
	return c, nil
}

func (k *Kernel) interleave(iname string) (*Kernel, error) {
	c, err := k.PrivatizeTemporaries([]string{iname})
	if err != nil {
		return nil, err
	}
	var users []*Stmt
	alike := true
	loops := func(s *Stmt) []string {
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
			name := c.freshName(iname)
			if c, err = c.DuplicateInames([]string{iname}, "id:"+s.ID, name); err != nil {
				return nil, err
			}
			inames = append(inames, name)
		}
	}
	c = c.clone()
	for _, n := range inames {
		c.Tags[n] = Tag{Kind: Unroll}
	}
	return c, nil
}
