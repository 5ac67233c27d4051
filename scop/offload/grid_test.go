package offload

import (
	"fmt"
	"os"
	"testing"

	"gpuperf/device/machine"
	"gpuperf/kernel"
	"gpuperf/scop/schedule"
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

// TestBegins: grids begin where the points do that a step of the host's loop has, and end where these do.
func TestBegins(t *testing.T) {
	n := nestOf(t, "begins.c", "void f(int n, double A[n][n]) {\n#pragma scop\nfor (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j];\n#pragma endscop\n}\n")
	for _, points := range [][]int64{{1, 1}, {1, 2}} {
		p, err := find(n, schedule.Smart, Options{Map: func(Form) Mapping { return Mapping{Block: []int64{3, 2}, Points: points, Share: 1} }})
		if err != nil {
			t.Fatal(err)
		}
		const size = 13
		at := map[string]int64{"n": size}
		check(t, p, at)
		runs, err := p.Plan(at)
		if err != nil || len(runs) != size-1 {
			t.Fatal(len(runs), err)
		}
		for k, r := range runs {
			first, want := int64(k+1), int64(1)
			for axis, block := range []int64{3, 2} {
				tile := block * points[axis]
				want *= (size+tile-1)/tile - first/tile
			}
			if got := groupsOf(t, r.Kernel, r.Sizes); got != want {
				t.Errorf("step %d has %d work-groups, not %d", k, got, want)
			}
		}
	}
}
