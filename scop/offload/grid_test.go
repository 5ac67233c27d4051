package offload

import (
	"fmt"
	"os"
	"testing"

	"gpuperf/device/machine"
	"gpuperf/kernel"
)

// TestGrid: no launch has more work-groups along an axis than devices allow there, with whatever mapping the sums of a batch of small matrices are computed, and for the reference.
func TestGrid(t *testing.T) {
	text, err := os.ReadFile("../../examples/nests/batched.c")
	if err != nil {
		t.Fatal(err)
	}
	n := nestOf(t, "batched.c", string(text))
	on := machine.Of(nil)
	each := func(f Form) Mapping { f.Tiles, f.Sums = false, None; return Default(f) }
	for i, choose := range []func(Form) Mapping{Default, each} {
		for _, sizes := range []map[string]int64{{"b": 1000, "n": 16}, {"b": 100_000, "n": 16}} {
			p, err := Find(t.Context(), n, Options{Sizes: sizes, Map: choose})
			if err != nil {
				t.Fatal(err)
			}
			plain, err := p.plain()
			if err != nil {
				t.Fatal(err)
			}
			runs, err := p.Plan(sizes)
			if err != nil || len(runs) == 0 {
				t.Fatal(len(runs), err)
			}
			reference, err := plain.Plan(sizes)
			if err != nil || len(reference) == 0 {
				t.Fatal(len(reference), err)
			}
			runs = append(runs, reference...)
			for _, r := range runs {
				for name, tag := range r.Kernel.Tags {
					if tag.Kind != kernel.GroupAxis || tag.Axis == 0 {
						continue
					}
					set, err := r.Kernel.DomainOf([]string{name})
					if err == nil {
						set, err = set.Fix(r.Sizes)
					}
					if err != nil {
						t.Fatal(err)
					}
					if groups := extent(set, name); groups > on.MostGroups {
						t.Error(fmt.Sprint("mapping ", i, " at ", sizes, ": ", groups, " work-groups along axis ", tag.Axis))
					}
				}
			}
		}
	}
}
