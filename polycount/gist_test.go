package polycount

import (
	"math/rand"
	"testing"
)

func TestGistMergesPieces(t *testing.T) {
	for _, c := range []struct{ p, ctx, want string }{
		{"[n] -> { n : n >= 16; 8*floor((n + 7)/8) : n < 16 }", "[n] -> { : n mod 8 = 0 and n > 0 }", "[n] -> { n }"},
		{"[n] -> { n^2 : n >= 2; n : n = 1 }", "[n] -> { : n > 0 }", "[n] -> { n^2 }"},
		{"[n] -> { -6 + 5*n : n >= 4; n^2 : 1 <= n <= 3 }", "[n] -> { : n mod 16 = 0 and n >= 0 }", "[n] -> { -6 + 5*n : n >= 4 }"},
		{"[n,m] -> { floor((n + 1)/2)*m : m >= 5; floor(n/2)*m : 0 < m < 5; n : m < -3 }", "[n,m] -> { : n mod 2 = 0 }", "[n, m] -> { n : m <= -4; 1/2*n*m : m > 0 }"},
		{"[n] -> { n : n >= 3; 3 : n = 2 }", "[n] -> { : n >= 3 or n = 1 }", "[n] -> { n : n >= 3 }"},
		{"[n] -> { n : n >= 3; 2*n : n < 0; n^2 : n = 1 }", "[n] -> { : n >= 3 or n = 1 }", "[n] -> { n }"},
		{"[n] -> { n*(n - 4)*(n - 5) : n > 9 }", "[n] -> { : n >= 4 and n != 6 and n != 7 and n != 8 and n != 9 }", "[n] -> { 20*n - 9*n^2 + n^3 }"},
		{"[n] -> { n : n > 3 }", "[n] -> { : n < 0 }", "[n] -> { 0 }"},
	} {
		got := must(must(ParsePoly(c.p)).Gist(mustSet(t, c.ctx)))
		if got.String() != c.want {
			t.Errorf("gist of %s under %s: %v, want %s", c.p, c.ctx, got, c.want)
		}
	}
}

// A gist agrees with the polynomial where the assumptions hold.
func TestGistOfPolys(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	for range 60 {
		p := must(mustSet(t, randomSet(r)).Count())
		ctx := mustSet(t, []string{
			"[n,m] -> { : n mod 2 = 0 and m = n + 1 }", "[n] -> { : n >= 2 or n = -1 }", "[m] -> { : m = 3 }",
			"[n,m] -> { : n > m }", "[n,m] -> { : n mod 3 = 1 or m mod 2 = 0 }",
		}[r.Intn(5)])
		g := must(p.Gist(ctx))
		if g.Pieces() > p.Pieces() {
			t.Errorf("gist of %v under %v has more pieces: %v", p, ctx, g)
		}
		eachPoint([]string{"n", "m"}, -4, 9, func(at map[string]int64) {
			if contains(t, ctx, at) && must(p.Eval(at)).Cmp(must(g.Eval(at))) != 0 {
				t.Fatalf("gist of %v\nunder %v\nis %v, wrong at %v", p, ctx, g, at)
			}
		})
	}
}
