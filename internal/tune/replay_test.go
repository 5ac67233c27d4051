package tune

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplays: on the recorded configurations of each program, ants with the model need at most a quarter of the runs of random search for 95 % of the best speed; and the bandit that
// starts with what the emulator predicts to be the fastest needs at most a third of the runs without. All strategies, with 100 seeds: perf tune FILE.
func TestReplays(t *testing.T) {
	files, err := filepath.Glob("../../testdata/search/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	seeds := 6
	if os.Getenv("LONG") != "" {
		seeds = 100
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			r, err := NewReplay(t.Context(), path, seeds, 10, "random", "ants", "bandit")
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range r.Of {
				runs := map[string]float64{}
				for _, s := range p.Strategies {
					runs[s.Strategy+" "+s.model()] = s.Runs.Mean
				}
				t.Logf("%s: %d configurations: %v", p.Program, p.Configurations, runs)
				if most := runs["random no"] / 4; runs["ants yes"] > most {
					t.Errorf("%s: ants with the model need %.1f runs, random search %.1f", p.Program, runs["ants yes"], runs["random no"])
				}
				if most := runs["bandit no"] / 3; strings.HasSuffix(p.Program, ".yaml") && runs["bandit first runs"] > most {
					t.Errorf("%s: the bandit needs %.1f runs, and %.1f without what the emulator chooses", p.Program, runs["bandit first runs"], runs["bandit no"])
				}
			}
		})
	}
}
