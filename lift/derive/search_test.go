package derive

import (
	"testing"

	"gpuperf/lift"
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

func TestSearches(t *testing.T) {
	for _, name := range []string{"asum", "jacobi2d_5pt"} {
		p := example(t, name)
		opt := Options{Count: 200, Seed: 5, Sizes: map[string]int64{"n": 4096, "h": 66, "w": 66}}
		if name == "jacobi2d_5pt" {
			delete(opt.Sizes, "n")
		} else {
			opt.Sizes = map[string]int64{"n": 4096}
		}
		trials, err := MonteCarlo(p, opt, 20, cost)
		if err != nil {
			t.Fatal(err)
		}
		again, err := MonteCarlo(p, opt, 20, cost)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i, x := range trials {
			if seen[x.Variant.ID] {
				t.Errorf("%s: %s is run twice", name, x.Variant.ID)
			}
			seen[x.Variant.ID] = true
			if again[i].Variant.ID != x.Variant.ID {
				t.Fatalf("%s: trial %d is another in a second search", name, i)
			}
		}
		if len(trials) < 10 || len(trials) > 20 {
			t.Errorf("%s: %d trials", name, len(trials))
		}
		result, err := Derive(p, opt)
		if err != nil {
			t.Fatal(err)
		}
		random := InOrder(Shuffled(result.Variants, 1), 40, cost)
		if len(random) != 40 && len(random) != len(result.Variants) {
			t.Errorf("%s: %d trials in random order", name, len(random))
		}
		t.Logf("%s: Monte Carlo %d trials, best %.1f %s; random best %.1f", name, len(trials), Best(trials).Seconds, Best(trials).Variant.Program.BodyText(), Best(random).Seconds)
	}
}

func TestConfigs(t *testing.T) {
	for _, name := range []string{"jacobi2d_5pt", "asum", "matmul", "heat3d"} {
		opt := Options{Count: 150, Seed: 2, Sizes: large[name]}
		result, err := Derive(example(t, name), opt)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, v := range result.Variants {
			list := v.Configs(opt, 10, 1)
			total += len(list)
			if len(list) == 0 {
				t.Errorf("%s: no ND-range for %s", name, v.Program.BodyText())
			}
			seen := map[Config]bool{}
			for _, c := range list {
				if seen[c] {
					t.Errorf("%s: %v twice", name, c)
				}
				seen[c] = true
				if c.Items() > 1024 {
					t.Errorf("%s: work-group %v", name, c.Local)
				}
				for d := range 3 {
					if c.Local[d] < 1 || c.Global[d]%c.Local[d] != 0 || c.Global[d] == 0 {
						t.Errorf("%s: %v", name, c)
					}
				}
			}
		}
		t.Logf("%s: %d variants, %d ND-ranges", name, len(result.Variants), total)
	}
}
