package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuperf/lift/rank"
	"gpuperf/samples"
)

// Vectors and samples made up by one law, compared by all rankers that need no model, and drawn.
func TestRankers(t *testing.T) {
	dir := t.TempDir()
	vectors, records := filepath.Join(dir, "samples.vectors.jsonl"), filepath.Join(dir, "samples.jsonl")
	journal, err := samples.Open(records)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	v := &rank.Vectors{Names: []string{"global_loads", "cache_lines"}}
	for b := range 3 {
		for i := range 20 {
			loads, lines := float64(1+rng.IntN(16)), float64(1+rng.IntN(8))
			id := samples.Identity{Source: fmt.Sprintf("b%d", b), Args: map[string]string{"i": fmt.Sprint(i)}, Sizes: map[string]int64{"n": 64}}
			hash := strings.Repeat(fmt.Sprintf("%02x", i), 32)
			v.List = append(v.List, rank.Vector{Kernel: id, SourceHash: hash, Benchmark: id.Source, Size: "n=64", Values: []float64{loads, lines}})
			trials := []float64{1e-6 * loads * lines}
			sum := samples.Summarize(trials)
			if err := journal.Append(samples.Record{
				Version: samples.Version, Kernel: id, SourceHash: hash, Entry: "f", Global: []int64{64}, Mode: samples.Warm, Status: samples.OK,
				Trials: trials, Summary: &sum, Device: samples.Fingerprint{Name: "d", Platform: "p"}, Time: time.Unix(1, 0),
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	if err := v.Append(vectors); err != nil {
		t.Fatal(err)
	}
	perf := func(want int, args ...string) string {
		var out, errs bytes.Buffer
		if status := run(context.Background(), append([]string{"lift"}, args...), nil, &out, &errs); status != want {
			t.Fatalf("%v: status %d, want %d\n%s%s", args, status, want, &out, &errs)
		}
		return out.String() + errs.String()
	}
	text := perf(0, "evaluate", records, "--out", filepath.Join(dir, "figures"))
	for _, want := range []string{"\ntrees  ", "spearman mean"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "model") {
		t.Errorf("a ranker by a model without predicted times\n%s", text)
	}
	for _, name := range []string{"curves.svg", "factors.svg", "runs.svg", "redundancy.svg"} {
		if svg, err := os.ReadFile(filepath.Join(dir, "figures", name)); err != nil || !bytes.HasPrefix(svg, []byte("<svg")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var all struct {
		Rankers []rank.Outcomes
	}
	if err := json.Unmarshal([]byte(perf(0, "evaluate", "--json", "--ranker", "trees", records)), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Rankers) != 1 || all.Rankers[0].MinSpearman < 0.95 || len(all.Rankers[0].Groups) != 3 {
		t.Errorf("%+v", all.Rankers)
	}
	if text := perf(0, "redundancy", records); !strings.Contains(text, "\nglobal_loads  ") {
		t.Errorf("no global_loads in\n%s", text)
	}
	perf(2, "evaluate", "--ranker", "oracle", records)
	perf(1, "evaluate", "--ranker", "model", records)
	perf(2, "evaluate", "--share", "2", records)
	perf(2, "evaluate", "--limit", "1", records)
	perf(2, "evaluate", "--min-points", "-1", records)
	perf(2, "evaluate", filepath.Join(dir, "nothing.jsonl"))
}
