package offload

import (
	"slices"
	"strings"
	"sync"

	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/search"
	"gpuperf/workload"
)

// references keep what the programs that are made of a nest are compared with at sizes: they all compute the same.
type references struct {
	mu    sync.Mutex
	at    map[string]func() (*workload.Reference, error) // interpretations of the text
	plain map[string]*plainer                            // results of plain kernels
}

func newReferences() *references {
	return &references{at: map[string]func() (*workload.Reference, error){}, plain: map[string]*plainer{}}
}

// of is what a case should compute.
func (r *references) of(c *workload.ProgramCase, job device.Job) (*workload.Reference, error) {
	if r == nil {
		return c.Reference(job)
	}
	r.mu.Lock()
	key := workload.FormatSizes(c.Sizes)
	find := r.at[key]
	if find == nil {
		find = sync.OnceValues(func() (*workload.Reference, error) { return c.Reference(job) })
		r.at[key] = find
	}
	r.mu.Unlock()
	return find()
}

// plainer is what a program is compared with: the plain kernels of the first that asked.
func (r *references) plainer(c *Prepared, results []string, dev device.Info) (*plainer, error) {
	if r == nil {
		return c.program.plainer(c.sized, results, dev)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := workload.FormatSizes(c.sized.Sizes) + " " + strings.Join(slices.Sorted(slices.Values(results)), " ")
	if r.plain[key] == nil {
		made, err := c.program.plainer(c.sized, results, dev)
		if err != nil {
			return nil, err
		}
		r.plain[key] = made
	}
	return r.plain[key], nil
}

// Parts are the names of the parts of a configuration, by those of its kernels.
func (s *Space) Parts(made search.Config) map[string]string {
	out := map[string]string{}
	for _, p := range s.candidate(made.Options()).parts {
		out[p.kernel] = p.label
	}
	return out
}

// Launched is a kernel that is launched so many times at sizes or near to them.
type Launched struct {
	*workload.Case
	Times float64
}

// alike is how many launches of a kernel stand for all of its launches.
const alike = 4

// Launched are the kernels of the program at given sizes, with some of their launches for all.
func (p *Program) Launched(at map[string]int64, on samples.Interface) (all []Launched, err error) {
	c, err := p.atSizes(at, device.Info{Fingerprint: samples.Fingerprint{Interface: on}})
	if err != nil {
		return nil, err
	}
	for i, k := range c.Kernels {
		var runs []workload.Planned
		for _, l := range c.Plan {
			if l.Kernel == i {
				runs = append(runs, l)
			}
		}
		n := min(alike, len(runs))
		for j := range n {
			own := *c.Cases()[i]
			own.Kernel, own.Sizes = k, runs[(2*j+1)*len(runs)/(2*n)].Sizes
			all = append(all, Launched{&own, float64(len(runs)) / float64(n)})
		}
	}
	return all, nil
}
