package derive

import (
	"math/rand"
	"slices"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Measure runs a variant and returns its time in seconds; an error where it cannot be run.
type Measure func(v *Variant) (float64, error)

// Trial is a variant that was run.
type Trial struct {
	Variant *Variant
	Seconds float64
	Err     error
}

// Best is the fastest of the trials that ran; nil without one.
func Best(trials []Trial) *Trial {
	var best *Trial
	for i, t := range trials {
		if t.Err == nil && (best == nil || t.Seconds < best.Seconds) {
			best = &trials[i]
		}
	}
	return best
}

// InOrder runs variants in the order given until the budget of runs is spent.
func InOrder(list []*Variant, budget int, measure Measure) []Trial {
	var trials []Trial
	for _, v := range list[:min(len(list), budget)] {
		s, err := measure(v)
		trials = append(trials, Trial{v, s, err})
	}
	return trials
}

// Shuffled returns the variants in a random order.
func Shuffled(list []*Variant, seed int64) []*Variant {
	out := slices.Clone(list)
	rand.New(rand.NewSource(seed)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// MonteCarlo is the search of 001 section 6.1: of the rules that apply to the term, each of a sample is followed by a
// random walk down to a low-level term, which is run; the rule with the best time is kept, and the search goes on from
// there, until the budget of runs is spent or nothing is left to rewrite.
func MonteCarlo(p *lift.Program, opt Options, budget int, measure Measure) ([]Trial, error) {
	opt = opt.withDefaults()
	if _, err := p.AtSizes(opt.Sizes); err != nil {
		return nil, err
	}
	w := &walker{explorer: newExplorer(p, opt), r: rand.New(rand.NewSource(opt.Seed))}
	var trials []Trial
	seen := map[*lift.Term]bool{}
	here := state{body: p.Body}
	for len(trials) < budget {
		moves := w.moves(here.body)
		if len(moves) == 0 {
			break
		}
		w.r.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		var kept *state
		best := 0.0
		for _, m := range moves[:min(len(moves), branches)] {
			next, err := w.take(here, m)
			if err != nil {
				continue
			}
			v := w.descend(next, seen)
			if v == nil {
				continue
			}
			s, err := measure(v)
			trials = append(trials, Trial{v, s, err})
			if err == nil && (kept == nil || s < best) {
				kept, best = &next, s
			}
			if len(trials) == budget {
				return trials, nil
			}
		}
		if kept == nil {
			break
		}
		here = *kept
	}
	return trials, nil
}

const (
	branches = 8  // rules that are tried of those that apply
	deepest  = 16 // steps of a random walk
	attempts = 20 // random walks that may lead nowhere
)

// state is a term on its way, and how it was reached.
type state struct {
	body  *lift.Term
	steps []rules.Step
}

type walker struct {
	*explorer
	r *rand.Rand
}

// move is a rule at a place.
type move struct {
	path     []int
	strategy rules.Strategy
}

// moveRules are the rules and macro rules of the search, with the parameters that are drawn among divisors of the length of
// the array at the place; the dimension and the vector width have values of their own.
var moveRules = []struct {
	name   string
	macro  bool
	params []string
}{
	{"splitJoin", false, []string{"n"}},
	{"chunkReduce", true, []string{"n"}},
	{"reducePart", false, []string{"m"}},
	{"partRedReorder", false, nil},
	{"partRedSplit", false, []string{"n"}},
	{"partRedReduce", false, nil},
	{"reorderStride", false, []string{"s"}},
	{"joinSplit", false, nil},
	{"mapFusion", false, nil},
	{"splitMap", false, nil},
	{"tileStencils2D", false, []string{"t", "v"}},
	{"tileStencilsZip2D", false, []string{"t", "v"}},
	{"vectorize", false, []string{"w"}},
	{"vectorizeReduction", false, []string{"w"}},
	{"mapGlb", false, []string{"d"}},
	{"mapWrg", false, []string{"d"}},
	{"mapLcl", false, []string{"d"}},
	{"mapSeq", false, nil},
	{"reduceSeq", false, nil},
	{"reduceMapFusion", false, nil},
	{"copyLocal", false, nil},
	{"copyLocal2D", false, nil},
	{"toLocal", false, nil},
	{"mapUnroll", false, nil},
	{"reduceUnroll", false, nil},
}

// moves lists what applies to a term: for each place and rule, numbers are drawn once.
func (w *walker) moves(body *lift.Term) []move {
	var list []move
	var visit func(t *lift.Term, site *rules.Site)
	visit = func(t *lift.Term, site *rules.Site) {
		for _, m := range moveRules {
			s, ok := w.draw(t, m.name, m.macro, m.params)
			if !ok {
				continue
			}
			if _, err := s(&rules.Run{Options: w.rules}, t, site); err == nil {
				list = append(list, move{site.Path(), s})
			}
		}
		for i, k := range t.Kids {
			visit(k, &rules.Site{Outer: site, Term: t, Kid: i})
		}
	}
	visit(body, nil)
	return list
}

// draw chooses the numbers of a rule.
func (w *walker) draw(t *lift.Term, name string, macro bool, params []string) (rules.Strategy, bool) {
	if len(t.Kids) == 0 {
		return nil, false
	}
	args := rules.Args{}
	for _, p := range params {
		var values []int64
		switch p {
		case "d":
			values = []int64{0, 1, 2}
		case "w":
			values = []int64{2, 4}
		default:
			if t.Type.Kind != lift.ArrayType || t.Arg().Type.Kind != lift.ArrayType {
				return nil, false
			}
			n, err := t.Arg().Type.Len.Eval(w.opt.Sizes)
			if p == "t" || p == "v" {
				n, err = t.Type.Len.Eval(w.opt.Sizes)
			}
			if err != nil {
				return nil, false
			}
			values = divisors(n, 1, min(n, 4096))
		}
		if len(values) == 0 {
			return nil, false
		}
		args[p] = lift.Nat(values[w.r.Intn(len(values))])
	}
	if macro {
		return rules.Where(func(t *lift.Term) bool { return t.Op == lift.Reduce }, rules.MacroByName(name).Run(args)), true
	}
	return rules.ByName(name).WithArgs(args), true
}

func (w *walker) take(from state, m move) (state, error) {
	run := &rules.Run{Options: w.rules, Steps: slices.Clone(from.steps)}
	body, err := run.Do(rules.At(m.path, m.strategy), from.body)
	return state{body, run.Steps}, err
}

// descend walks at random to a low-level variant that was not seen before; nil where none was found.
func (w *walker) descend(from state, seen map[*lift.Term]bool) *Variant {
	for range attempts {
		s := from
		for range w.r.Intn(deepest) {
			moves := w.moves(s.body)
			if len(moves) == 0 {
				break
			}
			next, err := w.take(s, moves[w.r.Intn(len(moves))])
			if err != nil {
				break
			}
			s = next
		}
		run := &rules.Run{Options: w.rules, Steps: slices.Clone(s.steps)}
		body, err := run.Do(rules.Seq(w.mapping(s.body), dropReorder, finish(false)), s.body)
		if err != nil || seen[body] || w.legal(body) != nil {
			continue
		}
		q, err := w.start.WithBody(body)
		if err != nil {
			continue
		}
		seen[body] = true
		return newVariant("Monte Carlo", nil, q, run.Steps)
	}
	return nil
}

// dropReorder lets the elements stand as they do, and reduces what parts are left.
var dropReorder = rules.Normalize(rules.Use("reorderID"), rules.Use("partRedReduce"))

// mapping is how the maps of a walk's end become parallel, where the walk has not made any so.
func (w *walker) mapping(t *lift.Term) rules.Strategy {
	if t.Ops()&lift.Set(lift.MapGlb, lift.MapWrg) != 0 {
		return rules.ID
	}
	texts := []string{"glb0", "glb1 glb0", "glb0 glb1", "wrg0 lcl0", "wrg1 wrg0 lcl1 lcl0"}
	return rules.Try(assign(levels(texts[w.r.Intn(len(texts))])))
}

func newVariant(recipe string, numbers map[string]int64, p *lift.Program, steps []rules.Step) *Variant {
	text := p.BodyText()
	return &Variant{ID: identity(text), Recipe: recipe, Numbers: numbers, Program: p, Steps: steps, Skeleton: digits.ReplaceAllString(text, "#")}
}
