package explore

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/lists"
	"gpuperf/internal/warning"
	"gpuperf/launch"
	"gpuperf/lift/derive"
	"gpuperf/lift/lower"
	"gpuperf/lift/rank"
)

// outcome is a point that was run, with its time: +Inf if it failed.
type outcome struct {
	point   *Point
	seconds float64
}

// An order selects the next points to run: at most n of them if it can, none that was run before. An empty list ends the search.
type order interface {
	next(run []outcome, n int) ([]*Point, error)
}

// findRanker returns the requested ranker or the default. If the default needs features that are not known on the device, it
// returns a ranker that learns from any features, and a warning.
func (g *Graph) findRanker() (r rank.Ranker, told []string, err error) {
	if g.Ranker != "" {
		r, err = rank.Find(g.Ranker)
		return r, nil, err
	}
	if r, err = rank.Find(rank.Default); err != nil {
		return r, nil, err
	}
	if lacks := r.Missing(&rank.Set{Names: launch.Names(g.Static.Device)}); lacks != nil {
		told = append(told, warning.Ranker.About("", "the ranker is %s instead of %s: %v", rank.Featureless, rank.Default, lacks))
		r, err = rank.Find(rank.Featureless)
	}
	return r, told, err
}

// ranked takes the points that a ranker predicts to be the fastest, and regularly one of a recipe that has not run, and learns from
// them. Without measurements of this or of other programs, it begins with some points of each recipe.
type ranked struct {
	graph  *Graph
	ranker rank.Ranker
	told   []string // warnings
	seen   map[*Point]bool
	ready  bool
	scored map[*Point]float64 // of those chosen by the ranker, at that time
	hope   *forecast          // before the last choice; nil where nothing is known
}

func (o *ranked) next(run []outcome, n int) ([]*Point, error) {
	s := o.graph.Space
	if !o.ready {
		s.Prepare(s.Points, o.graph.Static)
		o.ready = true
	}
	left := lists.Where(s.Points, func(p *Point) bool { return p.Err == nil && !o.seen[p] })
	if len(left) == 0 {
		return nil, nil
	}
	var pick []*Point
	train := o.train(run)
	fresh := 0 // points of this program to learn from
	for _, r := range run {
		if !math.IsInf(r.seconds, 1) {
			fresh++
		}
	}
	if fresh < leastOwn && (o.graph.Train == nil || len(o.graph.Train.Points) == 0) {
		pick = o.begin(left, n)
	} else {
		set, at := s.Set(left)
		scores, err := o.scores(train, set)
		if err != nil {
			// The runs so far may be too few or too similar to learn from.
			o.told = append(o.told, warning.Ranker.About("", "%d points are not chosen by the ranker: %v", n, err))
			pick = o.begin(left, n)
		} else {
			var ordered []*Point
			by := map[*Point]float64{}
			for _, i := range rank.Order(scores, all(set)) {
				ordered = append(ordered, left[at[i]])
				by[left[at[i]]] = scores[i]
			}
			if f, ok := o.forecast(run, ordered, by); ok {
				o.hope = &f
			}
			pick = o.choose(ordered, run, n)
			for _, p := range pick {
				o.scored[p] = by[p]
			}
		}
	}
	for _, p := range pick {
		o.seen[p] = true
	}
	return pick, nil
}

// One point in tryNew is of a recipe that has not run. A ranker learns little about one recipe from the variants of another,
// so following its scores alone would find only variants similar to the first good ones.
const tryNew = 4

// choose takes points in the order of their scores, but every fourth is the best of a new recipe.
func (o *ranked) choose(ordered []*Point, run []outcome, n int) (pick []*Point) {
	tried, taken := map[string]bool{}, map[*Point]bool{}
	for _, r := range run {
		tried[r.point.Variant.Recipe] = true
	}
	for len(pick) < min(n, len(ordered)) {
		isNew := func(p *Point) bool { return !taken[p] && !tried[p.Variant.Recipe] }
		at := -1
		if (len(run)+len(pick))%tryNew == tryNew-1 {
			at = slices.IndexFunc(ordered, isNew)
		}
		if at < 0 {
			at = slices.IndexFunc(ordered, func(p *Point) bool { return !taken[p] })
		}
		p := ordered[at]
		taken[p], tried[p.Variant.Recipe] = true, true
		pick = append(pick, p)
	}
	return pick
}

func (o *ranked) scores(train, set *rank.Set) ([]float64, error) {
	scorer, err := o.ranker.Fit(train)
	if err != nil {
		return nil, err
	}
	return scorer(set)
}

// leastOwn is the least number of measured points with which a ranker may learn from this program alone.
const leastOwn = 8

func all(set *rank.Set) rank.Group {
	var g rank.Group
	for i := range set.Points {
		g.Index = append(g.Index, i)
	}
	return g
}

// train is the ranker's training set: points of other programs, and the runs of this one.
func (o *ranked) train(run []outcome) *rank.Set {
	own := &rank.Set{Names: o.graph.names}
	for _, r := range run {
		if r.point.Vector == nil {
			continue
		}
		p := pointOf(r.point)
		p.Seconds = r.seconds
		own.Points = append(own.Points, p)
	}
	if o.graph.Train == nil {
		return own
	}
	train := o.graph.Train.Common(own.Names)
	train.Points = append(train.Points, own.Common(train.Names).Points...)
	return train
}

func pointOf(p *Point) rank.Point {
	v := p.Vector
	predicted := math.NaN()
	if v.Predicted > 0 {
		predicted = v.Predicted
	}
	return rank.Point{
		ID: v.Kernel.Key(), Benchmark: v.Benchmark, Size: v.Size, Features: v.Values, Seconds: math.NaN(), Predicted: predicted,
	}
}

// begin takes points of the recipes in turn, those with the least estimated times first, if the device is known well enough
// for an estimate.
func (o *ranked) begin(left []*Point, n int) []*Point {
	seconds, err := rank.Estimate(o.graph.names, o.graph.static.Device)
	cost := map[*Point]float64{}
	strata := map[string][]*Point{}
	for _, p := range left {
		if err == nil {
			cost[p] = seconds(p.Vector.Values)
		}
		strata[p.Variant.Recipe] = append(strata[p.Variant.Recipe], p)
	}
	var lists [][]*Point
	for _, list := range strata {
		slices.SortStableFunc(list, func(a, b *Point) int { return cmp.Compare(cost[a], cost[b]) })
		lists = append(lists, list)
	}
	slices.SortFunc(lists, func(a, b []*Point) int {
		return cmp.Or(cmp.Compare(cost[a[0]], cost[b[0]]), strings.Compare(a[0].Variant.Recipe, b[0].Variant.Recipe))
	})
	var pick []*Point
	n = min(n, len(left))
	for round := 0; len(pick) < n; round++ {
		for _, list := range lists {
			if round < len(list) && len(pick) < n {
				pick = append(pick, list[round])
			}
		}
	}
	return pick
}

// descent is the paper's search (001 section 6.1), which derives its own variants by rewriting; each is run with the natural
// ND-range of its maps. It uses only the program and the sizes of the space.
type descent struct {
	space *Space
	walk  *derive.Descent
	rng   *rand.Rand
	told  int // number of outcomes passed to walk
}

func (o *descent) next(run []outcome, n int) ([]*Point, error) {
	for _, r := range run[o.told:] {
		o.walk.Ran(r.point.Variant, r.seconds)
	}
	o.told = len(run)
	var points []*Point
	for len(points) == 0 {
		variants := o.walk.Next(n)
		if len(variants) == 0 {
			break
		}
		for _, v := range variants {
			e := extents{lower.ExtentsOf(v.Program.Body, o.space.Sizes)}
			for _, r := range e.choose(e.ranges(o.space.options.MaxGroup), 1, o.rng) {
				points = append(points, &Point{Variant: v, Range: r})
			}
		}
	}
	return points, nil
}

// Ranked is a point with its score, in the form in which it is printed as JSON.
type Ranked struct {
	Point   *Point   `json:"-"`
	Variant string   `json:"variant"`
	Local   [3]int64 `json:"local"`
	Global  [3]int64 `json:"global"`
	Score   float64  `json:"score"` // the greater the faster
	Recipe  string   `json:"recipe"`
}

// Rank orders the points of the space that Prepare could describe, the fastest first.
func (s *Space) Rank(scorer rank.Scorer) ([]Ranked, error) {
	set, at := s.Set(s.Points)
	if len(set.Points) == 0 {
		return nil, fmt.Errorf("no point can be described: %w", s.FirstError())
	}
	scores, err := scorer(set)
	if err != nil {
		return nil, err
	}
	var out []Ranked
	for _, k := range rank.Order(scores, all(set)) {
		p := s.Points[at[k]]
		out = append(out, Ranked{p, p.Variant.ID, p.Local, p.Global, scores[k], p.Variant.Recipe})
	}
	return out, nil
}

// FirstError is the error of the first point that could not be lowered or described, of the first that the device does not run if there is no
// such point, nil if there is neither.
func (s *Space) FirstError() error {
	unknown, refused := s.Failed()
	for _, p := range slices.Concat(unknown, refused) {
		return p.Err
	}
	return nil
}

// Failed are the prepared points that could not be lowered or described, and those that the device does not run.
func (s *Space) Failed() (unknown, refused []*Point) {
	for _, p := range s.Points {
		if _, is := device.AsError(p.Err); is {
			refused = append(refused, p)
		} else if p.Err != nil {
			unknown = append(unknown, p)
		}
	}
	return unknown, refused
}
