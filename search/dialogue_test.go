package search

import (
	"math/rand/v2"
	"testing"
)

// TestDialogue: a search of which another program evaluates the configurations is the same as one that evaluates them itself.
func TestDialogue(t *testing.T) {
	for _, name := range Names(nil) {
		begin := func() Strategy {
			s, err := New(name, tiles(), rough, 7)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		limits := Limits{Budget: 40, First: []Config{Usual(tiles())}, Space: tiles()}
		all, err := Run(t.Context(), begin(), nil, limits, evaluate)
		if err != nil {
			t.Fatal(err)
		}
		d := NewDialogue(begin(), limits)
		for i, want := range all {
			c := d.Ask()
			if c.String() != want.Config.String() {
				t.Fatalf("%s: run %d is %s, want %s", name, i+1, c, want.Config)
			}
			d.Tell(Trial{Config: c, Result: cost(c)})
		}
		if best := Best(all); d.Told() != len(all) || d.Best().Config.String() != best.Config.String() {
			t.Errorf("%s: the best of %d is %s, want %s of %d", name, d.Told(), d.Best().Config, best.Config, len(all))
		}
	}
}

// TestDialogueTogether: many are asked for before any is told, which comes in another order; each is new, and a small space ends.
func TestDialogueTogether(t *testing.T) {
	for _, name := range Names(nil) {
		small := Product{{Name: "a", Options: []string{"1", "2", "3"}}, {Name: "b", Options: []string{"x", "y"}}}
		for _, space := range []Space{tiles(), small} {
			s, err := New(name, space, nil, 3)
			if err != nil {
				t.Fatal(err)
			}
			d := NewDialogue(s, Limits{Space: space})
			d.Tell(Trial{Config: Usual(space)}) // it was not asked for, and did not run
			seen := map[string]bool{Usual(space).String(): true}
			r := rand.New(rand.NewPCG(1, 1))
			for range 8 {
				var list []Config
				for range 5 {
					c := d.Ask()
					if c == nil {
						break
					}
					if seen[c.String()] {
						t.Fatalf("%s: %s is proposed again", name, c)
					}
					seen[c.String()] = true
					list = append(list, c)
				}
				r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				for _, c := range list {
					d.Tell(Trial{Config: c, Result: cost(c)})
				}
			}
			if want := map[bool]int{true: 6, false: 41}[len(seen) < 10]; len(seen) != want {
				t.Errorf("%s: %d configurations, want %d", name, len(seen), want)
			}
		}
	}
}
