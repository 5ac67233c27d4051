package campaign

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/calibrate/profiles"
	"gpuperf/device/facts"
	"gpuperf/internal/frontend"
	"gpuperf/samples"
	"gpuperf/workload"
)

// recordings lists the journals of testdata, and the files with kernels of testdata and examples by their base names.
func recordings(t *testing.T) (journals []string, files map[string][]string) {
	t.Helper()
	files = map[string][]string{}
	for _, root := range []string{"../../testdata", "../../examples"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			name := d.Name()
			switch {
			case err != nil || d.IsDir():
			case strings.HasSuffix(name, ".jsonl"), strings.HasSuffix(name, ".jsonl.gz"):
				journals = append(journals, path)
			case slices.Contains([]string{".yaml", ".star", ".cl", ".cu"}, filepath.Ext(name)):
				files[name] = append(files[name], path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return journals, files
}

// TestNoRecordedTimeIsBelowTheRoof is as the test above, for every record whose kernel can be read from a file of its name: launch files and scripts,
// those of the emulator and the examples. A fixed sample of them, of a third of the journals, unless LONG is set.
//
// Times may be 2 % below the roof: clocks vary by about one per cent between recordings, and the rates that were reached are themselves measured.
func TestNoRecordedTimeIsBelowTheRoof(t *testing.T) {
	t.Parallel()
	journals, files := recordings(t)
	every, third := 40, 3
	if os.Getenv("LONG") != "" {
		every, third = 1, 1
	}
	profile, err := profiles.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	checked, near, at := 0, 0, 0
	read := map[string][]*workload.Case{} // by file and sizes
	for i, journal := range journals {
		if i%third > 0 {
			continue
		}
		set, err := samples.Load(journal)
		if err != nil {
			continue // listings and vectors are no samples
		}
		for r, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != samples.OK || r.Summary == nil || len(files[r.Kernel.Source]) == 0 || !strings.Contains(r.Device.Name, "H200") {
				continue
			}
			if at++; at%every != 0 {
				continue
			}
			one := caseOf(t, files[r.Kernel.Source], *r, read)
			if one == nil {
				continue
			}
			roof, ok := roofOf(one, facts.Of(r.Device), peaks(profile.Roof), r.Mode)
			if !ok {
				continue
			}
			checked++
			if isNear(t, fmt.Sprint(journal, ": ", one, " ", r.Mode), r.Seconds(), roof) {
				near++
			}
		}
		set.Close()
	}
	t.Logf("%d of %d times checked, %d of them within 20 %% of the roof", checked, at, near)
	if least := 200 / every / third; checked < least {
		t.Errorf("%d times checked: the test shows little", checked)
	}
}

// caseOf is the case of a record, read from one of the files of its name; nil where none has it.
func caseOf(t *testing.T, paths []string, r samples.Record, read map[string][]*workload.Case) *workload.Case {
	for _, path := range paths {
		var sizes []map[string]int64
		key := path
		if !strings.HasSuffix(path, ".yaml") {
			sizes = []map[string]int64{r.Kernel.Sizes}
			for _, name := range slices.Sorted(maps.Keys(r.Kernel.Sizes)) {
				key += " " + name + "=" + fmt.Sprint(r.Kernel.Sizes[name])
			}
		}
		cases, ok := read[key]
		if !ok {
			cases, _ = Cases(t.Context(), frontend.Options{}, []string{path}, sizes)
			read[key] = cases
		}
		for _, one := range cases {
			if one.Identity.Key() == r.Kernel.Key() {
				return one
			}
		}
	}
	return nil
}
