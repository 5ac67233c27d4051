package search

import (
	"math"
	"math/rand/v2"
)

// Parameters of the bandit of OpenTuner (Ansel and others, 2014): how much it explores, and how many proposals it looks back on.
const (
	explore = 0.05
	window  = 500
)

// bandit lets several techniques propose: mostly those whose proposals were often the best so far, the late ones above all (the area under the curve), and each now and then.
type bandit struct {
	techniques []Strategy
	history    []use
	best       float64
	asked      int // the technique that proposed last
}

// use of a technique: whether the proposal was the best so far.
type use struct {
	technique int
	best      bool
}

func newBandit(s Space, m Model, r *rand.Rand) Strategy {
	own := func() *rand.Rand { return rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) }
	return &bandit{best: math.Inf(1), techniques: []Strategy{
		newEvolution(s, m, own()), newMutation(s, m, own(), 0), newMutation(s, m, own(), 0.15), newSimplex(s, own()),
	}}
}

func (b *bandit) Ask() Config {
	b.asked = b.choose()
	return b.techniques[b.asked].Ask()
}

// choose is the technique with the greatest score.
func (b *bandit) choose() int {
	best, score := 0, math.Inf(-1)
	for i := range b.techniques {
		n, area := 0, 0
		for _, u := range b.history {
			if u.technique == i {
				n++
				if u.best {
					area += n
				}
			}
		}
		if n == 0 {
			return i
		}
		s := 2*float64(area)/float64(n*(n+1)) + explore*math.Sqrt(2*math.Log(float64(len(b.history)))/float64(n))
		if s > score {
			best, score = i, s
		}
	}
	return best
}

func (b *bandit) Tell(t Trial) {
	for _, x := range b.techniques {
		x.Tell(t)
	}
	if b.asked >= 0 {
		b.history = append(b.history, use{b.asked, orInfinite(t.Result.Seconds) < b.best})
		if len(b.history) > window {
			b.history = b.history[1:]
		}
	}
	b.best = min(b.best, orInfinite(t.Result.Seconds))
	b.asked = -1
}

// mutation changes some genes of the best: each with a small probability, to any value or by a normal distribution of the given width.
type mutation struct {
	space Space
	model Model
	r     *rand.Rand
	width float64
	best  Trial
}

func newMutation(s Space, m Model, r *rand.Rand, width float64) Strategy {
	return &mutation{space: s, model: m, r: r, width: width}
}

// mutated is the share of genes that a mutation changes, one at least.
const mutated = 0.1

func (m *mutation) Ask() Config {
	return candidate(m.model, func() Config {
		if !m.best.Result.Valid() {
			return anywhere(m.space, m.r)
		}
		g := genesOf(m.space, m.best.Config)
		list := names(g)
		always := list[m.r.IntN(len(list))]
		for _, n := range list {
			switch {
			case n != always && m.r.Float64() >= mutated:
			case m.width > 0:
				g[n] = mirrored(g[n] + m.width*m.r.NormFloat64())
			default:
				g[n] = m.r.Float64()
			}
		}
		return g.express(m.space, m.r)
	})
}

func (m *mutation) Tell(t Trial) {
	if t.faster(m.best) {
		m.best = t
	}
}
