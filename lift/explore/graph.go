package explore

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"gpuperf/launch"
	"gpuperf/lift/derive"
	"gpuperf/lift/rank"
	"gpuperf/samples"
	"gpuperf/search"
)

// Graph is a space as one of package search: the recipe, its numbers, and the ND-range. It has two strategies of its own: rank, and the descent, which makes
// its own variants.
type Graph struct {
	search.Listed
	Learning
	*Space

	axes  int // that some point uses
	known *known
}

// known are the points of a graph and of its parts, by configuration.
type known struct {
	sync.Mutex
	at map[string]*located
}

// located is the point of a configuration, entered where there is none.
func (k *known) located(c search.Config, p *Point) *located {
	k.Lock()
	defer k.Unlock()
	key := c.String()
	if k.at[key] == nil && p != nil {
		k.at[key] = &located{Point: p}
	}
	return k.at[key]
}

// Learning is what the strategy rank learns from.
type Learning struct {
	Ranker string    // of package rank; "" is rank.Default
	Train  *rank.Set // points of other programs; nil is none
	Static launch.Options
	Round  int // points that are chosen at once; 0 is 10
	// Enough, if not 0, ends the search where the probability that as many points as have run find a better one is below it.
	Enough float64
}

// located is a point of a graph; what prepares it does so for one at a time.
type located struct {
	sync.Mutex
	*Point
}

// NewGraph makes the graph of a space.
func NewGraph(s *Space) (g *Graph, err error) {
	g = &Graph{Space: s, known: &known{at: map[string]*located{}}}
	for _, p := range s.Points {
		g.axes = max(g.axes, p.axes())
	}
	var all []search.Config
	for _, p := range s.Points {
		if c := g.Config(p); g.known.located(c, p).Point == p { // otherwise another point has the same choices
			all = append(all, c)
		}
	}
	g.Listed, err = search.NewListed(all)
	return g, err
}

// Share is one of so many parts of the graph: every so many-th point.
func (g *Graph) Share(part, parts int) search.Space {
	some := *g.Space
	some.Points = nil
	var all []search.Config
	for i, p := range g.Points {
		if i%parts == part {
			some.Points = append(some.Points, p)
			all = append(all, g.Config(p))
		}
	}
	if len(all) == 0 {
		return nil
	}
	listed, err := search.NewListed(all)
	if err != nil { // of all there is one
		return nil
	}
	return &Graph{Listed: listed, Learning: g.Learning, Space: &some, axes: g.axes, known: g.known}
}

// axes is how many axes an ND-range has.
func (r Range) axes() int {
	for i := len(r.Global); i > 1; i-- {
		if r.Global[i-1] > 1 {
			return i
		}
	}
	return 1
}

// Config are the choices that lead to a point. Variants that the descent has made have no numbers, but a name.
func (g *Graph) Config(p *Point) search.Config {
	c := search.Config{recipe(p.Variant.Recipe)}
	if p.Variant.Recipe == derive.Descended {
		c = append(c, search.Pick{Choice: "variant", Option: p.Variant.ID})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Variant.Numbers)) {
		c = append(c, search.Pick{Choice: name, Option: fmt.Sprint(p.Variant.Numbers[name])})
	}
	return p.choices(c, max(g.axes, p.axes()))
}

// Recalled is the configuration that a sample is of which the tags give its recipe alone: the variant by its name, whatever its numbers, and the ND-range. It is nil
// where they do not.
func Recalled(r *samples.Record) search.Config {
	i := slices.IndexFunc(r.Tags, func(tag string) bool { return strings.HasPrefix(tag, rank.RecipeTag) })
	local, err := parseDims(r.Kernel.Args["local"])
	global, err2 := parseDims(r.Kernel.Args["global"])
	if i < 0 || err != nil || err2 != nil {
		return nil
	}
	c := search.Config{recipe(strings.TrimPrefix(r.Tags[i], rank.RecipeTag)), {Choice: "variant", Option: r.Kernel.Variant}}
	return Range{local, global}.choices(c, len(local))
}

// recipe is the choice of a recipe; a comma would end its name.
func recipe(name string) search.Pick {
	return search.Pick{Choice: "recipe", Option: strings.ReplaceAll(name, ", ", " + ")}
}

// choices adds those of so many axes.
func (r Range) choices(c search.Config, axes int) search.Config {
	for i, axis := range []string{"x", "y", "z"}[:axes] {
		c = append(c, search.Pick{Choice: "local " + axis, Option: fmt.Sprint(r.Local[i])}, search.Pick{Choice: "global " + axis, Option: fmt.Sprint(r.Global[i])})
	}
	return c
}

// Do does something with the point of a configuration, while nobody else does; ok is false where there is none.
func (g *Graph) Do(c search.Config, do func(*Point)) (ok bool) {
	p := g.known.located(c, nil)
	if p != nil {
		p.Lock()
		defer p.Unlock()
		do(p.Point)
	}
	return p != nil
}

// Strategies are the orders that learn.
func (g *Graph) Strategies() []string { return Strategies() }

// Strategies are the names of those of graphs.
func Strategies() []string { return []string{"descent", "rank"} }

// Strategy makes one of them.
func (g *Graph) Strategy(name string, seed uint64) (search.Strategy, error) {
	g.Prepare(nil, g.Static)
	r := &rounds{graph: g, n: cmp.Or(g.Round, 10), waiting: map[string]bool{}, told: map[string]bool{}}
	if name == "descent" {
		opt := g.derivation(0)
		opt.Seed = int64(seed)
		walk, err := derive.NewDescent(g.Program, opt)
		r.order = &descent{space: g.Space, walk: walk, rng: rand.New(rand.NewPCG(seed, 0x6c696674))}
		return r, err
	}
	ranker, told, err := g.findRanker()
	r.warnings, r.ranked = told, &ranked{graph: g, ranker: ranker, seen: map[*Point]bool{}, scored: map[*Point]float64{}}
	r.order = r.ranked
	return r, err
}

// rounds is an order as a strategy: it chooses some points at once, and is told of all before it chooses more.
type rounds struct {
	graph    *Graph
	order    order
	ranked   *ranked // the order, where it is one
	ended    string  // why; "" where it has not, or there are no more points
	warnings []string
	n        int
	queue    []search.Config
	waiting  map[string]bool // asked for, and not told
	told     map[string]bool
	run      []outcome
}

func (r *rounds) Ask() search.Config {
	if len(r.queue) == 0 && len(r.waiting) == 0 {
		points, err := r.order.next(r.run, r.n)
		if err != nil {
			r.warnings = append(r.warnings, err.Error())
		}
		if r.ended = r.hopeless(); r.ended != "" {
			return nil
		}
		for _, p := range points {
			c := r.graph.Config(p)
			r.graph.known.located(c, p)
			r.queue = append(r.queue, c)
		}
	}
	if len(r.queue) == 0 {
		return nil
	}
	c := r.queue[0]
	r.queue = r.queue[1:]
	r.waiting[c.String()] = true
	return c
}

func (r *rounds) Tell(t search.Trial) {
	key := t.Config.String()
	delete(r.waiting, key)
	if r.told[key] {
		return
	}
	r.told[key] = true
	r.graph.Do(t.Config, func(p *Point) {
		seconds := math.Inf(1)
		if t.Result.Valid() {
			seconds = t.Result.Seconds
		}
		r.run = append(r.run, outcome{p, seconds})
	})
}

// Warnings are what is to be known of how points were chosen.
func (r *rounds) Warnings() []string {
	if r.ranked == nil {
		return r.warnings
	}
	return append(r.warnings, r.ranked.told...)
}

// Ended is why there are no more proposals, where it is for another reason than that there are no more points.
func (r *rounds) Ended() string { return r.ended }
