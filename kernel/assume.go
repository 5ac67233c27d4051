package kernel

import (
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
