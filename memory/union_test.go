package memory

import (
	"testing"

	"pgregory.net/rapid"
)

// enumerated are the bytes of intervals with their copies, one by one.
func enumerated(in []interval, moves []stride) map[int64]bool {
	at := []int64{0}
	for _, m := range moves {
		var next []int64
		for _, x := range at {
			for k := range m.count {
				next = append(next, x+k*m.bytes)
			}
		}
		at = next
	}
	all := map[int64]bool{}
	for _, shift := range at {
		for _, x := range in {
			for b := x.lo; b < x.hi; b++ {
				all[b+shift] = true
			}
		}
	}
	return all
}

// intervals are a few, as many as lanes and neighbours make.
func intervals(t *rapid.T) (in []interval) {
	width := rapid.Int64Range(1, 8).Draw(t, "width")
	for range rapid.IntRange(1, 5).Draw(t, "intervals") {
		lo := rapid.Int64Range(-100, 400).Draw(t, "lo")
		in = append(in, interval{lo, lo + width})
	}
	return merged(in)
}

// TestUnionOfNestedStrides: where each stride divides the next, all bytes are counted once.
func TestUnionOfNestedStrides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, bytes := intervals(t), int64(1)
		var moves []stride
		for range rapid.IntRange(1, 3).Draw(t, "strides") {
			bytes *= rapid.Int64Range(1, 16).Draw(t, "factor")
			sign := rapid.SampledFrom([]int64{1, -1}).Draw(t, "sign")
			moves = append(moves, stride{sign * bytes, rapid.Int64Range(1, 12).Draw(t, "count")})
		}
		f := figure{new(division).union(in, moves), 1, 0}
		if got, want := f.bytes(), len(enumerated(in, moves)); got != float64(want) {
			t.Fatalf("%v copied by %v: %g bytes, want %d", in, moves, got, want)
		}
	})
}

// TestUnits: of copies at multiples of a unit the units are counted as they are, up to those that parts of the union share.
func TestUnits(t *testing.T) {
	const unit = 32
	for name, test := range map[string]struct {
		in    []interval
		moves []stride
		want  float64
	}{
		"neighbours":                   {lanesOf(32, 4), []stride{{128, 100}}, 400},
		"sectors of their own":         {lanesOf(32, 32), []stride{{1024, 100}}, 3200},
		"every second sector":          {lanesOf(32, 64), []stride{{2048, 100}}, 3200},
		"four apart, of many groups":   {apart(lanesOf(32, 32), 4, 1<<18), []stride{{1024, 256}, {1 << 20, 128}}, 4 * 32 * 256 * 128},
		"rows above and below":         {apart(lanesOf(32, 4), 3, 4096), []stride{{128, 32}, {4096, 100}}, 102 * 128},
		"planes before and after":      {apart(lanesOf(32, 4), 3, 1<<20), []stride{{128, 32}, {4096, 256}, {1 << 20, 50}}, 52 * 128 * 256},
		"rows of an odd length":        {apart(lanesOf(32, 4), 5, 2064), []stride{{128, 16}, {2064, 512}}, 516 * 2064 / 32},
		"words in rows of 516":         {lanesOf(32, 1<<20), []stride{{2064, 512}}, 32 * 512},
		"a field of a structure":       {lanesOf(32, 16), []stride{{512, 100}}, 1600},
		"columns, iteration by itself": {lanesOf(32, 4096), []stride{{4, 1024}, {1 << 17, 8}}, 8 * 32 * 128},
	} {
		f := figure{new(division).union(test.in, test.moves), 1, 0}
		if got := f.units(unit); got < 0.99*test.want || got > 1.01*test.want {
			t.Errorf("%s: %g units, want %g", name, got, test.want)
		}
	}
}

// lanesOf are words so far apart.
func lanesOf(n int, bytes int64) (in []interval) {
	for i := range int64(n) {
		in = append(in, interval{i * bytes, i*bytes + WordBytes})
	}
	return merged(in)
}

// apart are several of the intervals at a distance.
func apart(in []interval, n, bytes int64) []interval {
	var at places
	for i := range n {
		at = append(at, i*bytes)
	}
	return at.copies(in)
}

// Eight bytes on both sides of where a line ends are in two lines there, and in one nearly everywhere else: so much room is taken for a window of a launch.
func TestMeanUnits(t *testing.T) {
	f := figure{[]set{{in: []interval{{124, 132}}, copies: []stride{{2048, 100}}}}, 1, 4}
	if got := f.units(128); got != 200 {
		t.Errorf("%g lines, want 200", got)
	}
	if got := f.meanUnits(128); got != 100*(1+4.0/128) {
		t.Errorf("%g lines in the mean, want %g", got, 100*(1+4.0/128))
	}
}
