package polycount

import (
	"testing"

	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

func TestGist(t *testing.T) {
	for _, c := range []struct{ set, ctx, want string }{
		{"[n] -> { [i,j,k] : 0 <= i,j,k < n }", "[n] -> { : n mod 16 = 0 and n >= 1 }", "[n] -> { n^3 }"},
		{"[n] -> { [io,jo,k,ii] : 0 <= 16io < n and 0 <= 16jo < n and 0 <= k < n and 0 <= ii < 16 }", "[n] -> { : n mod 16 = 0 and n >= 1 }", "[n] -> { 1/16*n^3 }"},
		{"[n] -> { [io,ii] : 0 <= 16io + ii < n and 0 <= ii < 16 }", "[n] -> { : n mod 16 = 0 and n >= 1 }", "[n] -> { n }"},
		{"[n,m] -> { [i] : 0 <= 2i < n + m }", "[n,m] -> { : n mod 4 = 1 and m mod 2 = 1 and n >= 1 and m >= 1 }", "[n, m] -> { 1/2*n + 1/2*m }"},
	} {
		p, err := mustSet(t, c.set).Count()
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.Gist(mustSet(t, c.ctx))
		if err != nil {
			t.Fatal(err)
		}
		if g.String() != c.want {
			t.Errorf("%s is %v\n  gist %v, want %v", c.set, p, g, c.want)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		p, q string
		want bool
	}{
		{"[n] -> { n : n >= 0 }", "[n] -> { n : n > 0 }", true},
		{"[n] -> { n : n >= 0 }", "[n] -> { n : n >= 2 }", false},
		{"[n] -> { floor((n)/2) + floor((n + 1)/2) }", "[n] -> { n }", true},
		{"[n] -> { floor((n)/2) + floor((n + 1)/2) : n mod 3 = 1 }", "[n] -> { n : n mod 3 = 1 }", true},
		{"[n] -> { 2*floor((n)/2) }", "[n] -> { n }", false},
		{"[n] -> { 2*floor((n)/2) : n mod 2 = 0 }", "[n] -> { n : n mod 2 = 0 }", true},
		{"[n] -> { n^2 : 0 <= n <= 1 }", "[n] -> { n : 0 <= n <= 1 }", true},
		{"[n] -> { n^2 : 0 <= n <= 2 }", "[n] -> { n : 0 <= n <= 2 }", false},
		{"[n,m] -> { (n - m)*(n - m - 1) : 0 <= n - m <= 1 }", "[n,m] -> { 0 }", true},
		{"[n,m] -> { (n - m)*(n - m - 1) : 0 <= n - m <= 2 }", "[n,m] -> { 0 }", false},
		{"[m,n] -> { n + 2*m }", "[n,m] -> { n + 2*m }", true},
	} {
		p, err := ParsePoly(c.p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := ParsePoly(c.q)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Equal(q); err != nil || got != c.want {
			t.Errorf("%s = %s: %v, want %v (%v)", c.p, c.q, got, c.want, err)
		}
	}
}

func TestFloorDiv(t *testing.T) {
	for _, c := range []struct{ p, want string }{
		{"[n] -> { n + 31 : n > 0 }", "[n] -> { floor((n + 31)/32) : n > 0 }"},
		{"[n] -> { 64*n + 33 : n > 0; 7 : n < 0 }", "[n] -> { 2*n + 1 : n > 0 }"},
		{"[n] -> { 1/2*n + 1/2 : n mod 2 = 1 }", "[n] -> { floor((n + 1)/64) : n mod 2 = 1 }"},
		{"[n] -> { 3*floor((n)/4) }", "[n] -> { floor((3*floor(n/4))/32) }"},
	} {
		got, err := must(ParsePoly(c.p)).FloorDiv(32)
		if err != nil || !must(got.Equal(must(ParsePoly(c.want)))) {
			t.Errorf("floor(%s / 32): %v %v, want %s", c.p, got, err, c.want)
		}
	}
	if got, err := must(ParsePoly("[n] -> { n^2 }")).FloorDiv(32); err == nil {
		t.Errorf("quotient of n^2: %v", got)
	}
}

func TestCommonFactorsArePrintedOnce(t *testing.T) {
	for _, c := range []struct{ p, want string }{
		{"[n] -> { n + n^2 : n > 0 }", "[n] -> { n + n^2 : n > 0 }"}, // not short enough to leave the sum
		{"[n,m] -> { 1/6*n*m*(1 + 2*n + 3*m) }", "[n, m] -> { 1/6*n*m*(1 + 2*n + 3*m) }"},
		{"[n] -> { 4*floor(n/4)^2*(n^2 - 3*n + 2*floor(n/3) - 1) : n > 7 }", "[n] -> { 4*floor(n/4)^2*(-1 - 3*n + 2*floor(n/3) + n^2) : n >= 8 }"},
		{"[n] -> { 12*n^2 - 18*n - 30 }", "[n] -> { -30 - 18*n + 12*n^2 }"},
	} {
		p, err := ParsePoly(c.p)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != c.want {
			t.Errorf("%s prints as %v, want %s", c.p, p, c.want)
		}
		back, err := ParsePoly(p.String())
		if err != nil {
			t.Fatal(err)
		}
		if same, err := back.Equal(p); err != nil || !same {
			t.Errorf("%v reads as %v (%v)", p, back, err)
		}
	}
}

// Conditions that a few values meet are these values.
func TestFewValuesAreListed(t *testing.T) {
	for _, c := range []struct{ long, short string }{
		{"[n] -> { n^2 : n mod 4 = 2 and (n + 3) mod 7 = 1 and -6 <= n <= 5 }", "[n] -> { 4 : n = -2 }"},
		{"[n,m] -> { n + floor(m/2) : 2n + 3m = 13 and 3n >= 2m + 1 and n <= 6 and m > 0 }", "[n, m] -> { 5 : n = 5 and m = 1 }"},
		{"[n] -> { n : floor((n + 1)/3) = 2 and n mod 5 <= 2 }", "[n] -> { n : 5 <= n <= 7 }"},
		{"[n] -> { n : n mod 3 = 1 and n > 0 and n < 9 }", "[n] -> { n : n mod 3 = 1 and 1 <= n <= 8 }"}, // no run
	} {
		p := must(ParsePoly(c.long))
		quasi.Simplify(linear.AnyWork(), p.of)
		if p.String() != c.short {
			t.Errorf("%s becomes %v, want %s", c.long, p, c.short)
		}
	}
}
