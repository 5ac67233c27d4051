package memory

import (
	"math"
	"testing"
)

// TestStored: L2 gets sectors that a sub-group stores in a row once, unless it loads from the same array between.
func TestStored(t *testing.T) {
	every := func(array int, store bool, first int64) *Access {
		a := access(array, store, run(100, 2048), run(1, 0), nil, shifted(lanes(256, 1, 8, 0), first))
		a.Parts[0].Sectors = 100 * 64
		return a
	}
	for name, test := range map[string]struct {
		body []Step
		want float64
	}{
		"one":              {[]Step{every(0, true, 0)}, 6400},
		"both halves":      {[]Step{every(0, true, 0), every(0, true, 4)}, 6400},
		"a load elsewhere": {[]Step{every(0, true, 0), every(1, false, 0), every(0, true, 4)}, 6400},
		"a load between":   {[]Step{every(0, true, 0), every(0, false, 4), every(0, true, 4)}, 12800},
		"another array":    {[]Step{every(0, true, 0), every(1, true, 4)}, 12800},
		"elsewhere":        {[]Step{every(0, true, 0), every(0, true, 100*2048)}, 12800},
		"in a loop":        {[]Step{&Loop{Body: []Step{every(0, true, 0)}}, every(0, true, 4)}, 12800},
	} {
		for _, s := range test.body {
			if l, ok := s.(*Loop); ok {
				l.Body[0].(*Access).Parts[0].Loops = []Run{run(1, 0)}
			}
		}
		l := &Launch{Groups: [3]int64{100, 1, 1}, Arrays: []Array{{Bytes: 200 * 2048}, {Bytes: 200 * 2048}}, Body: test.body}
		if got := l.Estimate(Device{Multiprocessors: 10, Resident: 4, L1: 1 << 17, L2: 1 << 20}).L2Stores; got != test.want {
			t.Errorf("%s: %g sectors, want %g", name, got, test.want)
		}
	}
}

// TestTriangle: of a matrix whose rows are read up to the diagonal half of the sectors are touched, and by some groups those of their rows.
func TestTriangle(t *testing.T) {
	const n, row = 256, 1024
	var parts []Part // sixteen rows for each group
	for i := range int64(n / 16) {
		parts = append(parts, Part{
			Lanes:  shifted(lanes(1, 16, 0, row), i*16*row),
			Groups: [3]Run{{First: i, Step: 1, Count: 1, Stride: 16 * row}, run(1, 0), run(1, 0)}, Loops: []Run{run(16*(i+1), 4)}, Times: 1,
		})
	}
	l := &Launch{Groups: [3]int64{n / 16, 1, 1}, Arrays: []Array{{Bytes: n * row}}, Body: []Step{&Loop{Body: []Step{&Access{Width: 4, Parts: parts}}}}}
	l.prepare()
	whole := window{groups: [3]span{{0, n / 16}, {0, 1}, {0, 1}}}
	some := window{list: [][3]int64{{0, 0, 0}, {3, 0, 0}, {15, 0, 0}}}
	for name, test := range map[string]struct {
		window
		want float64
	}{
		"all": {whole, 16 * 16 * 17 / 2 * 2}, "some": {some, 16 * (1 + 4 + 16) * 2},
	} {
		if got := l.footprint(l.Body, &test.window, loads, SectorBytes); math.Abs(got-test.want) > 0.01*test.want {
			t.Errorf("%s: %g sectors, want %g", name, got, test.want)
		}
	}
}
