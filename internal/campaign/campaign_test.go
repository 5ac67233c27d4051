package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/frontend"
	"gpuperf/models"
	"gpuperf/samples"
)

const groups = `version: 1
name: groups
output: f_cl_wall_time
expression: p_launch + p_group * f_thread_groups
fit: {scale_by_output: true}
measure:
  - tags: [empty_kernel, "num_groups:1024,2048,4096,8192"]
`

func plan(t *testing.T, text string, s Selection) (*Plan, error) {
	t.Helper()
	model, err := models.Parse("groups.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return NewPlan(t.Context(), model, s)
}

// TestUnknownFacts: what a model needs to know of a device is asked before anything is measured.
func TestUnknownFacts(t *testing.T) {
	dev := &formula{time: func(map[string]int64) (float64, samples.Status) { return 1, samples.OK }}
	p, err := plan(t, strings.Replace(groups, "f_thread_groups", "f_static_l2_load_bytes", 1), Selection{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(dev, nil, Options{}).Rows(context.Background(), samples.Warm, p, TimeRange{})
	if err == nil || !strings.Contains(err.Error(), "l1_bytes") || !strings.Contains(err.Error(), "--own-model") || dev.kernels > 0 {
		t.Errorf("%v, %d kernels were run", err, dev.kernels)
	}
}

// TestCalibrate finds the costs of a device that is a formula, leaves out what fails, and finds all in the journal the next time.
func TestCalibrate(t *testing.T) {
	dev := &formula{time: func(sizes map[string]int64) (float64, samples.Status) {
		if sizes["num_groups"] == 8192 {
			return 0, samples.Refused
		}
		return 1e-5 + 1e-9*float64(sizes["num_groups"]), samples.OK
	}}
	journal, err := samples.Open(filepath.Join(t.TempDir(), "s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	p, err := plan(t, groups, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	for _, runs := range []int{5, 0} { // four kernels, and one small one to verify the results
		c := New(dev, journal, Options{Version: "test"})
		dev.kernels = 0
		m, err := c.Calibrate(context.Background(), samples.Warm, p, TimeRange{})
		if err != nil {
			t.Fatal(err)
		}
		if dev.kernels != runs {
			t.Errorf("%d kernels were run, want %d", dev.kernels, runs)
		}
		if v, ok := m.Fit.Values([]string{"p_launch", "p_group"}); !ok || v[0] < 0.99e-5 || v[0] > 1.01e-5 || v[1] < 0.99e-9 || v[1] > 1.01e-9 {
			t.Errorf("%v", v)
		}
		if len(m.Rows.Rows) != 3 || !slices.ContainsFunc(m.Rows.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "empty_kernel") && strings.Contains(w, "left out of the fit")
		}) {
			t.Errorf("%d rows, %q", len(m.Rows.Rows), m.Rows.Warnings)
		}
		if got := len(c.Used(samples.Warm)); got != 4 || len(c.Used(samples.Cold)) != 0 {
			t.Errorf("%d records used", got)
		}
	}
}

func TestPlan(t *testing.T) {
	p, err := plan(t, groups, Selection{Tags: []string{"num_groups:16,64"}})
	if err != nil || len(p.Cases) != 2 || p.Cases[1].Sizes["num_groups"] != 64 {
		t.Errorf("%v, %v", p, err)
	}
	for _, c := range []struct {
		text string
		s    Selection
		want string
	}{
		{groups, Selection{Tags: []string{"rows:3"}}, "no measurement kernel of model groups has such an argument"},
		{groups, Selection{Form: "cubic"}, `no form "cubic"`},
		{strings.Replace(groups, "empty_kernel", "empty_kernels", 1), Selection{}, "groups.yaml:7:"},
		{groups[:strings.Index(groups, "measure:")], Selection{}, "names no kernels to measure"},
		{strings.Replace(groups, "f_thread_groups", "f_threads", 1), Selection{}, "groups.yaml:4:"},
	} {
		if _, err := plan(t, c.text, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
	pinned, err := plan(t, strings.Replace(groups, "f_cl_wall_time", "f_cl_wall_time_voodoo", 1), Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(&formula{}, nil, Options{}).Rows(context.Background(), samples.Warm, pinned, TimeRange{}); err == nil || !strings.Contains(err.Error(), "pins the model") {
		t.Errorf("%v", err)
	}
}

func TestOwnSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.star")
	if err := os.WriteFile(path, []byte(`
rows = lp.make_kernel("{[i]: 0<=i<n}", "a[i] = 1")
full = lp.make_kernel("{[i,j]: 0<=i<n and 0<=j<m}", "b[i,j] = 1")
`), 0o600); err != nil {
		t.Fatal(err)
	}
	kernels, err := frontend.Options{}.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	sizes := []map[string]int64{{"n": 1, "m": 2}, {"n": 1, "m": 3}, {"n": 4, "k": 5}}
	if got := ownSizes(kernels[0], kernels, sizes); len(got) != 2 || len(got[0]) != 1 || got[1]["k"] != 5 {
		t.Errorf("%v", got) // k is nobody's, and stays
	}
	if got := ownSizes(kernels[1], kernels, sizes); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

func TestOpenDevice(t *testing.T) {
	_, err := Open(context.Background(), "replay:nowhere.jsonl", Options{})
	if err == nil || !strings.Contains(err.Error(), "nowhere.jsonl") {
		t.Errorf("%v", err)
	}
	for f, want := range map[*samples.Fingerprint]string{
		{Name: "NVIDIA H200 (x)", UUID: "5f4dd1a4beef"}:                      "data/profiles/nvidia-h200-x-5f4dd1a4.yaml",
		{Name: "NVIDIA H200", UUID: "5f4dd1a4beef", Interface: samples.CUDA}: "data/profiles/nvidia-h200-5f4dd1a4-cuda.yaml",
	} {
		if path := DeviceFile("data", "profiles", *f, ".yaml"); filepath.ToSlash(path) != want {
			t.Errorf("%s, want %s", path, want)
		}
	}
	var input *InputError
	if _, err := TagCases("", []string{"empty_kernels"}, "superset"); !errors.As(err, &input) {
		t.Errorf("%v", err)
	}
}
