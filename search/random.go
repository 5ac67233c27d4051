package search

import "math/rand/v2"

// random draws from the configurations of a space, each as likely as the others. A path that is drawn choice by choice is not: the fewer options it has
// met, the more likely it is.
//
// Where there are at most mostListed configurations, one of their list is drawn. Of more, paths are drawn choice by choice and kept by rejection (von
// Neumann, 1951): one of probability p with the probability least/p, where least is the least p of all paths drawn so far, pilots included.
type random struct {
	space Space
	r     *rand.Rand
	all   []Config // nil where there are more than mostListed
	least float64
}

const (
	mostListed   = 1 << 12 // configurations, which take milliseconds to list
	pilots       = 1 << 9  // paths that are drawn to find the least probability
	mostRejected = 1 << 14 // draws in a row, after which a path is kept whatever its probability
)

// Costly is a space whose choices take work to find, such as a second each. It is neither counted nor listed, and random draws from it choice by choice.
type Costly interface{ Costly() bool }

func costly(s Space) bool {
	c, ok := s.(Costly)
	return ok && c.Costly()
}

func newRandom(s Space, _ Model, r *rand.Rand) Strategy { return uniform(s, r, mostListed) }

// uniform draws from a space whose configurations are listed where there are at most so many.
func uniform(s Space, r *rand.Rand, listed int) *random {
	x := &random{space: s, r: r, least: 1}
	if costly(s) {
		return x
	}
	for c := range All(s) {
		if x.all = append(x.all, c); len(x.all) > listed {
			x.all = nil
			break
		}
	}
	for i := 0; x.all == nil && i < pilots; i++ {
		x.draw()
	}
	return x
}

// draw is a path that is drawn choice by choice, and its probability.
func (x *random) draw() (c Config, p float64) {
	p = 1
	c = walk(x.space, func(_ Config, c *Choice) int {
		i, share := c.draw(x.r)
		p *= share
		return i
	})
	x.least = min(x.least, p)
	return c, p
}

func (x *random) Ask() (c Config) {
	if x.all != nil {
		return x.all[x.r.IntN(len(x.all))]
	}
	for range mostRejected {
		var p float64
		if c, p = x.draw(); costly(x.space) || x.r.Float64()*p < x.least {
			break
		}
	}
	return c
}

func (x *random) Tell(Trial) {}
