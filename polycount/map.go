package polycount

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/throw"
)

// Map is a relation between integer tuples, parametric like Set.
type Map struct {
	in, out []string
	inTuple string
	set     *Set // over in, out
}

// NewMap is the function x → exprs(x) on domain, its images named by out.
func NewMap(domain *Set, out []string, exprs []Affine) (*Map, error) {
	if len(out) != len(exprs) {
		return nil, fmt.Errorf("polycount: %d names for %d expressions", len(out), len(exprs))
	}
	wide := &Set{params: domain.params, dims: slices.Concat(domain.dims, out)}
	if err := wide.check(); err != nil {
		return nil, err
	}
	cs := make([]Constraint, len(out))
	for i, o := range out {
		cs[i] = EQ(Name(o), exprs[i])
	}
	set, err := domain.AddDims(out...).Constrain(cs...)
	if err != nil {
		return nil, err
	}
	set.tuple = ""
	return &Map{slices.Clone(domain.dims), slices.Clone(out), domain.tuple, set}, nil
}

// Relation is the map whose pairs are the points of a set: the first of its dimensions, as many as in, are those of the domain.
func Relation(pairs *Set, in int, domain, rng string) *Map {
	return &Map{slices.Clone(pairs.dims[:in]), slices.Clone(pairs.dims[in:]), domain, pairs.Named(rng)}
}

// In are the names of the domain's dimensions.
func (m *Map) In() []string { return slices.Clone(m.in) }

// Out are the names of the range's dimensions.
func (m *Map) Out() []string { return slices.Clone(m.out) }

// Params are the parameters, in order.
func (m *Map) Params() []string { return m.set.Params() }

// String prints m in isl's notation; ParseMap reads it back.
func (m *Map) String() string {
	head := m.inTuple + "[" + strings.Join(m.in, ", ") + "] -> " + m.set.tuple + "[" + strings.Join(m.out, ", ") + "]"
	return relationText(m.set.params, m.set.names(), head, m.set.printed())
}

// Domain is the set of tuples with an image.
func (m *Map) Domain() (*Set, error) { return m.projected(m.inTuple, m.in) }

// Range is the set of images.
func (m *Map) Range() (*Set, error) { return m.projected(m.set.tuple, m.out) }

func (m *Map) projected(tuple string, dims []string) (*Set, error) {
	s, err := m.Graph().Project(dims...)
	if err != nil {
		return nil, err
	}
	s.tuple = tuple
	return s, nil
}

// Reverse swaps domain and range.
func (m *Map) Reverse() *Map {
	g := m.Graph().respace(m.set.params, slices.Concat(m.out, m.in))
	g.tuple = m.inTuple
	return &Map{slices.Clone(m.out), slices.Clone(m.in), m.set.tuple, g}
}

// IntersectDomain restricts m to arguments in s, whose dimensions count by position.
func (m *Map) IntersectDomain(s *Set) (*Map, error) {
	if len(s.dims) != len(m.in) {
		return nil, fmt.Errorf("polycount: a set of dimension %d cannot restrict a domain of dimension %d", len(s.dims), len(m.in))
	}
	t := &Set{params: s.params, dims: m.in, cs: s.cs, open: s.open, pending: s.pending, budget: s.budget}
	g, err := m.Graph().Intersect(t.AddDims(m.out...))
	if err != nil {
		return nil, err
	}
	g.tuple = m.set.tuple
	return &Map{m.in, m.out, m.inTuple, g}, nil
}

// IntersectRange restricts m to images in s, whose dimensions count by position.
func (m *Map) IntersectRange(s *Set) (*Map, error) {
	r, err := m.Reverse().IntersectDomain(s)
	if err != nil {
		return nil, err
	}
	return r.Reverse(), nil
}

// Apply is the set of images of the points of s, whose dimensions count by position.
func (m *Map) Apply(s *Set) (*Set, error) {
	r, err := m.IntersectDomain(s)
	if err != nil {
		return nil, err
	}
	return r.Range()
}

// Preimage is the set of points with an image in s.
func (m *Map) Preimage(s *Set) (*Set, error) { return m.Reverse().Apply(s) }

// Then is the composition x → next(m(x)). The range of m and the domain of next must have one dimension; their names
// need not agree.
func (m *Map) Then(next *Map) (out *Map, err error) {
	defer throw.Catch(&err)
	if len(m.out) != len(next.in) {
		return nil, fmt.Errorf("polycount: a range of dimension %d does not fit a domain of dimension %d", len(m.out), len(next.in))
	}
	params := unionNames(m.set.params, next.set.params)
	// Names of the middle and, where taken, of the new range are made unique.
	taken := slices.Concat(params, m.in)
	mid := freshNames(m.out, taken)
	last := freshNames(next.out, slices.Concat(taken, mid))
	dims := slices.Concat(m.in, mid, last)
	a := &Set{params: m.set.params, dims: slices.Concat(m.in, mid), cs: m.set.cs, open: m.set.open, pending: m.set.pending, budget: m.set.budget}
	b := &Set{params: next.set.params, dims: slices.Concat(mid, last), cs: next.set.cs, open: next.set.open, pending: next.set.pending, budget: next.set.budget}
	g, err := a.respace(params, dims).Intersect(b.respace(params, dims))
	if err != nil {
		return nil, err
	}
	keep := slices.Concat(m.in, last)
	if g, err = g.Project(keep...); err != nil {
		return nil, err
	}
	g.tuple = next.set.tuple
	return &Map{slices.Clone(m.in), last, m.inTuple, g}, nil
}

// named is s with other names for its dimensions, which count by position.
func (s *Set) named(dims []string) (*Set, error) {
	if len(dims) != len(s.dims) {
		return nil, fmt.Errorf("polycount: a tuple of dimension %d does not fit one of dimension %d", len(s.dims), len(dims))
	}
	out := *s
	out.dims = slices.Clone(dims)
	return &out, out.check()
}

// graphed is a map between the tuples of m with another graph.
func (m *Map) graphed(graph *Set) *Map {
	g := *graph
	g.tuple = m.set.tuple
	return &Map{m.in, m.out, m.inTuple, &g}
}

// combined applies an operation on sets to the graphs of m and o, whose dimensions count by position.
func (m *Map) combined(o *Map, f func(a, b *Set) (*Set, error)) (*Map, error) {
	if len(m.in) != len(o.in) {
		return nil, fmt.Errorf("polycount: domains of dimension %d and %d differ", len(m.in), len(o.in))
	}
	b, err := o.Graph().named(slices.Concat(m.in, m.out))
	if err != nil {
		return nil, err
	}
	g, err := f(m.Graph(), b)
	if err != nil {
		return nil, err
	}
	return m.graphed(g), nil
}

// Intersect is the pairs of both m and o. Dimensions correspond by position, here and in the operations below.
func (m *Map) Intersect(o *Map) (*Map, error) { return m.combined(o, (*Set).Intersect) }

// Union is the pairs of m or o.
func (m *Map) Union(o *Map) (*Map, error) { return m.combined(o, (*Set).Union) }

// Subtract is the pairs of m that are not in o.
func (m *Map) Subtract(o *Map) (*Map, error) { return m.combined(o, (*Set).Subtract) }

// Gist drops from m the constraints that those of ctx imply: the result agrees with m on the pairs of ctx.
func (m *Map) Gist(ctx *Map) (*Map, error) { return m.combined(ctx, (*Set).Gist) }

// IsEmpty decides whether m has no pair, for any values of the parameters.
func (m *Map) IsEmpty() (bool, error) { return m.set.IsEmpty() }

// IsSubset decides m ⊆ o.
func (m *Map) IsSubset(o *Map) (bool, error) {
	d, err := m.Subtract(o)
	if err != nil {
		return false, err
	}
	return d.IsEmpty()
}

// IsEqual decides m = o as sets of pairs.
func (m *Map) IsEqual(o *Map) (bool, error) { return mutual((*Map).IsSubset, m, o) }

func (m *Map) mapped(f func(*Set) (*Set, error)) (*Map, error) {
	g, err := f(m.Graph())
	if err != nil {
		return nil, err
	}
	return m.graphed(g), nil
}

// Coalesce merges members of the union whose union is one conjunction, and drops those that others cover.
func (m *Map) Coalesce() (*Map, error) { return m.mapped((*Set).Coalesce) }

// Lexmin maps each tuple of the domain to its lexicographically least image, where there is one.
func (m *Map) Lexmin() (*Map, error) { return m.mapped(m.optimum((*Set).Lexmin)) }

// Lexmax maps each tuple of the domain to its lexicographically greatest image, where there is one.
func (m *Map) Lexmax() (*Map, error) { return m.mapped(m.optimum((*Set).Lexmax)) }

// optimum takes the domain's dimensions for parameters.
func (m *Map) optimum(f func(*Set) (*Set, error)) func(*Set) (*Set, error) {
	return func(g *Set) (*Set, error) {
		best, err := f(g.ToParams(m.in...))
		if err != nil {
			return nil, err
		}
		return best.respace(g.params, g.dims), nil
	}
}
