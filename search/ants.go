package search

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Parameters of the ants: those of the paper (sections 5 to 7), a max-min ant system in the hyper-cube framework. The exponents of equation 2 are 1.
const (
	colony      = 10   // ants of an iteration
	evaporation = 0.1  // of a trail, after each iteration
	leastTrail  = 0.05 // so that no edge is excluded
	mostTrail   = 0.95 // so that none is certain
	// iterations whose best ant deposits; from then on the best so far does.
	early = 2
	// share of a deposit for edges that were best for their part (section 6.1)
	partShare = 0.5
	// deposit of the regression tree along the path to its best leaf (section 6.3)
	treeDeposit = 0.15
	// predictions that tell ants where to go before anything has run
	foreseen = 200
)

// antOptions are extensions.
type antOptions struct {
	metrics bool // what edges do to metrics makes them desirable (section 6.2)
	tree    bool // half of the ants search where the regression tree has its fastest trial (section 6.3)
}

// ants walk the graph, where trails and what is known of edges make some of these likely (equation 2).
type ants struct {
	space Space
	model Model
	r     *rand.Rand
	opt   antOptions

	edges       map[Pick]*edge
	nodes       map[string]*node
	asked, told int // ants of the iteration
	iteration   int
	fastest     Trial // of the iteration
	best        Trial
	parts       map[string]Trial // the fastest for each part
	trials      []observed
	seen        map[string]bool
	filter      map[int]condition
	foreseen    []Config // that the model has predicted; the fastest are tried first
}

// node is a choice; it and its options are numbered in the order in which they were met.
type node struct {
	number  int
	part    string
	options map[string]int
}

// edge is an option of a choice.
type edge struct {
	trail   float64
	metrics map[string]*statistic
}

// statistic is the mean and the deviation of what was seen.
type statistic struct{ n, sum, squares float64 }

func (s *statistic) add(x float64) { s.n, s.sum, s.squares = s.n+1, s.sum+x, s.squares+x*x }
func (s *statistic) mean() float64 { return s.sum / s.n }
func (s *statistic) deviation() float64 {
	return math.Sqrt(max(0, s.squares/s.n-s.mean()*s.mean()))
}

// speed is the metric that a model gives: the least time predicted over that of the configuration.
const speed = "predicted speed"

func newAnts(s Space, m Model, r *rand.Rand, opt antOptions) Strategy {
	a := &ants{space: s, model: m, r: r, opt: opt, edges: map[Pick]*edge{}, nodes: map[string]*node{}, parts: map[string]Trial{}, seen: map[string]bool{}}
	a.foresee()
	return a
}

// foresee lets the model's predictions tell what options are worth.
func (a *ants) foresee() {
	if a.model == nil {
		return
	}
	var list []Config
	for range foreseen {
		list = append(list, anywhere(a.space, a.r))
	}
	seconds := foretold(a.model, list)
	least := slices.Min(seconds)
	for i, c := range list {
		a.learn(c, map[string]float64{speed: least / seconds[i]})
	}
	a.foreseen = list
}

// learn adds metrics to the edges of a path.
func (a *ants) learn(c Config, metrics map[string]float64) {
	for i, p := range c {
		a.meet(a.space.Next(c[:i:i]))
		e := a.edges[p]
		for name, x := range metrics {
			if e.metrics[name] == nil {
				e.metrics[name] = &statistic{}
			}
			e.metrics[name].add(x)
		}
	}
}

// meet makes the edges of a node that is reached for the first time. Trails start as the probability of a random walk.
func (a *ants) meet(c *Choice) {
	n := a.nodes[c.Name]
	if n == nil {
		n = &node{len(a.nodes), c.Part, map[string]int{}}
		a.nodes[c.Name] = n
	}
	for _, o := range c.Options {
		p := Pick{c.Name, o}
		if a.edges[p] == nil {
			n.options[o] = len(n.options)
			a.edges[p] = &edge{clamp(1 / float64(len(c.Options))), map[string]*statistic{}}
		}
	}
}

func clamp(trail float64) float64 { return min(max(trail, leastTrail), mostTrail) }

func (a *ants) Ask() Config {
	if a.asked == 0 {
		a.begin()
	}
	filtered := a.asked < colony/2
	a.asked++
	if a.iteration == 0 && filtered && len(a.foreseen) > 0 {
		return a.promising()
	}
	return candidate(a.model, func() Config {
		return walk(a.space, func(_ Config, c *Choice) int {
			a.meet(c)
			weights := make([]float64, len(c.Options))
			for i, o := range c.Options {
				if !filtered || a.passes(c.Name, o) {
					e := a.edges[Pick{c.Name, o}]
					weights[i] = e.trail * a.desirable(e)
				}
			}
			return draw(weights, a.r)
		})
	})
}

// promising is the configuration that the model expects to be the fastest of the foreseen ones that have not run.
func (a *ants) promising() Config {
	c := promising(a.model, a.foreseen)
	a.foreseen = slices.DeleteFunc(a.foreseen, func(d Config) bool { return d.String() == c.String() })
	return c
}

// begin starts an iteration: where the tree has its fastest trial half of the ants will search.
func (a *ants) begin() {
	a.fastest, a.filter = Trial{}, nil
	if !a.opt.tree || len(a.trials) == 0 {
		return
	}
	a.filter = focus(a.trials, len(a.nodes))
	for _, p := range a.best.Config { // the score of the leaf is that of the best, so that the deposit is whole
		if _, on := a.filter[a.nodes[p.Choice].number]; on {
			e := a.edges[p]
			e.trail = clamp(e.trail + treeDeposit)
		}
	}
}

// passes reports that an option is where the tree has its fastest trial.
func (a *ants) passes(choice, option string) bool {
	n := a.nodes[choice]
	c, on := a.filter[n.number]
	return !on || n.options[option] >= c.low && n.options[option] <= c.high
}

// desirable is what metrics say of an edge in comparison with the best so far (equation 6); 1 without any.
func (a *ants) desirable(e *edge) float64 {
	if len(e.metrics) == 0 || !a.opt.metrics {
		return 1
	}
	sum, n := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(e.metrics)) {
		m := e.metrics[name]
		best, ok := a.best.Result.Metrics[name]
		if !ok {
			continue
		}
		sum += (m.mean() - best) / (m.deviation() + 1)
		n++
	}
	if n == 0 { // nothing has run: the predicted speeds themselves
		if m := e.metrics[speed]; m != nil {
			return m.mean()
		}
		return 1
	}
	return max(1+sum/n, leastTrail)
}

func (a *ants) Tell(t Trial) {
	if a.model != nil && t.Result.Valid() {
		// the best so far has the metric of edges too, so that they can be compared
		metrics := map[string]float64{}
		maps.Copy(metrics, t.Result.Metrics)
		metrics[speed] = a.expected(t.Config)
		t.Result.Metrics = metrics
	}
	a.learn(t.Config, a.measured(t))
	if t.Result.Valid() {
		a.note(t)
	}
	a.told++
	if a.told == colony {
		a.deposit()
		a.asked, a.told = 0, 0
		a.iteration++
	}
}

// measured are the metrics of a run without the model's.
func (a *ants) measured(t Trial) map[string]float64 {
	out := map[string]float64{}
	for k, v := range t.Result.Metrics {
		if k != speed {
			out[k] = v
		}
	}
	return out
}

// expected is the mean of what the model has for the edges of a path.
func (a *ants) expected(c Config) float64 {
	sum, n := 0.0, 0.0
	for _, p := range c {
		if e := a.edges[p]; e != nil && e.metrics[speed] != nil {
			sum += e.metrics[speed].mean()
			n++
		}
	}
	return sum / max(n, 1)
}

// note remembers what is fastest.
func (a *ants) note(t Trial) {
	if t.faster(a.fastest) {
		a.fastest = t
	}
	if t.faster(a.best) {
		a.best = t
	}
	for part, s := range t.Result.Parts {
		if before := a.parts[part].Result.Parts[part]; before == 0 || s < before {
			a.parts[part] = t
		}
	}
	if a.seen[t.Config.String()] {
		return
	}
	a.seen[t.Config.String()] = true
	o := observed{make([]int, len(a.nodes)), t.Result.Seconds}
	for i := range o.options {
		o.options[i] = -1
	}
	for _, p := range t.Config {
		n := a.nodes[p.Choice]
		o.options[n.number] = n.options[p.Option]
	}
	a.trials = append(a.trials, o)
}

// deposit ends an iteration: trails evaporate, and the best path is marked (equation 5), with half as much what was best for a part.
func (a *ants) deposit() {
	marks := map[Pick]float64{}
	leader := a.best
	if a.iteration < early && a.fastest.Result.Valid() {
		leader = a.fastest
	}
	for part, t := range a.parts {
		for _, p := range t.Config {
			if part != "" && a.nodes[p.Choice].part == part {
				marks[p] = partShare
			}
		}
	}
	for _, p := range leader.Config {
		marks[p] = 1
	}
	for p, e := range a.edges {
		e.trail = clamp((1-evaporation)*e.trail + evaporation*marks[p])
	}
}
