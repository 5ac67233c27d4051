package tune

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

	"gpuperf/device"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/lift/derive"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
)

// Sizes is a range of one size of a program, such as n=1000..100000000; the others are constant.
type Sizes struct {
	Name     string
	From, To int64
	Others   map[string]int64
}

// ParseRange reads a range among the texts of sizes, NAME=FROM..TO; nil where there is none. rest are the other texts.
func ParseRange(texts []string) (r *Sizes, rest []string, err error) {
	for _, part := range strings.Split(strings.Join(texts, ","), ",") {
		name, value, _ := strings.Cut(part, "=")
		from, to, isRange := strings.Cut(value, "..")
		switch {
		case !isRange && part != "":
			rest = append(rest, part)
		case isRange && r != nil:
			return nil, nil, &campaign.InputError{Err: fmt.Errorf("%s and %s: one size may be a range", r.Name, name)}
		case isRange:
			r = &Sizes{Name: name}
			var okay, ok bool
			r.From, okay = format.ParseInteger(from)
			r.To, ok = format.ParseInteger(to)
			if !ok || !okay || r.From < 1 || r.To <= r.From {
				return nil, nil, &campaign.InputError{Err: fmt.Errorf("%s: a range is from a positive size to a greater one", part)}
			}
		}
	}
	if r == nil {
		return nil, texts, nil
	}
	return r, rest, nil
}

func (r *Sizes) at(n int64) map[string]int64 {
	sizes := map[string]int64{r.Name: n}
	maps.Copy(sizes, r.Others)
	return sizes
}

// Ranges chooses recipes of a program for ranges of a size: by a ranker whose scores are logarithms of rates where there are programs to learn from, by an
// estimate otherwise.
type Ranges struct {
	sizes  *Sizes
	of     Functional
	on     *device.Info
	space  *explore.Space // at the first size
	scorer rank.Scorer
	known  map[int64]map[string]explore.Ranked // by recipe; of all recipes
}

// OpenRanges derives the variants of a program at the first size of a range.
func OpenRanges(path string, sizes *Sizes, o Options) (r *Ranges, err error) {
	r = &Ranges{sizes: sizes, of: o.Lift, on: o.Device, known: map[int64]map[string]explore.Ranked{}}
	r.of.Sizes, r.of.Seed, r.of.Static = sizes.at(sizes.From), cmp.Or(r.of.Seed, 1), staticOf(o.Lift.Static, o.Device)
	if r.space, err = r.of.Open(path, o.Device); err != nil {
		return nil, err
	}
	if train := r.of.Train; train == nil || len(train.Points) == 0 {
		r.scorer, err = rank.Estimated(r.of.Static.Names(), r.of.Static.Device)
		return r, err
	}
	ranker, err := rank.Find(rank.Default)
	if err != nil {
		return nil, err
	}
	r.scorer, err = ranker.Fit(r.of.Train.Common(r.of.Static.Names()))
	return r, err
}

// Stretch is a range of sizes for which one recipe is chosen. The next one begins where it ends.
type Stretch struct {
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Recipe string `json:"recipe"`
	// Best is the best of the recipe at a size in the middle, At, and Gain by how much it is predicted to be faster there than the best of the recipes of the
	// neighbouring stretches, as a share of its time.
	At   int64          `json:"at"`
	Best explore.Ranked `json:"best"`
	Gain float64        `json:"predicted_gain"`
	// Measured are times at At, of this recipe and of those of the neighbours.
	Measured []RecipeTime `json:"measured"`
}

// RecipeTime is the time of the fastest variant of a recipe.
type RecipeTime struct {
	Recipe  string  `json:"recipe"`
	Seconds float64 `json:"seconds"`
}

const (
	perDecade = 2    // sizes at which all recipes are compared
	handOver  = 0.05 // the least gain, as a share of the time, for which a recipe hands over to another
	halvings  = 5    // by which the place of a handover is sought between two sizes
)

// Choose predicts the best recipes along the range, and where one hands over to the next.
func (r *Ranges) Choose() (list []Stretch, err error) {
	grid := r.sizes.grid()
	recipes := map[string]bool{}
	for _, n := range grid {
		if r.known[n], err = r.best(n, nil); err != nil {
			return nil, err
		}
		for name := range r.known[n] {
			recipes[name] = true
		}
	}
	path := r.cheapest(grid, slices.Sorted(maps.Keys(recipes)))
	from := r.sizes.From
	for i, name := range path {
		last := i+1 == len(path)
		if !last && path[i+1] == name {
			continue
		}
		to := r.sizes.To
		if !last {
			if to, err = r.between(grid[i], grid[i+1], name, path[i+1]); err != nil {
				return nil, err
			}
		}
		list = append(list, Stretch{From: from, To: to, Recipe: name})
		from = to + 1
	}
	for i := range list {
		if err := r.middle(list, i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// grid are the sizes at which all recipes are compared: the ends, and others at equal ratios.
func (r *Sizes) grid() (list []int64) {
	ratio := float64(r.To) / float64(r.From)
	steps := max(1, int(math.Ceil(perDecade*math.Log10(ratio))))
	for i := range steps + 1 {
		n := int64(math.Round(float64(r.From) * math.Pow(ratio, float64(i)/float64(steps))))
		list = append(list, min(max(n, r.From), r.To))
	}
	return slices.Compact(list)
}

// at is the space at a size, of the recipes that are called so at any size; nil is all.
func (r *Ranges) at(n int64, recipes []string) (*explore.Space, error) {
	opt, err := r.of.Options(r.on)
	if err != nil {
		return nil, err
	}
	for _, name := range recipes {
		_, all := derive.Family(name)
		opt.Recipes = append(opt.Recipes, all...)
	}
	return explore.NewSpace(r.space.Program, r.space.Source, r.sizes.at(n), opt)
}

// best are the best points at a size, by recipe.
func (r *Ranges) best(n int64, recipes []string) (map[string]explore.Ranked, error) {
	s, err := r.at(n, recipes)
	if err != nil {
		return nil, err
	}
	s.Prepare(s.Points, r.of.Static)
	ranked, err := s.Rank(r.scorer)
	best := map[string]explore.Ranked{}
	for _, x := range slices.Backward(ranked) {
		name, _ := derive.Family(x.Recipe)
		best[name] = x
	}
	return best, err
}

// cheapest is the recipe for each size of the grid such that the sum of the logarithms of the times is least, where every handover costs as much as handOver.
func (r *Ranges) cheapest(grid []int64, recipes []string) []string {
	cost, from := make([]float64, len(recipes)), make([][]int, len(grid))
	least := func() int { return slices.Index(cost, slices.Min(cost)) }
	for i, n := range grid {
		next, before := make([]float64, len(recipes)), least()
		from[i] = make([]int, len(recipes))
		for k, name := range recipes {
			next[k], from[i][k] = cost[k], k
			if other := cost[before] + math.Log1p(handOver); i > 0 && other < cost[k] {
				next[k], from[i][k] = other, before
			}
			if c, ok := r.known[n][name]; ok {
				next[k] -= c.Score
			} else {
				next[k] = math.Inf(1)
			}
		}
		cost = next
	}
	path := make([]string, len(grid))
	at := least()
	for i := range slices.Backward(grid) {
		path[i] = recipes[at]
		at = from[i][at]
	}
	return path
}

// between is the last size, between two, at which the recipe a is predicted to be no slower than b.
func (r *Ranges) between(low, high int64, a, b string) (int64, error) {
	for range halvings {
		n := halfway(low, high)
		if n <= low || n >= high {
			break
		}
		best, err := r.best(n, []string{a, b})
		if err != nil {
			return 0, err
		}
		x, ok := best[a]
		if y, other := best[b]; ok && (!other || x.Score >= y.Score) {
			low = n
		} else {
			high = n
		}
	}
	return low, nil
}

// halfway is as far from one size as from the other, by ratios.
func halfway(low, high int64) int64 {
	return int64(math.Round(math.Sqrt(float64(low) * float64(high))))
}

// middle chooses the point in the middle of a stretch.
func (r *Ranges) middle(list []Stretch, i int) error {
	s := &list[i]
	s.At = halfway(s.From, s.To)
	best, err := r.best(s.At, compared(list, i))
	if err != nil {
		return err
	}
	own, ok := best[s.Recipe]
	if !ok { // it has no variant there: the best that has
		for _, name := range slices.Sorted(maps.Keys(best)) {
			if c := best[name]; !ok || c.Score > own.Score {
				own, ok, s.Recipe = c, true, name
			}
		}
	}
	next := math.Inf(-1)
	for _, name := range compared(list, i)[1:] {
		if c, ok := best[name]; ok {
			next = max(next, c.Score)
		}
	}
	if s.Best = own; !math.IsInf(next, -1) {
		s.Gain = math.Expm1(own.Score - next)
	}
	return nil
}

// compared are the recipe of a stretch and those of the stretches beside it.
func compared(list []Stretch, i int) []string {
	names := []string{list[i].Recipe}
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(list) && !slices.Contains(names, list[k].Recipe) {
			names = append(names, list[k].Recipe)
		}
	}
	return names
}

// Measure searches, in the middle of each stretch, the configurations of its recipe and of those beside it, each by a search of its own.
func (r *Ranges) Measure(ctx context.Context, list []Stretch, search func(Target) *Search) (_ *Ranged, err error) {
	defer throw.Catch(&err)
	out := &Ranged{Program: r.space.Program.Name, Size: r.sizes.Name, Others: r.sizes.Others, Ranges: list}
	for i := range list {
		s := &list[i]
		s.Measured = []RecipeTime{}
		for _, name := range compared(list, i) {
			space, err := r.at(s.At, []string{name})
			if err != nil {
				continue // the recipe has no variant at that size
			}
			target := throw.Get(programOf(space, r.of.Learning))
			result := throw.Get(search(target).Run(ctx))
			for _, w := range result.Warnings {
				if !slices.Contains(out.Warnings, w) {
					out.Warnings = append(out.Warnings, w)
				}
			}
			if len(result.Best) > 0 {
				s.Measured = append(s.Measured, RecipeTime{name, result.Best[0].Seconds()})
			}
		}
	}
	return out, nil
}

// Ranged is which recipes are chosen for ranges of a size.
type Ranged struct {
	Program  string           `json:"program"`
	Size     string           `json:"size"`
	Others   map[string]int64 `json:"others,omitempty"`
	Ranges   []Stretch        `json:"ranges"`
	Warnings []string         `json:"warnings,omitempty"`
}

// Write prints the ranges.
func (r *Ranged) Write(w io.Writer) error {
	last := len(r.Ranges) - 1
	fmt.Fprintf(w, "%s, %s=%d..%d: %s\n", r.Program, r.Size, r.Ranges[0].From, r.Ranges[last].To, format.Count(last+1, "range"))
	t := format.NewTable(">from", ">to", ">at", "variant", ">gain", ">time", ">next", "recipe")
	for _, s := range r.Ranges {
		own, other := 0.0, 0.0
		for _, m := range s.Measured {
			if m.Recipe == s.Recipe {
				own = m.Seconds
			} else if other == 0 || m.Seconds < other {
				other = m.Seconds
			}
		}
		number := func(n int64) string { return strconv.FormatInt(n, 10) }
		t.Row(number(s.From), number(s.To), number(s.At), s.Best.Variant, format.Known(s.Gain, fmt.Sprintf("%.0f %%", 100*s.Gain)),
			format.Known(own, format.Seconds(own)), format.Known(other, format.Seconds(other)), s.Recipe)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "gain: by how much the recipe is predicted to be faster than those of the neighbouring ranges, at the size in the middle (at); time and next: what was measured there of it and of these")
	return err
}
