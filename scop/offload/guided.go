package offload

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/search"
	"gpuperf/workload"
)

// Schedules are which schedules a space has.
type Schedules string

// The schedules of a space: those of Papenhausen and Mueller (Coding Ants, 2018), from few to many.
const (
	ByStrategy    Schedules = "strategies"  // what each strategy finds with each way of fusion (their O1)
	ByPartitions  Schedules = "partitions"  // the order of components, and which of them are fused (O2)
	ByHyperplanes Schedules = "hyperplanes" // these, and the outer two loops of each part (O3)
)

// AllSchedules lists them.
func AllSchedules() []string {
	return []string{string(ByStrategy), string(ByPartitions), string(ByHyperplanes)}
}

// guided finds schedules by choices, which are met while it does.
type guided struct {
	make  func(schedule.Decide) schedule.Strategy
	mu    sync.Mutex
	names map[string]bool // of choices that were met
	known map[string]step // by those that are made
}

func newGuided(make func(schedule.Decide) schedule.Strategy) *guided {
	return &guided{make: make, names: map[string]bool{}, known: map[string]step{}}
}

// step is the next choice, or the schedule where all are made; neither where they lead to no kernels.
type step struct {
	next *search.Choice
	*candidate
}

// step is what choices lead to.
func (s *Space) step(made map[string]string) step {
	g := s.guided
	g.mu.Lock()
	defer g.mu.Unlock()
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(g.names)) {
		if made[name] != "" {
			key.WriteString(name + "=" + made[name] + ",")
		}
	}
	out, ok := g.known[key.String()]
	if ok {
		return out
	}
	out, err := scop.Limited(context.Background(), s.nest, scop.Work, func(n *scop.Nest) (out step, err error) {
		found, err := schedule.Search(n, g.make(func(name string, options []string) int {
			i := slices.Index(options, made[name])
			if made[name] == "" && out.next == nil {
				out.next = &search.Choice{Name: name, Options: options}
			}
			return max(i, 0)
		}), schedule.Options{On: s.on, Sizes: s.sizes})
		if err != nil || out.next != nil {
			return out, err
		}
		tree, err := found.Launches()
		if err != nil {
			return out, err
		}
		out.candidate, err = s.addTree(&candidate{found: found, tree: tree})
		return out, err
	})
	if err != nil {
		out = step{}
	}
	if out.next != nil {
		g.names[out.next.Name] = true
	}
	g.known[key.String()] = out
	return out
}

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
		out[p.kernel], out[adderOf(p.kernel)] = p.label, p.label
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
