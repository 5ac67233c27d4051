package polycount

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Variations on the families of the reference's cases, against enumeration: sets, and ranges of maps.
func TestVariations(t *testing.T) {
	for _, text := range []string{
		// tiles that do not divide, tiles of tiles, guards that idle threads
		"[n] -> { [b,w] : 0 <= b and 0 <= w < 6 and 96b + 17w < n and 96b + 17w + 16 >= n }",
		"[n] -> { [T,t,i] : 0 <= i < n and 24T <= i < 24T + 24 and 5t <= i < 5t + 5 }",
		"[n,m] -> { [ti,tj] : exists (i,j : 0 <= i < n and 0 <= j < m and i <= j + 2 and 3ti <= i < 3ti + 3 and 4tj <= j < 4tj + 4) }",
		"[n] -> { [a,b] : exists (t,i : 0 <= t < n and 0 <= i < n and 3a <= t + i < 3a + 3 and 4b <= t - i < 4b + 4) }",
		// coupled moduli and floors, nested floors, negative ones
		"[n,m] -> { [i,j] : 0 <= i < n and 0 <= j < m and (2i + j) mod 5 <= (i + 3j) mod 4 }",
		"[n] -> { [i] : -n <= i <= n and (i mod 6) + 2*(i mod 4) = 5 }",
		"[n] -> { [i] : 0 <= i < n and floor(floor(2i/3)/5) mod 2 = 1 }",
		"[n,m] -> { [i] : m <= i <= n and floor((3i - m)/4) = floor((2i + n)/3) - 2 }",
		// non-unimodular cones, several parameters, bounds that compete
		"[n] -> { [i,j,k] : 0 <= i and 3i <= 5j and 2j <= 7k and 6k <= i + n and i + j <= 2n }",
		"[n,m] -> { [i,j] : 0 <= 2i <= 3j + n and 5j <= 3n + m - i and j >= 0 }",
		"[n,m,p] -> { [i,j] : 0 <= i <= n and i <= j + m and 2j <= p + i and 0 <= j }",
		// floors that only bound: their comparisons are between whole numbers
		"[n,m] -> { [i,j] : -2 <= i < m and -1 <= j < n; [i,j] : -1 <= i < n - 1 and 1 <= j <= m and floor((-2i - 2j - 2n - m)/5) < 3n - 2m - 2 }",
		"[n] -> { [i,j] : 0 <= i < n and 0 <= j <= floor((i + 2n)/5) and j <= floor((2i + n)/3) }",
		"[n] -> { [i] : -1 <= i < 8 and floor((i + 3n + 1)/7) >= floor((i + 2n + 1)/5) }",
		"[n,m] -> { [i,j] : 0 <= i < n and floor((i - j)/3) <= m and 0 <= j <= floor((m + i)/2) }",
		// lower-dimensional parameter domains, parity conditions, negative parameters
		"[n,m] -> { [i] : 2i = n + m and 0 <= i <= 5 and n = 2m + 1 }",
		"[n,m] -> { [i,j] : i + j = n and i - j = m and -6 <= i <= 6 }",
		"[n] -> { [i,j] : 4i + 6j = n and -5 <= i <= 5 }",
		"[n,m] -> { [i] : n <= i <= -2n and 3m <= 2i and m < 0 }",
		// overlapping unions, with moduli and quantifiers
		"[n] -> { [i] : 0 <= i < n and i mod 2 = 0; [i] : 0 <= i < n and i mod 3 = 0; [i] : n <= 2i <= 3n and i mod 5 = 1 }",
		"[n,m] -> { [i,j] : 0 <= i,j < n; [i,j] : m <= i < m + 3 and 0 <= j <= i; [i,j] : 0 <= i + j <= m and i >= 0 and -2 <= j <= i }",
		"[n] -> { [i] : exists (a,b : i = 4a + 6b and 0 <= a,b < n) or exists (a : i = 5a and 0 <= a < n) }",
		"[n] -> { [i] : exists (a,b,c : i = 3a + 5b + 7c and 0 <= a,b,c < n) and i mod 2 = 1 }",
		"[n] -> { [i] : 0 <= i <= 6 + n and not exists (a,b : i = 3a + 5b and 0 <= a,b < n) }",
		// quantifiers that are not bounded, alone or together
		"[n] -> { [i] : 0 <= i < n and exists (a,b : 6a + 10b + 15 >= i and 6a + 10b <= i) }",
		"[n] -> { [i] : 0 <= i < n and exists (a,b : 6a + 10b <= i + 1 and 6a + 10b >= i and a <= b) }",
	} {
		s := mustSet(t, text)
		p, err := s.Count(WithLimit(10_000_000))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		lo, hi := int64(-4), int64(14)
		if len(s.params) > 2 {
			lo, hi = -2, 6
		}
		if len(s.params) == 1 {
			hi = 40
		}
		eachPoint(s.params, lo, hi, func(at map[string]int64) {
			if len(s.params) > 1 && (at[s.params[0]]+2*at[s.params[1]])%3 != 0 { // a third of the points
				return
			}
			points, err := s.Points(at, 100_000)
			if err != nil {
				t.Fatalf("%s at %v: %v", text, at, err)
			}
			if got := must(p.Eval(at)); !got.IsInt() || got.Num().Int64() != int64(len(points)) {
				t.Fatalf("%s\nis %v\nat %v: %v, want %d", text, p, at, got, len(points))
			}
		})
	}
	for _, text := range []string{
		"[n] -> { [i,j,a,b] -> [3i + 2a, 3j + 4b] : 0 <= i,j < n and -1 <= a,b <= 2 }",
		"[n,m] -> { [i,j,k] -> [2i + 3j + 4k, i - k] : 0 <= i < n and 0 <= j < m and 0 <= k < 3 }",
		"[n] -> { [i,j,k] -> [i + 16j, floor((i + k)/4)] : 0 <= i < 6 and 0 <= j,k < n }",
		"[n] -> { [i,j,k] -> [4i - 6j + 9k] : 0 <= i < n and 0 <= j <= i and 0 <= k < 3 }",
		"[n] -> { [i,j] -> [(5i + 3j) mod 8] : 0 <= i,j < n }",
	} {
		if !checkRange(t, text, []string{"n", "m"}, [][]int64{{-1, 3}, {0, 2}, {1, 1}, {2, 5}, {3, 3}, {4, 1}, {5, 7}, {6, 2}, {7, 4}, {9, 0}}) {
			t.Errorf("%s: %v", text, ErrBudget)
		}
	}
}

// A floor that only bounds is no dimension of the count: these answers have some hundred characters, and had thousands.
func TestBoundsByFloorsAreShort(t *testing.T) {
	for _, c := range []struct {
		set          string
		pieces, size int
	}{
		{"[n] -> { [i,j] : -2 <= i < n + 2 and i <= j < 2n + 2 and 2i - 2j + 1 >= floor((-2i + j - n)/2) }", 2, 250},
		{"[n] -> { [i,j] : -1 <= i < 4 and -1 <= j < 7 and floor((-2i + j - n + 2)/7) <= 2i + 3j - n - 1 }", 4, 900},
		{"[n] -> { [i,j] : 0 <= i < n and 0 <= j <= floor((i + 2n)/5) and j <= floor((2i + n)/3) }", 1, 400},
		{"[n,m] -> { [i,j] : -2 <= i < m and -1 <= j < n; [i,j] : -1 <= i < n - 1 and 1 <= j <= m and floor((-2i - 2j - 2n - m)/5) < 3n - 2m - 2 }", 7, 800},
	} {
		p := must(mustSet(t, c.set).Count())
		if p.Pieces() > c.pieces || len(p.String()) > c.size {
			t.Errorf("%s: %d pieces, %d characters; want at most %d and %d: %v", c.set, p.Pieces(), len(p.String()), c.pieces, c.size, p)
		}
	}
}

// Sets that are infinite for some parameters: the direction goes on for ever, and exactly where the condition holds.
func TestConditionallyUnbounded(t *testing.T) {
	for _, c := range []struct{ set, where string }{
		{"[n] -> { [i,j] : i >= 0 and j >= 0 and n >= 3 and i + j <= 5; [i,j] : i = j and i >= n and n <= -2 }", "[n] -> { : n <= -2 }"},
		{"[n,m] -> { [i,j] : 0 <= i <= n and 3i - 2j <= m and n = 2m }", "[n,m] -> { : n = 2m and n >= 0 }"},
		{"[n] -> { [i,j] : 2i - 3j = n and i >= 0 and n mod 2 = 1 }", "[n] -> { : n mod 2 = 1 }"},
		{"[n] -> { [x] : exists (i,j : x = 4i + 6j and 0 <= i < n and j >= n) }", "[n] -> { : n >= 1 }"},
	} {
		s := mustSet(t, c.set)
		_, err := s.Count()
		var u *UnboundedError
		if !errors.As(err, &u) {
			t.Errorf("%s: %v, want an unbounded set", c.set, err)
			continue
		}
		if u.Condition == nil || !must(u.Condition.IsEqual(mustSet(t, c.where))) {
			t.Errorf("%s: unbounded where %v, want %s", c.set, u.Condition, c.where)
			continue
		}
		// From a point on, the direction stays in the set.
		point, ok, err := must(s.IntersectParams(u.Condition)).Sample()
		if err != nil || !ok || !slices.ContainsFunc(u.Direction, func(v int64) bool { return v != 0 }) {
			t.Errorf("%s: sample %v, %v; direction %v", c.set, point, err, u.Direction)
			continue
		}
		at := map[string]int64{}
		for _, p := range s.Params() {
			at[p] = point[p]
		}
		on := 0
		for k := range int64(40) {
			for i, d := range s.Dims() {
				at[d] = point[d] + k*u.Direction[i]
			}
			if must(s.Contains(at)) {
				on++
			}
		}
		if on < 35 {
			t.Errorf("%s: only %d of 40 steps by %s stay in it", c.set, on, fmt.Sprint(u.Direction))
		}
	}
}
