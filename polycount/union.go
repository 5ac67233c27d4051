package polycount

import (
	"slices"
	"strings"

	"gpuperf/polycount/internal/arith"
)

// The operations on unions are those on their parts: sets of one tuple, or the graphs of maps between one pair.

// space tells the parts of a union apart: by the names and dimensions of their tuples.
type space struct {
	in, out   string
	nIn, nOut int
}

type part struct {
	space
	set *Set // for a map its graph
	of  *Map // whose graph set is, for the names; nil for a set
}

func (u *UnionSet) parts() []part {
	var out []part
	for _, s := range u.sets {
		out = append(out, part{space: space{out: s.tuple, nIn: -1, nOut: len(s.dims)}, set: s})
	}
	return out
}

func (u *UnionMap) parts() []part {
	var out []part
	for _, m := range u.maps {
		out = append(out, part{space: space{m.inTuple, m.set.tuple, len(m.in), len(m.out)}, set: m.Graph(), of: m})
	}
	return out
}

func unionSet(params []string, parts []part) *UnionSet {
	u := &UnionSet{params: params}
	for _, p := range parts {
		s := *p.set
		s.tuple = p.out
		u.sets = append(u.sets, &s)
	}
	return u
}

func unionMap(params []string, parts []part) *UnionMap {
	u := &UnionMap{params: params}
	for _, p := range parts {
		u.maps = append(u.maps, p.of.graphed(p.set))
	}
	return u
}

// pairing applies f to the parts of a and b of one space. Parts of a alone stay with keepA, those of b alone with keepB.
func pairing(a, b []part, keepA, keepB bool, f func(x, y *Set) (*Set, error)) ([]part, error) {
	var out []part
	used := make([]bool, len(b))
	for _, x := range a {
		met := false
		for j, y := range b {
			if x.space != y.space {
				continue
			}
			used[j], met = true, true
			by, err := y.set.named(x.set.dims)
			if err != nil {
				return nil, err
			}
			if x.set, err = f(x.set, by); err != nil {
				return nil, err
			}
		}
		if met || keepA {
			out = append(out, x)
		}
	}
	for j, y := range b {
		if !used[j] && keepB {
			out = append(out, y)
		}
	}
	return out, nil
}

func eachPart(parts []part, f func(*Set) (*Set, error)) ([]part, error) {
	out := slices.Clone(parts)
	for i, p := range out {
		s, err := f(p.set)
		if err != nil {
			return nil, err
		}
		out[i].set = s
	}
	return out, nil
}

func allEmpty(parts []part) (bool, error) {
	for _, p := range parts {
		if empty, err := p.set.IsEmpty(); err != nil || !empty {
			return false, err
		}
	}
	return true, nil
}

func (u *UnionSet) combined(v *UnionSet, keepA, keepB bool, f func(x, y *Set) (*Set, error)) (*UnionSet, error) {
	parts, err := pairing(u.parts(), v.parts(), keepA, keepB, f)
	if err != nil {
		return nil, err
	}
	return unionSet(unionNames(u.params, v.params), parts), nil
}

// Union returns u ∪ v. The dimensions of tuples of one name count by position, here and in the operations below.
func (u *UnionSet) Union(v *UnionSet) (*UnionSet, error) {
	return u.combined(v, true, true, (*Set).Union)
}

// Intersect returns u ∩ v.
func (u *UnionSet) Intersect(v *UnionSet) (*UnionSet, error) {
	return u.combined(v, false, false, (*Set).Intersect)
}

// Subtract returns u \ v.
func (u *UnionSet) Subtract(v *UnionSet) (*UnionSet, error) {
	return u.combined(v, true, false, (*Set).Subtract)
}

// Gist drops from u the constraints that those of ctx imply: the result agrees with u on ctx. Parts of which ctx has
// none are dropped.
func (u *UnionSet) Gist(ctx *UnionSet) (*UnionSet, error) {
	return u.combined(ctx, false, false, (*Set).Gist)
}

// IsEmpty decides whether u has no point for any values of the parameters.
func (u *UnionSet) IsEmpty() (bool, error) { return allEmpty(u.parts()) }

// IsSubset decides u ⊆ v.
func (u *UnionSet) IsSubset(v *UnionSet) (bool, error) {
	d, err := u.Subtract(v)
	if err != nil {
		return false, err
	}
	return d.IsEmpty()
}

// IsEqual decides u = v as sets of points.
func (u *UnionSet) IsEqual(v *UnionSet) (bool, error) {
	in, err := u.IsSubset(v)
	if err != nil || !in {
		return false, err
	}
	return v.IsSubset(u)
}

func (u *UnionSet) mapped(f func(*Set) (*Set, error)) (*UnionSet, error) {
	parts, err := eachPart(u.parts(), f)
	if err != nil {
		return nil, err
	}
	params := u.params
	if len(parts) > 0 {
		params = parts[0].set.params
		for _, p := range parts[1:] {
			params = unionNames(params, p.set.params)
		}
	}
	return unionSet(params, parts), nil
}

// Coalesce merges members of each part whose union is one conjunction, and drops those that others cover.
func (u *UnionSet) Coalesce() (*UnionSet, error) { return u.mapped((*Set).Coalesce) }

// Lexmin returns the lexicographically least point of each part, where there is one.
func (u *UnionSet) Lexmin() (*UnionSet, error) { return u.mapped((*Set).Lexmin) }

// Lexmax returns the lexicographically greatest point of each part, where there is one.
func (u *UnionSet) Lexmax() (*UnionSet, error) { return u.mapped((*Set).Lexmax) }

// Fix substitutes values for parameters, which disappear.
func (u *UnionSet) Fix(values map[string]int64) (*UnionSet, error) {
	return u.mapped(func(s *Set) (*Set, error) { return s.Fix(s.paramValues(values)) })
}

// paramValues are those of the values that stand for parameters of s.
func (s *Set) paramValues(values map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for _, p := range s.params {
		if v, ok := values[p]; ok {
			out[p] = v
		}
	}
	return out
}

// Sample returns a point of u with parameter values, by name, and the part it lies in, nil when u is empty.
func (u *UnionSet) Sample() (of *Set, point map[string]int64, err error) {
	for _, s := range u.sets {
		if point, ok, err := s.Sample(); err != nil || ok {
			return s, point, err
		}
	}
	return nil, nil, nil
}

// Apply is the set of images of u under m: of each part under the maps from its tuple.
func (u *UnionSet) Apply(m *UnionMap) (*UnionSet, error) {
	r, err := m.IntersectDomain(u)
	if err != nil {
		return nil, err
	}
	return r.Range()
}

func (u *UnionMap) combined(v *UnionMap, keepA, keepB bool, f func(x, y *Set) (*Set, error)) (*UnionMap, error) {
	parts, err := pairing(u.parts(), v.parts(), keepA, keepB, f)
	if err != nil {
		return nil, err
	}
	return unionMap(unionNames(u.params, v.params), parts), nil
}

// Union is the pairs of u or v. Dimensions count by position, here and in the operations below.
func (u *UnionMap) Union(v *UnionMap) (*UnionMap, error) {
	return u.combined(v, true, true, (*Set).Union)
}

// Intersect is the pairs of both u and v.
func (u *UnionMap) Intersect(v *UnionMap) (*UnionMap, error) {
	return u.combined(v, false, false, (*Set).Intersect)
}

// Subtract is the pairs of u that are not in v.
func (u *UnionMap) Subtract(v *UnionMap) (*UnionMap, error) {
	return u.combined(v, true, false, (*Set).Subtract)
}

// Gist drops from u the constraints that those of ctx imply. Parts of which ctx has none are dropped.
func (u *UnionMap) Gist(ctx *UnionMap) (*UnionMap, error) {
	return u.combined(ctx, false, false, (*Set).Gist)
}

// IsEmpty decides whether u has no pair for any values of the parameters.
func (u *UnionMap) IsEmpty() (bool, error) { return allEmpty(u.parts()) }

// IsSubset decides u ⊆ v.
func (u *UnionMap) IsSubset(v *UnionMap) (bool, error) {
	d, err := u.Subtract(v)
	if err != nil {
		return false, err
	}
	return d.IsEmpty()
}

// IsEqual decides u = v as sets of pairs.
func (u *UnionMap) IsEqual(v *UnionMap) (bool, error) {
	in, err := u.IsSubset(v)
	if err != nil || !in {
		return false, err
	}
	return v.IsSubset(u)
}

// each applies f to every map.
func (u *UnionMap) each(f func(*Map) (*Map, error)) (*UnionMap, error) {
	out := &UnionMap{params: u.params}
	for i, m := range u.maps {
		x, err := f(m)
		if err != nil {
			return nil, err
		}
		out.maps = append(out.maps, x)
		if i == 0 {
			out.params = x.set.params
		}
		out.params = unionNames(out.params, x.set.params)
	}
	return out, nil
}

// Coalesce merges members of each map whose union is one conjunction, and drops those that others cover.
func (u *UnionMap) Coalesce() (*UnionMap, error) { return u.each((*Map).Coalesce) }

// Lexmin maps each tuple of a domain to its lexicographically least image in each of the ranges, where there is one.
func (u *UnionMap) Lexmin() (*UnionMap, error) { return u.each((*Map).Lexmin) }

// Lexmax maps each tuple of a domain to its lexicographically greatest image in each of the ranges, where there is one.
func (u *UnionMap) Lexmax() (*UnionMap, error) { return u.each((*Map).Lexmax) }

// Fix substitutes values for parameters, which disappear.
func (u *UnionMap) Fix(values map[string]int64) (*UnionMap, error) {
	return u.each(func(m *Map) (*Map, error) { return m.Fix(m.set.paramValues(values)) })
}

// Reverse swaps domains and ranges.
func (u *UnionMap) Reverse() *UnionMap {
	out := &UnionMap{params: u.params}
	for _, m := range u.maps {
		out.maps = append(out.maps, m.Reverse())
	}
	return out
}

// Domain is the union of the domains; parts with one domain tuple share its set.
func (u *UnionMap) Domain() (*UnionSet, error) { return u.Reverse().Range() }

// IntersectDomain restricts u to arguments in s.
func (u *UnionMap) IntersectDomain(s *UnionSet) (*UnionMap, error) {
	out := &UnionMap{params: unionNames(u.params, s.params)}
	for _, m := range u.maps {
		for _, d := range s.sets {
			if d.tuple != m.inTuple || len(d.dims) != len(m.in) {
				continue
			}
			r, err := m.IntersectDomain(d)
			if err != nil {
				return nil, err
			}
			out.maps = append(out.maps, r)
		}
	}
	return out, nil
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
	out := &UnionMap{params: unionNames(u.params, next.params)}
	for _, m := range u.maps {
		for _, n := range next.maps {
			if m.set.tuple != n.inTuple || len(m.out) != len(n.in) {
				continue
			}
			x, err := m.Then(n)
			if err != nil {
				return nil, err
			}
			if out, err = out.Union(&UnionMap{params: x.set.params, maps: []*Map{x}}); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Sample returns a pair of u with parameter values, by name, and the map it is of, nil when u is empty.
func (u *UnionMap) Sample() (of *Map, point map[string]int64, err error) {
	for _, m := range u.maps {
		if point, ok, err := m.Sample(); err != nil || ok {
			return m, point, err
		}
	}
	return nil, nil, nil
}

// TupleCount is a count for the tuples of one name and dimension.
type TupleCount struct {
	Tuple string
	Dims  []string // parameters of Count, beside those of the map
	Count *Poly
}

// Card is the number of images, in all ranges, of each tuple of each domain: images in tuples of different names are
// different. Options and errors are those of Count.
func (u *UnionMap) Card(opts ...Option) ([]TupleCount, error) {
	var out []TupleCount
next:
	for _, m := range u.maps {
		for i, c := range out {
			if c.Tuple != m.inTuple || len(c.Dims) != len(m.in) {
				continue
			}
			g, err := m.Graph().named(slices.Concat(c.Dims, m.freshOut(c.Dims)))
			if err != nil {
				return nil, err
			}
			n, err := g.ToParams(c.Dims...).Count(opts...)
			if err != nil {
				return nil, err
			}
			if out[i].Count, err = c.Count.Add(n); err != nil {
				return nil, err
			}
			continue next
		}
		n, err := m.Card(opts...)
		if err != nil {
			return nil, err
		}
		out = append(out, TupleCount{m.inTuple, m.In(), n})
	}
	return out, nil
}

// freshOut are names for the range that differ from the given ones and the parameters.
func (m *Map) freshOut(taken []string) []string {
	taken = slices.Concat(taken, m.set.params)
	out := slices.Clone(m.out)
	for i, n := range out {
		for slices.Contains(taken, n) {
			n += "_"
		}
		out[i] = n
		taken = append(taken, n)
	}
	return out
}

// UnionSet is a union of sets of differently named tuples, as in { A[i] : 0 <= i < 4; B[i,j] : i = j }: tuples of one
// name and one dimension form a Set. It is immutable.
type UnionSet struct {
	params []string
	sets   []*Set // in the order of first occurrence
}

// Sets are the parts of one tuple each, in the order of their first disjuncts.
func (u *UnionSet) Sets() []*Set { return slices.Clone(u.sets) }

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

// UnionMap is a union of maps between differently named tuples. It is immutable.
type UnionMap struct {
	params []string
	maps   []*Map
}

// Maps are the parts between one pair of tuples each, in the order of their first disjuncts.
func (u *UnionMap) Maps() []*Map { return slices.Clone(u.maps) }

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

// Params are the parameters, in order.
func (u *UnionSet) Params() []string { return slices.Clone(u.params) }

// String prints u in isl's notation; ParseUnionSet reads it back.
func (u *UnionSet) String() string {
	texts := make([]string, len(u.sets))
	for i, s := range u.sets {
		texts[i] = s.String()
	}
	return unionText(u.params, texts)
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

// Params are the parameters, in order.
func (u *UnionMap) Params() []string { return slices.Clone(u.params) }

// String prints u in isl's notation; ParseUnionMap reads it back.
func (u *UnionMap) String() string {
	texts := make([]string, len(u.maps))
	for i, m := range u.maps {
		texts[i] = m.String()
	}
	return unionText(u.params, texts)
}
