package tune

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplays: on the recorded configurations of each program, ants with the model need at most three tenths of the runs of random search for 95 % of the best speed (a quarter in
// the mean of 100 seeds, as the table of docs/howto/tuning.md has it); and the bandit that
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
				if most := 0.3 * runs["random no"]; runs["ants yes"] > most {
					t.Errorf("%s: ants with the model need %.1f runs, random search %.1f", p.Program, runs["ants yes"], runs["random no"])
				}
				if most := runs["bandit no"] / 3; strings.HasSuffix(p.Program, ".yaml") && runs["bandit first runs"] > most {
					t.Errorf("%s: the bandit needs %.1f runs, and %.1f without what the emulator chooses", p.Program, runs["bandit first runs"], runs["bandit no"])
				}
			}
		})
	}
}

// replayRows are the rows of the table of docs/howto/tuning.md: what each strategy is called there.
var replayRows = []struct{ name, strategy, model string }{
	{"random", "random", "no"},
	{"greedy", "greedy", "no"},
	{"differential evolution", "evolution", "no"},
	{"bandit", "bandit", "no"},
	{"ants, base", "ants-base", "no"},
	{"ants, with metrics", "ants-metrics", "no"},
	{"ants, with metrics and the tree", "ants", "no"},
	{"model, nothing known at first", "model", "no"},
	{"bandit, begun by predictions", "bandit", "first runs"},
	{"ants, with the model", "ants", "yes"},
	{"model", "model", "yes"},
}

// TestReplayTable: the document has the runs that each strategy takes in the mean of 100 seeds. LONG=1 replays all strategies; without, it is random alone.
func TestReplayTable(t *testing.T) {
	document, err := os.ReadFile("../../docs/howto/tuning.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, only := replayRows, []string(nil)
	if os.Getenv("LONG") == "" {
		rows, only = rows[:1], []string{rows[0].strategy}
	}
	cells := map[string][]string{}
	for _, program := range []string{"contraction", "stencil", "gemm", "product", "atax", "jacobi"} {
		r, err := NewReplay(t.Context(), "../../testdata/search/"+program+".jsonl.gz", 100, 1, only...)
		if err != nil {
			t.Fatal(err)
		}
		cells["configurations"] = append(cells["configurations"], fmt.Sprint(r.Of[0].Configurations))
		for _, row := range rows {
			for _, s := range r.Of[0].Strategies {
				if s.Strategy == row.strategy && s.model() == row.model {
					cells[row.name] = append(cells[row.name], s.Runs.text("%.1f"))
					t.Logf("%s: %s %s", program, row.name, s.Runs.text("%.1f"))
				}
			}
		}
	}
	for name, list := range cells {
		line := "| " + name + " | " + strings.Join(list, " | ") + " |"
		t.Log(line)
		if !strings.Contains(string(document), "\n"+line+"\n") {
			t.Errorf("docs/howto/tuning.md lacks:\n%s", line)
		}
	}
}

// TestBandJSON: while a seed has found nothing that runs there is no mean of the best times, which is null in JSON and a dash in a table.
func TestBandJSON(t *testing.T) {
	b := band{Mean: math.Inf(1), Low: math.NaN(), High: math.NaN(), Median: 1.5}
	text, err := json.Marshal(replayed{Strategy: "random", Curve: []band{b}})
	if want := `"curve":[{"mean":null,"low":null,"high":null,"median":1.5}]`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%s: %v, want %s", text, err, want)
	}
	if got := b.text("%.2f"); got != "-" {
		t.Errorf("%q", got)
	}
}
