package search

import (
	"context"
	"fmt"
	"slices"
)

// Recorded is a space whose configurations were all measured: searches are replayed in it, many times and without a device.
type Recorded struct {
	trials map[string]Trial
	nodes  map[string]*Choice
	best   Trial
}

// NewRecorded makes the space of trials, the options in the order of their first use. All configurations of one beginning go on with the same choice.
func NewRecorded(all []Trial) (*Recorded, error) {
	r := &Recorded{trials: map[string]Trial{}, nodes: map[string]*Choice{}, best: Best(all)}
	if !r.best.Result.Valid() {
		return nil, fmt.Errorf("no configuration ran with a right result")
	}
	for _, t := range all {
		r.trials[t.Config.String()] = t
		for i, p := range t.Config {
			at := t.Config[:i].String()
			c := r.nodes[at]
			if c == nil {
				c = &Choice{Name: p.Choice}
				r.nodes[at] = c
			}
			if c.Name != p.Choice {
				return nil, fmt.Errorf("after the same picks one configuration chooses %s and another %s", c.Name, p.Choice)
			}
			if !slices.Contains(c.Options, p.Option) {
				c.Options = append(c.Options, p.Option)
			}
		}
	}
	for _, c := range r.nodes {
		slices.SortFunc(c.Options, ordered)
		c.Weights = make([]float64, len(c.Options))
	}
	for _, t := range r.trials {
		for i, p := range t.Config {
			c := r.nodes[t.Config[:i].String()]
			c.Weights[slices.Index(c.Options, p.Option)]++
		}
	}
	return r, nil
}

// Next is a choice that some trial made there.
func (r *Recorded) Next(made Config) *Choice { return r.nodes[made.String()] }

// evaluate is what was recorded.
func (r *Recorded) evaluate(_ context.Context, list []Config) (out []Result, err error) {
	for _, c := range list {
		out = append(out, r.trials[c.String()].Result)
	}
	return out, nil
}

// predict is what was predicted when it was recorded, a Model.
func (r *Recorded) predict(c Config) float64 { return r.trials[c.String()].Predicted }

// Len is how many configurations there are.
func (r *Recorded) Len() int { return len(r.trials) }
