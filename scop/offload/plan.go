package offload

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/kernel"
)

// Run is one launch at given sizes: those, and the values of the host's loops.
type Run struct {
	Kernel *kernel.Kernel
	Sizes  map[string]int64
}

// maxRuns bounds the launches of a program.
const maxRuns = 2_000_000

// Plan lists the launches at given sizes in their order.
func (p *Program) Plan(sizes map[string]int64) ([]Run, error) {
	var out []Run
	err := p.plan(p.Steps, sizes, &out)
	return out, err
}

func (p *Program) plan(steps []Step, at map[string]int64, out *[]Run) error {
	for _, s := range steps {
		switch x := s.(type) {
		case *Launch:
			here, err := x.Where.Contains(at)
			if err != nil {
				return err
			}
			if !here {
				continue
			}
			if len(*out) == maxRuns {
				return fmt.Errorf("%s has more than %d launches at these sizes", p.Nest.Name, maxRuns)
			}
			run := Run{x.Kernel, map[string]int64{}}
			for _, name := range x.Kernel.Params() {
				run.Sizes[name] = at[name]
			}
			*out = append(*out, run)
		case *Loop:
			dims := x.Values.Dims()
			fixed := maps.Clone(at)
			outer, err := x.Values.ToParams(dims[:len(dims)-1]...).Fix(at)
			if err != nil {
				return err
			}
			points, err := outer.Points(nil, maxRuns)
			if err != nil {
				return err
			}
			slices.SortFunc(points, slices.Compare[[]int64])
			for _, v := range points {
				fixed[x.Name] = v[0]
				if err := p.plan(x.Body, fixed, out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
