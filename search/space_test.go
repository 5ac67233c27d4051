package search

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Prune leaves exactly the configurations that fit, without dead ends.
func TestPrune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all Product
		for _, name := range []string{"a", "b", "c"} {
			all = append(all, Choice{Name: name, Options: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"1", "2", "3", "4"}), 1, 4, rapid.ID).Draw(t, name)})
		}
		bad := map[string]bool{}
		for range rapid.IntRange(0, 40).Draw(t, "refused") {
			bad[rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "x")+rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "y")] = true
		}
		fits := func(made Config) bool {
			for i := 1; i < len(made); i++ {
				if bad[made[i-1].Option+made[i].Option] {
					return false
				}
			}
			return true
		}
		want := map[string]bool{}
		each(all, nil, func(c Config) { want[c.String()] = fits(c) })
		n := 0
		for _, ok := range want {
			if ok {
				n++
			}
		}
		s := Prune(all, fits)
		if s == nil {
			if n > 0 {
				t.Fatalf("%d configurations fit", n)
			}
			return
		}
		found := 0
		each(s, nil, func(c Config) {
			if found++; !want[c.String()] {
				t.Fatalf("%s does not fit", c)
			}
		})
		if counted, _ := Count(s, 100); found != n || counted != n {
			t.Fatalf("%d configurations, counted %d, want %d", found, counted, n)
		}
	})
}

// each visits all configurations of a space, of which no choice may be empty.
func each(s Space, made Config, visit func(Config)) {
	c := s.Next(made)
	if c == nil {
		visit(made)
		return
	}
	for _, o := range c.Options {
		each(s, made.with(c.Name, o), visit)
	}
}

func TestPath(t *testing.T) {
	s := tiles()
	for _, c := range []struct{ text, want string }{
		{"kernels=apart", "lacks a choice of tile x"},
		{"kernels=both", "kernels=both: after nothing there are apart, together"},
		{"kernels", `expected NAME=OPTION, found "kernels"`},
		{strings.Replace(Usual(s).String(), "padding=0", "padding=2", 1), "padding=2: after kernels=apart,"},
		{Usual(s).String() + ",speed=high", "there is no choice of speed"},
	} {
		config, err := ParseConfig(c.text)
		if err == nil {
			_, err = Path(s, config)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	want := Usual(s).String()
	config, err := ParseConfig(want)
	if err != nil {
		t.Fatal(err)
	}
	config[0], config[3] = config[3], config[0] // in any order
	if got, err := Path(s, config); err != nil || got.String() != want {
		t.Errorf("%s: %v, want %s", got, err, want)
	}
}

// A guide that has learned where predictions are wrong predicts better than before.
func TestGuide(t *testing.T) {
	s := tiles()
	wrong := func(c Config) float64 { // by a factor that depends on two choices
		return cost(c).Seconds * (1 + number(c.Option("tile x"))/16) / (1 + number(c.Option("points y")))
	}
	strategy, err := New("model", s, wrong, 3)
	if err != nil {
		t.Fatal(err)
	}
	g := strategy.(*guided).guide
	if _, err := Run(t.Context(), strategy, nil, Limits{Budget: 40}, evaluate); err != nil {
		t.Fatal(err)
	}
	better := 0
	const tried = 80
	for seed := range uint64(tried) {
		r, err := New("random", s, nil, seed)
		if err != nil {
			t.Fatal(err)
		}
		c := r.Ask()
		measured := cost(c).Seconds
		if measured == 0 {
			better++
			continue
		}
		if off(g.seconds(c), measured) <= off(wrong(c), measured) {
			better++
		}
	}
	if better < tried*3/4 {
		t.Errorf("%d of %d predictions are not worse than before", better, tried)
	}
}

// off is by which factor two times differ.
func off(a, b float64) float64 { return max(a/b, b/a) }

// TestWithout: what of a configuration is not in another one, whatever is there beside it.
func TestWithout(t *testing.T) {
	parse := func(text string) Config {
		c, err := ParseConfig(text)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	usual := parse("order=a,x block=32,y block=8")
	if got := parse("order=b,y block=8,x block=8,z block=32").Without(usual).String(); got != "order=b,x block=8,z block=32" {
		t.Error(got)
	}
	if own := usual.Without(usual); own != nil {
		t.Error(own)
	}
}
