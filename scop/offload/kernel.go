package offload

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/scop/grid"
	"gpuperf/scop/schedule"
)

func (c *compiler) launch(x *schedule.Launch, host []level) (_ []Step, err error) {
	defer throw.Catch(&err)
	if x.Each {
		return c.each(x, host), nil
	}
	name := c.fresh(fmt.Sprintf("%s_%d", c.nest.Name, len(c.program.Kernels)))
	where := throw.Get(values(schedule.Statements(x), host))
	n, parallel := throw.Get2(c.nestOf(x, host, nil, values, name))
	k := throw.Get(n.Kernel())
	if x.Host != nil {
		k, err = c.inOneGroup(k, n, parallel)
	} else {
		k, err = c.mapped(k, n, slices.Concat(parallel...))
	}
	if err != nil {
		return nil, err
	}
	k = throw.Get(c.onGrid(k))
	c.program.Kernels = append(c.program.Kernels, k)
	return []Step{&Launch{k, where}}, nil
}

// onGrid is the kernel with grids that begin where its points do, and with the axes of work-groups exchanged where one but the first has more than devices allow there: the longest is the first then.
func (c *compiler) onGrid(k *kernel.Kernel) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	k = throw.Get(grid.Begin(k))
	first, longest, most := "", "", int64(0)
	for _, name := range slices.Sorted(maps.Keys(k.Tags)) {
		if k.Tags[name].Kind != kernel.GroupAxis {
			continue
		}
		set := throw.Get(k.DomainOf([]string{name}))
		if groups := c.extent(set, name); groups > most {
			longest, most = name, groups
		}
		if k.Tags[name].Axis == 0 {
			first = name
		}
	}
	if longest == first || most <= c.on().MostGroups {
		return k, nil
	}
	k = k.Clone()
	k.Tags[first], k.Tags[longest] = k.Tags[longest], k.Tags[first]
	return k, nil
}
