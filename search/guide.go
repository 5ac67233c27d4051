package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gpuperf/internal/lists"
)

// A guide is a model whose error is learned from what was measured: the logarithm of measured over predicted times is taken as a Gaussian process over the
// choices, so that what is near to a configuration that was slower than predicted is expected to be slower too.

// Parameters of the process.
const (
	reach     = 0.5  // over which distance errors are alike, in parts of the usual distance of two configurations
	noise     = 0.05 // of a logarithm, of what choices do not explain
	curiosity = 0.5  // standard deviations by which a time may turn out better
	leastSure = 0.3  // the deviation of errors before anything was measured
	learned   = 96   // trials that are remembered, since each prediction looks at all
)

type guide struct {
	space Space
	model Model

	mu    sync.Mutex
	known map[string]float64 // predictions

	points []point
	errors []float64   // logarithms of measured over predicted
	lower  [][]float64 // the Cholesky factor of the covariance
	scale  float64     // the square of the distance over which errors are alike
	weight []float64   // of the points, for the mean; nil where it has to be computed
	mean   float64
	width  float64 // the deviation of errors
}

// point is where a configuration lies: a number from 0 to 1 for each choice that it has made, by name, so that sums over it are those of each run.
type point []coordinate

type coordinate struct {
	choice string
	at     float64
}

func newGuide(s Space, m Model) *guide {
	return &guide{space: s, model: m, known: map[string]float64{}, width: leastSure}
}

func (g *guide) place(c Config) point {
	var p point
	for i, pick := range c {
		options := g.space.Next(c[:i:i]).Options
		if n := len(options); n > 1 {
			p = append(p, coordinate{pick.Choice, float64(slices.Index(options, pick.Option)) / float64(n-1)})
		}
	}
	slices.SortFunc(p, func(a, b coordinate) int { return cmp.Compare(a.choice, b.choice) })
	return p
}

// squaredDistance is the square of the distance of two points. A choice that only one has made counts as opposite options.
func (p point) squaredDistance(q point) (sum float64) {
	for len(p) > 0 && len(q) > 0 {
		switch c := cmp.Compare(p[0].choice, q[0].choice); {
		case c < 0:
			p, sum = p[1:], sum+1
		case c > 0:
			q, sum = q[1:], sum+1
		default:
			x := p[0].at - q[0].at
			p, q, sum = p[1:], q[1:], sum+x*x
		}
	}
	return sum + float64(len(p)+len(q))
}

// predicted is what the model says, infinite where it cannot.
func (g *guide) predicted(c Config) float64 {
	key := c.String()
	g.mu.Lock()
	t, ok := g.known[key]
	g.mu.Unlock()
	if !ok {
		t = orInfinite(g.model(c))
		g.mu.Lock()
		g.known[key] = t
		g.mu.Unlock()
	}
	return t
}

// seconds is the time that a configuration may well turn out to take. It may be called concurrently.
func (g *guide) seconds(c Config) float64 {
	t := g.predicted(c)
	if math.IsInf(t, 1) {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	mean, spread := g.error(g.place(c))
	return t * math.Exp(mean-curiosity*spread)
}

// farOff is how many times the best time makes a configuration hopeless.
const farOff = 4

// hopeless reports that a configuration, even if it turns out better than expected, takes a multiple of the best time.
func (g *guide) hopeless(c Config, best Trial) bool {
	return len(g.points) > 0 && best.Result.Valid() && g.seconds(c) > farOff*best.Result.Seconds
}

func (g *guide) learn(t Trial) {
	predicted := g.predicted(t.Config)
	if !t.Result.Valid() || math.IsInf(predicted, 1) || len(g.points) >= learned {
		return
	}
	p := g.place(t.Config)
	if slices.ContainsFunc(g.points, func(q point) bool { return p.squaredDistance(q) == 0 }) {
		return
	}
	if g.scale == 0 {
		g.scale = g.usual()
	}
	row := g.forward(g.correlations(p))
	last := 1 + noise*noise/(g.width*g.width)
	for _, x := range row {
		last -= x * x
	}
	g.points, g.lower, g.weight = append(g.points, p), append(g.lower, append(row, math.Sqrt(max(last, 1e-9)))), nil
	g.errors = append(g.errors, math.Log(t.Result.Seconds/predicted))
}

// forward solves the system of the factor, in place.
func (g *guide) forward(x []float64) []float64 {
	for i := range x {
		for j := range i {
			x[i] -= g.lower[i][j] * x[j]
		}
		x[i] /= g.lower[i][i]
	}
	return x
}

// correlations are the correlations of the error at a point with those at the known ones.
func (g *guide) correlations(p point) []float64 {
	return lists.Map(g.points, func(q point) float64 { return math.Exp(-p.squaredDistance(q) / (2 * g.scale)) })
}

// usual is the square of a part of the usual distance between configurations.
func (g *guide) usual() float64 {
	const pairs = 50 // of configurations, whose mean distance is taken
	r := rand.New(rand.NewPCG(1, 1))
	sum := 0.0
	for range pairs {
		sum += g.place(anywhere(g.space, r)).squaredDistance(g.place(anywhere(g.space, r)))
	}
	return max(reach*reach*sum/pairs, 1e-3)
}

// error is the expected logarithm of measured over predicted at a point, and its deviation.
func (g *guide) error(p point) (mean, spread float64) {
	if len(g.points) == 0 {
		return 0, g.width
	}
	if g.weight == nil {
		g.solve()
	}
	alike := g.correlations(p)
	mean = g.mean
	for i, x := range alike {
		mean += x * g.weight[i]
	}
	left := 1.0
	for _, x := range g.forward(alike) {
		left -= x * x
	}
	return mean, g.width * math.Sqrt(max(left, 0))
}

// solve finds the weights of the points.
func (g *guide) solve() {
	n := len(g.points)
	g.mean = 0
	for _, e := range g.errors {
		g.mean += e / float64(n)
	}
	squares := leastSure * leastSure
	w := make([]float64, n)
	for i, e := range g.errors {
		w[i] = e - g.mean
		squares += w[i] * w[i]
	}
	g.width = math.Sqrt(squares / float64(n+1))
	g.forward(w)
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			w[i] -= g.lower[j][i] * w[j]
		}
		w[i] /= g.lower[i][i]
	}
	g.weight = w
}

// promising is the first of the configurations that a model predicts to be the fastest.
func promising(m Model, list []Config) Config {
	seconds := foretold(m, list)
	return list[slices.Index(seconds, slices.Min(seconds))]
}

// byModel proposes what the model expects to be fastest, of configurations anywhere and around the best.
type byModel struct {
	space Space
	model Model
	r     *rand.Rand
	seen  map[string]bool
	best  Trial
}

func newByModel(s Space, m Model, r *rand.Rand) Strategy {
	return &byModel{space: s, model: m, r: r, seen: map[string]bool{}}
}

// Promising are so many configurations that a model predicts to be the fastest, of many that are drawn.
func Promising(s Space, m Model, n int, seed uint64) (out []Config) {
	r := rand.New(rand.NewPCG(seed, 1))
	drawn := map[string]bool{}
	for range looked {
		if c := anywhere(s, r); !drawn[c.String()] {
			drawn[c.String()] = true
			out = append(out, c)
		}
	}
	sortBy(out, m)
	return out[:min(n, len(out))]
}

// looked is how many configurations are looked at before one is proposed.
const looked = 200

func (b *byModel) Ask() Config {
	var list []Config
	for range looked {
		list = append(list, anywhere(b.space, b.r))
	}
	if b.best.Result.Valid() {
		list = append(list, neighbours(b.space, b.best.Config)...)
	}
	if left := slices.DeleteFunc(slices.Clone(list), func(c Config) bool { return b.seen[c.String()] }); len(left) > 0 {
		list = left
	}
	return promising(b.model, list)
}

func (b *byModel) Tell(t Trial) {
	b.seen[t.Config.String()] = true
	if t.faster(b.best) {
		b.best = t
	}
}

// neighbours are the configurations that differ in one choice; choices after it are the same as far as they exist.
func neighbours(s Space, of Config) (out []Config) {
	for i := range of {
		made := of[:i:i]
		for _, o := range s.Next(made).Options {
			if o != of[i].Option {
				out = append(out, follow(s, append(made, Pick{of[i].Choice, o}), of))
			}
		}
	}
	return out
}

// candidate is the proposal that a model predicts to be the fastest of some; without a model the first.
func candidate(m Model, propose func() Config) Config {
	if m == nil {
		return propose()
	}
	var list []Config
	for range candidates {
		list = append(list, propose())
	}
	return promising(m, list)
}

// orInfinite is a prediction, or infinity where there is none.
func orInfinite(seconds float64) float64 {
	if seconds <= 0 {
		return math.Inf(1)
	}
	return seconds
}
