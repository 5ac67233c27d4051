package polycount

import (
	"slices"
	"strings"

	"gpuperf/polycount/internal/arith"
)

// union holds the relations of a UnionSet or a UnionMap, at most one between each pair of tuples. A set is held as a map
// without domain. Dimensions of tuples of one name count by position.
type union struct {
	params []string
	parts  []*Map // in the order of first occurrence
}

// space identifies a part of a union: the names and dimensions of its tuples.
type space struct {
	in, out   string
	nIn, nOut int
}

func (m *Map) space() space { return space{m.inTuple, m.set.tuple, len(m.in), len(m.out)} }

// combined applies f to the parts of u and v between the same tuples. Parts that only u has stay with keepU, those that
// only v has stay with keepV.
func (u union) combined(v union, keepU, keepV bool, f func(x, y *Map) (*Map, error)) (out union, err error) {
	out.params = unionNames(u.params, v.params)
	in := func(w union, m *Map) int {
		return slices.IndexFunc(w.parts, func(x *Map) bool { return x.space() == m.space() })
	}
	for _, x := range u.parts {
		if at := in(v, x); at >= 0 {
			if x, err = f(x, v.parts[at]); err != nil {
				return union{}, err
			}
		} else if !keepU {
			continue
		}
		out.parts = append(out.parts, x)
	}
	for _, y := range v.parts {
		if keepV && in(u, y) < 0 {
			out.parts = append(out.parts, y)
		}
	}
	return out, nil
}

func (u union) with(v union) (union, error) { return u.combined(v, true, true, (*Map).Union) }
func (u union) intersect(v union) (union, error) {
	return u.combined(v, false, false, (*Map).Intersect)
}

func (u union) subtract(v union) (union, error) { return u.combined(v, true, false, (*Map).Subtract) }

// each applies f to every part.
func (u union) each(f func(*Map) (*Map, error)) (union, error) {
	out := union{params: u.params}
	for _, m := range u.parts {
		x, err := f(m)
		if err != nil {
			return union{}, err
		}
		out.parts = append(out.parts, x)
	}
	return out, nil
}

// Params are the parameters, in order.
func (u union) Params() []string { return slices.Clone(u.params) }

// IsEmpty decides whether u has no tuple for any values of the parameters.
func (u union) IsEmpty() (bool, error) {
	for _, m := range u.parts {
		if empty, err := m.IsEmpty(); err != nil || !empty {
			return false, err
		}
	}
	return true, nil
}

func (u union) isSubset(v union) (bool, error) {
	rest, err := u.subtract(v)
	if err != nil {
		return false, err
	}
	return rest.IsEmpty()
}

// text joins the bodies of the parts, printed by text.
func (u union) text(text func(*Map) string) string {
	head := ""
	if len(u.params) > 0 {
		head = "[" + strings.Join(u.params, ", ") + "] -> "
	}
	if len(u.parts) == 0 {
		return head + "{ }"
	}
	bodies := make([]string, len(u.parts))
	for i, m := range u.parts {
		bodies[i] = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text(m), head), "{ "), " }")
	}
	return head + "{ " + strings.Join(bodies, "; ") + " }"
}

// UnionSet is a union of sets of differently named tuples, as in { A[i] : 0 <= i < 4; B[i,j] : i = j }: tuples of one
// name and one dimension form a Set. The dimensions of tuples of one name count by position. It is immutable.
type UnionSet struct{ union }

func asUnionSet(u union, err error) (*UnionSet, error) {
	if err != nil {
		return nil, err
	}
	return &UnionSet{u}, nil
}

// ParseUnionSet reads a set in isl's notation whose disjuncts may differ in name and dimension. Errors are *source.Error.
func ParseUnionSet(text string) (u *UnionSet, err error) {
	defer arith.Rescue(&err)
	p := newParser(text)
	params, rs := p.relations()
	u = &UnionSet{union{params: params}}
	for _, r := range rs {
		if r.isMap {
			p.failAt(r.arrow, "a set is needed here, this is a map")
		}
		u.parts = append(u.parts, &Map{out: r.out, set: r.set()})
	}
	return u, nil
}

// Sets are the parts of one tuple each, in the order of their first disjuncts.
func (u *UnionSet) Sets() []*Set {
	sets := make([]*Set, len(u.parts))
	for i, m := range u.parts {
		sets[i] = m.set
	}
	return sets
}

// Count is the number of points of all parts: equal numbers in tuples of different names are different points.
func (u *UnionSet) Count(opts ...Option) (*Poly, error) {
	total := newPoly(u.params)
	for _, s := range u.Sets() {
		p, err := s.Count(opts...)
		if err != nil {
			return nil, err
		}
		if total, err = total.Add(p); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// String prints u in isl's notation; ParseUnionSet reads it back.
func (u *UnionSet) String() string {
	return u.union.text(func(m *Map) string { return m.set.String() })
}

// Union returns u ∪ v.
func (u *UnionSet) Union(v *UnionSet) (*UnionSet, error) { return asUnionSet(u.union.with(v.union)) }

// Intersect returns u ∩ v.
func (u *UnionSet) Intersect(v *UnionSet) (*UnionSet, error) {
	return asUnionSet(u.union.intersect(v.union))
}

// Subtract returns u \ v.
func (u *UnionSet) Subtract(v *UnionSet) (*UnionSet, error) {
	return asUnionSet(u.union.subtract(v.union))
}

// Coalesce merges members of each part whose union is one conjunction, and drops those that others cover.
func (u *UnionSet) Coalesce() (*UnionSet, error) { return asUnionSet(u.union.each((*Map).Coalesce)) }

// IsSubset decides u ⊆ v.
func (u *UnionSet) IsSubset(v *UnionSet) (bool, error) { return u.union.isSubset(v.union) }

// IsEqual decides u = v as sets of points.
func (u *UnionSet) IsEqual(v *UnionSet) (bool, error) { return mutual((*UnionSet).IsSubset, u, v) }

// Apply is the set of images of u under m: of each part under the maps from its tuple.
func (u *UnionSet) Apply(m *UnionMap) (*UnionSet, error) {
	r, err := m.IntersectDomain(u)
	if err != nil {
		return nil, err
	}
	return r.Range()
}

// UnionMap is a union of maps between differently named tuples, whose dimensions count by position. It is immutable.
type UnionMap struct{ union }

func asUnionMap(u union, err error) (*UnionMap, error) {
	if err != nil {
		return nil, err
	}
	return &UnionMap{u}, nil
}

// ParseUnionMap reads a map in isl's notation whose disjuncts may differ in names and dimensions. Errors are *source.Error.
func ParseUnionMap(text string) (u *UnionMap, err error) {
	defer arith.Rescue(&err)
	p := newParser(text)
	params, rs := p.relations()
	u = &UnionMap{union{params: params}}
	for _, r := range rs {
		if !r.isMap {
			p.failAt(0, "a map is needed here, this is a set")
		}
		u.parts = append(u.parts, r.relationMap())
	}
	return u, nil
}

// Maps are the parts between one pair of tuples each, in the order of their first disjuncts.
func (u *UnionMap) Maps() []*Map { return slices.Clone(u.parts) }

// String prints u in isl's notation; ParseUnionMap reads it back.
func (u *UnionMap) String() string { return u.union.text((*Map).String) }

// Union is the pairs of u or v.
func (u *UnionMap) Union(v *UnionMap) (*UnionMap, error) { return asUnionMap(u.union.with(v.union)) }

// Intersect is the pairs of both u and v.
func (u *UnionMap) Intersect(v *UnionMap) (*UnionMap, error) {
	return asUnionMap(u.union.intersect(v.union))
}

// Subtract is the pairs of u that are not in v.
func (u *UnionMap) Subtract(v *UnionMap) (*UnionMap, error) {
	return asUnionMap(u.union.subtract(v.union))
}

// Coalesce merges members of each map whose union is one conjunction, and drops those that others cover.
func (u *UnionMap) Coalesce() (*UnionMap, error) { return asUnionMap(u.union.each((*Map).Coalesce)) }

// Lexmin maps each tuple of a domain to its lexicographically least image in each of the ranges, where there is one.
func (u *UnionMap) Lexmin() (*UnionMap, error) { return asUnionMap(u.union.each((*Map).Lexmin)) }

// Lexmax maps each tuple of a domain to its lexicographically greatest image in each of the ranges, where there is one.
func (u *UnionMap) Lexmax() (*UnionMap, error) { return asUnionMap(u.union.each((*Map).Lexmax)) }

// IsSubset decides u ⊆ v.
func (u *UnionMap) IsSubset(v *UnionMap) (bool, error) { return u.union.isSubset(v.union) }

// IsEqual decides u = v as sets of pairs.
func (u *UnionMap) IsEqual(v *UnionMap) (bool, error) { return mutual((*UnionMap).IsSubset, u, v) }

// Reverse swaps domains and ranges.
func (u *UnionMap) Reverse() *UnionMap {
	out := union{params: u.params}
	for _, m := range u.parts {
		out.parts = append(out.parts, m.Reverse())
	}
	return &UnionMap{out}
}

// Range is the union of the ranges; parts with one range tuple share its set.
func (u *UnionMap) Range() (*UnionSet, error) {
	out := union{params: u.params}
	for _, m := range u.parts {
		r, err := m.Range()
		if err != nil {
			return nil, err
		}
		if out, err = out.with(union{parts: []*Map{{out: r.dims, set: r}}}); err != nil {
			return nil, err
		}
	}
	return &UnionSet{out}, nil
}

// Domain is the union of the domains; parts with one domain tuple share its set.
func (u *UnionMap) Domain() (*UnionSet, error) { return u.Reverse().Range() }

// IntersectDomain restricts u to arguments in s.
func (u *UnionMap) IntersectDomain(s *UnionSet) (*UnionMap, error) {
	out := union{params: unionNames(u.params, s.params)}
	for _, m := range u.parts {
		for _, d := range s.Sets() {
			if d.tuple != m.inTuple || len(d.dims) != len(m.in) {
				continue
			}
			r, err := m.IntersectDomain(d)
			if err != nil {
				return nil, err
			}
			out.parts = append(out.parts, r)
		}
	}
	return &UnionMap{out}, nil
}

// IntersectRange restricts u to images in s.
func (u *UnionMap) IntersectRange(s *UnionSet) (*UnionMap, error) {
	r, err := u.Reverse().IntersectDomain(s)
	if err != nil {
		return nil, err
	}
	return r.Reverse(), nil
}

// Preimage is the set of tuples with an image in s.
func (u *UnionMap) Preimage(s *UnionSet) (*UnionSet, error) { return s.Apply(u.Reverse()) }

// Then is the composition x → next(u(x)), through each tuple that is a range of u and a domain of next.
func (u *UnionMap) Then(next *UnionMap) (*UnionMap, error) {
	out := union{params: unionNames(u.params, next.params)}
	for _, m := range u.parts {
		for _, n := range next.parts {
			if m.set.tuple != n.inTuple || len(m.out) != len(n.in) {
				continue
			}
			x, err := m.Then(n)
			if err != nil {
				return nil, err
			}
			if out, err = out.with(union{parts: []*Map{x}}); err != nil {
				return nil, err
			}
		}
	}
	return &UnionMap{out}, nil
}

// TupleCount is a count for the tuples of one name and dimension.
type TupleCount struct {
	Tuple string
	Dims  []string // parameters of Count, in addition to those of the map
	Count *Poly
}

// Card is the number of images, in all ranges, of each tuple of each domain: images in tuples of different names are
// different. Options and errors are those of Count.
func (u *UnionMap) Card(opts ...Option) ([]TupleCount, error) {
	var out []TupleCount
	for _, m := range u.parts {
		at := slices.IndexFunc(out, func(c TupleCount) bool { return c.Tuple == m.inTuple && len(c.Dims) == len(m.in) })
		if at >= 0 { // the counts of one tuple are added, in its first names
			dims := out[at].Dims
			g, err := m.Graph().named(slices.Concat(dims, freshNames(m.out, slices.Concat(dims, m.set.params))))
			if err != nil {
				return nil, err
			}
			m = &Map{in: dims, inTuple: m.inTuple, set: g}
		}
		n, err := m.Card(opts...)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			out = append(out, TupleCount{m.inTuple, m.In(), n})
		} else if out[at].Count, err = out[at].Count.Add(n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// freshNames changes names that are taken, or that stand twice.
func freshNames(names, taken []string) []string {
	taken = slices.Clone(taken)
	out := slices.Clone(names)
	for i, n := range out {
		for slices.Contains(taken, n) {
			n += "_"
		}
		out[i] = n
		taken = append(taken, n)
	}
	return out
}
