package main

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/internal/golden"
	"gpuperf/models/library"
)

// recordedProfiles says what the profiles that come with the program are made from: the samples to which the model for any kernel is
// fitted, and suites from which its intervals are learned.
var recordedProfiles = map[string]struct{ recording, suites string }{
	"h200": {"testdata/h200/general.jsonl.gz", "examples/evaluation/choose.yaml"},
}

// TestProfiles makes the profiles that come with the program anew from their recordings. UPDATE=1 writes them.
func TestProfiles(t *testing.T) {
	t.Chdir("../..")
	if len(recordedProfiles) != len(profiles.All.Names()) {
		t.Errorf("%d profiles are made, %d come with the program", len(recordedProfiles), len(profiles.All.Names()))
	}
	for name, from := range recordedProfiles {
		path := filepath.Join(t.TempDir(), "profile.yaml")
		args := []string{"evaluate", from.suites, "--device", "replay:" + from.recording, "--learn", path}
		var stderr strings.Builder
		if status := run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr); status != exitDone {
			t.Fatalf("perf %s: status %d\n%s", strings.Join(args, " "), status, &stderr)
		}
		whole, err := calibrate.LoadProfile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole.Device.UUID, whole.Device.PCI = "", "" // it is for all devices of the kind
		for i := range whole.Models {
			whole.Models[i].Origin.Date, whole.Models[i].Origin.Perf = time.Time{}, ""
		}
		text, err := whole.YAML()
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, filepath.Join("calibrate/profiles", name+".yaml"), string(text))
	}
}

// strangers are recorded kernels that no model of the profile h200 was made from, with the sizes at which they are predicted.
var strangers = map[string][][2]string{
	"further": {
		{"transpose/transpose.star#transpose_naive", "n=6144"},
		{"transpose/transpose.star#transpose_tiled", "n=6144"},
		{"matvec/matvec.star", "n=16384"},
		{"stencil/seven_point.star", "n=320"},
		{"softmax/softmax.star", "n=65536,m=512"},
		{"nbody/nbody.star", "n=65536"},
	},
	"unseen": {
		{"evaluation/unseen/kernels.star#triad", "n=33554432"},
		{"evaluation/unseen/kernels.star#triad_rows", "n=33554432"},
		{"evaluation/unseen/kernels.star#column_sums", "n=131072,m=2048"},
		{"evaluation/unseen/kernels.star#filter", "n=50331648"},
		{"evaluation/unseen/kernels.star#filter_tile", "n=50331648"},
		{"evaluation/unseen/kernels.star#blur", "n=6144"},
		{"evaluation/unseen/kernels.star#blur_tile", "n=6144"},
		{"evaluation/unseen/kernels.star#complex_product", "n=25165824"},
		{"evaluation/unseen/kernels.star#gram", "n=3072,m=6144"},
		{"evaluation/unseen/kernels.star#batched", "n=50000"},
		{"evaluation/unseen/kernels.star#horner", "n=16777216,m=128"},
		{"evaluation/unseen/kernels.star#normalize", "n=65536,m=2048"},
	},
}

// TestProfileOfTheH200OnStrangers holds what docs/rationale.md says of the model that is chosen for kernels of one's own.
func TestProfileOfTheH200OnStrangers(t *testing.T) {
	t.Parallel()
	var errs []float64
	for recording, kernels := range strangers {
		for _, k := range kernels {
			var p struct {
				Model    string
				Measured struct {
					RelativeError float64 `json:"relative_error"`
				}
			}
			replayJSON(t, &p, "predict", "../../examples/"+k[0], "-p", k[1], "--profile", "h200",
				"--measure", "--device", "replay:../../testdata/h200/"+recording+".jsonl.gz")
			if p.Model != library.General {
				t.Errorf("%s is predicted by %s", k[0], p.Model)
			}
			errs = append(errs, math.Abs(p.Measured.RelativeError))
		}
	}
	slices.Sort(errs)
	t.Logf("relative errors: %.2f", errs)
	if len(errs) != 18 || errs[8] > 0.1 || errs[11] > 0.15 || errs[16] > 0.42 || errs[17] > 0.5 {
		t.Errorf("relative errors: %.2f", errs)
	}
}
