package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/kernel/emit"
	"gpuperf/launch"
	"gpuperf/lift/derive"
	"gpuperf/lift/rank"
	"gpuperf/samples"
)

// Choice is a point with the reason why it was chosen.
type Choice struct {
	Point *Point
	Why   string
	// Passed counts faster variants that were recorded, but are not derived.
	Passed int
	// Others counts faster ones that were recorded with divisions of another accuracy.
	Others int
	// Data are inputs with what they held, as --data has it, where samples of the same sizes were taken with other data, and there are none with this.
	Data []string
}

// Recorded is the fastest point of the space in files of samples, among variants that are accepted. It has no Point where there is none.
func (s *Space) Recorded(paths []string, accept func(*derive.Variant) bool) (*Choice, error) {
	var all []samples.Record
	var data []string
	for _, path := range paths {
		set, err := samples.Load(path)
		if err != nil {
			return nil, err
		}
		for r, err := range set.All() {
			if err != nil {
				set.Close()
				return nil, err
			}
			own, asked := Problem(r.Kernel), s.Problem()
			switch {
			case r.Status != samples.OK:
			case own.Key() == asked.Key():
				all = append(all, *r)
			case own.Source == asked.Source && maps.Equal(own.Sizes, asked.Sizes) && data == nil:
				data = dataOf(own)
			}
		}
		set.Close()
	}
	slices.SortStableFunc(all, func(a, b samples.Record) int { return cmp.Compare(a.Seconds(), b.Seconds()) })
	c := &Choice{}
	if len(all) == 0 {
		c.Data = data
	}
	for _, r := range all {
		p, err := s.pointOf(r.Kernel)
		switch {
		case r.Options != s.Accuracy().Options(emit.Language(r.Device.Interface)):
			c.Others++
		case err != nil:
			c.Passed++
		case accept(p.Variant):
			c.Point, c.Why = p, fmt.Sprintf("%s on %s, as recorded", format.Seconds(r.Seconds()), r.Device.Name)
			return c, nil
		}
	}
	return c, nil
}

// dataOf is what inputs held in place of random numbers, as --data has it.
func dataOf(k samples.Identity) []string {
	list := []string{}
	for _, name := range slices.Sorted(maps.Keys(k.Args)) {
		if input, ok := strings.CutPrefix(name, dataPrefix); ok {
			list = append(list, input+"="+k.Args[name])
		}
	}
	return list
}

// Narrow prepares the points that may be the best by a scorer: a few of each recipe, then one of each variant of the recipes that are best so far, then all of the
// variants that are. Points that it leaves out have no vector.
func (s *Space) Narrow(scorer rank.Scorer, opt launch.Options, accept func(*derive.Variant) bool) error {
	const ofRecipe, recipes, variants = 3, 8, 24 // which find a time within 10 % of the best in TestNarrow
	byRecipe, byVariant := map[string][]*Point{}, map[*derive.Variant][]*Point{}
	for _, p := range s.Points {
		if byVariant[p.Variant] == nil && accept(p.Variant) {
			byRecipe[p.Variant.Recipe] = append(byRecipe[p.Variant.Recipe], p)
		}
		byVariant[p.Variant] = append(byVariant[p.Variant], p)
	}
	for _, list := range byRecipe {
		n := min(ofRecipe, len(list))
		for i := range n {
			s.Prepare(list[i*len(list)/n:][:1], opt)
		}
	}
	for _, stage := range []struct {
		most int
		of   func(*Point) (name any, points []*Point)
	}{
		{recipes, func(p *Point) (any, []*Point) { return p.Variant.Recipe, byRecipe[p.Variant.Recipe] }},
		{variants, func(p *Point) (any, []*Point) { return p.Variant, byVariant[p.Variant] }},
	} {
		ranked, err := s.Rank(scorer)
		if err != nil {
			return err
		}
		done := map[any]bool{}
		for _, r := range ranked {
			name, points := stage.of(r.Point)
			if len(done) < stage.most && !done[name] {
				done[name] = true
				s.Prepare(points, opt)
			}
		}
	}
	return nil
}

// Predicted is the first point in the order of a scorer whose variant is accepted. The points must be prepared.
func (s *Space) Predicted(scorer rank.Scorer, why string, accept func(*derive.Variant) bool) (*Choice, error) {
	ranked, err := s.Rank(scorer)
	if err != nil {
		return nil, err
	}
	for i, r := range ranked {
		if accept(r.Point.Variant) {
			return &Choice{Point: r.Point, Why: fmt.Sprintf("number %d of %d by %s", i+1, len(ranked), why)}, nil
		}
	}
	return nil, fmt.Errorf("program %s has no variant of the kind that is needed among the %d derived", s.Program.Name, len(s.Derived.Variants))
}
