package advice_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/samples"
)

// applied are the rules whose advice testdata/advice/after follows: the first ones at the time of the recording.
var applied = map[string][]string{
	"banks": {"bank conflicts"}, "barriers": {"barriers"}, "bins": {"atomic operations"}, "bytes": {"narrow accesses"}, "columns": {"coalescing"},
	"cross": {"results of a work-item", "loads under way"}, "horner": {"few work-groups"}, "parity": {"divergence"}, "places": {"division"},
	"products": {"results of a work-item"}, "quotients": {"division"}, "records": {"coalescing"}, "room": {"occupancy"},
	"small": {"small work-groups"}, "spills": {"arrays in private memory"}, "taps": {"occupancy"}, "tiny": {"few work-groups"}, "trickle": {"few work-groups"},
	"votes": {"atomic operations"}, "waves": {"small work-groups"},
}

const folder = "../../testdata/advice/"

// sampled are kernels whose first advice is emulated without LONG=1: it made them faster.
var sampled = []string{"banks", "parity", "room", "spills"}

// Of twenty kernels that were fixed before the advice was read, at least 14 became 5 % faster on an H200 by the first advice.
func TestKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	code := unpack(t)
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	before, after := times(t, "before.jsonl.gz"), times(t, "after.jsonl.gz")
	faster, least := 0, 14
	if os.Getenv("LONG") == "" {
		least = len(sampled)
	}
	for name, rules := range applied {
		if os.Getenv("LONG") == "" && !slices.Contains(sampled, name) {
			continue
		}
		s, err := launches.Load(folder+name+".yaml", nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Listing(t.Context(), filepath.Join(code, name+".cubin"), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(t.Context(), l, launches.Options{Device: d, Sensitivity: true, Advice: true})
		if err != nil {
			t.Fatal(err)
		}
		first := "none"
		if list := r.Launches[0].Advice; len(list) > 0 {
			first = list[0].Rule
		}
		gain := before[name] / after[name]
		ok := slices.Contains(rules, first) && gain >= 1.05
		if ok {
			faster++
		}
		t.Logf("%-10s %-28s %8.2f us, then %8.2f: %5.2f %v", name, first, before[name]*1e6, after[name]*1e6, gain, ok)
	}
	if faster < least {
		t.Errorf("%d kernels are faster by the first advice, not %d", faster, least)
	}
}

// unpack writes the machine code of the kernels into a folder.
func unpack(t *testing.T) string {
	t.Helper()
	files, err := zip.OpenReader(folder + "kernels.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	to := t.TempDir()
	for _, f := range files.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, f.Name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// times are the medians of the trials of each launch file, in seconds.
func times(t *testing.T, file string) map[string]float64 {
	t.Helper()
	set, err := samples.Load(folder + file)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	all := map[string]float64{}
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(r.Kernel.Source, ".yaml")] = r.Seconds()
	}
	return all
}
