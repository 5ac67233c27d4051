package search

import (
	"context"
	"fmt"
	"slices"
)

// Recorded is a space whose configurations were all measured: searches are replayed in it, many times and without a device.
type Recorded struct {
	Listed
	trials map[string]Trial
	best   Trial
}

// NewRecorded makes the space of trials.
func NewRecorded(all []Trial) (*Recorded, error) {
	r := &Recorded{trials: map[string]Trial{}, best: Best(all)}
	if !r.best.Result.Valid() {
		return nil, fmt.Errorf("no configuration ran with a right result")
	}
	var list []Config
	for _, t := range all {
		if _, again := r.trials[t.Config.String()]; !again {
			list = append(list, t.Config)
		}
		r.trials[t.Config.String()] = t
	}
	var err error
	r.Listed, err = NewListed(list)
	return r, err
}

// Listed is the space of different configurations that are listed, by the choices that are made.
type Listed map[string]*Choice

// NewListed makes a space, numbers among options in their order. All configurations of one beginning go on with the same choice.
func NewListed(all []Config) (Listed, error) {
	nodes := Listed{}
	for _, config := range all {
		for i, p := range config {
			at := config[:i].String()
			c := nodes[at]
			if c == nil {
				c = &Choice{Name: p.Choice}
				nodes[at] = c
			}
			if c.Name != p.Choice {
				return nil, fmt.Errorf("after the same picks one configuration chooses %s and another %s", c.Name, p.Choice)
			}
			if !slices.Contains(c.Options, p.Option) {
				c.Options = append(c.Options, p.Option)
			}
		}
	}
	for _, c := range nodes {
		slices.SortFunc(c.Options, ordered)
		c.Weights = make([]float64, len(c.Options))
	}
	for _, config := range all {
		for i, p := range config {
			c := nodes[config[:i].String()]
			c.Weights[slices.Index(c.Options, p.Option)]++
		}
	}
	return nodes, nil
}

// Next is a choice that some configuration makes there.
func (l Listed) Next(made Config) *Choice { return l[made.String()] }

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
