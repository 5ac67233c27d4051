package kernel

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/polycount"
)

// Assume adds assumptions on the parameters, as in "n >= 1 and n % 16 = 0". Naming anything
// but parameters is an error, and so are assumptions that no parameter values satisfy.
func (k *Kernel) Assume(text string) (*Kernel, error) {
	set, err := polycount.ParseConditions(text)
	if err == nil && len(set.Dims()) > 0 {
		err = source.New("", text, 0, "assumptions are about parameters only, this is a set over %s", nameset.Text(set.Dims()))
	}
	if err != nil {
		return nil, k.Errorf("assumption: %w", err)
	}
	for _, p := range set.Params() {
		if k.IsIname(p) {
			return nil, k.Errorf("assumption on iname %s: assumptions are about parameters (%s)", p, nameset.Text(k.Params()))
		}
		if !k.IsParam(p) {
			return nil, k.Errorf("assumption on %s, which is not a parameter of the kernel (%s)", p, nameset.Text(k.Params()))
		}
	}
	c := k.Clone()
	if c.Assumptions == nil {
		c.Assumptions = set
	} else if c.Assumptions, err = c.Assumptions.Intersect(set); err != nil {
		return nil, k.Errorf("assumptions: %w", err)
	}
	if n := len(c.Assumptions.Disjuncts()); n > 1 {
		return nil, k.Errorf("assumption %q is a disjunction: assume one conjunction of conditions", text)
	}
	empty, err := c.Assumptions.IsEmpty()
	if err != nil {
		return nil, k.Errorf("assumptions: %w", err)
	}
	if empty {
		if k.Assumptions == nil {
			return nil, k.Errorf("assumption %q: no parameter values satisfy it", text)
		}
		return nil, k.Errorf("assumption %q: no parameter values satisfy it together with %s", text, k.Assumptions)
	}
	return c, nil
}

// Doubt is something in the source that is undefined.
type Doubt struct {
	// Text says what, with its place in the source.
	Text string
	// Where are the sizes at which it is: a set without dimensions, over parameters; nil for all.
	Where *polycount.Set
}

// DoubtsAt are the texts of the doubts that there are at sizes, or at some of those that are not given.
func (k *Kernel) DoubtsAt(sizes map[string]int64) (texts []string) {
	for _, d := range k.Doubts {
		text := d.Text
		if d.Where != nil {
			given := map[string]int64{}
			for _, n := range d.Where.Params() {
				if v, ok := sizes[n]; ok {
					given[n] = v
				}
			}
			at, err := d.Where.Fix(given)
			if err == nil {
				if none, err := at.IsEmpty(); err == nil && none {
					continue
				}
			}
			if len(given) < len(d.Where.Params()) {
				text += ", at some sizes"
			}
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}
