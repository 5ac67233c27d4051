package search

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// genes are numbers from 0 to 1 for choices, so that configurations are points between which one can go. A choice without a gene has any option.
type genes map[string]float64

// express is the configuration of some genes. Genes that were missing are added.
func (g genes) express(s Space, r *rand.Rand) Config {
	return walk(s, func(_ Config, c *Choice) int {
		x, ok := g[c.Name]
		if !ok {
			x = r.Float64()
			g[c.Name] = x
		}
		return min(int(x*float64(len(c.Options))), len(c.Options)-1)
	})
}

// genesOf are such of a configuration: the middle of each option.
func genesOf(s Space, c Config) genes {
	g := genes{}
	for i, p := range c {
		options := s.Next(c[:i:i]).Options
		g[p.Choice] = (float64(slices.Index(options, p.Option)) + 0.5) / float64(len(options))
	}
	return g
}

// names of all choices of some points, sorted.
func names(points ...genes) []string {
	all := map[string]bool{}
	for _, g := range points {
		for n := range g {
			all[n] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// mirrored is a number folded into 0 to 1.
func mirrored(x float64) float64 {
	for x < 0 || x > 1 {
		if x < 0 {
			x = -x
		} else {
			x = 2 - x
		}
	}
	return x
}

// or is a gene, or any number where it is missing.
func (g genes) or(name string, r *rand.Rand) float64 {
	if x, ok := g[name]; ok {
		return x
	}
	return r.Float64()
}
