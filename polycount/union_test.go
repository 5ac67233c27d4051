package polycount

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

func mustUnionMap(t testing.TB, text string) *UnionMap {
	t.Helper()
	u, err := ParseUnionMap(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

// TestUnionMap: what a union prints, its range and its counts.
func TestUnionMap(t *testing.T) {
	m := mustUnionMap(t, "[n] -> { A[i] -> x[2i] : 0 <= i < n; A[i] -> y[i,j] : 0 <= j < i; B[k] -> x[k] }")
	for i, want := range []string{"[n] -> { x[k] }", "[n] -> { y[i,j] : 0 <= j < i }"} {
		got := must(m.Range()).Sets()
		if len(got) != 2 || !must(got[i].IsEqual(must(ParseSet(want)))) {
			t.Errorf("range %v, want %s", got, want)
		}
	}
	if again := mustUnionMap(t, m.String()); again.String() != m.String() {
		t.Errorf("%v is read back as %v", m, again)
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

// TestRandomUnions: the range of maps from two tuples holds the images of both, at every point of a box.
func TestRandomUnions(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	for range *randomSets / 20 {
		a, b := randomPair(t, r)
		if len(a.dims) < 2 {
			continue
		}
		in, out := a.dims[:1], a.dims[1:]
		u := &UnionMap{union{unionNames(a.params, b.params), []*Map{{in, out, "A", a}, {in, out, "B", b}}}}
		sets := must(u.Range()).Sets()
		if len(sets) != 1 {
			t.Fatalf("%v: the range is %v", u, sets)
		}
		x, y := must(u.parts[0].Range()), must(u.parts[1].Range())
		eachPoint(x.names(), boxLo, 5, func(at map[string]int64) {
			if contains(t, sets[0], at) != (contains(t, x, at) || contains(t, y, at)) {
				t.Fatalf("%v: the range %v is wrong at %v", u, sets[0], at)
			}
		})
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
