package memory

import (
	"math"
	"testing"
)

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

// TestNothing: a launch that accesses nothing moves nothing, on any device.
func TestNothing(t *testing.T) {
	l := &Launch{Groups: [3]int64{4, 1, 1}}
	for _, d := range []Device{{Multiprocessors: 2}, {Multiprocessors: 2, L2: 1 << 20}} {
		if got := l.Estimate(d); got != (Traffic{}) {
			t.Errorf("%+v: %+v", d, got)
		}
	}
}

// TestTurns: DRAM turns to a page for each place where a group of 128 bytes may be; where it is known, the two units of 64 bytes of a group are in one page, and eight
// groups in a row, too.
func TestTurns(t *testing.T) {
	const groups = 64
	for _, c := range []struct {
		name  string
		run   Run
		lines bool
		want  float64
	}{
		{"in a row", run(groups, 128), true, groups / 8},
		{"a page apart", run(groups, pageBytes), true, groups},
		{"anywhere", Run{Step: 1, Count: groups, Anywhere: true}, true, groups},
	} {
		a := access(0, false, c.run, run(1, 0), nil, lanes(32, 1, 4, 0))
		a.Parts[0].Scattered, a.Parts[0].Sectors = c.run.Anywhere, 4*groups
		l := &Launch{Groups: [3]int64{groups, 1, 1}, Arrays: []Array{{Bytes: 1 << 20}}, Body: []Step{a}, Lines: c.lines}
		l.prepare()
		whole := l.whole()
		if got := l.turns(l.Body, &whole, loads, 2*groups); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}
