package offload

import (
	"sync"

	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/workload"
)

// references keep interpretations of the text of a nest at sizes, for the programs that are made of it: they all compute the same.
type references struct {
	mu sync.Mutex
	at map[string]func() (*workload.Reference, error)
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

// Parts are the names of the parts of a configuration, by those of its kernels.
func (s *Space) Parts(made Config) map[string]string {
	out := map[string]string{}
	for _, p := range s.candidate(made).parts {
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

// Job is the program as it runs at sizes, without what its results are compared with.
func (p *Program) Job(at map[string]int64, on device.Info) (device.Job, error) {
	c, err := p.atSizes(at, on)
	if err != nil {
		return device.Job{}, err
	}
	return c.Job(device.Policy{})
}
