package derive

import (
	"math"
	"math/rand"
	"slices"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Descent is the search of 001 section 6.1: of the rules that apply to the term, each of a sample is followed by a random walk
// down to a low-level term, which is run; the rule with the best time is kept, and the search goes on from there. Where
// nothing is left to rewrite, or nothing ran, it begins again at the top. It is deterministic for a seed and for the times
// that it is told.
type Descent struct {
	walker
	here    state
	pending []move           // of the sample at this level, not yet followed
	from    map[string]state // where the rule led that a variant was found below, by its ID
	kept    *state           // the best of this level
	best    float64
	seen    map[*lift.Term]bool
}

// Descended is what stands for the recipe of the variants of a descent, each of which was derived in a way of its own.
const Descended = "Monte Carlo"

const (
	branches = 8  // rules that are tried of those that apply
	deepest  = 16 // steps of a random walk
	attempts = 20 // random walks that may lead nowhere
	restarts = 20 // descents without a new variant, after which there are none
)

// NewDescent begins a search for the program. Of the options Count is not used.
func NewDescent(p *lift.Program, opt Options) (*Descent, error) {
	opt = opt.withDefaults()
	at, err := p.AtSizes(opt.Sizes)
	if err != nil {
		return nil, err
	}
	return &Descent{
		walker: walker{explorer: newExplorer(p, at, opt), r: rand.New(rand.NewSource(opt.Seed))},
		here:   state{body: p.Body}, from: map[string]state{}, seen: map[*lift.Term]bool{},
	}, nil
}

// Next returns variants to run, at most n, that it has not returned before; fewer where the times of these decide on what
// follows, and none where it finds no more. The times of those returned before are told by Ran; one without a time is as
// good as none.
func (d *Descent) Next(n int) []*Variant {
	var list []*Variant
	for without := 0; len(list) == 0 && without < restarts; without++ {
		if len(d.pending) == 0 {
			d.level()
		}
		for len(list) < n && len(d.pending) > 0 {
			m := d.pending[0]
			d.pending = d.pending[1:]
			next, err := d.take(d.here, m)
			if err != nil {
				continue
			}
			if v := d.descend(next, d.seen); v != nil {
				d.from[v.ID] = next
				list = append(list, v)
			}
		}
	}
	return list
}

// level goes on below the best rule of the last level, and draws a sample of the rules that apply there.
func (d *Descent) level() {
	if d.kept != nil {
		d.here = *d.kept
	} else {
		d.here = state{body: d.start.Body}
	}
	d.kept, d.from = nil, map[string]state{}
	d.pending = d.sample(d.here.body, branches)
}

// Ran tells the time of a variant in seconds, +Inf for one that could not be run.
func (d *Descent) Ran(v *Variant, seconds float64) {
	next, ok := d.from[v.ID]
	if ok && !math.IsInf(seconds, 1) && (d.kept == nil || seconds < d.best) {
		d.kept, d.best = &next, seconds
	}
}

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

// moves are the rules and macro rules of the search.
var moves = moveTable(
	"splitJoin", "chunkReduce", "reducePart", "partRedReorder", "partRedSplit", "partRedReduce", "reorderStride",
	"joinSplit", "mapFusion", "splitMap", "tileStencils2D", "tileStencilsZip2D", "tileStencils3D", "tileStencilsZip3D",
	"tileStencils", "streamStencils2D", "streamStencils3D", "streamStencilsZip2D", "streamStencilsZip3D", "mapSeqSlide",
	"mapFission", "mapMapInterchange", "reduceOutwards", "reduceRow", "copyPrivateOperands", "vectorize", "vectorizeReduction",
	"mapGlb", "mapWrg", "mapLcl", "mapSeq", "reduceSeq", "reduceMapFusion", "copyLocal", "copyLocal2D", "copyLocal3D",
	"copyLocalZip2D", "copyLocalZip3D", "toLocal", "mapUnroll", "reduceUnroll",
)

// kind is a rule of the search, with the parameters that are drawn.
type kind struct {
	params []rules.Param
	build  func(args rules.Args) rules.Strategy
}

func moveTable(names ...string) (list []kind) {
	for _, name := range names {
		if m := rules.MacroByName(name); m != nil && rules.ByName(name) == nil {
			list = append(list, kind{m.Params, func(args rules.Args) rules.Strategy { return rules.Where(is(lift.Reduce), m.Run(args)) }})
			continue
		}
		r := rules.ByName(name)
		list = append(list, kind{r.Params, r.WithArgs})
	}
	return list
}

// sites lists the places of a term at which a rule may apply: those that are no leaves.
func sites(body *lift.Term) (list []*rules.Site) {
	var visit func(t *lift.Term, site *rules.Site)
	visit = func(t *lift.Term, site *rules.Site) {
		if len(t.Kids) == 0 {
			return
		}
		list = append(list, site)
		for i, k := range t.Kids {
			visit(k, &rules.Site{Outer: site, Term: t, Kid: i})
		}
	}
	visit(body, nil)
	return list
}

// try is the move of a rule at a site, with numbers drawn, if it applies there.
func (w *walker) try(body *lift.Term, site *rules.Site, rule int) (move, bool) {
	t := body
	if site != nil {
		t = site.Term.Kids[site.Kid]
	}
	if len(t.Kids) == 0 {
		return move{}, false
	}
	args := rules.Args{}
	for _, p := range moves[rule].params {
		values := w.values(t, p.Kind)
		if len(values) == 0 {
			return move{}, false
		}
		args[p.Name] = lift.Nat(values[w.r.Intn(len(values))])
	}
	s := moves[rule].build(args)
	_, err := s(&rules.Run{Options: w.rules}, t, site)
	return move{site.Path(), s}, err == nil
}

// sample draws at most n of the moves that apply to a term, each as likely as the others.
func (w *walker) sample(body *lift.Term, n int) []move {
	places := sites(body)
	var list []move
	for _, k := range w.r.Perm(len(places) * len(moves)) {
		if len(list) == n {
			break
		}
		if m, ok := w.try(body, places[k/len(moves)], k%len(moves)); ok {
			list = append(list, m)
		}
	}
	return list
}

// values are what a parameter of a rule at a term may be; none where the rule does not apply there.
func (w *walker) values(t *lift.Term, kind rules.ParamKind) []int64 {
	switch kind {
	case rules.Dimension:
		return []int64{0, 1, 2}
	case rules.Width, rules.Narrow:
		return []int64{2, 4}
	}
	if t.Type.Kind != lift.ArrayType || t.Arg().Type.Kind != lift.ArrayType {
		return nil
	}
	length := t.Arg().Type.Len
	if kind == rules.Tile {
		length = t.Type.Len
	}
	n, err := length.Eval(w.opt.Sizes)
	if err != nil {
		return nil
	}
	return divisors(n, 1, min(n, 4096))
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
			moves := w.sample(s.body, 1)
			if len(moves) == 0 {
				break
			}
			next, err := w.take(s, moves[0])
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
		return newVariant(Descended, nil, q, run.Steps)
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
	nests := []nest{{glb0}, {glb1, glb0}, {glb0, glb1}, {wrg0, lcl0}, {wrg1, wrg0, lcl1, lcl0}, {glb2, glb1, glb0}}
	return rules.Try(assign(nests[w.r.Intn(len(nests))]))
}

func newVariant(recipe string, numbers map[string]int64, p *lift.Program, steps []rules.Step) *Variant {
	text := p.BodyText()
	return &Variant{ID: identity(text), Recipe: recipe, Numbers: numbers, Program: p, Steps: steps, Skeleton: digits.ReplaceAllString(text, "#")}
}
