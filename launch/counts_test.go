package launch

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// TestCounts counts by hand what 100 work-items in groups of 32 do, of which the last 28 are idle: a column of a tile of doubles with rows
// of four, loads of what is held already, and operations that depend on the work-item.
func TestCounts(t *testing.T) {
	variants, err := script.Exec("counts.star", `
guarded = lp.make_kernel("{[i]: 0<=i<n}", "b[i] = if(i % 3 == 0, 2*a[i], a[i] + c[i])")
guarded = lp.split_iname(lp.assume(guarded, "n >= 1"), "i", 32, outer_tag="g.0", inner_tag="l.0")
guarded = lp.add_dtypes(guarded, {"a": "float32", "b": "float32", "c": "float32"})

again = lp.make_kernel("{[i]: 0<=i<n}", "b[i] = a[i]*a[i + 1]\nc[i] = a[i] + a[i + 1]")
again = lp.split_iname(lp.assume(again, "n >= 1"), "i", 32, outer_tag="g.0", inner_tag="l.0")
again = lp.add_dtypes(again, {"a": "float32", "b": "float32", "c": "float32"})

column = lp.make_kernel("{[g,i,j,k,l]: 0<=g<n and 0<=i,k<8 and 0<=j,l<4}", "t[i,j] = a[g,i,j]\nb[g,l,k] = t[k,l]",
    [lp.TemporaryVariable("t", "float64", shape=(8, 4)), "..."])
column = lp.add_dtypes(lp.assume(column, "n >= 1"), {"a": "float64", "b": "float64"})
column = lp.tag_inames(column, "g:g.0, i:l.1, j:l.0, k:l.0, l:l.1")
`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*Counts{
		// Of four sub-groups the last has four work-items, in one sector. Each array is loaded by those that need it.
		"guarded": {
			Floats:        map[Float]int64{{expr.Float32, "mul"}: 34, {expr.Float32, "add"}: 66},
			SectorsLoaded: 3*(4+4+4) + 3, MergedSectors: 3*(4+4+4) + 3, SectorsStored: 13, Exact: true,
		},
		// a[i + 1] touches five sectors, and one of the last.
		"again": {
			Floats:        map[Float]int64{{expr.Float32, "mul"}: 100, {expr.Float32, "add"}: 100},
			SectorsLoaded: 2 * (3*4 + 1 + 3*5 + 1), MergedSectors: 3*4 + 1 + 3*5 + 1, SectorsStored: 2 * 13, Exact: true,
		},
		// Groups are of 8x8. Doubles take a wavefront for each half of a sub-group, of which four and four of eight store; those of a column two,
		// as eight rows of 32 bytes are twice the banks.
		"column": {
			Floats: map[Float]int64{}, SectorsLoaded: 800, MergedSectors: 800, SectorsStored: 800,
			WavefrontsStored: 400, WavefrontsLoaded: 400, MergedWavefronts: 400, Barriers: 200, Exact: true,
		},
	}
	for _, v := range variants {
		n, err := linear.New(v.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(n, Options{Borders: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Counts(map[string]int64{"n": 100})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[v.Name], got); diff != "" {
			t.Errorf("%s: %s", v.Name, diff)
		}
	}
}

// TestStoredNeighbours: compiled code stores four neighbouring elements of local memory at once, which takes banks four cycles, unless it loads from the array in between: then
// each of the four stores takes four, and each of the loads, for neighbours are four elements apart.
func TestStoredNeighbours(t *testing.T) {
	for _, test := range []struct {
		value, types string
		want         int64
	}{{"a[g,i,u]", `{"a": "float32", "b": "float32"}`, 4 + 1}, {"2*t[4*i + u]", `{"b": "float32"}`, 4*4 + 4*4 + 1}} {
		variants, err := script.Exec("stores.star", fmt.Sprintf(`
knl = lp.make_kernel("{[g,i,u]: 0<=g<n and 0<=i<32 and 0<=u<4}", "t[4*i + u] = %s {id=s}\nb[g,i] = t[i] {dep=s}",
    [lp.TemporaryVariable("t", "float32", shape=(128,), address_space=lp.AddressSpace.LOCAL), "..."])
knl = lp.tag_inames(lp.add_dtypes(lp.assume(knl, "n >= 1"), %s), "g:g.0, i:l.0")`, test.value, test.types))
		if err != nil {
			t.Fatal(err)
		}
		n, err := linear.New(variants[0].Kernel)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(n, Options{Borders: true, Compiled: true, Device: h200})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := p.LocalWavefronts(map[string]int64{"n": 1})
		if err != nil {
			t.Fatal(err)
		}
		if got != test.want {
			t.Errorf("%s: %d cycles, want %d", test.value, got, test.want)
		}
	}
}
