package polycount_test

import (
	"testing"

	"gpuperf/polycount"
)

func TestQuo(t *testing.T) {
	for _, c := range []struct{ p, param, want string }{
		{"[n, m] -> { n*m : n > 0 }", "n", "[n, m] -> { m : n > 0 }"},
		{"[n, m] -> { 1/2*n*m + n^2 : n > 0; 3*n : n < 0 }", "n", "[n, m] -> { 1/2*m + n : n > 0; 3 : n < 0 }"},
		{"[n] -> { n*floor(n/4) : n > 0 }", "n", "[n] -> { floor(n/4) : n > 0 }"},
		{"[n] -> { floor(n/4) : n > 0 }", "n", ""},
		{"[n] -> { n + 1 : n > 0 }", "n", ""},
		{"[n] -> { n : n > 0 }", "m", ""},
		{"{ 0 }", "n", "{ 0 }"},
	} {
		p, err := polycount.ParsePoly(c.p)
		if err != nil {
			t.Fatal(err)
		}
		q, ok, err := p.Quo(c.param)
		if err != nil || ok != (c.want != "") {
			t.Errorf("%s by %s: %v, %v, want %q", c.p, c.param, ok, err, c.want)
			continue
		}
		if !ok {
			continue
		}
		want, err := polycount.ParsePoly(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := q.Equal(want); err != nil || !same {
			t.Errorf("%s by %s is %s (%v), want %s", c.p, c.param, q, err, c.want)
		}
	}
}
