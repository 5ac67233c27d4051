package polycount

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"gpuperf/polycount/internal/linear"
)

var randomSets = flag.Int("sets", 500, "random sets that are counted and enumerated")

// randomSet writes a bounded set of up to 4 dimensions and 2 parameters, with floors, unions and quantifiers.
func randomSet(r *rand.Rand) string {
	params := []string{"n", "m"}[:r.Intn(3)]
	dims := []string{"i", "j", "k", "l"}[:1+r.Intn(3+r.Intn(2))]
	names := append(append([]string{}, params...), dims...)
	affine := func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "%d", r.Intn(9)-4)
		for range 1 + r.Intn(2) {
			fmt.Fprintf(&b, " + %d*%s", r.Intn(7)-3, names[r.Intn(len(names))])
		}
		return b.String()
	}
	disjunct := func() string {
		cs := []string{}
		for _, d := range dims {
			hi := fmt.Sprint(2 + r.Intn(5))
			if len(params) > 0 && r.Intn(3) > 0 {
				hi = params[r.Intn(len(params))]
			}
			cs = append(cs, fmt.Sprintf("%d <= %s <= %s", r.Intn(4)-2, d, hi))
		}
		for range r.Intn(3) {
			switch r.Intn(6) {
			case 0:
				cs = append(cs, fmt.Sprintf("(%s) mod %d = %d", affine(), 2+r.Intn(4), r.Intn(2)))
			case 1:
				cs = append(cs, fmt.Sprintf("floor((%s)/%d) <= %s", affine(), 2+r.Intn(4), affine()))
			case 2:
				cs = append(cs, fmt.Sprintf("exists (e : %d*e <= %s and %s <= %d*e + %d)", 1+r.Intn(4), affine(), affine(), 1+r.Intn(4), r.Intn(3)))
			case 3:
				cs = append(cs, fmt.Sprintf("exists (e,f : 0 <= e,f <= %d and %d*e + %d*f = %s)", 1+r.Intn(4), 1+r.Intn(4), 1+r.Intn(4), affine()))
			default:
				cs = append(cs, affine()+" >= 0")
			}
		}
		return "[" + strings.Join(dims, ",") + "] : " + strings.Join(cs, " and ")
	}
	ds := []string{disjunct()}
	for r.Intn(3) == 0 && len(ds) < 3 {
		ds = append(ds, disjunct())
	}
	head := ""
	if len(params) > 0 {
		head = "[" + strings.Join(params, ",") + "] -> "
	}
	return head + "{ " + strings.Join(ds, "; ") + " }"
}

// naive counts the points of a set by evaluating its text at every point of a box that contains it: it shares only
// the parser with the counter.
func naive(s *Set, at map[string]int64, lo, hi int64) int64 {
	members := s.members(linear.AnyWork())
	point := make(linear.Row, 1+len(s.params)+len(s.dims))
	point[0] = 1
	for i, p := range s.params {
		point[1+i] = at[p]
	}
	var n int64
	var walk func(k int)
	walk = func(k int) {
		if k == len(point) {
			for _, c := range members {
				if c.Holds(point) {
					n++
					return
				}
			}
			return
		}
		for v := lo; v <= hi; v++ {
			point[k] = v
			walk(k + 1)
		}
	}
	walk(1 + len(s.params))
	return n
}

func TestRandomSets(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	budget := 0
	for trial := range *randomSets {
		text := randomSet(r)
		s, err := ParseSet(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p, err := s.Count()
		if err != nil {
			if errors.Is(err, ErrBudget) {
				budget++
				t.Logf("%d %s: %v", trial, text, err)
				continue
			}
			t.Fatalf("%s: %v", text, err)
		}
		e := p.Compile([]string{"n", "m"})
		for range 6 {
			at := map[string]int64{"n": int64(r.Intn(9) - 2), "m": int64(r.Intn(9) - 2)}
			want := naive(s, at, -2, 7)
			if got, ok := e.Int64([]int64{at["n"], at["m"]}); !ok || got != want {
				t.Fatalf("%d %s\n is %v\n counted %v at %v: %d, want %d", trial, text, s, p, at, got, want)
			}
		}
	}
	if budget > *randomSets/100 {
		t.Errorf("%d of %d exceeded the budget", budget, *randomSets)
	}
}
