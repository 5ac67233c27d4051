package memory

import "testing"

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
		"in a loop":        {[]Step{&Loop{[]Step{every(0, true, 0)}}, every(0, true, 4)}, 12800},
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
