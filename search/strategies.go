package search

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Strategy proposes configurations.
type Strategy interface {
	// Ask proposes one; one that is known already is answered by Tell again.
	Ask() Config
	Tell(Trial)
}

// Model predicts seconds without a run; 0 where it cannot.
type Model func(Config) float64

// kind is a strategy of the table. The model may be nil.
type kind struct {
	make func(s Space, m Model, r *rand.Rand) Strategy
	// together is how many proposals can be asked for before the answers to them are told, so that their programs are built side by side.
	together int
	plain    bool // it takes no model
	needs    bool // it has one that knows nothing at first, where none is given
	hidden   bool // it is there to be compared with
}

var strategies = map[string]kind{
	"random":    {make: newRandom, together: 64, plain: true},
	"greedy":    {make: newGreedy, together: 1},
	"evolution": {make: newEvolution, together: 1},
	"bandit":    {make: newBandit, together: 1},
	"model":     {make: newByModel, together: 1, needs: true},
	"ants":      {make: antsWith(antOptions{metrics: true, tree: true}), together: colony},
	// The ants of the paper without its extensions of sections 6.2 and 6.3, and with the first of them.
	"ants-base":    {make: antsWith(antOptions{}), together: colony, plain: true, hidden: true},
	"ants-metrics": {make: antsWith(antOptions{metrics: true}), together: colony, plain: true, hidden: true},
}

func antsWith(o antOptions) func(Space, Model, *rand.Rand) Strategy {
	return func(s Space, m Model, r *rand.Rand) Strategy { return newAnts(s, m, r, o) }
}

// Names of the strategies that are offered.
func Names() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(strategies)) {
		if !strategies[name].hidden {
			names = append(names, name)
		}
	}
	return names
}

// New makes a strategy. The same seed gives the same proposals.
func New(name string, s Space, m Model, seed uint64) (Strategy, error) {
	k, ok := strategies[name]
	if !ok {
		return nil, fmt.Errorf("unknown strategy %q; there are %s", name, strings.Join(Names(), ", "))
	}
	r := rand.New(rand.NewPCG(seed, 0))
	switch {
	case k.plain || m == nil && !k.needs:
		return k.make(s, nil, r), nil
	case m == nil:
		m = func(Config) float64 { return 1 }
	}
	g := newGuide(s, m)
	return &guided{k.make(s, g.seconds, r), g}, nil
}

// guided lets the guide learn what a strategy is told.
type guided struct {
	Strategy
	guide *guide
}

func (g *guided) Tell(t Trial) {
	g.guide.learn(t)
	g.Strategy.Tell(t)
}

// Together is how many proposals of a strategy can be evaluated side by side.
func Together(name string) int { return max(strategies[name].together, 1) }

// stale is after how many proposals in a row that are known already a search ends: the space is small, or the strategy has converged.
const stale = 200

// Limits bound a search.
type Limits struct {
	Budget   int      // different configurations that are evaluated
	Together int      // evaluated side by side; 0 is 1
	First    []Config // evaluated before the strategy is asked, which is told of them
	// Space, if there is one, is where any configuration is taken when the strategy has proposed nothing new for a while.
	Space Space
	// Stop ends the search before it evaluates more; nil never does.
	Stop func() bool
}

// Run evaluates different configurations, and returns them in their order. Those that are known from before count for the strategy, and not for the
// budget. Where the strategy has a model, what this expects to be hopeless is not evaluated. An error of evaluate ends the search; results that came with it
// count.
func Run(ctx context.Context, s Strategy, known []Trial, l Limits, evaluate func(context.Context, []Config) ([]Result, error)) ([]Trial, error) {
	r := &running{Strategy: s, Limits: l, seen: map[string]Result{}, evaluate: evaluate, random: rand.New(rand.NewPCG(1, 2))}
	for _, t := range known {
		r.tell(t)
	}
	for len(r.out) < l.Budget && r.repeated < stale && (l.Stop == nil || !l.Stop()) {
		if err := ctx.Err(); err != nil {
			return r.out, err
		}
		if err := r.round(ctx); err != nil {
			return r.out, err
		}
	}
	return r.out, nil
}

// running is a search in progress.
type running struct {
	Strategy
	Limits
	evaluate func(context.Context, []Config) ([]Result, error)
	seen     map[string]Result
	best     Trial
	out      []Trial
	repeated int
	random   *rand.Rand
}

func (r *running) tell(t Trial) {
	r.seen[t.Config.String()] = t.Result
	if t.faster(r.best) {
		r.best = t
	}
	r.Tell(t)
}

// stuck is after how many proposals in a row that are known already another one is taken.
const stuck = 20

// next is what is evaluated first, or what the strategy proposes.
func (r *running) next() Config {
	switch {
	case len(r.First) > 0:
		c := r.First[0]
		r.First = r.First[1:]
		return c
	case r.repeated >= stuck && r.Space != nil:
		return anywhere(r.Space, r.random)
	}
	return r.Ask()
}

// round asks for some configurations, and evaluates those that are new.
func (r *running) round(ctx context.Context) (err error) {
	var asked, fresh []Config
	guide, _ := r.Strategy.(*guided)
	for len(asked) < max(r.Together, 1) && len(r.out)+len(fresh) < r.Budget && r.repeated < stale {
		first := len(r.First) > 0
		c := r.next()
		asked = append(asked, c)
		_, again := r.seen[c.String()]
		if again || !first && guide != nil && guide.guide.hopeless(c, r.best) {
			r.repeated++
			continue
		}
		r.seen[c.String()], r.repeated = Result{}, 0
		if fresh = append(fresh, c); first { // alone: what it takes tells when to stop others
			break
		}
	}
	var results []Result
	if len(fresh) > 0 {
		results, err = r.evaluate(ctx, fresh)
	}
	for i, result := range results {
		r.seen[fresh[i].String()] = result
		r.out = append(r.out, Trial{Config: fresh[i], Result: result})
	}
	if err != nil {
		return err
	}
	for _, c := range asked {
		r.tell(Trial{Config: c, Result: r.seen[c.String()]})
	}
	return nil
}

// Best is the fastest of trials; it is not valid where none ran with a right result.
func Best(all []Trial) (best Trial) {
	for _, t := range all {
		if t.faster(best) {
			best = t
		}
	}
	return best
}
