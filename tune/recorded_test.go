package tune

import (
	"cmp"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gpuperf/samples"
)

// TestOptions: in what an H200 ran of loop nests at LARGE, in at most 50 runs each, the fastest is never slower than the code of PPCG by its defaults, and 8 times as fast in the
// geometric mean; and what the strategies' schedules are tried with is at most 5 % slower than the default, as this is run first.
func TestOptions(t *testing.T) {
	ppcg := ppcgTimes(t)
	set, err := samples.Load("../testdata/h200/tuned.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	const options = "options:"
	best, runs, usual := map[string]map[string]float64{}, map[string]map[string]int{}, map[string]float64{}
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		name, of := strings.TrimSuffix(r.Kernel.Source, ".c"), strings.TrimPrefix(r.Tags[0], options)
		if best[name] == nil {
			best[name], runs[name] = map[string]float64{}, map[string]int{}
		}
		if runs[name][of]++; r.Status != samples.OK {
			continue
		}
		seconds := r.Seconds()
		if of == "O1" || of == "model" {
			usual[name] = cmp.Or(usual[name], seconds) // the first one
		}
		best[name][of] = min(cmp.Or(best[name][of], seconds), seconds)
	}
	logs := 0.0
	for name, of := range best {
		fastest := math.Inf(1)
		for option, seconds := range of {
			t.Logf("%s, %s: %d runs, best %.4g µs; default %.4g, PPCG %.4g", name, option, runs[name][option], seconds*1e6, usual[name]*1e6, ppcg[name]*1e6)
			if fastest = min(fastest, seconds); (option == "O1" || option == "model") && seconds > 1.05*usual[name] {
				t.Errorf("%s, %s: slower than the default", name, option)
			}
		}
		if gain := ppcg[name] / fastest; gain < 0.95 {
			t.Errorf("%s: %.2f times as fast as PPCG's code", name, gain)
		} else {
			logs += math.Log(gain) / float64(len(best))
		}
	}
	if mean := math.Exp(logs); mean < 8 || len(best) < 8 {
		t.Errorf("%.1f times as fast as PPCG's code in the mean of %d nests", mean, len(best))
	} else {
		t.Logf("%.1f times as fast as PPCG's code in the mean of %d nests", mean, len(best))
	}
}

// ppcgTimes are the recorded seconds of PPCG's code.
func ppcgTimes(t *testing.T) map[string]float64 {
	t.Helper()
	f, err := os.Open("../testdata/h200/ppcg.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, row := range rows[1:] {
		ms, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		out[row[0]] = ms / 1e3
	}
	return out
}
