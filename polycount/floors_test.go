package polycount

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Polynomials in several floors of one expression are rewritten to equal ones, shorter where the relation is known.
func TestUnifyFloors(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	w := linear.AnyWork()
	for range 300 {
		d := 2 + r.Intn(4)
		e := []string{"n", "n + 2*m", "2*n - m", "2*n + 3*m"}[r.Intn(4)]
		atoms := []string{"n", "m", "1", fmt.Sprintf("floor((%s + %d)/%d)", e, r.Intn(d), d), fmt.Sprintf("floor((%s + %d)/%d)", e, r.Intn(d), d)}
		text := "0"
		for range 1 + r.Intn(5) {
			text += fmt.Sprintf(" + %d", r.Intn(7)-3)
			for range 1 + r.Intn(4) {
				text += "*" + atoms[r.Intn(len(atoms))]
			}
		}
		p := must(ParsePoly("[n,m] -> { " + text + " }"))
		for i := range p.of.Table.Divs {
			for j := range p.of.Table.Divs {
				if i == j {
					continue
				}
				q := quasi.Unified(p.of.Table, p.of.Pieces[0].Q, i, j)
				eachPoint([]string{"n", "m"}, -7, 7, func(at map[string]int64) {
					full := quasi.Atoms(p.of.Table, []*big.Int{big.NewInt(1), big.NewInt(at["n"]), big.NewInt(at["m"])})
					if got, want := q.Value(full), p.of.Pieces[0].Q.Value(full); got.Cmp(want) != 0 {
						t.Fatalf("%v becomes %s, at %v: %v, want %v", p, quasiText(q, p.atomNames()), at, got, want)
					}
				})
			}
		}
	}
	for _, c := range []struct{ long, short string }{
		{"[n] -> { n^2*floor(n/4) + n^2 - 16*floor(n/4)^2 + 16*floor(n/4)^2*(floor((n+3)/4) - floor(n/4)) }", "[n] -> { n^2*floor((n + 3)/4) }"},
		{"[n] -> { (floor((n+1)/2) - floor(n/2))^3 }", "[n] -> { floor((n + 1)/2) - floor(n/2) }"},
		{"[n] -> { (n - 3*floor(n/3))*(1 - floor((n+2)/3) + floor(n/3)) }", "[n] -> { 0 }"},
	} {
		p := must(ParsePoly(c.long))
		if quasi.Simplify(w, p.of); p.String() != c.short {
			t.Errorf("%s becomes %v, want %s", c.long, p, c.short)
		}
	}
}
