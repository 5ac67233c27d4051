package offload

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/device"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/samples"
	"gpuperf/scop/grid"
	"gpuperf/scop/schedule"
)

func (c *compiler) launch(x *schedule.Launch, host []level) (steps []Step, err error) {
	defer throw.Catch(&err)
	if x.Each {
		return c.each(x, host), nil
	}
	name := c.next()
	where := throw.Get(values(schedule.Statements(x), host))
	n, parallel := throw.Get2(c.nestOf(x, host, nil, values, name))
	k := throw.Get(n.Kernel())
	var list []*kernel.Kernel
	if x.Host == nil {
		list = throw.Get(c.mapped(k, n, slices.Concat(parallel...), true))
	} else {
		list = []*kernel.Kernel{throw.Get(c.inOneGroup(k, n, parallel))}
	}
	for _, k := range list {
		k = throw.Get(c.onGrid(k))
		c.program.Kernels = append(c.program.Kernels, k)
		own := where
		if when := c.when[k.Name]; when != nil {
			own = throw.Get(where.IntersectParams(when))
		}
		steps = append(steps, &Launch{k, own})
	}
	return steps, nil
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

// Run is one launch at given sizes: those, and the values of the host's loops.
type Run struct {
	Kernel *kernel.Kernel
	Sizes  map[string]int64
}

// maxRuns bounds the launches of a program, and mostSearched those of one of a space, as what makes more takes long whatever these do.
const (
	maxRuns      = 2_000_000
	mostSearched = 1 << 16
)

// Plan lists the launches at given sizes in their order.
func (p *Program) Plan(sizes map[string]int64) ([]Run, error) {
	l := planned{name: p.Nest.Name, most: cmp.Or(p.most, maxRuns)}
	err := l.plan(p.Steps, sizes)
	return l.runs, err
}

// planned are launches that are being listed.
type planned struct {
	name string
	most int
	seen int // places where there may be a launch
	runs []Run
}

func (l *planned) plan(steps []Step, at map[string]int64) (err error) {
	defer throw.Catch(&err)
	const places = 4 // for each launch
	for _, s := range steps {
		switch x := s.(type) {
		case *Launch:
			l.seen++
			here := throw.Get(x.Where.Contains(at))
			if len(l.runs) == l.most && here || l.seen > places*l.most {
				return device.Errorf(samples.Refused, "%s has more than %d launches at these sizes", l.name, l.most)
			}
			if !here {
				continue
			}
			run := Run{x.Kernel, map[string]int64{}}
			for _, name := range x.Kernel.Params() {
				run.Sizes[name] = at[name]
			}
			l.runs = append(l.runs, run)
		case *Loop:
			dims := x.Values.Dims()
			fixed := maps.Clone(at)
			outer := throw.Get(x.Values.ToParams(dims[:len(dims)-1]...).Fix(at))
			points := throw.Get(outer.Points(nil, maxRuns))
			slices.SortFunc(points, slices.Compare[[]int64])
			for _, v := range points {
				fixed[x.Name] = v[0]
				throw.If(l.plan(x.Body, fixed))
			}
		}
	}
	return nil
}
