package derive

import (
	"math"
	"testing"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// cost is a time that a variant could have: what a search should find is far from what most have.
func cost(v *Variant) (float64, error) {
	c := 100.0
	ops := v.Program.Body.Ops()
	if ops.Has(lift.MapWrg) {
		c -= 30
	}
	if ops.Has(lift.ToLocal) || ops.Has(lift.AsVector) {
		c -= 30
	}
	return c + float64(v.Program.Body.Size())/100, nil
}

// run searches with a budget, in rounds of n, and returns what was run with the least cost.
func run(t *testing.T, d *Descent, budget, n int) (list []*Variant, best float64) {
	t.Helper()
	best = math.Inf(1)
	for len(list) < budget {
		round := d.Next(min(n, budget-len(list)))
		if len(round) == 0 {
			return list, best
		}
		for i, v := range round {
			c, _ := cost(v)
			if i%5 == 4 {
				c = math.Inf(1) // some cannot be run
			}
			d.Ran(v, c)
			best = min(best, c)
		}
		list = append(list, round...)
	}
	return list, best
}

// A descent runs nothing twice, means what the program means, is the same again for a seed, and finds more than random
// variants do on average.
func TestDescent(t *testing.T) {
	for i, c := range []struct {
		name  string
		sizes map[string]int64
	}{
		{"asum", map[string]int64{"n": 4096}},
		{"jacobi2d_5pt", map[string]int64{"h": 66, "w": 66}},
		{"heat3d", map[string]int64{"d": 18, "h": 18, "w": 18}},
		{"matmul", map[string]int64{"m": 32, "k": 16, "n": 32}},
	} {
		if !many && i > 1 {
			break
		}
		p := example(t, c.name)
		opt := Options{Seed: 5, Sizes: c.sizes}
		search := func(seed int64) ([]*Variant, float64) {
			opt.Seed = seed
			d, err := NewDescent(p, opt)
			if err != nil {
				t.Fatal(err)
			}
			return run(t, d, 24, 7)
		}
		list, best := search(5)
		again, _ := search(5)
		if len(list) != 24 || len(again) != 24 {
			t.Fatalf("%s: %d and %d variants", c.name, len(list), len(again))
		}
		seen := map[string]bool{}
		sum, first := 0.0, 0.0
		for i, v := range list {
			if seen[v.ID] {
				t.Errorf("%s: %s is run twice", c.name, v.ID)
			}
			seen[v.ID] = true
			if again[i].ID != v.ID {
				t.Fatalf("%s: variant %d is another in a second search", c.name, i)
			}
			if q, err := v.Derivation(p).Replay(rules.Options{At: []map[string]int64{c.sizes}}); err != nil || q[len(q)-1].Body != v.Program.Body {
				t.Errorf("%s: %s is not derived: %v", c.name, v.ID, err)
			}
			x, _ := cost(v)
			if sum += x; i < branches {
				first += x
			}
		}
		if best >= first/branches {
			t.Errorf("%s: the best costs %g, the first %g on average", c.name, best, first/branches)
		}
		if other, _ := search(6); other[0].ID == list[0].ID && other[1].ID == list[1].ID && other[2].ID == list[2].ID {
			t.Errorf("%s: two seeds, one search", c.name)
		}
		t.Logf("%s: the best of 24 costs %.1f, they cost %.1f on average", c.name, best, sum/24)
	}
}
