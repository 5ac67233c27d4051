package tune

import (
	"slices"
	"strings"
	"testing"

	"gpuperf/samples"
)

// sample is a sample of a configuration in 1/n seconds; without a time for 0.
func sample(k samples.Identity, on string, n float64, tags ...string) Run {
	r := Run{Record: samples.Record{Kernel: k, Tags: tags, Device: samples.Fingerprint{Name: on}, Status: samples.Refused}}
	if n > 0 {
		r.Record.Status, r.Record.Summary = samples.OK, &samples.Summary{Median: 1 / n}
	}
	r.Config, _ = configOf(&r.Record)
	return r
}

// TestProblems: what was measured at other sizes, on other data or another device is not pooled; sizes that are choices are no sizes of the problem. What ran nowhere and has no sizes
// counts for all.
func TestProblems(t *testing.T) {
	at := func(n int64) map[string]int64 { return map[string]int64{"n": n} }
	tuned := func(b string) []string { return samples.TunedTags("b=" + b) }
	one := samples.Identity{Source: "a.yaml", Args: map[string]string{"b": "1"}, Sizes: map[string]int64{"n": 8, "b": 1}}
	two := samples.Identity{Source: "a.yaml", Args: map[string]string{"b": "2"}, Sizes: map[string]int64{"n": 8, "b": 2}}
	far, none := two, two
	far.Sizes, none.Sizes = map[string]int64{"n": 9, "b": 2}, nil
	lift := func(n int64, data string) samples.Identity {
		k := samples.Identity{Source: "d.lift", Variant: "v", Sizes: at(n), Args: map[string]string{"local": "64x2", "global": "128x2"}}
		if data != "" {
			k.Args["data_x"] = data
		}
		return k
	}
	recipe := []string{"lift", "recipe:a, b"}
	runs := []Run{
		sample(none, "D", 0, tuned("3")...), sample(one, "D", 1, tuned("1")...), sample(two, "D", 2, tuned("2")...), sample(far, "D", 3, tuned("2")...),
		sample(lift(8, ""), "D", 1, recipe...), sample(lift(9, ""), "D", 2, recipe...), sample(lift(8, "i"), "D", 3, recipe...),
		sample(one, "E", 4, tuned("1")...), sample(samples.Identity{Source: "c.c", Sizes: at(1)}, "D", 1, tuned("1")...),
	}
	var got []string
	for _, p := range problemsOf(runs) {
		var all []string
		for _, trial := range p.trials {
			all = append(all, trial.Config.String())
		}
		got = append(got, p.name+": "+strings.Join(all, "; "))
	}
	point := "recipe=a + b,variant=v,local x=64,global x=128,local y=2,global y=2,local z=1,global z=1"
	want := []string{
		"a.yaml n=8 on D (OpenCL, ): b=3; b=1; b=2", "a.yaml n=9 on D (OpenCL, ): b=3; b=2",
		"d.lift n=8: " + point, "d.lift n=9: " + point, "d.lift data_x:i n=8: " + point,
		"a.yaml n=8 on E (OpenCL, ): b=1", "c.c: b=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c, err := configOf(&samples.Record{Kernel: lift(8, "")}); c != nil || err != nil {
		t.Errorf("no recipe: %v, %v", c, err)
	}
}

// TestReplaysExplorations: what lift explore has recorded is replayed, each program at each of its sizes.
func TestReplaysExplorations(t *testing.T) {
	r, err := NewReplay(t.Context(), "../../testdata/h200/lift_blas.jsonl.gz", 2, 10, "random")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Of) != 10 || r.Of[0].Program != "scal.lift n=16777216" || r.Of[1].Program != "scal.lift n=134217728" || r.Of[0].Configurations != 40 {
		t.Errorf("%d programs, the first %+v", len(r.Of), r.Of[0])
	}
	if r.Of[1].Best < 4*r.Of[0].Best {
		t.Errorf("eight times as many elements take %g s, and %g s", r.Of[1].Best, r.Of[0].Best)
	}
}
