package polycount

import (
	"fmt"
	"slices"
)

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

// Intersect is the pairs of both m and o. Dimensions count by position, here and in the operations below.
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
func (m *Map) IsEqual(o *Map) (bool, error) {
	in, err := m.IsSubset(o)
	if err != nil || !in {
		return false, err
	}
	return o.IsSubset(m)
}

// IntersectRange restricts m to images in s, whose dimensions count by position.
func (m *Map) IntersectRange(s *Set) (*Map, error) {
	r, err := m.Reverse().IntersectDomain(s)
	if err != nil {
		return nil, err
	}
	return r.Reverse(), nil
}

// Coalesce merges members of the union whose union is one conjunction, and drops those that others cover.
func (m *Map) Coalesce() (*Map, error) { return m.mapped((*Set).Coalesce) }

func (m *Map) mapped(f func(*Set) (*Set, error)) (*Map, error) {
	g, err := f(m.Graph())
	if err != nil {
		return nil, err
	}
	return m.graphed(g), nil
}

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

// Fix substitutes values for parameters, which disappear. Names of dimensions are an error: Graph().Fix removes those.
func (m *Map) Fix(values map[string]int64) (*Map, error) {
	for _, d := range m.set.dims {
		if _, ok := values[d]; ok {
			return nil, fmt.Errorf("polycount: %q is a dimension of the map; only parameters can be fixed", d)
		}
	}
	return m.mapped(func(g *Set) (*Set, error) { return g.Fix(values) })
}

// Sample returns a pair of m with parameter values, by name, small where that is easy; ok is false when m is empty.
func (m *Map) Sample() (point map[string]int64, ok bool, err error) { return m.set.Sample() }
