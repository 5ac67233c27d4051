package survey

import (
	"math"
	"slices"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/launchfile"
)

// What a launch loads is in the cache as far as launches between have left it there: b loads what a stores, c what a has loaded long before, and d what is small.
// missing are the parts that others have displaced.
func missing(all []emulate.Others) (parts []float64) {
	for _, o := range all {
		parts = append(parts, o.Missing)
	}
	return parts
}

// ways are files whose launches all touch the same.
func ways(files [][]region) (all [][][]region) {
	for _, f := range files {
		all = append(all, [][]region{f})
	}
	return all
}

func TestOthers(t *testing.T) {
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	const mb = 1e6
	all := [][]region{
		{{"x", 0, 10 * mb, 0, 0}, {"y", 0, 0, 10 * mb, 0}},
		{{"y", 0, 10 * mb, 0, 0}, {"z", 0, 0, 120 * mb, 0}},
		{{"x", 0, 10 * mb, 0, 0}},
		{{"w", 0, 1e4, 0, 0}},
	}
	for _, tt := range []struct {
		times int64
		want  []float64
	}{{1, []float64{1, 0, 1, 0}}, {5, []float64{0, 0, 1, 0}}} {
		var rows []*Row
		for i := range all {
			rows = append(rows, &Row{Times: tt.times, Application: &launchfile.Application{Order: int64(i)}})
		}
		if got := missing(others(d, rows, ways(all))); !slices.Equal(got, tt.want) {
			t.Errorf("%d times: %v are missing, and should be %v", tt.times, got, tt.want)
		}
	}
	// Places in one memory: b loads the second half of what a stores, and what lies behind that, which nobody has touched.
	places := [][]region{{{"", 1 << 30, 0, 20 * mb, 0}}, {{"", 1<<30 + 10*mb, 20 * mb, 0, 0}}}
	var two []*Row
	for i := range places {
		two = append(two, &Row{Times: 1, Application: &launchfile.Application{Order: int64(i)}})
	}
	if got := missing(others(d, two, ways(places))); !slices.Equal(got, []float64{1, 0.5}) {
		t.Errorf("%v are missing, and should be all of the first, which has none before it, and half of the second", got)
	}
	rows := []*Row{{Times: 3, Application: &launchfile.Application{}}}
	if got := missing(others(d, rows, ways([][]region{{{"x", 0, 30 * mb, 0, 0}}}))); got[0] != 0 {
		t.Errorf("a launch that comes alone misses %v of what it has left", got)
	}
}

// A launch that loads after one that stores makes the cache write what that one has left in it, and one that stores after it leaves as much for the next: in all
// DRAM is written what is stored. What is stored again at once, where there is room for it, is written by nobody.
func TestWritten(t *testing.T) {
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	const mb = 1 << 20
	most := d.Value(facts.L2DirtyMost) * d.Value(facts.L2Bytes)
	store, load := []region{{"x", 0, 0, 128 * mb, 0}}, []region{{"y", 0, 128 * mb, 0, 0}}
	for _, tt := range []struct {
		name  string
		files [][]region
		want  []float64 // of most
	}{
		{"stores, then loads", [][]region{store, load}, []float64{-1, 1}},
		{"stores, loads, loads", [][]region{store, load, {{"z", 0, 128 * mb, 0, 0}}}, []float64{-1, 1, 0}},
		{"stores, stores elsewhere", [][]region{store, {{"z", 0, 0, 128 * mb, 0}}}, []float64{0, 0}},
		{"alone", [][]region{store}, []float64{0}},
		{"little that stays", [][]region{{{"x", 0, 0, 4 * mb, 0}}, {{"y", 0, 4 * mb, 0, 0}}}, []float64{0, 0}},
	} {
		var rows []*Row
		for i := range tt.files {
			rows = append(rows, &Row{Times: 10, Application: &launchfile.Application{Order: int64(i)}})
		}
		for i, o := range others(d, rows, ways(tt.files)) {
			if math.Abs(o.Written/most-tt.want[i]) > 0.05 {
				t.Errorf("%s: launch %d writes %.2f of what the cache keeps more than after itself, not %v", tt.name, i, o.Written/most, tt.want[i])
			}
		}
	}
}
