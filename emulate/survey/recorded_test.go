package survey

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
)

// recordedLine is a launch file of the transformer, or a kernel as it was profiled: testdata/triton/keep.py.
type recordedLine struct {
	File, Launch, Listing, SASS string

	Name      string
	Durations []float64 // nanoseconds
}

// transformer unpacks the captured launch files of testdata/triton/transformer.py, and sums up what was measured, in seconds by kernel.
func transformer(t *testing.T) (folder string, measured map[string]float64) {
	t.Helper()
	file, err := os.Open("../../testdata/h200/transformer.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	folder, measured = t.TempDir(), map[string]float64{}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for lines := json.NewDecoder(unpacked); ; {
		var l recordedLine
		if err := lines.Decode(&l); err == io.EOF {
			return folder, measured
		} else if err != nil {
			t.Fatal(err)
		}
		if l.File == "" {
			d := slices.Sorted(slices.Values(l.Durations))
			measured[plain(l.Name)] += d[len(d)/2] / 1e9
			continue
		}
		write(l.File, l.Launch)
		if l.SASS != "" {
			write(l.Listing, l.SASS)
		}
	}
}

// plain is the name of a kernel without what its template is made for.
func plain(name string) string {
	name, _, _ = strings.Cut(short(name), "<")
	return name
}

// most is how far the sum of predicted times may be from that of the measured ones.
const most = 0.15

// TestTransformer: the forward pass of a small transformer, launch by launch, with what the profiler has measured on an H200.
func TestTransformer(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("it takes seconds: LONG=1")
	}
	folder, measured := transformer(t)
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Folder(t.Context(), folder, Options{Each: launches.Options{Device: device}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Failed) > 0 || s.Times() != 106 {
		t.Errorf("%d launches; left out: %v", s.Times(), s.Failed)
	}
	predicted := map[string]float64{}
	for _, r := range s.Rows {
		predicted[plain(r.Kernel)] += r.All()
	}
	var sums [2][2]float64 // predicted and measured, of products by cuBLAS, and of the others
	for _, name := range slices.Sorted(maps.Keys(measured)) {
		p, m := predicted[name], measured[name]
		t.Logf("%-50s predicted %8.1f us, measured %8.1f, %.2f", name, p*1e6, m*1e6, p/m)
		of := 0
		if strings.HasPrefix(name, "nvjet") {
			of = 1
		}
		sums[of][0], sums[of][1] = sums[of][0]+p, sums[of][1]+m
	}
	predictedAll, measuredAll := sums[0][0]+sums[1][0], sums[0][1]+sums[1][1]
	for name, off := range map[string]float64{
		"of products": sums[1][0]/sums[1][1] - 1, "without products": sums[0][0]/sums[0][1] - 1, "of all": predictedAll/measuredAll - 1,
	} {
		if math.Abs(off) > most {
			t.Errorf("the sum %s is %.0f %% off", name, 100*off)
		}
	}
	t.Logf("predicted %.1f us, measured %.1f, %.3f; products %.3f, others %.3f", predictedAll*1e6, measuredAll*1e6, predictedAll/measuredAll, sums[1][0]/sums[1][1],
		sums[0][0]/sums[0][1])
}
