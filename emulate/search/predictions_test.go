package search

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"gpuperf/internal/parallel"
	"gpuperf/samples"
)

// TestPredictions keeps what is recorded of the start and of those drawn at random as samples of perf tune, each with what the emulator predicts: strategies are replayed on
// them. UPDATE=1 writes the files. The predictions of a few are as they were then, as far as the emulator is.
func TestPredictions(t *testing.T) {
	update := os.Getenv("UPDATE") != ""
	if os.Getenv("LONG") == "" {
		t.Skip("LONG=1 emulates hundreds of launches")
	}
	for _, name := range []string{"contraction", "stencil"} {
		t.Run(name, func(t *testing.T) {
			r := record(t, name)
			list := r.order[:drawn+1]
			predicted := make([]float64, len(list))
			parallel.For(len(list), func(i int) {
				if !update && i%50 != 0 || !r.Has(list[i]) {
					return
				}
				if x, err := r.Emulate(t.Context(), list[i], false); err == nil {
					predicted[i] = x.Seconds
				}
			})
			path := "../../testdata/search/" + name + ".jsonl.gz"
			if !update {
				compare(t, r, path, predicted)
				return
			}
			var text bytes.Buffer
			w := gzip.NewWriter(&text)
			for i, c := range list {
				line, err := json.Marshal(r.sample(name, c, predicted[i]))
				if err != nil {
					t.Fatal(err)
				}
				w.Write(append(line, '\n'))
			}
			w.Close()
			if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// sample is a recorded configuration as a sample.
func (r *recorded) sample(name string, c Configuration, predicted float64) samples.Record {
	config := r.Config(c)
	args := map[string]string{}
	for _, p := range config {
		args[p.Choice] = p.Option
	}
	out := samples.Record{
		Version: samples.Version, Kernel: samples.Identity{Source: name + ".yaml", Args: args}, Tags: []string{"tune", "tune:" + config.String()}, Entry: name,
		Mode: samples.Warm, Status: samples.OK, Origin: "scripts/emulate/search", Time: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC),
		Device: samples.Fingerprint{Name: "NVIDIA H200", Platform: "CUDA", Interface: samples.CUDA},
	}
	if us := r.measured(c); us > 0 {
		out.Trials = []float64{us * 1e-6}
		s := samples.Summarize(out.Trials)
		out.Summary = &s
	} else {
		out.Status, out.Error = samples.Refused, "the device refuses it"
	}
	if predicted > 0 {
		out.Metrics = map[string]samples.Metric{"predicted_seconds": {Value: predicted, Unit: "s"}}
	}
	return out
}

// compare compares predictions with those of a file.
func compare(t *testing.T, r *recorded, path string, predicted []float64) {
	set, err := samples.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	i := 0
	for s, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		was := s.Metrics["predicted_seconds"].Value
		if predicted[i] > 0 && math.Abs(math.Log(was/predicted[i])) > math.Log(1.5) {
			t.Errorf("%s: predicted %g s, and %g s in %s", r.Text(r.order[i]), predicted[i], was, path)
		}
		i++
	}
	if i != len(predicted) {
		t.Errorf("%s has %d samples, want %d", path, i, len(predicted))
	}
}

// configuration reads a line of times.txt.
func configuration(text string) (c Configuration) {
	for word := range strings.FieldsSeq(text) {
		var v int64
		fmt.Sscan(word, &v)
		c = append(c, v)
	}
	return c
}
