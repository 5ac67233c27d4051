package polycount

import (
	"fmt"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/linear"
)

// Set is a union of conjunctions of quasi-affine constraints over named dimensions, parametric in named parameters.
// It is immutable. Its members may overlap.
type Set struct {
	params, dims []string
	tuple        string         // the name before the bracket, as in S[i,j]
	cs           []*linear.Conj // without existentials
	open         []*linear.Conj // nil, or the same points with existentials, before these were eliminated
	pending      bool           // cs is not known
	budget       *Budget        // nil where each operation is limited for itself
}

// NewSet returns the conjunction of cs. Names that are neither dims nor params become parameters.
// It panics if a name occurs twice or a coefficient overflows; ParseSet reports such things as errors.
func NewSet(params, dims []string, cs ...Constraint) *Set {
	s, err := (&Set{params: slices.Clone(params), dims: slices.Clone(dims), cs: []*linear.Conj{{N: len(params) + len(dims)}}}).Constrain(cs...)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		panic(err)
	}
	return s
}

func (s *Set) check() error {
	seen := map[string]bool{}
	for _, name := range s.names() {
		if seen[name] {
			return fmt.Errorf("polycount: name %q stands twice in a space", name)
		}
		seen[name] = true
	}
	return nil
}

// Params are the parameters, in order.
func (s *Set) Params() []string { return slices.Clone(s.params) }

// Dims are the dimensions, in order.
func (s *Set) Dims() []string { return slices.Clone(s.dims) }

// HasDim reports whether name is a dimension.
func (s *Set) HasDim(name string) bool { return slices.Contains(s.dims, name) }

// HasParam reports whether name is a parameter.
func (s *Set) HasParam(name string) bool { return slices.Contains(s.params, name) }

// Tuple is the name of the tuple, "" without one.
func (s *Set) Tuple() string { return s.tuple }

// Named gives the tuple a name.
func (s *Set) Named(tuple string) *Set {
	c := *s
	c.tuple = tuple
	return &c
}

func (s *Set) names() []string { return slices.Concat(s.params, s.dims) }

// at is the column of a name, 0 without one.
func (s *Set) at(name string) int {
	if i := slices.Index(s.params, name); i >= 0 {
		return 1 + i
	}
	if i := slices.Index(s.dims, name); i >= 0 {
		return 1 + len(s.params) + i
	}
	return 0
}

// hasColumns reports that all names of a have columns.
func hasColumns(a Affine, column func(string) int) bool {
	return !slices.ContainsFunc(a.terms, func(t Term) bool {
		return t.Floor != nil && !hasColumns(t.Floor.Num, column) || t.Floor == nil && column(t.Name) == 0
	})
}

// columns gives the column of each name, 0 for unknown ones.
func columns(names []string) func(string) int {
	return func(name string) int { return slices.Index(names, name) + 1 }
}

// with returns a set of the same space.
func (s *Set) with(cs []*linear.Conj) *Set {
	return &Set{params: s.params, dims: s.dims, tuple: s.tuple, cs: cs, budget: s.budget}
}

// respace rewrites s over other parameters and dimensions; every name of s must be among them.
func (s *Set) respace(params, dims []string) *Set {
	out := &Set{params: slices.Clip(params), dims: slices.Clip(dims), tuple: s.tuple, budget: s.budget}
	same := len(s.params)+len(s.dims) == len(params)+len(dims)
	place := make([]int, 0, len(s.params)+len(s.dims)) // where the columns of s go
	for _, names := range [2][]string{s.params, s.dims} {
		for _, name := range names {
			at := out.at(name)
			if at == 0 {
				panic(throw.Errorf("polycount: %q is missing in the new space", name))
			}
			place = append(place, at)
			same = same && at == len(place)
		}
	}
	if same {
		out.cs, out.open, out.pending = s.cs, s.open, s.pending
		return out
	}
	if s.open == nil && !slices.ContainsFunc(s.cs, func(c *linear.Conj) bool { return len(c.Divs) > 0 }) {
		for _, c := range s.cs {
			out.cs = append(out.cs, c.Moved(len(out.params)+len(out.dims), place))
		}
		return out
	}
	by := lists.Map(place, func(at int) linear.Row { return linear.Plus(at+1, 0, 1, at) })
	return s.rebuilt(out, func(c *linear.Conj) *linear.Conj { return c.Substitute(len(out.params)+len(out.dims), by) })
}

// without are the names of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(n string) bool { return slices.Contains(b, n) })
}

func unionNames(a, b []string) []string {
	out := slices.Clone(a)
	for _, n := range b {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// alignSets brings s and t to common parameters and the dimensions of s. Dimensions count by position, as in isl; but one
// name at two positions is taken for a mistake.
func alignSets(s, t *Set) (*Set, *Set) {
	if !slices.Equal(s.dims, t.dims) {
		for i, d := range t.dims {
			if len(s.dims) != len(t.dims) || d != s.dims[i] && slices.Contains(s.dims, d) {
				panic(throw.Errorf("polycount: dimensions %v and %v differ", s.dims, t.dims))
			}
		}
		u := *t
		u.dims = s.dims
		t = &u
	}
	params := unionNames(s.params, t.params)
	for _, p := range params {
		if slices.Contains(s.dims, p) {
			panic(throw.Errorf("polycount: %q is a dimension in one set and a parameter in the other", p))
		}
	}
	a, b := s.respace(params, s.dims), t.respace(params, s.dims)
	a.budget = shared(a.budget, b.budget)
	b.budget = a.budget
	return a, b
}

// Join is the set over dims, in that order, of the points that are in all of the sets: each constrains those of its
// dimensions and parameters that are among dims, and its other parameters are the set's.
func Join(dims []string, sets ...*Set) (out *Set, err error) {
	defer throw.Catch(&err)
	out = NewSet(nil, dims)
	if err := out.check(); err != nil {
		return nil, err
	}
	simple := true
	parts := make([]*Set, len(sets))
	for i, s := range sets {
		params := without(s.params, dims)
		for _, d := range s.dims {
			if !slices.Contains(dims, d) {
				return nil, fmt.Errorf("polycount: dimension %q is not among %v", d, dims)
			}
		}
		out.params = unionNames(out.params, params)
		parts[i] = &Set{params: params, dims: dims}
		simple = simple && s.open == nil && len(s.cs) == 1 && len(s.cs[0].Divs) == 0
	}
	out = NewSet(out.params, dims)
	for _, s := range sets {
		out.budget = shared(out.budget, s.budget)
	}
	if !simple {
		for i, s := range sets {
			if out, err = out.Intersect(s.respace(parts[i].params, dims)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	all := out.cs[0]
	for _, s := range sets {
		c := s.respace(out.params, dims).cs[0]
		all.Eq, all.Ge = append(all.Eq, c.Eq...), append(all.Ge, c.Ge...)
	}
	if all = all.Clone(); !all.Simplify() {
		return out.with(nil), nil
	}
	return out.with([]*linear.Conj{all}), nil
}

// Constrain adds constraints. Names that s does not know become parameters.
func (s *Set) Constrain(cs ...Constraint) (out *Set, err error) {
	defer throw.Catch(&err)
	t := s
	if params := s.withUnknown(cs); len(params) > len(s.params) {
		t = s.respace(params, s.dims)
	}
	return t.rebuilt(t.with(nil), func(old *linear.Conj) *linear.Conj {
		c := old.Clone()
		for _, k := range cs {
			r := affineRow(c, k.Affine, t.at)
			if k.Equality {
				c.AddEQ(r)
			} else {
				c.AddGE(r)
			}
		}
		if !c.Simplify() {
			return nil
		}
		return c
	}), nil
}

// withUnknown are the parameters, and the names in cs that s does not know.
func (s *Set) withUnknown(cs []Constraint) []string {
	params := s.params
	for _, c := range cs {
		if hasColumns(c.Affine, s.at) {
			continue
		}
		for _, n := range c.Affine.Names() {
			if s.at(n) == 0 && !slices.Contains(params[len(s.params):], n) {
				params = append(slices.Clip(params), n)
			}
		}
	}
	return params
}

// Intersect returns s ∩ t.
func (s *Set) Intersect(t *Set) (out *Set, err error) {
	defer throw.Catch(&err)
	s, t = alignSets(s, t)
	return s.meet(s.work(), t), nil
}

// meet is s ∩ t for sets of one space.
func (s *Set) meet(w *linear.Work, t *Set) *Set {
	if s.open == nil && t.open == nil {
		return s.with(w.Intersect(s.cs, t.cs))
	}
	return s.quantified(w, w.Intersect(s.sources(), t.sources()))
}

// Union returns s ∪ t.
func (s *Set) Union(t *Set) (out *Set, err error) {
	defer throw.Catch(&err)
	s, t = alignSets(s, t)
	out = s.with(slices.Concat(s.cs, t.cs))
	if s.open != nil || t.open != nil {
		out.open = slices.Concat(s.sources(), t.sources())
		if out.pending = s.pending || t.pending; out.pending {
			out.cs = nil
		}
	}
	return out, nil
}

// Subtract returns s \ t.
func (s *Set) Subtract(t *Set) (out *Set, err error) {
	defer throw.Catch(&err)
	s, t = alignSets(s, t)
	w := s.work()
	return s.with(w.Subtract(s.members(w), t.members(w))), nil
}

// IntersectParams restricts the parameters to ctx, a set without dimensions.
func (s *Set) IntersectParams(ctx *Set) (out *Set, err error) {
	defer throw.Catch(&err)
	if len(ctx.dims) > 0 {
		return nil, fmt.Errorf("polycount: a set of parameters is needed, this one has dimensions %v", ctx.dims)
	}
	params := unionNames(s.params, ctx.params)
	a := s.respace(params, s.dims)
	if err := a.check(); err != nil {
		return nil, err
	}
	a.budget = shared(a.budget, ctx.budget)
	return a.meet(a.work(), ctx.respace(params, s.dims)), nil
}

// Project keeps the named dimensions, in that order, and eliminates the others exactly over the integers.
func (s *Set) Project(keep ...string) (out *Set, err error) {
	defer throw.Catch(&err)
	for i, k := range keep {
		if !slices.Contains(s.dims, k) {
			return nil, fmt.Errorf("polycount: no dimension %q to keep in %v", k, s.dims)
		}
		if slices.Contains(keep[:i], k) {
			return nil, fmt.Errorf("polycount: dimension %q is kept twice", k)
		}
	}
	drop := make([]bool, len(s.params)+len(s.dims))
	for i, d := range s.dims {
		drop[len(s.params)+i] = !slices.Contains(keep, d)
	}
	p := &Set{params: s.params, dims: without(s.dims, without(s.dims, keep)), cs: s.cs, open: s.open, pending: s.pending, budget: s.budget}
	if len(keep) < len(s.dims) {
		var members []*linear.Conj
		w := s.work()
		for _, c := range s.sources() {
			if c = w.WithoutClosed(c, drop); c == nil {
				continue
			}
			q, _ := c.QuantifyIn(drop, false)
			members = linear.AddMember(members, q)
		}
		p = p.quantified(w, members)
	}
	return p.respace(s.params, keep), nil
}

// ProjectOut eliminates the named dimensions exactly over the integers and keeps the others.
func (s *Set) ProjectOut(names ...string) (*Set, error) {
	for _, n := range names {
		if !slices.Contains(s.dims, n) {
			return nil, fmt.Errorf("polycount: no dimension %q to project out of %v", n, s.dims)
		}
	}
	return s.Project(without(s.dims, names)...)
}

// SameForm reports that s and t are written alike: that they have one space and the same constraints. Sets that differ in
// form can have the same points.
func (s *Set) SameForm(t *Set) bool {
	return s == t || slices.Equal(s.params, t.params) && slices.Equal(s.dims, t.dims) && s.tuple == t.tuple &&
		s.pending == t.pending && slices.EqualFunc(s.cs, t.cs, linear.SameConj) && slices.EqualFunc(s.open, t.open, linear.SameConj)
}

// Hash is the same for sets of the same form.
func (s *Set) Hash() uint64 {
	var h uint64
	for _, cs := range [][]*linear.Conj{s.cs, s.open} {
		for _, c := range cs {
			h = h*31 + c.Hash()
		}
	}
	return h
}

// ToParams turns dimensions into parameters, appended to the others.
func (s *Set) ToParams(dims ...string) *Set {
	left := without(s.dims, dims)
	return s.respace(slices.Concat(s.params, without(s.dims, left)), left)
}

// ToDims turns parameters into dimensions, appended to the others in the order given. Unknown names become
// unconstrained dimensions.
func (s *Set) ToDims(params ...string) *Set {
	return s.respace(without(s.params, params), unionNames(s.dims, params))
}

// AddDims appends unconstrained dimensions; those that exist already stay as they are.
func (s *Set) AddDims(dims ...string) *Set { return s.respace(s.params, unionNames(s.dims, dims)) }

// Rename gives a dimension or parameter another name.
func (s *Set) Rename(old, new string) (*Set, error) {
	out := *s
	out.params, out.dims = slices.Clone(s.params), slices.Clone(s.dims)
	found := false
	for _, names := range [][]string{out.params, out.dims} {
		if i := slices.Index(names, old); i >= 0 {
			names[i], found = new, true
		}
	}
	if !found {
		return nil, fmt.Errorf("polycount: no %q to rename in %v", old, s.names())
	}
	return &out, out.check()
}

// Product concatenates the dimensions of s and t, which must differ in name.
func (s *Set) Product(t *Set) (out *Set, err error) {
	defer throw.Catch(&err)
	params, dims := unionNames(s.params, t.params), slices.Concat(s.dims, t.dims)
	if err := (&Set{params: params, dims: dims}).check(); err != nil {
		return nil, err
	}
	a, b := s.respace(params, dims), t.respace(params, dims)
	a.budget = shared(a.budget, b.budget)
	return a.meet(a.work(), b), nil
}

// Fix substitutes values for dimensions and parameters, which disappear. Names that s does not have are ignored.
func (s *Set) Fix(values map[string]int64) (out *Set, err error) {
	defer throw.Catch(&err)
	out = &Set{tuple: s.tuple, budget: s.budget}
	var by []linear.Row
	put := func(names []string, to *[]string) {
		for _, n := range names {
			if v, ok := values[n]; ok {
				by = append(by, linear.Row{v})
				continue
			}
			*to = append(*to, n)
			at := len(out.params) + len(out.dims)
			by = append(by, linear.Plus(1+at, 0, 1, at))
		}
	}
	put(s.params, &out.params)
	put(s.dims, &out.dims)
	return s.rebuilt(out, func(c *linear.Conj) *linear.Conj {
		if d := c.Substitute(len(out.params)+len(out.dims), by); d.Simplify() {
			return d
		}
		return nil
	}), nil
}

// Disjuncts returns one set per member of the union.
func (s *Set) Disjuncts() []*Set {
	var out []*Set
	for _, c := range s.printed() {
		d := s.with([]*linear.Conj{c})
		if s.pending && c.IsOpen() {
			d.cs, d.open, d.pending = nil, d.cs, true
		}
		out = append(out, d)
	}
	return out
}

// Graph is the set of pairs, the dimensions of the domain before those of the range.
func (m *Map) Graph() *Set { g := *m.set; g.tuple = ""; return &g }
