package search

import (
	"math/rand/v2"
	"slices"
)

// Dialogue is a search of which another program evaluates the configurations: it asks for new ones and tells how they did.
type Dialogue struct {
	r       running
	pending map[string]bool // that were asked for and not yet told
	told    int
}

// NewDialogue begins a search. Of the limits, First and Space count.
func NewDialogue(s Strategy, l Limits) *Dialogue {
	l.First = slices.Clone(l.First)
	return &Dialogue{r: running{Strategy: s, Limits: l, seen: map[string]Result{}, random: rand.New(rand.NewPCG(1, 2))}, pending: map[string]bool{}}
}

// Ask proposes a configuration that it has not proposed before; nil where the strategy has nothing new, or not before it is told. Several may be asked for before any is told. What the
// strategy's model expects to be hopeless is left out.
func (d *Dialogue) Ask() Config {
	guide, _ := d.r.Strategy.(*guided)
	for d.r.repeated = 0; d.r.repeated < stale; d.r.repeated++ {
		first := len(d.r.First) > 0
		c := d.r.next()
		if c == nil {
			return nil
		}
		key := c.String()
		result, known := d.r.seen[key]
		switch {
		case d.pending[key]:
		case known, !first && guide != nil && guide.guide.hopeless(c, d.r.best):
			d.r.tell(Trial{Config: c, Result: result})
		default:
			d.pending[key] = true
			return c
		}
	}
	return nil
}

// Tell says how a configuration did, which need not be one that was asked for.
func (d *Dialogue) Tell(t Trial) {
	if d.told++; d.pending[t.Config.String()] {
		delete(d.pending, t.Config.String())
	}
	d.r.tell(t)
}

// Told is how many results were told.
func (d *Dialogue) Told() int { return d.told }

// Best is the fastest so far; it is not valid where none ran with a right result.
func (d *Dialogue) Best() Trial { return d.r.best }
