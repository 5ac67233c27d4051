package compile

import (
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/ctest/scoptest"
)

// TestRandomChains is TestRandomNests for nests that carry values forward, which several launches make in chunks. LONG=1 tries many.
func TestRandomChains(t *testing.T) {
	randomly(t, scoptest.Chain, [][]string{{"58", "19"}, {"2", "1"}})
}

// TestRandomEliminations is TestRandomNests for eliminations, whose steps are in blocks. LONG=1 runs it.
func TestRandomEliminations(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("LONG=1 runs it")
	}
	randomly(t, scoptest.Eliminate, [][]string{{"39", "5"}, {"3", "1"}})
}

// randomly compares random nests with what gcc makes of them, at some n and m.
func randomly(t *testing.T, nest func(*rapid.T) string, all [][]string) {
	for _, language := range languages(t) {
		for first, end := seeds(t); first < end; first += perBatch {
			t.Run(fmt.Sprint(language, first), func(t *testing.T) {
				t.Parallel()
				var texts []string
				for seed := range min(perBatch, end-first) {
					texts = append(texts, rapid.Custom(nest).Example(first+seed))
				}
				b := newBatch(t, texts, language)
				for _, sizes := range all {
					if n := b.compare(t, sizes...); n.accepted < n.tried*3/4 || n.judged < n.accepted/2 {
						t.Errorf("%d of %d are compiled, %d are compared", n.accepted, n.tried, n.judged)
					}
				}
			})
		}
	}
}
