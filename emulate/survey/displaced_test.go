package survey

import (
	"slices"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/launchfile"
)

// What a launch loads is in the cache as far as launches between have left it there: b loads what a stores, c what a has loaded long before, and d what is small.
func TestMissing(t *testing.T) {
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	const mb = 1e6
	all := [][]region{
		{{"x", 0, 10 * mb, 0}, {"y", 0, 0, 10 * mb}},
		{{"y", 0, 10 * mb, 0}, {"z", 0, 0, 120 * mb}},
		{{"x", 0, 10 * mb, 0}},
		{{"w", 0, 1e4, 0}},
	}
	for _, tt := range []struct {
		times int64
		want  []float64
	}{{1, []float64{1, 0, 1, 0}}, {5, []float64{0, 0, 1, 0}}} {
		var rows []*Row
		for i := range all {
			rows = append(rows, &Row{Times: tt.times, Application: &launchfile.Application{Order: int64(i)}})
		}
		if got := missing(d, rows, all); !slices.Equal(got, tt.want) {
			t.Errorf("%d times: %v are missing, and should be %v", tt.times, got, tt.want)
		}
	}
	// Places in one memory: b loads the second half of what a stores, and what lies behind that, which nobody has touched.
	places := [][]region{{{"", 1 << 30, 0, 20 * mb}}, {{"", 1<<30 + 10*mb, 20 * mb, 0}}}
	var two []*Row
	for i := range places {
		two = append(two, &Row{Times: 1, Application: &launchfile.Application{Order: int64(i)}})
	}
	if got := missing(d, two, places); !slices.Equal(got, []float64{1, 0.5}) {
		t.Errorf("%v are missing, and should be all of the first, which has none before it, and half of the second", got)
	}
	rows := []*Row{{Times: 3, Application: &launchfile.Application{}}}
	if got := missing(d, rows, [][]region{{{"x", 0, 30 * mb, 0}}}); got[0] != 0 {
		t.Errorf("a launch that comes alone misses %v of what it has left", got)
	}
}
