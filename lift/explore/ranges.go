package explore

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/launch"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/rank"
)

// Sizes is a range of one size of a program, such as n=1000..100000000; the others are constant.
type Sizes struct {
	Name     string
	From, To int64
	Others   map[string]int64
}

// ParseRange reads a range among the texts of sizes, NAME=FROM..TO. ok is false where there is none; rest are the other texts.
func ParseRange(texts []string) (r *Sizes, rest []string, err error) {
	for _, text := range texts {
		var kept []string
		for _, part := range strings.Split(text, ",") {
			name, value, _ := strings.Cut(part, "=")
			from, to, isRange := strings.Cut(value, "..")
			if !isRange {
				kept = append(kept, part)
				continue
			}
			if r != nil {
				return nil, nil, inputf("%s and %s: one size may be a range", r.Name, name)
			}
			r = &Sizes{Name: name}
			var okay, ok bool
			r.From, okay = format.ParseInteger(from)
			r.To, ok = format.ParseInteger(to)
			if !ok || !okay || r.From < 1 || r.To <= r.From {
				return nil, nil, inputf("%s: a range is from a positive size to a greater one", part)
			}
		}
		if len(kept) > 0 {
			rest = append(rest, strings.Join(kept, ","))
		}
	}
	return r, rest, nil
}

// at is the sizes with a value in the range.
func (r *Sizes) at(n int64) map[string]int64 {
	sizes := maps.Clone(r.Others)
	if sizes == nil {
		sizes = map[string]int64{}
	}
	sizes[r.Name] = n
	return sizes
}

// Ranges chooses recipes of a program for ranges of a size, by predicted times.
type Ranges struct {
	Program *lift.Program
	Source  string
	Sizes   *Sizes
	Options Options
	Static  launch.Options
	// Train is what a ranker learns from whose scores are logarithms of rates; without it the times are those that the model of
	// costs estimates.
	Train *rank.Set

	scorer rank.Scorer
	known  map[int64]map[string]choice
}

// choice is the best point of a recipe at a size.
type choice struct {
	point *Point
	score float64 // the logarithm of a rate: differences are those of times
}

// Stretch is a range of sizes for which one recipe is chosen. The next one begins where it ends.
type Stretch struct {
	From, To int64
	Recipe   string
	// Point is the best of the recipe at a size in the middle, At, and Gain by how much it is predicted to be faster there than the
	// best of the recipes of the neighbouring stretches, as a share of its time.
	At    int64
	Point *Point
	Gain  float64
	// Measured are times in seconds at At, by recipe: of this one and of those of the neighbours. Nil where nothing was run.
	Measured map[string]float64
}

const (
	perDecade = 2    // sizes at which all recipes are compared
	handOver  = 0.05 // the least gain, as a share of the time, for which a recipe hands over to another
	halvings  = 5    // by which the place of a handover is sought between two sizes
)

// Choose predicts the best recipes along the range, and where one hands over to the next.
func (r *Ranges) Choose() ([]Stretch, error) {
	r.known = map[int64]map[string]choice{}
	grid := r.grid()
	var recipes []string
	for _, n := range grid {
		best, err := r.best(n, nil)
		if err != nil {
			return nil, err
		}
		for name := range best {
			if !slices.Contains(recipes, name) {
				recipes = append(recipes, name)
			}
		}
	}
	slices.Sort(recipes)
	path := r.cheapest(grid, recipes)
	var list []Stretch
	from := r.Sizes.From
	for i, name := range path {
		if i+1 < len(path) && path[i+1] == name {
			continue
		}
		to := r.Sizes.To
		if i+1 < len(path) {
			var err error
			if to, err = r.between(grid[i], grid[i+1], name, path[i+1]); err != nil {
				return nil, err
			}
		}
		list = append(list, Stretch{From: from, To: to, Recipe: name})
		from = to + 1
	}
	return list, r.middles(list)
}

// grid are the sizes at which all recipes are compared: the ends, and others at equal ratios.
func (r *Ranges) grid() []int64 {
	steps := max(1, int(math.Ceil(perDecade*math.Log10(float64(r.Sizes.To)/float64(r.Sizes.From)))))
	var list []int64
	for i := range steps + 1 {
		n := float64(r.Sizes.From) * math.Pow(float64(r.Sizes.To)/float64(r.Sizes.From), float64(i)/float64(steps))
		list = append(list, min(max(int64(math.Round(n)), r.Sizes.From), r.Sizes.To))
	}
	return slices.Compact(list)
}

// best are the best points at a size, by recipe: of all recipes, or of those named.
func (r *Ranges) best(n int64, recipes []string) (map[string]choice, error) {
	s, err := NewSpace(r.Program, r.Source, r.Sizes.at(n), r.of(recipes))
	if err != nil {
		return nil, err
	}
	s.Prepare(s.Points, r.Static)
	set, at := s.Set(s.Points)
	if len(set.Points) == 0 {
		return nil, fmt.Errorf("no point can be described: %w", s.FirstError())
	}
	scores, err := r.scores(set)
	if err != nil {
		return nil, err
	}
	best := map[string]choice{}
	for k, score := range scores {
		p := s.Points[at[k]]
		name, _ := derive.Family(p.Variant.Recipe)
		if old, ok := best[name]; !ok || score > old.score {
			best[name] = choice{p, score}
		}
	}
	if recipes == nil {
		r.known[n] = best
	}
	return best, nil
}

// of are the options with recipes of these names alone, as they are called at any size; nil is all.
func (r *Ranges) of(recipes []string) Options {
	opt := r.Options
	for _, name := range recipes {
		_, all := derive.Family(name)
		opt.Recipes = append(opt.Recipes, all...)
	}
	return opt
}

func (r *Ranges) scores(set *rank.Set) ([]float64, error) {
	if r.scorer == nil && r.Train != nil && len(r.Train.Points) > 0 {
		ranker, err := rank.Find(rank.Default)
		if err != nil {
			return nil, err
		}
		if r.scorer, err = ranker.Fit(r.Train.Common(set.Names)); err != nil {
			return nil, err
		}
	}
	if r.scorer != nil {
		return r.scorer(set)
	}
	seconds, err := rank.Estimate(set.Names, r.Static.Device)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, p := range set.Points {
		out = append(out, -math.Log(seconds(p.Features)))
	}
	return out, nil
}

// cheapest is the recipe for each size of the grid such that the sum of the logarithms of the times is least, where every handover
// costs as much as handOver.
func (r *Ranges) cheapest(grid []int64, recipes []string) []string {
	cost := make([]float64, len(recipes))
	from := make([][]int, len(grid))
	for i, n := range grid {
		next := make([]float64, len(recipes))
		from[i] = make([]int, len(recipes))
		least := 0
		for k := range cost {
			if cost[k] < cost[least] {
				least = k
			}
		}
		for k, name := range recipes {
			next[k], from[i][k] = cost[k], k
			if other := cost[least] + math.Log1p(handOver); i > 0 && other < cost[k] {
				next[k], from[i][k] = other, least
			}
			c, ok := r.known[n][name]
			if !ok {
				next[k] = math.Inf(1)
				continue
			}
			next[k] -= c.score
		}
		cost = next
	}
	at := 0
	for k := range cost {
		if cost[k] < cost[at] {
			at = k
		}
	}
	path := make([]string, len(grid))
	for i := len(grid) - 1; i >= 0; i-- {
		path[i] = recipes[at]
		at = from[i][at]
	}
	return path
}

// between is the last size, between two, at which the recipe a is predicted to be no slower than b.
func (r *Ranges) between(low, high int64, a, b string) (int64, error) {
	for range halvings {
		n := int64(math.Round(math.Sqrt(float64(low) * float64(high))))
		if n <= low || n >= high {
			break
		}
		best, err := r.best(n, []string{a, b})
		if err != nil {
			return 0, err
		}
		x, ok := best[a]
		if y, other := best[b]; ok && (!other || x.score >= y.score) {
			low = n
		} else {
			high = n
		}
	}
	return low, nil
}

// middles chooses the points in the middle of stretches.
func (r *Ranges) middles(list []Stretch) error {
	for i := range list {
		s := &list[i]
		s.At = int64(math.Round(math.Sqrt(float64(s.From) * float64(s.To))))
		best, err := r.best(s.At, append([]string{s.Recipe}, neighbours(list, i)...))
		if err != nil {
			return err
		}
		own, ok := best[s.Recipe]
		if !ok { // it has no variant there: the best that has
			for _, name := range slices.Sorted(maps.Keys(best)) {
				if c := best[name]; !ok || c.score > own.score {
					own, ok, s.Recipe = c, true, name
				}
			}
		}
		s.Point, s.Gain = own.point, 0
		next := math.Inf(-1)
		for _, name := range neighbours(list, i) {
			if c, ok := best[name]; ok {
				next = max(next, c.score)
			}
		}
		if !math.IsInf(next, -1) {
			s.Gain = math.Expm1(own.score - next)
		}
	}
	return nil
}

// neighbours are the recipes of the stretches before and after one.
func neighbours(list []Stretch, i int) (names []string) {
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(list) && list[k].Recipe != list[i].Recipe {
			names = append(names, list[k].Recipe)
		}
	}
	return names
}

// Measure runs, in the middle of each stretch, points of its recipe and of those of its neighbours: of each as many as search has
// in its budget. search says all but the space.
func (r *Ranges) Measure(ctx context.Context, list []Stretch, search Search) (warnings []string, err error) {
	for i := range list {
		s := &list[i]
		s.Measured = map[string]float64{}
		for _, name := range append([]string{s.Recipe}, neighbours(list, i)...) {
			space, err := NewSpace(r.Program, r.Source, r.Sizes.at(s.At), r.of([]string{name}))
			if err != nil {
				continue // the recipe has no variant at that size
			}
			one := search
			one.Space, one.Best = space, 1
			result, err := one.Run(ctx)
			if err != nil {
				return warnings, err
			}
			for _, w := range slices.Concat(result.Warnings, result.LeftOut()) {
				if !slices.Contains(warnings, w) {
					warnings = append(warnings, w)
				}
			}
			if len(result.Best) > 0 {
				s.Measured[name] = result.Best[0].Seconds()
			}
		}
	}
	return warnings, nil
}

// JSON is the ranges in the form in which they are printed as JSON.
func (r *Ranges) JSON(list []Stretch, warnings []string) any {
	type timeJSON struct {
		Recipe  string  `json:"recipe"`
		Seconds float64 `json:"seconds"`
	}
	type stretchJSON struct {
		From     int64       `json:"from"`
		To       int64       `json:"to"`
		Recipe   string      `json:"recipe"`
		At       int64       `json:"at"`
		Variant  VariantJSON `json:"variant"`
		Local    [3]int64    `json:"local"`
		Global   [3]int64    `json:"global"`
		Gain     float64     `json:"predicted_gain"`
		Measured []timeJSON  `json:"measured,omitempty"`
	}
	out := []stretchJSON{}
	for _, s := range list {
		var times []timeJSON
		for _, name := range slices.Sorted(maps.Keys(s.Measured)) {
			times = append(times, timeJSON{name, s.Measured[name]})
		}
		out = append(out, stretchJSON{s.From, s.To, s.Recipe, s.At, JSON(s.Point.Variant), s.Point.Local, s.Point.Global, s.Gain, times})
	}
	return map[string]any{"program": r.Program.Name, "size": r.Sizes.Name, "others": r.Sizes.Others, "ranges": out, "warnings": append([]string{}, warnings...)}
}

// Write writes the ranges as text.
func (r *Ranges) Write(w io.Writer, list []Stretch) error {
	fmt.Fprintf(w, "%s, %s=%d..%d: %s\n", r.Program.Name, r.Sizes.Name, r.Sizes.From, r.Sizes.To, format.Count(len(list), "range"))
	t := format.NewTable(">from", ">to", ">at", "variant", ">gain", ">time", ">next", "recipe")
	for _, s := range list {
		gain, own, next := "-", "-", "-"
		if s.Gain != 0 {
			gain = fmt.Sprintf("%.0f %%", 100*s.Gain)
		}
		other := math.Inf(1)
		for _, name := range slices.Sorted(maps.Keys(s.Measured)) {
			if seconds := s.Measured[name]; name == s.Recipe {
				own = format.Seconds(seconds)
			} else {
				other = min(other, seconds)
			}
		}
		if !math.IsInf(other, 1) {
			next = format.Seconds(other)
		}
		number := func(n int64) string { return strconv.FormatInt(n, 10) }
		t.Row(number(s.From), number(s.To), number(s.At), s.Point.Variant.ID, gain, own, next, cmp.Or(s.Recipe, "-"))
	}
	t.Write(w)
	_, err := fmt.Fprintln(w, "gain: by how much the recipe is predicted to be faster than those of the neighbouring ranges, at the size in the middle (at); time and next: what was measured there of it and of these")
	return err
}
