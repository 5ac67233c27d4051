package polycount

import (
	"fmt"
	"math/rand"
	"testing"
)

// Sets with several moduli in one variable, or linked between variables, have counts of the degree of their dimensions.
// The bounds on the length are what the rewriting by residues gives; without it each is longer by a factor of 4 to 20.
func TestModuliAreShort(t *testing.T) {
	for _, c := range []struct {
		set  string
		long int // bytes of the text
		hi   int64
	}{
		{"[n] -> { [i] : 0 <= i < n and (i mod 4) <= (i mod 3) }", 110, 30},
		{"[n] -> { [i] : 0 <= i < 2n + 2 and (2i + n - 2) mod 4 >= (-2i + 3n + 1) mod 7 }", 650, 60},
		{"[n] -> { [i] : (i mod 4) + 2*floor((i + n)/3) <= n and 0 <= i < n }", 240, 60},
		{"[n] -> { [i] : 0 <= i < n and i mod 7 <= i mod 11 }", 350, 160},
		{"[n] -> { [i,j] : 0 <= i,j < n and i mod 7 <= j mod 11 }", 1100, 80},
		{"[n] -> { [i,j] : 0 <= i,j < n and i mod 4 <= j mod 3 }", 150, 30},
		{"[n] -> { [i,j,k] : 0 <= i,j,k < n and (i + j) mod 3 <= k mod 2 and exists (e : 3e <= j + 2k <= 4e + i) }", 350, 20},
		{"[n,m] -> { [i] : 0 <= i < n + m and (i mod 4) <= (i mod 3) }", 130, 15},
		{"[n,m] -> { [i] : m <= i < n and (i mod 4) <= (i mod 3) }", 200, 15},
		{"[n,m] -> { [i] : 0 <= i < m - n and (i mod 4) <= (i mod 3) }", 150, 15},
	} {
		s := mustSet(t, c.set)
		p := must(s.Count())
		if got := len(p.String()); got > c.long {
			t.Errorf("%s: %d bytes: %v", c.set, got, p)
		}
		lo := int64(-2)
		if len(s.params) > 1 {
			lo = -c.hi
		}
		box := 2*c.hi + 2
		if len(s.dims) > 2 {
			box = c.hi
		}
		eachPoint(s.params, lo, c.hi, func(at map[string]int64) {
			want := naive(s, at, lo, box)
			if got := must(p.Eval(at)); !got.IsInt() || got.Num().Int64() != want {
				t.Errorf("%s at %v: %v, want %d", c.set, at, got, want)
			}
		})
	}
}

func TestModuliAtRandom(t *testing.T) {
	r := rand.New(rand.NewSource(17))
	for range 40 {
		form := func(names ...string) string {
			out := fmt.Sprint(r.Intn(5) - 2)
			for _, n := range names {
				out += fmt.Sprintf(" + %d*%s", r.Intn(5)-2, n)
			}
			return out
		}
		text := fmt.Sprintf("[n,m] -> { [i,j] : %d <= i < n and %s <= j < m and (%s) mod %d %s (%s) mod %d }", r.Intn(3)-1,
			[]string{"0", "-1", "i"}[r.Intn(3)], form("i"), 2+r.Intn(4), []string{"<=", ">", "="}[r.Intn(3)], form([]string{"i", "j", "n"}[r.Intn(3)], "j"), 2+r.Intn(4))
		s := mustSet(t, text)
		p := must(s.Count())
		eachPoint(s.params, -2, 9, func(at map[string]int64) {
			if got, want := must(p.Eval(at)), naive(s, at, -2, 9); !got.IsInt() || got.Num().Int64() != want {
				t.Fatalf("%s at %v: %v, want %d: %v", text, at, got, want, p)
			}
		})
	}
}

// Sets at fixed sizes, as of the addresses in a cache line, are counted box by box.
func TestFixedSizes(t *testing.T) {
	r := rand.New(rand.NewSource(23))
	check := func(text string, lo, hi int64) {
		s := mustSet(t, text)
		want := fmt.Sprint(naive(s, nil, lo, hi))
		if got := must(must(s.Count()).Eval(nil)).RatString(); got != want {
			t.Fatalf("%s: %s, want %s", text, got, want)
		}
	}
	check("{ [g,h,k] : 3 = (7*g + 3*h - 3*k) mod 128 and 0 <= g <= 16 and 0 <= h <= 1 and 0 <= k <= 2 }", 0, 16)
	for range 200 {
		check(fmt.Sprintf("{ [g,h,k] : %d <= (%d*g + %d*h + %d*k) mod %d <= %d and 0 <= g <= %d and 0 <= h <= %d and -2 <= k <= %d }",
			r.Intn(4), r.Intn(17)-8, r.Intn(17)-8, r.Intn(17)-8, 2+r.Intn(127), 3+r.Intn(4), r.Intn(17), r.Intn(5), r.Intn(4)), -2, 16)
	}
}
