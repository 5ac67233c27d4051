package offload

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/device"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/samples"
)

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
