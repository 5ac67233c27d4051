package search

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Strategy proposes configurations.
type Strategy interface {
	// Ask proposes one; one that is known already is answered by Tell again. Where it is to be told of earlier ones first, or has no more, it is nil.
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

// Strategist is a space that has strategies of its own beside those of the table.
type Strategist interface {
	Strategies() []string // their names
	Strategy(name string, seed uint64) (Strategy, error)
}

// own are the names of the strategies that a space has of its own.
func own(s Space) []string {
	if of, ok := s.(Strategist); ok {
		return of.Strategies()
	}
	return nil
}

// Names of the strategies that are offered for a space; for nil those for all spaces.
func Names(s Space) []string {
	names := slices.DeleteFunc(slices.Collect(maps.Keys(strategies)), func(name string) bool { return strategies[name].hidden })
	return slices.Sorted(slices.Values(append(names, own(s)...)))
}

// CheckName refuses the name of a strategy that there is not for a space.
func CheckName(name string, s Space) error {
	if _, ok := strategies[name]; !ok && !slices.Contains(own(s), name) {
		return fmt.Errorf("unknown strategy %q; there are %s", name, strings.Join(Names(s), ", "))
	}
	return nil
}

// New makes a strategy. The same seed gives the same proposals.
func New(name string, s Space, m Model, seed uint64) (Strategy, error) {
	if err := CheckName(name, s); err != nil {
		return nil, err
	}
	k, ok := strategies[name]
	if !ok {
		return s.(Strategist).Strategy(name, seed)
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

// Together is how many proposals of a strategy can be evaluated side by side. Those of a Strategist say themselves when they are to be told.
func Together(name string) int {
	if k, ok := strategies[name]; ok {
		return k.together
	}
	return math.MaxInt
}

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
		if asked, err := r.round(ctx); err != nil || asked == 0 {
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

// round asks for some configurations, evaluates those that are new, and tells of all; how many it asked for is 0 where there are no more.
func (r *running) round(ctx context.Context) (n int, err error) {
	var asked, fresh []Config
	guide, _ := r.Strategy.(*guided)
	for len(asked) < max(r.Together, 1) && len(r.out)+len(fresh) < r.Budget && r.repeated < stale {
		first := len(r.First) > 0
		c := r.next()
		if c == nil {
			break
		}
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
		return len(asked), err
	}
	for _, c := range asked {
		r.tell(Trial{Config: c, Result: r.seen[c.String()]})
	}
	return len(asked), nil
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
