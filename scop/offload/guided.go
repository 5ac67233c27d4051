package offload

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/search"
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
