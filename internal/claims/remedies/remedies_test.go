// Package remedies holds perf explain to what testdata/remedies says: kernels with one planted defect each, and their cured versions.
package remedies

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpuperf/calibrate/profiles"
	"gpuperf/internal/advise"
	"gpuperf/internal/campaign"
	"gpuperf/internal/explain"
	"gpuperf/internal/frontend"
	"gpuperf/samples"
)

const folder = "../../../testdata/remedies/"

// explained explains a kernel by the profile of the H200.
func explained(t *testing.T, p *campaign.Predictor, o frontend.Options, kernel string, sizes map[string]int64) *explain.Explanation {
	t.Helper()
	cases, err := campaign.Cases(t.Context(), o, []string{kernel}, []map[string]int64{maps.Clone(sizes)})
	if err != nil {
		t.Fatal(err)
	}
	one, err := p.Predict(cases[0])
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.New(advise.SubjectOf(p, one))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// near reports whether a gain is what another one is, within a third of it.
func near(said, is float64) bool { return math.Abs(said-is) <= is/3 }

// recorded are the medians of times, by launch file, or source and kernel.
func recorded(t *testing.T, folder string) map[string]float64 {
	t.Helper()
	times := map[string]float64{}
	files, err := filepath.Glob(folder + "h200_*.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		set, err := samples.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		for r, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			name := r.Kernel.Source
			if r.Kernel.Variant != "" {
				name += "#" + r.Kernel.Variant
			}
			times[name] = r.Seconds()
		}
	}
	text, _ := os.ReadFile(folder + "times.csv") // those of programs of their own, in µs
	for line := range strings.Lines(string(text)) {
		name, us, _ := strings.Cut(strings.TrimSpace(line), ",")
		file, kernel, _ := strings.Cut(name, ".")
		times[file+".cu#"+kernel], _ = strconv.ParseFloat(us, 64)
	}
	return times
}

// predictor is the model of the profile that comes with the program.
func predictor(t *testing.T) *campaign.Predictor {
	t.Helper()
	profile, err := profiles.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	p, err := campaign.PredictorOf(profile, &profile.Models[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}
