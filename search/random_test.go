package search

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// likely is how likely draws as uneven as these, or more so, are of a uniform distribution over the configurations of a space (Pearson's test of goodness of fit).
func likely(t *testing.T, s Space, ask func() Config) float64 {
	t.Helper()
	const each = 20 // expected draws of a configuration
	count := map[string]int{}
	for c := range All(s) {
		count[c.String()] = 0
	}
	for range each * len(count) {
		c := ask()
		if _, ok := count[c.String()]; !ok {
			t.Fatalf("%s is not valid", c)
		}
		count[c.String()]++
	}
	sum := 0.0
	for _, n := range count {
		sum += float64((n-each)*(n-each)) / each
	}
	return distuv.ChiSquared{K: float64(len(count) - 1)}.Survival(sum)
}

// numbers is a choice among numbers that double.
func doubling(name string, from, to int) Choice {
	c := Choice{Name: name}
	for n := from; n <= to; n *= 2 {
		c.Options = append(c.Options, strconv.Itoa(n))
	}
	return c
}

// ragged is a space whose paths have different lengths: two options of the first choice end it, and each further one leads to more choices.
type ragged struct{}

func (ragged) Next(made Config) *Choice {
	if depth := number(made.Option("depth")); len(made) > 0 && float64(len(made)) > depth {
		return nil
	}
	if len(made) == 0 {
		return &Choice{Name: "depth", Options: []string{"0", "1", "2", "3"}}
	}
	return &Choice{Name: "level " + strconv.Itoa(len(made)), Options: []string{"a", "b", "c"}[:1+len(made)%3]}
}

// TestUniform: random search draws all valid configurations of a space alike, those of a list and those of spaces that are too large for one. Drawn choice by
// choice they are not alike, which the test sees.
func TestUniform(t *testing.T) {
	spaces := map[string]Space{
		"product of matrices": Prune(Product{doubling("bm", 16, 128), doubling("bn", 16, 128), doubling("bk", 8, 32), doubling("tm", 1, 8), doubling("tn", 1, 8)}, func(made Config) bool {
			if len(made) < 5 {
				return true
			}
			n := func(name string) float64 { return number(made.Option(name)) }
			items := n("bm") * n("bn") / n("tm") / n("tn")
			return items <= 1024 && items >= 64 && n("tm")*n("tn") <= 32 && (n("bm")+n("bn"))*n("bk") <= 8192
		}),
		"a triangle": Prune(Product{doubling("a", 1, 1<<9), doubling("b", 1, 1<<9)}, func(made Config) bool {
			return made.Option("b") == "" || number(made.Option("b")) <= number(made.Option("a"))
		}),
		"paths of different lengths": ragged{},
	}
	const unlikely = 1e-3
	for name, s := range spaces {
		for seed := range uint64(3) {
			source := func() *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
			for how, x := range map[string]*random{"listed": uniform(s, source(), mostListed), "rejected": uniform(s, source(), 1)} {
				if (x.all == nil) != (how == "rejected") {
					t.Fatalf("%s: listed are %d", name, len(x.all))
				}
				if p := likely(t, s, x.Ask); p < unlikely {
					t.Errorf("%s, %s, seed %d: draws are as uneven with a probability of %.2g", name, how, seed, p)
				}
			}
			r := source()
			if p := likely(t, s, func() Config { return anywhere(s, r) }); p > 1e-9 {
				t.Errorf("%s, seed %d: drawn choice by choice, p is %.2g", name, seed, p)
			}
		}
	}
}
