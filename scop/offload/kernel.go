package offload

import (
	"fmt"
	"slices"

	"gpuperf/scop/schedule"
)

func (c *compiler) launch(x *schedule.Launch, host []level) ([]Step, error) {
	if x.Each {
		return c.each(x)
	}
	name := c.fresh(fmt.Sprintf("%s_%d", c.nest.Name, len(c.program.Kernels)))
	where, err := values(schedule.Statements(x), host)
	if err != nil {
		return nil, err
	}
	n, parallel, err := c.nestOf(x, host, nil, values, name)
	if err != nil {
		return nil, err
	}
	k, err := n.Kernel()
	if err != nil {
		return nil, err
	}
	if x.Host != nil {
		k, err = c.inOneGroup(k, n, parallel)
	} else {
		k, err = c.mapped(k, n, slices.Concat(parallel...))
	}
	if err != nil {
		return nil, err
	}
	if k, err = c.onGrid(k); err != nil {
		return nil, err
	}
	c.program.Kernels = append(c.program.Kernels, k)
	return []Step{&Launch{k, where}}, nil
}
