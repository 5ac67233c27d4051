package rank

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/throw"
)

// Families groups the benchmarks of the set: those that share more than half of their kinds of points belong together, directly or by
// way of others. A ranker that learns from one of them knows from its times which points of the others are fast.
func (s *Set) Families() [][]string {
	kinds := map[string]map[string]bool{}
	for _, p := range s.Points {
		if kinds[p.Benchmark] == nil {
			kinds[p.Benchmark] = map[string]bool{}
		}
		if p.Kind != "" {
			kinds[p.Benchmark][p.Kind] = true
		}
	}
	related := func(a, b string) bool {
		shared := 0
		for kind := range kinds[a] {
			if kinds[b][kind] {
				shared++
			}
		}
		return 2*shared > min(len(kinds[a]), len(kinds[b]))
	}
	var families [][]string
	for _, b := range s.Benchmarks() {
		family := []string{b}
		families = slices.DeleteFunc(families, func(f []string) bool {
			joins := slices.ContainsFunc(f, func(a string) bool { return related(a, b) })
			if joins {
				family = append(family, f...)
			}
			return joins
		})
		slices.Sort(family)
		families = append(families, family)
	}
	slices.SortFunc(families, slices.Compare)
	return families
}

// unseen is the points whose kind is not among those of the training set.
func (s *Set) unseen(train *Set) *Set {
	seen := map[string]bool{}
	for _, p := range train.Points {
		seen[p.Kind] = p.Kind != ""
	}
	return s.Where(func(p *Point) bool { return !seen[p.Kind] })
}

// LeaveFamiliesOut trains the ranker on all families but one and on more points, those of programs of that family left out, and ranks the points of that
// one, for each family. More is nil where there is nothing else to learn from.
func LeaveFamiliesOut(s, more *Set, r Ranker, opt OutcomeOptions) (_ *Outcomes, err error) {
	defer throw.Catch(&err)
	families := s.measured().Families()
	if len(families) < 2 && more == nil {
		return nil, fmt.Errorf("nothing is left to learn from: the benchmarks are one family (%s), which share most of their variants; "+
			"add a program of another kind, or samples to learn from", strings.Join(slices.Concat(families...), ", "))
	}
	out := &Outcomes{Ranker: r.Name, Families: families}
	for _, family := range families {
		in := func(p *Point) bool { return slices.Contains(family, p.Benchmark) }
		train := s.Where(func(p *Point) bool { return !in(p) })
		if more != nil {
			train.Points = append(train.Points, more.Where(func(p *Point) bool { return !in(p) }).Points...)
		}
		out.transfer(train, s.Where(in), r, opt)
	}
	return out.finish(opt), nil
}

func (s *Set) measured() *Set { return s.Where(func(p *Point) bool { return !math.IsNaN(p.Seconds) }) }

// transfer adds the outcomes on points of kinds that the training set does not have.
func (o *Outcomes) transfer(train, test *Set, r Ranker, opt OutcomeOptions) {
	train, test = train.measured(), test.measured()
	for _, s := range []*Set{train, test} {
		throw.If(s.Check())
	}
	unseen := test.unseen(train)
	o.Seen += len(test.Points) - len(unseen.Points)
	if len(unseen.Points) == 0 {
		return
	}
	scorer := throw.Get(r.Fit(train))
	groups := throw.Get(Try(unseen, scorer, opt))
	o.Groups = append(o.Groups, groups...)
}

// finish summarizes the outcomes.
func (o *Outcomes) finish(opt OutcomeOptions) *Outcomes {
	if len(o.Groups) == 0 {
		panic(throw.Errorf("no group has %d points and a best time of %s", opt.minPoints(), format.Seconds(opt.MinBest)))
	}
	o.summarize()
	return o
}
