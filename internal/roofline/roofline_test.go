package roofline_test

import (
	"strings"
	"testing"

	"gpuperf/internal/chart"
	"gpuperf/internal/golden"
	"gpuperf/internal/roofline"
)

func launches() []roofline.Named {
	levels := func(dram, l2, l1 float64) []roofline.Level {
		return []roofline.Level{{roofline.DRAM, dram, 4.8e12}, {roofline.L2, l2, 8.6e12}, {roofline.L1, l1, 33e12}}
	}
	return []roofline.Named{
		{"plain", &roofline.Roofline{1e-3, 17e9, "float32", 67e12, levels(34e6, 4e9, 30e9)}},
		{"tiled", &roofline.Roofline{3e-4, 17e9, "float32", 67e12, levels(34e6, 3e8, 5e9)}},
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	roofline.Write(&b, launches())
	golden.Check(t, "testdata/two.txt", b.String())
}

// At its own intensity no roof of a level is below what moves there at its rate, and points stand where operations over bytes and time put them.
func TestChart(t *testing.T) {
	points := map[string]int{}
	for _, s := range roofline.Chart(launches()).Series {
		for _, p := range s.Points {
			if s.Style.Mark == chart.NoMark {
				continue
			}
			points[p.Label]++
			if achieved := launches()[p.Label[0]-'a'].Achieved(); p.Y != achieved {
				t.Errorf("%s stands at %g FLOP/s, not at %g", p.Label, p.Y, achieved)
			}
		}
	}
	if points["a"] != 3 || points["b"] != 3 {
		t.Errorf("points of launches: %v, want three of each", points)
	}
}
