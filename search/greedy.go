package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// greedy changes one choice of the best at a time, and starts anew from a random configuration where none of the changes is better.
type greedy struct {
	space Space
	model Model
	r     *rand.Rand

	best  Trial
	start Config // of this climb
	queue []Config
}

func newGreedy(s Space, m Model, r *rand.Rand) Strategy { return &greedy{space: s, model: m, r: r} }

func (g *greedy) Ask() Config {
	if g.start == nil {
		g.start = candidate(g.model, func() Config { return anywhere(g.space, g.r) })
		return g.start
	}
	if len(g.queue) == 0 {
		if !g.best.Result.Valid() {
			g.start = nil
			return g.Ask()
		}
		g.queue = neighbours(g.space, g.best.Config)
		g.r.Shuffle(len(g.queue), func(i, j int) { g.queue[i], g.queue[j] = g.queue[j], g.queue[i] })
		if g.model != nil {
			sortBy(g.queue, g.model)
		}
		if len(g.queue) == 0 {
			return g.best.Config
		}
	}
	next := g.queue[0]
	g.queue = g.queue[1:]
	if len(g.queue) == 0 { // nothing around the best is better
		g.start, g.best = nil, Trial{}
	}
	return next
}

func (g *greedy) Tell(t Trial) {
	if t.faster(g.best) {
		g.best, g.queue = t, nil
		g.start = t.Config
	}
}

// follow goes on from a beginning as another configuration does, and where there is no such option, with the nearest.
func follow(s Space, made Config, like Config) Config {
	for c := s.Next(made); c != nil; c = s.Next(made) {
		made = made.with(c.Name, c.Options[nearest(c.Options, like.Option(c.Name))])
	}
	return made
}

// nearest is the number of the option that is wanted, or of that with the nearest number; where they are no numbers, of the first.
func nearest(options []string, want string) int {
	if i := slices.Index(options, want); i >= 0 {
		return i
	}
	best, least := 0, math.Inf(1)
	x, err := strconv.ParseFloat(want, 64)
	for i, o := range options {
		y, wrong := strconv.ParseFloat(o, 64)
		if err != nil || wrong != nil {
			return 0
		}
		if d := math.Abs(x - y); d < least {
			best, least = i, d
		}
	}
	return best
}

// candidates are how many proposals a model chooses among.
const candidates = 8
