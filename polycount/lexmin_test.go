package polycount

import (
	"math/rand"
	"slices"
	"testing"

	"gpuperf/polycount/internal/count"
	"gpuperf/polycount/internal/linear"
)

// The lexicographic optima of random sets, by projection and by steps, against enumeration.
func TestRandomLexopt(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	for trial := range *randomSets / 5 {
		text := randomSet(r)
		s := must(ParseSet(text))
		if len(s.cs) > 4 {
			continue
		}
		for _, dir := range []int64{1, -1} {
			all, err := s.lexopt(dir)
			if err != nil {
				t.Fatalf("%d %s: %v", trial, text, err)
			}
			w := linear.AnyWork()
			var stepped []*Set
			for _, c := range s.cs {
				best, ends := count.LexBySteps(w, c, len(s.params), dir)
				if !ends {
					t.Fatalf("%d %s is bounded", trial, text)
				}
				stepped = append(stepped, s.with(best))
			}
			for range 3 {
				at := map[string]int64{"n": int64(r.Intn(8) - 1), "m": int64(r.Intn(8) - 1)}
				check := func(of, got *Set, how string) {
					points := must(of.Points(at, 100_000))
					if dir < 0 {
						slices.Reverse(points)
					}
					best := must(got.Points(at, 100_000))
					if len(points) == 0 && len(best) == 0 {
						return
					}
					if len(points) == 0 || len(best) != 1 || !slices.Equal(best[0], points[0]) {
						t.Fatalf("%d %v\nhas for %d by %s %v\nat %v: %v, want %v", trial, of, dir, how, got, at, best, points[:min(1, len(points))])
					}
				}
				check(s, all, "projection")
				for i, x := range stepped {
					check(s.with(s.cs[i:i+1]), x, "steps")
				}
			}
		}
	}
}

// Parametric optima that need integer cuts; an optimum that is not there.
func TestLexopt(t *testing.T) {
	for _, c := range []struct{ set, min, max string }{
		{"[n] -> { [i,j] : 3i + 5j = n and i,j >= 0 }", "[n] -> { [i, j] : 3i + 5j = n and 0 <= i < 5 and j >= 0 }", "[n] -> { [i, j] : 3i + 5j = n and i >= 0 and 0 <= j <= 2 }"},
		{"[n] -> { [i,j] : 3i + 5j >= n and i,j >= 0 }", "[n] -> { [i,j] : i = 0 and j >= 0 and n <= 5j <= n + 4; [i,j] : i = 0 and j = 0 and n <= 0 }", "{ [i,j] : false }"},
		{"[n] -> { [i,j] : 0 <= 2i <= n and 3j <= i and 4j >= i - 5 }", "[n] -> { [i,j] : i = 0 and j = -1 and n >= 0 }", "[n] -> { [i,j] : i = floor(n/2) and j = floor(i/3) and n >= 0 }"},
		{"[n] -> { [i] : i <= n; [i] : i = 5 }", "{ [i] : false }", "[n] -> { [i] : i = n and n >= 5; [i] : i = 5 and n < 5 }"},
		{"{ [i,j] : i >= 0 and i >= 2j }", "{ [i,j] : false }", "{ [i,j] : false }"},
		{"{ [i,j] : i >= 0 and -2j <= i <= 7 }", "{ [i,j] : i = 0 and j = 0 }", "{ [i,j] : false }"},
		{"[n] -> { [i,j] : (i + j) mod 3 = 1 and (i - j) mod 5 = 2 and n <= i <= n + 20 and i <= 2j <= 3n }", "", ""},
	} {
		s := mustSet(t, c.set)
		for k, want := range []string{c.min, c.max} {
			got, err := []func() (*Set, error){s.Lexmin, s.Lexmax}[k]()
			if err != nil {
				t.Errorf("%s: %v", c.set, err)
				continue
			}
			if want != "" {
				if w := mustSet(t, want); !must(got.IsEqual(w.respace(got.params, got.dims))) {
					t.Errorf("%s, %d: %v, want %v", c.set, k, got, w)
				}
			}
		}
	}
}
