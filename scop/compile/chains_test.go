package compile

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/ctest/scoptest"
)

// TestRandomChains is TestRandomNests for nests that carry values forward, which several launches make in chunks. LONG=1 tries many.
func TestRandomChains(t *testing.T) {
	for _, language := range languages(t) {
		for first, end := seeds(t); first < end; first += perBatch {
			t.Run(fmt.Sprint(language, first), func(t *testing.T) {
				var texts []string
				for seed := range min(perBatch, end-first) {
					texts = append(texts, rapid.Custom(scoptest.Chain).Example(first+seed))
				}
				b := newBatch(t, texts, language)
				for _, sizes := range [][]string{{"58", "19"}, {"2", "1"}} {
					if n := b.compare(t, sizes...); n.accepted < n.tried*3/4 || n.judged < n.accepted/2 {
						t.Errorf("%d of %d are compiled, %d are compared", n.accepted, n.tried, n.judged)
					}
				}
			})
		}
	}
}
