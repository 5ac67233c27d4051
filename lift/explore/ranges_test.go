package explore

import (
	"testing"

	"gpuperf/launch"
	"gpuperf/lift"
)

func TestParseRange(t *testing.T) {
	r, rest, err := ParseRange([]string{"n=1k..1M,m=3", "k=5"})
	if err != nil || r == nil || r.Name != "n" || r.From != 1000 || r.To != 1000000 || len(rest) != 2 || rest[0] != "m=3" {
		t.Errorf("%+v %v %v", r, rest, err)
	}
	if r, _, err := ParseRange([]string{"n=5"}); r != nil || err != nil {
		t.Errorf("%+v %v", r, err)
	}
	for _, wrong := range []string{"n=5..5", "n=0..5", "n=..7", "n=1..x", "n=1..2,m=3..4"} {
		if r, _, err := ParseRange([]string{wrong}); err == nil {
			t.Errorf("%s is %+v", wrong, r)
		}
	}
}

// The stretches of a range follow each other, each with a recipe that is the best of its size among those of its neighbours; where the
// sizes are few, that is one.
func TestStretches(t *testing.T) {
	p, err := lift.Load("../../examples/lift/dot.lift")
	if err != nil {
		t.Fatal(err)
	}
	r := &Ranges{
		Program: p, Source: "dot.lift", Sizes: &Sizes{Name: "n", From: 97, To: 400000}, Options: Options{Variants: 50, Ranges: 1, Seed: 1},
		Static: launch.Options{SubgroupSize: 32, Device: h200},
	}
	list, err := r.Choose()
	if err != nil {
		t.Fatal(err)
	}
	next := r.Sizes.From
	for i, s := range list {
		if s.From != next || s.To < s.From || s.At < s.From || s.At > s.To || s.Point == nil || i > 0 && list[i-1].Recipe == s.Recipe {
			t.Errorf("%d: %+v", i, s)
		}
		next = s.To + 1
	}
	if next != r.Sizes.To+1 || len(list) < 2 {
		t.Errorf("%d stretches end at %d", len(list), next-1)
	}
}
