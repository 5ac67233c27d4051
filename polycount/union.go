package polycount

import (
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
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

// with is the union of u and v, of which parts between the same tuples become one.
func (u union) with(v union) (union, error) {
	out := union{unionNames(u.params, v.params), slices.Clone(u.parts)}
	for _, m := range v.parts {
		at := slices.IndexFunc(out.parts, func(x *Map) bool { return x.space() == m.space() })
		if at < 0 {
			out.parts = append(out.parts, m)
			continue
		}
		both, err := out.parts[at].Union(m)
		if err != nil {
			return union{}, err
		}
		out.parts[at] = both
	}
	return out, nil
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

// ParseUnionSet reads a set in isl's notation whose disjuncts may differ in name and dimension. Errors are *source.Error.
func ParseUnionSet(text string) (u *UnionSet, err error) {
	defer throw.Catch(&err)
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
	return lists.Map(u.parts, func(m *Map) *Set { return m.set })
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

// UnionMap is a union of maps between differently named tuples, whose dimensions count by position. It is immutable.
type UnionMap struct{ union }

// ParseUnionMap reads a map in isl's notation whose disjuncts may differ in names and dimensions. Errors are *source.Error.
func ParseUnionMap(text string) (u *UnionMap, err error) {
	defer throw.Catch(&err)
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

// String prints u in isl's notation; ParseUnionMap reads it back.
func (u *UnionMap) String() string { return u.union.text((*Map).String) }

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
