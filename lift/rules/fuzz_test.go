package rules

import "testing"

func FuzzParseStep(f *testing.F) {
	for _, s := range []string{"splitJoin(n = 4) at 0.1.0", "mapSeq", "mapGlb(d = 0)", "tileStencils2D(t = n/4, v = 2*m) at 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseStep(text)
		if err != nil {
			return
		}
		again, err := ParseStep(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("%s became %s, %v", s, again, err)
		}
	})
}
