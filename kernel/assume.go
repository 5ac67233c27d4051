package kernel

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
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

// TripsPrefix begins the names of sizes that are averages of iterations which nobody has declared, before the line of the loop.
const TripsPrefix = "trips_"

// Opaque is a part of the source that is not counted, and why.
type Opaque struct {
	Place Place
	Text  string
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

// Range is an integer that the source computes in a type, with the numbers that the type holds.
type Range struct {
	Place       Place
	Value       expr.Expr      // in parameters and inames
	Points      *polycount.Set // where it is computed: over parameters, without dimensions; inames are such as well
	Inames      []string       // of the points
	Type        string         // in C
	Least, Most int64          // that the type holds
	Wraps       bool           // what it does not hold is defined, as of numbers without sign
}

// Overflow is an integer beyond the numbers of its type.
type Overflow struct {
	*Range
	First, Last int64 // that it takes
}

func (o *Overflow) Error() string {
	if o.Wraps {
		return fmt.Sprintf("%s is computed in %s and takes numbers from %d to %d: it wraps around, and counts suppose that it does not", o.Value, o.Type, o.First, o.Last)
	}
	return fmt.Sprintf("%s is computed in %s and takes numbers from %d to %d: it overflows, which is undefined behaviour", o.Value, o.Type, o.First, o.Last)
}

// FindOverflow returns the first integer that is beyond its type at sizes, by what affine conditions prove; nil for none, and where not all sizes
// that it depends on are given. What it is used for is not asked: a hash overflows as an index does.
func (k *Kernel) FindOverflow(sizes map[string]int64) *Overflow {
	by := map[string]expr.Expr{}
	for n, v := range sizes {
		by[n] = expr.Int{Value: v}
	}
	for _, r := range k.Ranges {
		if o, err := r.at(sizes, by); err == nil && o != nil { // an error is one of what takes too much to prove
			return o
		}
	}
	return nil
}

// at is the overflow at sizes, nil for none.
func (r *Range) at(sizes map[string]int64, by map[string]expr.Expr) (*Overflow, error) {
	given := maps.Clone(sizes)
	maps.DeleteFunc(given, func(n string, _ int64) bool { return !r.Points.HasParam(n) || slices.Contains(r.Inames, n) })
	points, err := r.Points.ToDims(r.Inames...).Fix(given)
	if err != nil || len(points.Params()) > 0 {
		return nil, err
	}
	index, err := expr.ToAffine(expr.Subst(r.Value, by), func(n string) bool { return slices.Contains(r.Inames, n) })
	if err != nil {
		return nil, err
	}
	for _, holds := range []polycount.Constraint{polycount.GE(polycount.Int(r.Most), index), polycount.GE(index, polycount.Int(r.Least))} {
		yes, err := points.Implies(holds)
		if err != nil {
			return nil, err
		}
		if yes {
			continue
		}
		bad, err := points.Constrain(holds.Negate()...)
		if err != nil {
			return nil, err
		}
		if _, ok, err := bad.Sample(); err != nil || !ok {
			return nil, err
		}
		first, last, err := ends(points, index)
		return &Overflow{r, first, last}, err
	}
	return nil, nil
}
