package explore

import (
	"math"
	"os"
	"testing"

	"gpuperf/launch"
	"gpuperf/lift/derive"
	"gpuperf/lift/rank"
)

// TestNarrow: the best of the points that Narrow prepares is nearly as fast, by the same estimate, as that of all.
func TestNarrow(t *testing.T) {
	all := map[string]map[string]int64{"scal": {"n": 1 << 20}}
	variants := 100
	if os.Getenv("LONG") != "" {
		all = map[string]map[string]int64{"scal": {"n": 1 << 20}, "asum": {"n": 1000000}, "dot": {"n": 1000000}, "gemv": {"n": 1024, "m": 1024}, "jacobi2d_5pt": {"h": 1024, "w": 1024}}
		variants = 1000
	}
	scorer, err := rank.Estimated(launch.Names(h200), h200)
	if err != nil {
		t.Fatal(err)
	}
	any := func(*derive.Variant) bool { return true }
	for name, sizes := range all {
		opt := launch.Options{Device: h200}
		s := space(t, name, sizes, Options{Variants: variants})
		if err := s.Narrow(scorer, opt, any); err != nil {
			t.Fatal(err)
		}
		some, err := s.Rank(scorer)
		if err != nil {
			t.Fatal(err)
		}
		s.Prepare(s.Points, opt)
		every, err := s.Rank(scorer)
		if err != nil {
			t.Fatal(err)
		}
		slower := math.Exp(every[0].Score - some[0].Score)
		t.Logf("%s: %d of %d points, %.3f times the best", name, len(some), len(every), slower)
		if slower > 1.1 {
			t.Errorf("%s: the best of %d points takes %.2f times as long as that of all %d", name, len(some), slower, len(every))
		}
	}
}
