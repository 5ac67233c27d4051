package launch

import "gpuperf/kernel"

// A round is a straight line of code with loads from global memory. These are under way at the same time, and then waited for:
// a work-item that loads in the body of a loop waits once for each iteration, one whose loop is unrolled once in all. With too few
// work-items at once to fill the wait with the work of others, rounds are what takes time (Little's law).

// markRounds notes which loops have loads from global memory in their own body, and whether the code outside of all loops has.
func (p *Program) markRounds() { p.loads = p.marksRounds(p.body) }

// marksRounds reports whether the nodes load from global memory outside of loops that stay loops.
func (p *Program) marksRounds(list []node) (loads bool) {
	any := func(list []access) {
		for _, a := range list {
			loads = loads || !a.write && p.arrays[a.array].Space == kernel.Global
		}
	}
	for _, n := range list {
		switch x := n.(type) {
		case *exec:
			any(x.accesses)
		case *guard:
			any(x.loads)
			loads = p.marksRounds(x.body) || loads
		case *loop:
			x.loads = p.marksRounds(x.body)
			if x.straight {
				loads, x.loads = loads || x.loads, false
			}
		}
	}
	return loads
}
