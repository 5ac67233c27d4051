package polycount

import (
	"slices"
	"strings"

	"gpuperf/polycount/internal/arith"
)

// UnionSet is a union of sets of differently named tuples, as in { A[i] : 0 <= i < 4; B[i,j] : i = j }: tuples of one
// name and one dimension form a Set. It is immutable.
type UnionSet struct {
	params []string
	sets   []*Set // in the order of first occurrence
}

// ParseUnionSet reads a set in isl's notation whose disjuncts may differ in name and dimension. Errors are *source.Error.
func ParseUnionSet(text string) (u *UnionSet, err error) {
	defer arith.Rescue(&err)
	p := newParser(text)
	params, rs := p.relations()
	u = &UnionSet{params: params}
	for _, r := range rs {
		if r.isMap {
			p.failAt(r.arrow, "a set is needed here, this is a map")
		}
		u.sets = append(u.sets, r.set())
	}
	return u, nil
}

// Sets are the parts of one tuple each, in the order of their first disjuncts.
func (u *UnionSet) Sets() []*Set { return slices.Clone(u.sets) }

// Params are the parameters, in order.
func (u *UnionSet) Params() []string { return slices.Clone(u.params) }

// Count is the number of points of all parts: equal numbers in tuples of different names are different points.
func (u *UnionSet) Count(opts ...Option) (*Poly, error) {
	total := newPoly(u.params)
	for _, s := range u.sets {
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
	texts := make([]string, len(u.sets))
	for i, s := range u.sets {
		texts[i] = s.String()
	}
	return unionText(u.params, texts)
}

// UnionMap is a union of maps between differently named tuples. It is immutable.
type UnionMap struct {
	params []string
	maps   []*Map
}

// ParseUnionMap reads a map in isl's notation whose disjuncts may differ in names and dimensions. Errors are *source.Error.
func ParseUnionMap(text string) (u *UnionMap, err error) {
	defer arith.Rescue(&err)
	p := newParser(text)
	params, rs := p.relations()
	u = &UnionMap{params: params}
	for _, r := range rs {
		if !r.isMap {
			p.failAt(0, "a map is needed here, this is a set")
		}
		u.maps = append(u.maps, r.relationMap())
	}
	return u, nil
}

// Maps are the parts between one pair of tuples each, in the order of their first disjuncts.
func (u *UnionMap) Maps() []*Map { return slices.Clone(u.maps) }

// Params are the parameters, in order.
func (u *UnionMap) Params() []string { return slices.Clone(u.params) }

// Range is the union of the ranges; parts with one range tuple share its set.
func (u *UnionMap) Range() (*UnionSet, error) {
	out := &UnionSet{params: u.params}
next:
	for _, m := range u.maps {
		r, err := m.Range()
		if err != nil {
			return nil, err
		}
		for i, s := range out.sets {
			if s.tuple == r.tuple && len(s.dims) == len(r.dims) {
				by := &Set{params: r.params, dims: s.dims, tuple: r.tuple, cs: r.cs, open: r.open, pending: r.pending}
				if out.sets[i], err = s.Union(by); err != nil {
					return nil, err
				}
				continue next
			}
		}
		out.sets = append(out.sets, r)
	}
	return out, nil
}

// String prints u in isl's notation; ParseUnionMap reads it back.
func (u *UnionMap) String() string {
	texts := make([]string, len(u.maps))
	for i, m := range u.maps {
		texts[i] = m.String()
	}
	return unionText(u.params, texts)
}

// unionText joins the bodies of relations over the same parameters.
func unionText(params, texts []string) string {
	head := ""
	if len(params) > 0 {
		head = "[" + strings.Join(params, ", ") + "] -> "
	}
	for i, t := range texts {
		texts[i] = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(t, head), "{ "), " }")
	}
	if len(texts) == 0 {
		return head + "{ }"
	}
	return head + "{ " + strings.Join(texts, "; ") + " }"
}
