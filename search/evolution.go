package search

import (
	"maps"
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

// genes are numbers from 0 to 1 for choices, so that configurations are points between which one can go. A choice without a gene has any option.
type genes map[string]float64

// express is the configuration of some genes. Genes that were missing are added.
func (g genes) express(s Space, r *rand.Rand) Config {
	return walk(s, func(_ Config, c *Choice) int {
		x, ok := g[c.Name]
		if !ok {
			x = r.Float64()
			g[c.Name] = x
		}
		return min(int(x*float64(len(c.Options))), len(c.Options)-1)
	})
}

// genesOf are such of a configuration: the middle of each option.
func genesOf(s Space, c Config) genes {
	g := genes{}
	for i, p := range c {
		options := s.Next(c[:i:i]).Options
		g[p.Choice] = (float64(slices.Index(options, p.Option)) + 0.5) / float64(len(options))
	}
	return g
}

// names of all choices of some points, sorted.
func names(points ...genes) []string {
	all := map[string]bool{}
	for _, g := range points {
		for n := range g {
			all[n] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// mirrored is a number folded into 0 to 1.
func mirrored(x float64) float64 {
	for x < 0 || x > 1 {
		if x < 0 {
			x = -x
		} else {
			x = 2 - x
		}
	}
	return x
}

// or is a gene, or any number where it is missing.
func (g genes) or(name string, r *rand.Rand) float64 {
	if x, ok := g[name]; ok {
		return x
	}
	return r.Float64()
}

// simplex is the downhill simplex of Nelder and Mead over genes: the slowest of some points is mirrored at the others, further where that is good, and less where it is
// not; where nothing helps all move towards the best.
type simplex struct {
	space  Space
	r      *rand.Rand
	points []member
	stage  int // what was asked: 0 a first point, 1 the mirrored one, 2 further, 3 nearer
	asked  genes
	key    string
	first  member // the mirrored point, while one further on is tried
}

func newSimplex(s Space, r *rand.Rand) Strategy { return &simplex{space: s, r: r} }

// corners of the simplex. There are fewer than choices, as each costs a run.
const corners = 6

func (s *simplex) Ask() Config {
	g := genes{}
	if len(s.points) >= corners {
		slices.SortStableFunc(s.points, func(a, b member) int { return compare(a.seconds, b.seconds) })
		if s.stage == 0 {
			s.stage = 1
		}
		g = s.along([]float64{0, 1, 2, -0.5}[s.stage])
	}
	c := g.express(s.space, s.r)
	s.asked, s.key = g, c.String()
	return c
}

// along is a point on the line from the slowest through the middle of the others, that far beyond this.
func (s *simplex) along(far float64) genes {
	last := s.points[len(s.points)-1].genes
	out := genes{}
	others := s.points[:len(s.points)-1]
	all := make([]genes, len(s.points))
	for i, p := range s.points {
		all[i] = p.genes
	}
	for _, n := range names(all...) {
		middle := 0.0
		for _, p := range others {
			middle += p.genes.or(n, s.r) / float64(len(others))
		}
		out[n] = mirrored(middle + far*(middle-last.or(n, s.r)))
	}
	return out
}

func (s *simplex) Tell(t Trial) {
	if s.asked == nil || t.Config.String() != s.key {
		return // of another technique
	}
	m := member{s.asked, orInfinite(t.Result.Seconds)}
	s.asked = nil
	if s.stage == 0 {
		s.points = append(s.points, m)
		return
	}
	last := len(s.points) - 1
	switch s.stage {
	case 1:
		switch {
		case m.seconds < s.points[0].seconds:
			s.first, s.stage = m, 2
		case m.seconds < s.points[last].seconds:
			s.points[last], s.stage = m, 1
		default:
			s.stage = 3
		}
	case 2:
		if s.first.seconds < m.seconds {
			m = s.first
		}
		s.points[last], s.stage = m, 1
	case 3:
		s.stage = 1
		if m.seconds < s.points[last].seconds {
			s.points[last] = m
			return
		}
		s.points, s.stage = s.points[:1], 0 // new points around the best one would be asked for; any will do
	}
}
