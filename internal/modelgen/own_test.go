package modelgen

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel/script"
	"gpuperf/workload"
)

const ownScript = `
def items(k):
    k = lp.split_iname(k, "i", 64, outer_tag="g.0", inner_tag="l.0")
    return lp.add_dtypes(lp.assume(k, "n >= 64 and n % 64 = 0"), {"x": "float32", "y": "float32"})
copy = items(lp.make_kernel("{[i]: 0<=i<n}", "y[i] = x[i]"))
scale = items(lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 2*x[i] + 1"))
vectors = items(lp.make_kernel("{[i]: 0<=i<n/4}", "y[4*i; 4] = 2*x[4*i; 4]"))
`

// TestOwn: of a kernel there are all accesses together at five sizes around those asked for, and where it has no other work, each
// pattern alone. What cannot be measured is said.
func TestOwn(t *testing.T) {
	variants, err := script.Options{}.Exec(t.Context(), "own.star", ownScript)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kernel   string
		isolated bool
		want     []string // the accesses of each measurement, "all" for all
	}{
		{"scale", false, []string{"all"}},
		{"scale", true, []string{"xLD", "yST"}},
		{"copy", false, []string{"xLD", "yST"}},
		{"vectors", false, nil},
	} {
		v, err := script.Named("own.star", variants, c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		asked := sizesOf("n", 1<<20, 1<<24)
		set, err := OwnSet([]Target{{Script: "own.star", Variant: v, Sizes: asked}}, Options{Device: h200, Isolated: c.isolated})
		if err != nil {
			t.Fatalf("%s: %v", c.kernel, err)
		}
		count := map[string]int{}
		var got []string
		for _, p := range set.Planned {
			of := p.Identity.Args["remove_work"]
			if got = addOnce(got, of); slices.ContainsFunc(asked, func(at map[string]int64) bool { return at["n"] == p.Sizes["n"] }) {
				t.Errorf("%s: %s is measured at n=%d, which is asked for", c.kernel, of, p.Sizes["n"])
			}
			if count[of]++; p.Seconds <= 0 {
				t.Errorf("%s: %s is estimated at %g s", c.kernel, of, p.Seconds)
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v is measured, want %v", c.kernel, got, c.want)
		}
		for of, n := range count {
			if n != ownPoints {
				t.Errorf("%s: %s is measured at %d sizes", c.kernel, of, n)
			}
		}
		if said := strings.Join(set.Notes, " "); (c.want == nil) != strings.Contains(said, "only scalars can be added up") {
			t.Errorf("%s: notes %q", c.kernel, said)
		}
	}
}

// TestOwnWhole: a kernel none of whose work can be removed is measured as it is, at the size that is asked for and at those around it that it runs at.
func TestOwnWhole(t *testing.T) {
	variants, err := script.Options{}.Exec(t.Context(), "own.star", ownScript)
	if err != nil {
		t.Fatal(err)
	}
	v, err := script.Named("own.star", variants, "vectors")
	if err != nil {
		t.Fatal(err)
	}
	const asked, most = 1 << 20, 1 << 20
	kernel := workload.NewKernel(v.Kernel)
	at := func(sizes map[string]int64) (*workload.Case, error) {
		if sizes["n"] > most {
			return nil, errors.New("its data is shorter")
		}
		return &workload.Case{Kernel: kernel, Name: "vectors", Sizes: sizes}, nil
	}
	whole, err := at(map[string]int64{"n": asked})
	if err != nil {
		t.Fatal(err)
	}
	set, err := OwnSet([]Target{{Script: "own.star", Variant: v, Sizes: sizesOf("n", asked), Whole: []*workload.Case{whole}, At: at}}, Options{Device: h200})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(set.Planned); n < 3 || n > ownPoints || set.Planned[0].Sizes["n"] != asked || !strings.Contains(strings.Join(set.Notes, " "), "around them") {
		t.Errorf("%d sizes, the first n=%d, notes %q", n, set.Planned[0].Sizes["n"], set.Notes)
	}
	for _, p := range set.Planned {
		if p.Sizes["n"] > most {
			t.Errorf("it is measured at n=%d, where it does not run", p.Sizes["n"])
		}
	}
}
