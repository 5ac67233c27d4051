package polycount

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

func mustUnionSet(t testing.TB, text string) *UnionSet {
	t.Helper()
	u, err := ParseUnionSet(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

func mustUnionMap(t testing.TB, text string) *UnionMap {
	t.Helper()
	u, err := ParseUnionMap(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

func TestUnionSetOperations(t *testing.T) {
	type op = func(a, b *UnionSet) (*UnionSet, error)
	ops := map[string]op{
		"∪":    (*UnionSet).Union,
		"∩":    (*UnionSet).Intersect,
		`\`:    (*UnionSet).Subtract,
		"coal": func(a, _ *UnionSet) (*UnionSet, error) { return a.Coalesce() },
	}
	for _, c := range []struct{ op, a, b, want string }{
		{"∪", "{ A[i] : 0 <= i < 4 }", "{ A[x] : 2 <= x < 6; B[i,j] : i = j }", "{ A[i] : 0 <= i < 6; B[i,j] : i = j }"},
		{"∩", "[n] -> { A[i] : 0 <= i < n; B[i] }", "{ A[x] : x >= 2; C[i] }", "[n] -> { A[i] : 2 <= i < n }"},
		{"∩", "{ A[i] }", "{ A[i,j] }", "{ }"},
		{`\`, "{ A[i] : 0 <= i < 9; B[i] : 0 <= i < 3 }", "{ A[i] : i mod 2 = 0; C[i] }", "{ A[i] : 0 <= i < 9 and i mod 2 = 1; B[i] : 0 <= i < 3 }"},
		{"coal", "{ A[i] : 0 <= i < 4; A[i] : 4 <= i < 9; B[i] : i = 2 }", "{ }", "{ A[i] : 0 <= i < 9; B[2] }"},
	} {
		got, err := ops[c.op](mustUnionSet(t, c.a), mustUnionSet(t, c.b))
		if err != nil {
			t.Errorf("%s %s %s: %v", c.a, c.op, c.b, err)
			continue
		}
		if !must(got.IsEqual(mustUnionSet(t, c.want))) {
			t.Errorf("%s %s %s: %v, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
	if must(mustUnionSet(t, "{ A[i] }").IsSubset(mustUnionSet(t, "{ B[i] }"))) {
		t.Error("A[i] is in B[i]")
	}
}

func TestUnionMapOperations(t *testing.T) {
	type op = func(a, b *UnionMap) (*UnionMap, error)
	ops := map[string]op{
		"∪":    (*UnionMap).Union,
		"∩":    (*UnionMap).Intersect,
		`\`:    (*UnionMap).Subtract,
		"then": (*UnionMap).Then,
		"min":  func(a, _ *UnionMap) (*UnionMap, error) { return a.Lexmin() },
		"max":  func(a, _ *UnionMap) (*UnionMap, error) { return a.Lexmax() },
		"coal": func(a, _ *UnionMap) (*UnionMap, error) { return a.Coalesce() },
		"rev":  func(a, _ *UnionMap) (*UnionMap, error) { return a.Reverse(), nil },
	}
	for _, c := range []struct{ op, a, b, want string }{
		{"∪", "{ A[i] -> x[i] }", "{ A[j] -> x[k] : k = j + 1; A[i] -> y[i] }", "{ A[i] -> x[a] : i <= a <= i + 1; A[i] -> y[i] }"},
		{"∩", "{ A[i] -> x[j] : i <= j; B[i] -> x[i] }", "{ A[p] -> x[q] : q <= p }", "{ A[i] -> x[i] }"},
		{`\`, "{ A[i] -> x[j] : 0 <= i,j < 3 }", "{ A[i] -> x[i] }", "{ A[i] -> x[j] : 0 <= i,j < 3 and i != j }"},
		{"then", "{ A[i] -> x[2i]; A[i] -> y[i] }", "{ x[j] -> z[j + 1]; y[j] -> z[j]; w[j] -> z[0] }", "{ A[i] -> z[2i + 1]; A[i] -> z[i] }"},
		{"min", "[n] -> { A[i] -> x[j] : j >= i and 2j >= n }", "{ }", "[n] -> { A[i] -> x[i] : 2i >= n; A[i] -> x[-floor(-n/2)] : 2i < n }"},
		{"max", "{ A[i] -> x[j] : 3j <= i }", "{ }", "{ A[i] -> x[floor(i/3)] }"},
		{"coal", "{ A[i] -> x[i] : i > 0; A[i] -> x[i] : i <= 0 }", "{ }", "{ A[i] -> x[i] }"},
		{"rev", "{ A[i] -> x[2i] }", "{ }", "{ x[j] -> A[i] : j = 2i }"},
	} {
		b := &UnionMap{}
		if c.b != "{ }" {
			b = mustUnionMap(t, c.b)
		}
		got, err := ops[c.op](mustUnionMap(t, c.a), b)
		if err != nil {
			t.Errorf("%s %s %s: %v", c.a, c.op, c.b, err)
			continue
		}
		if !must(got.IsEqual(mustUnionMap(t, c.want))) {
			t.Errorf("%s %s %s: %v, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
	m := mustUnionMap(t, "[n] -> { A[i] -> x[2i] : 0 <= i < n; A[i] -> y[i,j] : 0 <= j < i; B[k] -> x[k] }")
	for _, c := range []struct {
		got  *UnionSet
		want string
	}{
		{must(m.Domain()), "[n] -> { A[i] : 0 <= i < n or i > 0; B[k] }"},
		{must(m.Range()), "[n] -> { x[k]; y[i,j] : 0 <= j < i }"},
		{must(mustUnionSet(t, "{ A[3]; C[i] }").Apply(m)), "[n] -> { x[6] : n > 3; y[3,j] : 0 <= j < 3 }"},
		{must(m.Preimage(mustUnionSet(t, "{ x[4] }"))), "[n] -> { A[2] : n > 2; B[4] }"},
	} {
		if !must(c.got.IsEqual(mustUnionSet(t, c.want))) {
			t.Errorf("%v, want %s", c.got, c.want)
		}
	}
	var texts []string
	for _, c := range must(m.Card()) {
		texts = append(texts, fmt.Sprint(c.Tuple, c.Dims, " ", c.Count))
	}
	want := "A[i] [n, i] -> { i : i >= n and i > 0; 1 + i : 0 <= i < n }\nB[k] [n, k] -> { 1 }"
	if got := strings.Join(texts, "\n"); got != want {
		t.Errorf("card\n%s\nwant\n%s", got, want)
	}
}

// The operations on unions have their meaning at every point of a box.
func TestRandomUnions(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	for range *randomSets / 20 {
		a1, b1 := randomPair(t, r)
		a2, b2 := randomPair(t, r)
		named := func(s *Set, tuple string) *Set {
			u := *s
			u.tuple = tuple
			return &u
		}
		both := func(x, y *Set) *UnionSet {
			u := union{params: unionNames(x.params, y.params)}
			for _, s := range []*Set{x, y} {
				u.parts = append(u.parts, &Map{out: s.dims, set: s})
			}
			return &UnionSet{u}
		}
		a := both(named(a1, "A"), named(a2, "B"))
		b := both(named(b2, "B"), named(b1, "A"))
		for _, c := range []struct {
			name string
			got  *UnionSet
			want func(x, y bool) bool
		}{
			{"∪", must(a.Union(b)), func(x, y bool) bool { return x || y }},
			{"∩", must(a.Intersect(b)), func(x, y bool) bool { return x && y }},
			{`\`, must(a.Subtract(b)), func(x, y bool) bool { return x && !y }},
			{"coalesced", must(must(a.Union(b)).Coalesce()), func(x, y bool) bool { return x || y }},
		} {
			for k, tuple := range []string{"A", "B"} {
				x, y := []*Set{a1, a2}[k], []*Set{b1, b2}[k]
				i := slices.IndexFunc(c.got.Sets(), func(s *Set) bool { return s.tuple == tuple })
				eachPoint(x.names(), boxLo, 5, func(at map[string]int64) {
					in := i >= 0 && contains(t, c.got.Sets()[i], at)
					if in != c.want(contains(t, x, at), contains(t, y, at)) {
						t.Fatalf("%v %s %v\nis %v, wrong in %s at %v", a, c.name, b, c.got, tuple, at)
					}
				})
			}
		}
	}
}

// Maps are compared with the pairs they stand for.
func TestRandomMaps(t *testing.T) {
	r := rand.New(rand.NewSource(12))
	for range *randomSets / 20 {
		a, b := randomPair(t, r)
		if len(a.dims) < 2 {
			continue
		}
		in, out := a.dims[:1], a.dims[1:]
		m, o := &Map{in, out, "", a}, &Map{in, out, "", b}
		least, most := must(m.Lexmin()), must(m.Lexmax())
		for _, c := range []struct {
			name string
			got  *Map
			want func(x, y bool) bool
		}{
			{"∪", must(m.Union(o)), func(x, y bool) bool { return x || y }},
			{"∩", must(m.Intersect(o)), func(x, y bool) bool { return x && y }},
			{`\`, must(m.Subtract(o)), func(x, y bool) bool { return x && !y }},
		} {
			eachPoint(a.names(), boxLo, 5, func(at map[string]int64) {
				if contains(t, c.got.set, at) != c.want(contains(t, a, at), contains(t, b, at)) {
					t.Fatalf("%v %s %v\nis %v, wrong at %v", m, c.name, o, c.got, at)
				}
			})
		}
		at := map[string]int64{"n": int64(r.Intn(7) - 1), "m": int64(r.Intn(7) - 1)}
		lo, hi := map[int64][]int64{}, map[int64][]int64{}
		for _, p := range must(a.Points(at, 100_000)) { // in lexicographic order
			if lo[p[0]] == nil {
				lo[p[0]] = p
			}
			hi[p[0]] = p
		}
		for k, want := range []map[int64][]int64{lo, hi} {
			got := must([]*Map{least, most}[k].set.Points(at, 100_000))
			if len(got) != len(want) {
				t.Fatalf("%v: optima %v at %v, want %v", m, got, at, want)
			}
			for _, p := range got {
				if !slices.Equal(want[p[0]], p) {
					t.Fatalf("%v: optima %v at %v, want %v", m, got, at, want)
				}
			}
		}
	}
}
