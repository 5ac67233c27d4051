package search

import (
	"math/rand/v2"
	"slices"
)

// The usual parameters of differential evolution (Storn and Price, 1997).
const (
	population = 12
	crossover  = 0.9
	weight     = 0.7
)

// evolution is differential evolution: a member of the population gives way to a mixture of it with three others that is faster.
type evolution struct {
	space   Space
	model   Model
	r       *rand.Rand
	members []member
	waiting map[string]waiting
}

type member struct {
	genes   genes
	seconds float64 // infinite where it did not run
}

// waiting is a proposal: what it would replace, or -1.
type waiting struct {
	genes genes
	place int
}

func newEvolution(s Space, m Model, r *rand.Rand) Strategy {
	return &evolution{space: s, model: m, r: r, waiting: map[string]waiting{}}
}

func (e *evolution) Ask() Config {
	var w waiting
	c := candidate(e.model, func() Config {
		next := waiting{genes{}, -1}
		if len(e.members) >= population {
			next = e.mixed()
		}
		c := next.genes.express(e.space, e.r)
		e.waiting[c.String()] = next
		return c
	})
	w = e.waiting[c.String()]
	clear(e.waiting)
	e.waiting[c.String()] = w
	return c
}

// mixed is a member with genes of others.
func (e *evolution) mixed() waiting {
	order := e.r.Perm(len(e.members))
	x, a, b, c := e.members[order[0]].genes, e.members[order[1]].genes, e.members[order[2]].genes, e.members[order[3]].genes
	list := names(x, a, b, c)
	always := list[e.r.IntN(len(list))]
	out := genes{}
	for _, n := range list {
		if n == always || e.r.Float64() < crossover {
			out[n] = mirrored(a.or(n, e.r) + weight*(b.or(n, e.r)-c.or(n, e.r)))
		} else {
			out[n] = x.or(n, e.r)
		}
	}
	return waiting{out, order[0]}
}

func (e *evolution) Tell(t Trial) {
	w, own := e.waiting[t.Config.String()]
	if !own {
		w = waiting{genesOf(e.space, t.Config), -1}
	}
	m := member{w.genes, orInfinite(t.Result.Seconds)}
	switch {
	case w.place >= 0:
		if m.seconds <= e.members[w.place].seconds {
			e.members[w.place] = m
		}
	case len(e.members) < population:
		e.members = append(e.members, m)
	default: // found elsewhere: it takes the place of the slowest
		slowest := slices.MaxFunc(e.members, func(a, b member) int { return compare(a.seconds, b.seconds) })
		if m.seconds < slowest.seconds {
			i := slices.IndexFunc(e.members, func(x member) bool { return x.seconds == slowest.seconds })
			e.members[i] = m
		}
	}
}
