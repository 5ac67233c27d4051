package predictions

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/internal/campaign"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/frontend"
	"gpuperf/internal/golden"
	"gpuperf/models/library"
	"gpuperf/samples"
)

// recordedProfiles says what the profiles that come with the program are made from: the samples to which the model for any kernel is
// fitted, and suites from which its intervals are learned.
var recordedProfiles = map[string]struct{ recording, suites string }{
	"h200": {"testdata/h200/general.jsonl.gz", "examples/evaluation/choose.yaml"},
}

// TestProfiles makes the profiles that come with the program anew from their recordings. UPDATE=1 writes them.
func TestProfiles(t *testing.T) {
	if os.Getenv("UPDATE") == "" {
		long(t)
	}
	t.Chdir("../../..") // the profile names files as seen from there
	if len(recordedProfiles) != len(profiles.All.Names()) {
		t.Errorf("%d profiles are made, %d come with the program", len(recordedProfiles), len(profiles.All.Names()))
	}
	for name, from := range recordedProfiles {
		path := filepath.Join(t.TempDir(), "profile.yaml")
		files, err := evaluate.LoadAll([]string{from.suites})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := opened(t, from.recording).Evaluate(t.Context(), samples.Warm, files, campaign.EvaluateOptions{Learn: path}); err != nil {
			t.Fatal(err)
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
var strangers = map[string][]struct {
	kernel string
	at     map[string]int64
}{
	"further": {
		{"transpose/transpose.star#transpose_naive", map[string]int64{"n": 6144}},
		{"transpose/transpose.star#transpose_tiled", map[string]int64{"n": 6144}},
		{"matvec/matvec.star", map[string]int64{"n": 16384}},
		{"stencil/seven_point.star", map[string]int64{"n": 320}},
		{"softmax/softmax.star", map[string]int64{"n": 65536, "m": 512}},
		{"nbody/nbody.star", map[string]int64{"n": 65536}},
	},
	"unseen": {
		{"evaluation/unseen/kernels.star#triad", map[string]int64{"n": 33554432}},
		{"evaluation/unseen/kernels.star#triad_rows", map[string]int64{"n": 33554432}},
		{"evaluation/unseen/kernels.star#column_sums", map[string]int64{"n": 131072, "m": 2048}},
		{"evaluation/unseen/kernels.star#filter", map[string]int64{"n": 50331648}},
		{"evaluation/unseen/kernels.star#filter_tile", map[string]int64{"n": 50331648}},
		{"evaluation/unseen/kernels.star#blur", map[string]int64{"n": 6144}},
		{"evaluation/unseen/kernels.star#blur_tile", map[string]int64{"n": 6144}},
		{"evaluation/unseen/kernels.star#complex_product", map[string]int64{"n": 25165824}},
		{"evaluation/unseen/kernels.star#gram", map[string]int64{"n": 3072, "m": 6144}},
		{"evaluation/unseen/kernels.star#batched", map[string]int64{"n": 50000}},
		{"evaluation/unseen/kernels.star#horner", map[string]int64{"n": 16777216, "m": 128}},
		{"evaluation/unseen/kernels.star#normalize", map[string]int64{"n": 65536, "m": 2048}},
	},
}

// TestProfileOfTheH200OnStrangers holds what docs/rationale.md says of the model that is chosen for kernels of one's own.
func TestProfileOfTheH200OnStrangers(t *testing.T) {
	t.Parallel()
	profile, err := campaign.LoadProfile("h200")
	if err != nil {
		t.Fatal(err)
	}
	var errs []float64
	for recording, kernels := range strangers {
		c := opened(t, recordings+"h200/"+recording+".jsonl.gz")
		for _, k := range kernels {
			cases, err := campaign.Cases(t.Context(), frontend.Options{}, []string{examples + k.kernel}, []map[string]int64{k.at})
			if err != nil {
				t.Fatal(err)
			}
			ranked, err := campaign.Rank(profile, cases)
			if err != nil {
				t.Fatal(err)
			}
			if ranked[0].Model.Name != library.General || !campaign.Clear(ranked) {
				t.Errorf("%s is predicted by %s", k.kernel, ranked[0].Model.Name)
			}
			predicted, err := ranked[0].Predict(cases[0])
			if err != nil {
				t.Fatal(err)
			}
			measured, err := c.Measure(t.Context(), samples.Warm, cases)
			if err != nil {
				t.Fatal(err)
			}
			errs = append(errs, math.Abs(predicted.Seconds/measured.Records[0].Seconds()-1))
		}
	}
	slices.Sort(errs)
	t.Logf("relative errors: %.2f", errs)
	if len(errs) != 18 || errs[8] > 0.1 || errs[11] > 0.15 || errs[16] > 0.42 || errs[17] > 0.5 {
		t.Errorf("relative errors: %.2f", errs)
	}
}
