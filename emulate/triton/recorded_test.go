package triton

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
)

// recorded is a kernel that was recorded on an H200: testdata/triton/record.py.
type recorded struct {
	Kernel      string            `json:"kernel"`
	Description string            `json:"description"`
	Files       map[string][]byte `json:"files"`
	Entries     []struct {
		JSON      string    `json:"json"`
		TTIR      string    `json:"ttir"`
		SASS      string    `json:"sass"`
		Cubin     []byte    `json:"cubin"` // packed by gzip
		Hash      string    `json:"hash"`
		Right     bool      `json:"right"`
		Durations []float64 `json:"durations"` // nanoseconds
	} `json:"entries"`
}

func readRecorded(t *testing.T, half string) (all []recorded) {
	t.Helper()
	file, err := os.Open("../../testdata/h200/triton_" + half + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for lines := json.NewDecoder(unpacked); ; {
		var r recorded
		if err := lines.Decode(&r); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

// unpack writes the cache and the description of a kernel, and returns the path of the latter.
func (r *recorded) unpack(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write := func(name string, text []byte) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i, e := range r.Entries {
		packed, err := gzip.NewReader(bytes.NewReader(e.Cubin))
		if err != nil {
			t.Fatal(err)
		}
		cubin, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		base := fmt.Sprintf("cache/%d/%s", i, r.Kernel)
		write(base+".json", []byte(e.JSON))
		write(base+".ttir", []byte(e.TTIR))
		write(base+".sass", []byte(e.SASS))
		write(base+".cubin", cubin)
	}
	for name, text := range r.Files {
		write(name, text)
	}
	write("launch.yaml", []byte("triton: cache\n"+r.Description))
	return filepath.Join(folder, "launch.yaml")
}

// measured are the medians of the durations by hash, in seconds.
func (r *recorded) measured() map[string]float64 {
	all := map[string]float64{}
	for _, e := range r.Entries {
		d := slices.Sorted(slices.Values(e.Durations))
		if len(d) > 0 {
			all[e.Hash] = d[len(d)/2] / 1e9
		}
	}
	return all
}

// Bars: the rank correlation of predicted and measured times of each kernel, and how much longer than the best measured configuration the best of the
// first three predicted may take, in nine of ten kernels.
const (
	leastCorrelation = 0.85
	mostBehind       = 1.05
)

// clear is by how much two measured times differ at least for their order to count as known: ranks of times that are nearly the same are chance. Between
// two devices times differ by up to 4.4 % (docs/evaluation.md).
const clear = 1.05

// leastClear is which part of the clear pairs of a half that was looked at is in order at least.
const leastClear = 0.91

// below are the kernels that miss the bar of the correlation, with what they have. Most have configurations that are nearly all as fast: predictions that
// are off by 5 % at random would miss it, too (blurred).
var below = map[string]float64{
	"transpose": 0.68, "ieee": 0.84, "squares": 0.8, "lower": 0.72, "deposit": 0.67, "turns": 0.7, "momentum": 0.65, "parted": 0.7, "smooth": 0.6, "standard": 0.5, "heads": 0.55,
	"lookup": 0.7, "tally": 0.42, "planes": 0.65, "turned": 0.5,
}

// lookedAt are the halves that the emulator was developed with. Of the others only sums are printed.
var lookedAt = []string{"choose", "further", "study", "learn"}

// TestRecorded: the configurations of kernels that were recorded on an H200 are ranked as they were measured. Without LONG=1 this is one kernel; LONG=1 adds further kernels that the
// emulator was developed with; REPORT=1 those that it was not; HALVES names others in their place, and PRINT=1 prints each configuration of those that it was developed with.
func TestRecorded(t *testing.T) {
	halves := lookedAt[:1]
	if os.Getenv("LONG") != "" {
		halves = lookedAt
	}
	if only := os.Getenv("HALVES"); only != "" {
		halves = strings.Fields(only)
	}
	if os.Getenv("REPORT") != "" {
		halves = append(slices.Clone(halves), "report", "unseen", "last")
	}
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range halves {
		seen := slices.Contains(lookedAt, half)
		var found, ranked, reached, right, pairs int
		kernels := readRecorded(t, half)
		if os.Getenv("LONG") == "" && half == lookedAt[0] {
			kernels = slices.DeleteFunc(kernels, func(k recorded) bool { return k.Kernel != "gather" })
		}
		for _, k := range kernels {
			r, err := Rank(t.Context(), k.unpack(t), Options{Each: launches.Options{Device: device}})
			if err != nil {
				t.Fatalf("%s: %v", k.Kernel, err)
			}
			for _, w := range r.All() {
				if strings.Contains(w, "never comes") {
					t.Errorf("%s: %s", k.Kernel, w)
				}
			}
			measured := k.measured()
			var predicted, times, ratios []float64
			for _, one := range r.Ranked {
				time := measured[one.Entry.Hash]
				predicted, times, ratios = append(predicted, one.Result.Seconds), append(times, time), append(ratios, one.Result.Seconds/time)
				if seen && os.Getenv("PRINT") != "" {
					t.Logf("%-10s %8.1f us, measured %8.1f, %.2f  %s  %s", k.Kernel, one.Result.Seconds*1e6, time*1e6, one.Result.Seconds/time, one.configuration(), one.Result.LimitedBy)
				}
			}
			for _, one := range r.Failed { // without a time: all of its pairs are in the wrong order
				time, worst := measured[one.Entry.Hash], math.Inf(1)
				if longer := len(slices.DeleteFunc(slices.Clone(times), func(m float64) bool { return m <= time })); 2*longer < len(times) {
					worst = math.Inf(-1)
				}
				predicted, times = append(predicted, worst), append(times, time)
			}
			rho, behind := spearman(predicted, times), slices.Min(times[:3])/slices.Min(times)
			of, all := ordered(predicted, times)
			right, pairs = right+of, pairs+all
			off := blurred(times, clear-1)
			if off >= leastCorrelation {
				reached++
			}
			if behind <= mostBehind {
				found++
			}
			if rho >= leastCorrelation {
				ranked++
			}
			slices.Sort(ratios)
			if seen {
				t.Logf("%s: %-10s %d configurations, rank correlation %.3f (%.2f if all were off by 5 %%), %d of %d clear pairs right, best of the first three %.3f of the best, predicted over measured %.2f (%.2f to %.2f)",
					half, k.Kernel, len(predicted), rho, off, of, all, behind, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
			}
			bar := cmp.Or(below[k.Kernel], leastCorrelation)
			if seen && rho < bar || len(r.Failed) > 0 {
				t.Errorf("%s: rank correlation %.3f, %d failed", k.Kernel, rho, len(r.Failed))
			}
		}
		t.Logf("%s: rank correlation of %.2f or more for %d of %d kernels (%d if all were off by 5 %% at random); %d of %d pairs of times that differ by 5 %% or more in order (%.1f %%); the best among the first three for %d",
			half, leastCorrelation, ranked, len(kernels), reached, right, pairs, 100*float64(right)/float64(pairs), found)
		if share := float64(right) / float64(pairs); seen && share < leastClear {
			t.Errorf("%s: %.3f of the clear pairs are in order", half, share)
		}
		if half == "choose" && found < len(kernels) {
			t.Errorf("%s: one of the best is among the first three of %d of %d kernels", half, found, len(kernels))
		}
	}
}

// ordered counts the pairs of configurations whose measured times differ clearly, and those of them that are predicted in that order.
func ordered(predicted, times []float64) (right, pairs int) {
	for i := range times {
		for j := range times {
			if times[j] >= clear*times[i] {
				pairs++
				if predicted[j] > predicted[i] {
					right++
				}
			}
		}
	}
	return right, pairs
}

// blurred is the correlation of ranks, in the mean, of times with what they would be if each was off at random, by so much in the standard deviation.
func blurred(times []float64, by float64) (sum float64) {
	const rounds = 200
	random := rand.New(rand.NewPCG(1, 2))
	off := make([]float64, len(times))
	for range rounds {
		for i, t := range times {
			off[i] = t * (1 + by*random.NormFloat64())
		}
		sum += spearman(off, times) / rounds
	}
	return sum
}

// spearman is the correlation of ranks; equal values share their ranks.
func spearman(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	mean := float64(len(a)+1) / 2
	var xy, xx, yy float64
	for i := range x {
		xy, xx, yy = xy+(x[i]-mean)*(y[i]-mean), xx+(x[i]-mean)*(x[i]-mean), yy+(y[i]-mean)*(y[i]-mean)
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}
