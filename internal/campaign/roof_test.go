package campaign

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/frontend"
	"gpuperf/samples"
	"gpuperf/workload"
)

// TestNoMeasuredTimeIsBelowTheRoof: in every recording on the H200, of every kernel that suites and models name, no time is more than 2 %
// below what the program says the device needs at least. A roof above the times would raise correct predictions.
// Not beside other tests: what they allocate would count for its scripts, whose memory is limited.
func TestNoMeasuredTimeIsBelowTheRoof(t *testing.T) {
	checked, near := 0, 0
	long := os.Getenv("LONG") != ""
	for _, set := range []struct {
		recording, suite string
		tags             []string
		mode             samples.Mode
		long             bool // with LONG=1 alone
	}{
		{"applications.jsonl.gz", "evaluation/applications.yaml", nil, samples.Warm, false},
		{"applications.jsonl.gz", "evaluation/applications.yaml", nil, samples.Cold, true},
		{"applications.jsonl.gz", "evaluation/tailored/applications.yaml", nil, samples.Warm, true},
		{"further.jsonl.gz", "evaluation/further/kernels.yaml", nil, samples.Warm, true},
		{"waiting.jsonl.gz", "evaluation/waiting/kernels.yaml", nil, samples.Warm, false},
		{"unseen.jsonl.gz", "evaluation/unseen/kernels.yaml", nil, samples.Warm, true},
		{"matmul_2_2.jsonl", "matmul/paper_2_2.yaml", nil, samples.Warm, false},
		{"parts.jsonl.gz", "", []string{"parts"}, samples.Warm, false},
	} {
		if set.long && !long {
			continue
		}
		c, err := Open(t.Context(), "replay:../../testdata/h200/"+set.recording, Options{})
		if err != nil {
			t.Fatal(err)
		}
		cases := map[string]*workload.Case{}
		add := func(list []*workload.Case, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range list {
				cases[one.String()] = one
			}
		}
		planned := func(path string) {
			model, err := LoadModel(path)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := NewPlan(t.Context(), model, Selection{})
			if err != nil {
				t.Fatal(err)
			}
			add(plan.Cases, nil)
		}
		for _, name := range set.tags {
			planned(name)
		}
		if set.suite != "" {
			file, err := evaluate.Load("../../examples/" + set.suite)
			if err != nil {
				t.Fatal(err)
			}
			e := &evaluation{Campaign: c}
			for _, suite := range file.Suites {
				for _, v := range suite.Variants {
					add(e.cases(t.Context(), file, suite, v))
					planned(filepath.Join(filepath.Dir(file.Path), v.Model))
				}
			}
		}
		var all []*workload.Case
		for _, key := range slices.Sorted(maps.Keys(cases)) {
			all = append(all, cases[key])
		}
		result, err := c.Measure(t.Context(), set.mode, all)
		if err != nil {
			t.Fatal(err)
		}
		on := facts.Of(c.Device.Info().Fingerprint)
		rates, err := reached(on, all, result.Records)
		if err != nil {
			t.Fatal(err)
		}
		profile := &calibrate.Profile{}
		for _, r := range rates {
			profile.Reach(r)
		}
		t.Log(set.recording, set.mode, profile.Roof)
		for i, r := range result.Records {
			if r.Status != samples.OK {
				continue
			}
			roof, ok := roofOf(all[i], on, peaks(profile.Roof), set.mode)
			if !ok {
				continue
			}
			checked++
			if isNear(t, fmt.Sprint(all[i], " ", set.mode), r.Seconds(), roof) {
				near++
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	least, leastNear := 300, 15
	if long {
		least, leastNear = 1000, 50
	}
	if checked < least || near < leastNear {
		t.Errorf("%d times checked, %d of them within 20 %% of the roof: the test shows little", checked, near)
	}
}

// TestRoof: a prediction faster than the device is raised to what the data need beyond the cache, at the rate that was measured or else the
// published one.
func TestRoof(t *testing.T) {
	h200 := samples.Fingerprint{Name: "NVIDIA H200", ComputeUnits: 132, SubgroupSize: 32}
	const n = 16384
	cases, err := Cases(t.Context(), frontend.Options{}, []string{"../../examples/transpose/transpose.star#transpose_tiled"}, []map[string]int64{{"n": n}})
	if err != nil {
		t.Fatal(err)
	}
	const bytes, cache = 2 * 4 * n * n, 62914560.0
	measured := []calibrate.Reached{{Resource: "global memory", Rate: 4.3e12, Unit: "B/s", Kernel: "gmem_pattern"}}
	for _, tags := range roofTags {
		if list, err := TagCases("", tags, "", nil); err != nil || len(list) != 1 {
			t.Errorf("%v select %d kernels, %v", tags, len(list), err)
		}
	}
	for _, c := range []struct {
		device samples.Fingerprint
		roof   []calibrate.Reached
		cache  string
		cost   float64 // of an element
		want   float64
		source string
	}{
		{h200, nil, "warm", 1e-13, (bytes - cache) / 4.8e12, "datasheet"},
		{h200, measured, "warm", 1e-13, (bytes - cache) / 4.3e12, "measured by gmem_pattern"},
		{h200, measured, "cold", 1e-13, (bytes - cache) / 4.3e12, "measured by gmem_pattern"},
		{h200, measured, "", 1e-13, (bytes - cache) / 4.3e12, "measured by gmem_pattern"},
		{h200, measured, "warm", 1e-11, 2 * n * n * 1e-11, ""}, // slower than that
		{samples.Fingerprint{Name: "nobody's", SubgroupSize: 32}, measured, "warm", 1e-13, 2 * n * n * 1e-13, ""},
	} {
		fit := calibrate.Fit{
			Model: "m", Parameters: []calibrate.Estimate{{Name: "p_a", Value: c.cost}}, Freedom: 9, ScaleByOutput: true, Residual: 0.1,
			Covariance: [][]float64{{0}}, FeatureRange: map[string][2]float64{"f_mem_footprint_global": {0, 1e12}},
		}
		p, err := NewPredictor(c.device, c.roof, &calibrate.Calibration{
			Fit: fit, Origin: calibrate.Origin{Cache: c.cache},
			Definition: "version: 1\nname: m\noutput: f_cl_wall_time\nexpression: p_a * f_mem_footprint_global\nfit: {scale_by_output: true}\n",
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Predict(cases[0])
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Seconds/c.want-1) > 1e-9 || got.Interval[0] > got.Seconds || got.Interval[1] < got.Seconds || got.Roof != nil && got.Interval[0] < got.Roof.Seconds {
			t.Errorf("%+v: %g in %v under %+v", c, got.Seconds, got.Interval, got.Roof)
		}
		if raised := strings.Contains(strings.Join(got.Warnings, "\n"), ", raised to the "); raised != (c.source != "") || raised && !strings.Contains(got.Roof.Source, c.source) {
			t.Errorf("%+v: %q under %+v", c, got.Warnings, got.Roof)
		}
	}
}

// isNear reports whether the time that the roof says is needed is more than 80 % of a measured one. It must not be more than 2 % above it.
func isNear(t *testing.T, what string, measured float64, roof calibrate.Roof) bool {
	t.Helper()
	share := roof.Seconds / measured
	if share > 1.02 {
		t.Errorf("%s: measured %.4g s, %.3f of it are said to be needed for %.4g of %s at %.4g %s (%s)",
			what, measured, share, roof.Amount, roof.Resource, roof.Rate, roof.Unit, roof.Source)
	}
	return share > 0.8
}

// TestAchievedTogether: what runs twice does twice as much, and as much of the roof in twice the time; what is launched and hardly works does not count.
func TestAchievedTogether(t *testing.T) {
	cases, err := Cases(t.Context(), frontend.Options{}, []string{"../../examples/transpose/transpose.star#transpose_tiled"}, []map[string]int64{{"n": 4096}, {"n": 64}})
	if err != nil {
		t.Fatal(err)
	}
	on, _ := facts.Named("NVIDIA H200")
	in := func(seconds float64) samples.Record {
		return samples.Record{Status: samples.OK, Mode: samples.Cold, Summary: &samples.Summary{Median: seconds}}
	}
	one := achieved(cases[0], in(1e-3), on, nil)
	if one.OfRoof <= 0 || one.Bytes <= 0 {
		t.Fatalf("%+v", one)
	}
	if twice := achievedOf([]Repeated{{cases[0], 2}}, in(2e-3), on, nil); twice != one {
		t.Errorf("%+v, twice %+v", one, twice)
	}
	small := achievedOf([]Repeated{{cases[1], 1}}, in(1e-3), on, nil)
	both := achievedOf([]Repeated{{cases[0], 1}, {cases[1], 1}}, in(1e-3), on, nil)
	if near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b }; !near(both.OfRoof, one.OfRoof+small.OfRoof) || !near(both.Bytes, one.Bytes+small.Bytes) {
		t.Errorf("%+v and %+v together %+v", one, small, both)
	}
	if none := achievedOf(nil, in(1e-3), on, nil); none != (Achieved{}) {
		t.Errorf("nothing does %+v", none)
	}
}
