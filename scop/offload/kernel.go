package offload

import (
	"fmt"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// launch makes the kernel of a launch.
func (c *compiler) launch(x *schedule.Launch, host []level) ([]Step, error) {
	name := c.fresh(fmt.Sprintf("%s_%d", c.nest.Name, len(c.program.Kernels)))
	where, err := values(schedule.Statements(x), host)
	if err != nil {
		return nil, err
	}
	n, parallel, err := c.nestOf(x, host, name)
	if err != nil {
		return nil, err
	}
	k, err := n.Kernel()
	if err != nil {
		return nil, err
	}
	k.ExplicitBarriers = true // no work-item needs what another one does in the same launch
	if k, err = c.mapped(k, n, parallel); err != nil {
		return nil, err
	}
	c.program.Kernels = append(c.program.Kernels, k)
	return []Step{&Launch{k, where}}, nil
}

// mapped puts parallel loops on the axes of work-items: at most three, the one along which most accesses are contiguous on the fastest.
func (c *compiler) mapped(k *kernel.Kernel, n *scop.Nest, parallel []string) (*kernel.Kernel, error) {
	parallel = slices.DeleteFunc(parallel, func(p string) bool { return !k.IsIname(p) })
	if len(parallel) == 0 {
		return k, nil
	}
	fast := fastest(n, parallel)
	order := []string{fast}
	for _, p := range slices.Backward(parallel) {
		if p != fast && len(order) < 3 {
			order = append(order, p)
		}
	}
	var err error
	for axis, p := range order {
		split := transform.Split{Outer: p + "_group", Inner: p + "_item", OuterTag: fmt.Sprintf("g.%d", axis), InnerTag: fmt.Sprintf("l.%d", axis)}
		if k, err = transform.SplitIname(k, p, c.opt.Block[len(order)-1][axis], split); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// fastest is the parallel loop along which most accesses move by one element of the last dimension.
func fastest(n *scop.Nest, parallel []string) string {
	best, most := parallel[len(parallel)-1], -1
	for _, p := range slices.Backward(parallel) {
		count := 0
		for _, s := range n.Statements {
			for _, a := range s.Accesses {
				if contiguous(a.Index, p) {
					count += 1 + len(s.Loops) - len(parallel)
				}
			}
		}
		if count > most {
			best, most = p, count
		}
	}
	return best
}

func contiguous(index []polycount.Affine, loop string) bool {
	if len(index) == 0 {
		return false
	}
	last := len(index) - 1
	if c := index[last].Coeff(loop); c != 1 && c != -1 {
		return false
	}
	return !slices.ContainsFunc(index[:last], func(a polycount.Affine) bool { return a.Has(loop) })
}
