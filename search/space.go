// Package search finds fast configurations of a program with few measurements.
//
// A [Space] is a graph of choices that is built while it is walked: which choice comes next depends on those that are made. A configuration is a path
// to its end; [Prune] takes away what leads to none. A [Strategy] proposes configurations and hears how they did (Ask and Tell); [Run] does so as long as
// there is budget, and evaluates none twice. Strategies are those of one table (strategies.go): ants (Papenhausen and Mueller, Coding Ants, 2018), and beside
// them random (all configurations alike: random.go) and greedy search, differential evolution, the bandit of OpenTuner, and a search by a model alone; a space may bring
// others, as a [Strategist]. A model's predictions cost nothing: it orders
// candidates, tells ants where to go before anything was measured, and its error is learned from what was (guide.go). [Recorded] is a space whose configurations
// were all measured, in which [Compare] replays strategies.
package search

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
)

// Space is a graph of choices. It must be the same whenever it is walked.
type Space interface {
	// Next is the choice after those that are made; nil where they are a configuration.
	Next(made Config) *Choice
}

// Choice is a node of the graph.
type Choice struct {
	// Name tells the choice from others. Those of one name are one node, wherever they are met: what a kernel is tried with does not depend on the order of kernels.
	Name string
	// Options, at least one; where they are numbers, in their order.
	Options []string
	// Weights are how many configurations each option leads to; nil where they are taken to be as many.
	Weights []float64
	// Part is the part of the program that the choice is about, as a kernel; "" for all of it.
	Part string
}

// Pick is an option of a choice: an edge of the graph.
type Pick struct {
	Choice string `json:"choice"`
	Option string `json:"option"`
}

// Config is a path, and at the end of the graph a configuration.
type Config []Pick

// Option is what is picked of a choice, "" where that is not made.
func (c Config) Option(choice string) string {
	for _, p := range c {
		if p.Choice == choice {
			return p.Option
		}
	}
	return ""
}

// Options are what is picked, by choice.
func (c Config) Options() map[string]string {
	out := make(map[string]string, len(c))
	for _, p := range c {
		out[p.Choice] = p.Option
	}
	return out
}

// String is the configuration as users write it, as in "bm=16,bn=32". It tells configurations apart.
func (c Config) String() string {
	var b strings.Builder
	for i, p := range c {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.Choice)
		b.WriteByte('=')
		b.WriteString(p.Option)
	}
	return b.String()
}

// Without are the picks that another configuration does not have.
func (c Config) Without(other Config) (own Config) {
	for _, p := range c {
		if !slices.Contains(other, p) {
			own = append(own, p)
		}
	}
	return own
}

// with is the path with one more pick.
func (c Config) with(choice, option string) Config {
	return append(c[:len(c):len(c)], Pick{choice, option})
}

// Result is how a configuration did.
type Result struct {
	// Seconds, of the whole program and of its parts by Choice.Part. What did not run, or gave a wrong result, has none (0).
	Seconds float64
	Parts   map[string]float64
	// Metrics are between 0 and 1, the peak.
	Metrics map[string]float64
	// Evidence is what the oracle knows besides, for a strategy that understands it; nil is nothing.
	Evidence any
}

// Valid reports that the configuration ran and was right.
func (r Result) Valid() bool { return r.Seconds > 0 }

// Trial is a configuration with its result.
type Trial struct {
	Config    Config
	Result    Result
	Predicted float64 // seconds, before it was measured; 0 where nothing was
}

// ordered compares options: as numbers where they are such.
func ordered(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return strings.Compare(a, b)
	}
	return cmp.Compare(x, y)
}

// faster reports that a trial ran, and did so faster than another, which need not have run.
func (t Trial) faster(than Trial) bool {
	return t.Result.Valid() && (!than.Result.Valid() || t.Result.Seconds < than.Result.Seconds)
}

// walk follows the graph to its end; pick says which option is taken.
func walk(s Space, pick func(made Config, c *Choice) int) Config {
	var made Config
	for c := s.Next(made); c != nil; c = s.Next(made) {
		made = append(made, Pick{c.Name, c.Options[pick(made, c)]})
	}
	return made
}

// draw is the number of an option, each as likely as the others, or by their weights; and how likely it was.
func (c *Choice) draw(r *rand.Rand) (i int, share float64) {
	if c.Weights == nil {
		return r.IntN(len(c.Options)), 1 / float64(len(c.Options))
	}
	sum := lists.Sum(c.Weights, func(w float64) float64 { return w })
	i = draw(c.Weights, r)
	return i, c.Weights[i] / sum
}

// anywhere is a path with all options of a choice equally likely; where it is known how many configurations these lead to, all configurations.
func anywhere(s Space, r *rand.Rand) Config {
	return walk(s, func(_ Config, c *Choice) int {
		i, _ := c.draw(r)
		return i
	})
}

// Product is a space of choices that are all made, in their order.
type Product []Choice

// Next is the first choice that is not made.
func (p Product) Next(made Config) *Choice {
	if len(made) == len(p) {
		return nil
	}
	return &p[len(made)]
}

// Prune is a space without options after which no configuration fits. Fits sees what is picked so far, and refuses what no further pick can mend. The result is
// nil where nothing fits.
func Prune(s Space, fits func(made Config) bool) Space {
	p := &pruned{space: s, fits: fits, leads: map[string]bool{}, nodes: map[string]*Choice{}}
	if !p.reaches(nil) {
		return nil
	}
	return p
}

// maxKept bounds what is remembered of a space: it may have more configurations than memory has room for. What is forgotten is found again.
const maxKept = 1 << 13

type pruned struct {
	space Space
	fits  func(Config) bool
	leads map[string]bool // whether a path leads to a configuration
	nodes map[string]*Choice
}

func (p *pruned) Next(made Config) *Choice {
	key := made.String()
	if c, ok := p.nodes[key]; ok {
		return c
	}
	c := p.space.Next(made)
	if c != nil {
		own := *c
		own.Options = nil
		for _, o := range c.Options {
			if p.reaches(made.with(c.Name, o)) {
				own.Options = append(own.Options, o)
			}
		}
		c = &own
	}
	if len(p.nodes) >= maxKept {
		clear(p.nodes)
	}
	p.nodes[key] = c
	return c
}

// reaches reports that a path leads to a configuration that fits.
func (p *pruned) reaches(made Config) bool {
	if !p.fits(made) {
		return false
	}
	key := made.String()
	if known, ok := p.leads[key]; ok {
		return known
	}
	c := p.space.Next(made)
	leads := c == nil
	for i := 0; !leads && i < len(c.Options); i++ {
		leads = p.reaches(made.with(c.Name, c.Options[i]))
	}
	if len(p.leads) >= maxKept {
		clear(p.leads)
	}
	p.leads[key] = leads
	return leads
}

// All are the configurations of a space, in the order of their options.
func All(s Space) iter.Seq[Config] { return Part(s, 0, 1) }

// Part are the configurations of one of so many parts of a space, from 0 on: each has a share of the paths of some first choices, so that what belongs to
// other parts is hardly looked at.
func Part(s Space, index, parts int) iter.Seq[Config] {
	return func(yield func(Config) bool) {
		for _, made := range begunOf(s, index, parts) {
			if !visit(s, made, yield) {
				return
			}
		}
	}
}

// begin lists beginnings of paths: at least the given number, where there are as many configurations, the shortest first. Each can be continued to a configuration.
func begin(s Space, enough int) []Config {
	paths := []Config{nil}
	ends := 0 // paths at the front, in turn, that cannot be continued
	for len(paths) < enough && ends < len(paths) {
		made := paths[0]
		paths = paths[1:]
		c := s.Next(made)
		if c == nil {
			paths, ends = append(paths, made), ends+1
			continue
		}
		ends = 0
		for _, o := range c.Options {
			paths = append(paths, made.with(c.Name, o))
		}
	}
	return paths
}

// visit yields the configurations that begin with a path, until yield returns false.
func visit(s Space, made Config, yield func(Config) bool) bool {
	c := s.Next(made)
	if c == nil {
		return yield(made)
	}
	return !slices.ContainsFunc(c.Options, func(o string) bool { return !visit(s, made.with(c.Name, o), yield) })
}

// Count is how many configurations a space has, as far as the given number, and whether there may be more.
func Count(s Space, most int) (n int, more bool) {
	for range All(s) {
		if n++; n >= most {
			return n, true
		}
	}
	return n, false
}

// Usual is the configuration of first options.
func Usual(s Space) Config { return walk(s, func(Config, *Choice) int { return 0 }) }

// ParseConfig reads the text of a configuration.
func ParseConfig(text string) (c Config, err error) {
	for word := range strings.SplitSeq(text, ",") {
		name, option, ok := strings.Cut(strings.TrimSpace(word), "=")
		if !ok || name == "" || option == "" {
			return nil, fmt.Errorf("expected NAME=OPTION, found %q", word)
		}
		c = append(c, Pick{name, option})
	}
	return c, nil
}

// Path is the configuration of a space that picks what another one does, which may have its picks in any order.
func Path(s Space, like Config) (Config, error) {
	var made Config
	for c := s.Next(made); c != nil; c = s.Next(made) {
		option := like.Option(c.Name)
		switch {
		case option == "":
			return nil, fmt.Errorf("%s lacks a choice of %s", like, c.Name)
		case !slices.Contains(c.Options, option):
			return nil, fmt.Errorf("%s=%s: after %s there are %s", c.Name, option, cmp.Or(made.String(), "nothing"), strings.Join(c.Options, ", "))
		}
		made = made.with(c.Name, option)
	}
	for _, p := range like {
		if made.Option(p.Choice) == "" {
			return nil, fmt.Errorf("there is no choice of %s", p.Choice)
		}
	}
	return made, nil
}

// draw is the number of a weight, as likely as it is large; where all are 0 any.
func draw(weights []float64, r *rand.Rand) int {
	sum := lists.Sum(weights, func(w float64) float64 { return w })
	if sum <= 0 {
		return r.IntN(len(weights))
	}
	x := r.Float64() * sum
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	return len(weights) - 1
}

// sortBy puts what a model predicts to be fastest first.
func sortBy(list []Config, m Model) {
	seconds := map[string]float64{}
	for i, t := range foretold(m, list) {
		seconds[list[i].String()] = t
	}
	slices.SortStableFunc(list, func(a, b Config) int { return compare(seconds[a.String()], seconds[b.String()]) })
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// foretold are the seconds that a model predicts for configurations, infinite where it cannot. Predictions may take long, so that they are made side by side.
func foretold(m Model, list []Config) []float64 {
	out := make([]float64, len(list))
	parallel.For(len(list), func(i int) { out[i] = orInfinite(m(list[i])) })
	return out
}

// begunOf are the beginnings of the paths of a part.
func begunOf(s Space, part, parts int) (own []Config) {
	const shares = 4 // of a part, so that parts are about as large
	if parts <= 1 {
		return []Config{nil}
	}
	for some := range slices.Chunk(begin(s, shares*parts), parts) {
		if part < len(some) {
			own = append(own, some[part])
		}
	}
	return own
}
