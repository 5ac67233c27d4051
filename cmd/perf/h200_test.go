package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gpuperf/evaluate"
)

// TestPaperSection22OnTheH200 holds what the README says of the recorded run: Figure 1's kind of prediction within 3 %
// where no size was calibrated, and a rate of multiply-adds near the device's peak, 132 SMs x 128 lanes x 1980 MHz.
func TestPaperSection22OnTheH200(t *testing.T) {
	samples := "../../testdata/h200/matmul_2_2.jsonl"
	var report evaluate.Report
	replayJSON(t, &report, "evaluate", "../../examples/matmul/paper_2_2.yaml", "--replay", samples)
	var beyond []float64
	for _, p := range report.Suites[0].Variants[0].Points {
		if p.At["n"] >= 4096 {
			beyond = append(beyond, p.RelativeError)
		}
	}
	if g := evaluate.Geomean(beyond); len(beyond) != 3 || g >= 0.03 {
		t.Errorf("geometric mean relative error over n = 4096, 6144, 8192 is %.2f %%, want under 3 %%", 100*g)
	}

	var fit struct {
		Parameters map[string]struct{ Value float64 }
	}
	replayJSON(t, &fit, "fit", "../../examples/matmul/peak_madd.yaml", "--data", samples)
	const peak = 132 * 128 * 1.98e9
	if share := 32 / fit.Parameters["p_madd"].Value / peak; math.Abs(share-0.95) > 0.05 {
		t.Errorf("the rate of multiply-adds is %.1f %% of the peak", 100*share)
	}
}

func replayJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), append(args, "--json"), strings.NewReader(""), &stdout, &stderr); status != exitDone {
		t.Fatalf("perf %s: status %d\n%s", strings.Join(args, " "), status, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		t.Fatal(err)
	}
}
