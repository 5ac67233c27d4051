package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
)

// recordedProfiles says what the profiles that come with the program are made from: models, and the samples that they are fitted to.
var recordedProfiles = map[string][]struct {
	recording string
	models    []string
}{
	"h200": {
		{"testdata/h200/parts.jsonl.gz", []string{"parts"}},
		{"testdata/h200/applications.jsonl.gz", []string{
			"examples/evaluation/matmul.yaml", "examples/evaluation/dg.yaml", "examples/evaluation/finite_diff.yaml",
		}},
	},
}

// TestProfiles makes the profiles that come with the program anew from their recordings. UPDATE=1 writes them.
func TestProfiles(t *testing.T) {
	t.Chdir("../..")
	if len(recordedProfiles) != len(profiles.Names()) {
		t.Errorf("%d profiles are made, %d come with the program", len(recordedProfiles), len(profiles.Names()))
	}
	for name, parts := range recordedProfiles {
		var whole calibrate.Profile
		for _, part := range parts {
			path := filepath.Join(t.TempDir(), "part.yaml")
			calibrateFrom(t, part.recording, part.models, path)
			p, err := calibrate.LoadProfile(path)
			if err != nil {
				t.Fatal(err)
			}
			join(&whole, p)
		}
		file := filepath.Join("calibrate/profiles", name+".yaml")
		want, err := whole.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the recordings give (UPDATE=1 writes it):\n%s", file, diff)
		}
	}
}

// calibrateFrom runs perf calibrate on recorded samples.
func calibrateFrom(t *testing.T, recording string, models []string, profile string) {
	t.Helper()
	var stderr strings.Builder
	args := append([]string{"calibrate", "--device", "replay:" + recording, "--profile", profile}, models...)
	if status := run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr); status != exitDone {
		t.Fatalf("perf %s: status %d\n%s", strings.Join(args, " "), status, &stderr)
	}
}

// join adds a part to a profile. The parts may be of different devices of one kind, so that no device is named, nor when and by which
// build the program fitted them.
func join(whole, part *calibrate.Profile) {
	whole.Device = part.Device
	whole.Device.UUID, whole.Device.PCI = "", ""
	for _, c := range part.Models {
		c.Origin.Date, c.Origin.Perf = time.Time{}, ""
		whole.Put(c)
	}
	for _, r := range part.Roof {
		whole.Reach(r)
	}
}
