package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuperf/calibrate"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/campaign"
	"gpuperf/models"
	"gpuperf/models/library"
	"gpuperf/samples"
)

// costs are of the order of an H200's, by the unit of a parameter: what the models that come with the program are to find out.
var costs = map[string]float64{
	"s per launch": 4e-6, "s per group": 6e-10, "s per barrier": 1.5e-10, "s per 4 B": 1e-12, "s per 128 B": 4e-12, "s per 4 B per lane": 4e-12,
	"s per 1 FLOP per lane": 1e-12, "s per 2 FLOP per lane": 1e-12,
}

// invented writes samples of a model's measurement kernels, as if a device took the times that the model in a form gives, with
// noise of half a per cent. It returns the parameters.
func invented(t *testing.T, model *models.Model, form models.Form, path string) map[string]float64 {
	t.Helper()
	as, err := model.As(form)
	if err != nil {
		t.Fatal(err)
	}
	c, err := as.Compile()
	if err != nil {
		t.Fatal(err)
	}
	truth := map[string]float64{}
	params := make([]float64, len(c.Parameters))
	rng := rand.New(rand.NewPCG(61, 62))
	for i, name := range c.Parameters {
		p := as.Parameter(name)
		scale := costs[p.Unit]
		switch {
		case p.Init != nil:
			scale = *p.Init
		case name == "p_edge":
			scale = 12
		case name == "p_norm":
			scale = 3
		}
		params[i] = scale
		if p.Unit != "" {
			params[i] *= 0.6 + 0.8*rng.Float64()
		}
		truth[name] = params[i]
	}
	var ids []features.ID
	for _, name := range c.Features {
		id, err := features.ParseID(name)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	plan, err := campaign.NewPlan(t.Context(), model, campaign.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	journal, err := samples.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	onDevice := samples.Fingerprint{Name: "NVIDIA H200", Platform: "none", Vendor: "nobody", ComputeUnits: 132, SubgroupSize: 32}
	for _, one := range plan.Cases {
		values, err := one.Features(facts.Of(onDevice), ids, 32)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, len(ids))
		for i, id := range ids {
			x[i] = values[id.String()]
		}
		job, err := one.Job(device.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		r := job.Record()
		seconds := c.Eval(x, params) * (1 + 0.005*rng.NormFloat64())
		r.Status, r.Tags, r.Time = samples.OK, one.Tags, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		r.Trials = []float64{seconds, seconds, seconds}
		summary := samples.Summarize(r.Trials)
		r.Summary = &summary
		r.Device = onDevice
		if err := journal.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return truth
}

// TestLibraryModelsAreIdentifiable: the measurement kernels of each model that comes with the program find its costs, and nothing is
// said against the fit that better kernels would have avoided.
func TestLibraryModelsAreIdentifiable(t *testing.T) {
	for i, name := range library.All.Names() {
		if os.Getenv("LONG") == "" && i%8 != 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, err := library.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			form, _, _, ok := model.Form()
			if !ok {
				t.Fatal("the model has no form")
			}
			path := filepath.Join(t.TempDir(), "invented.jsonl")
			truth := invented(t, model, form, path)
			var fit struct {
				Parameters map[string]struct{ Value, Stderr float64 }
				Warnings   []string
			}
			replayJSON(t, &fit, "fit", name, "--data", path)
			for p, want := range truth {
				got := fit.Parameters[p]
				shape := model.Parameter(p).Unit == ""
				if off := got.Value/want - 1; !shape && (off > 0.15 || off < -0.15) {
					t.Errorf("%s is %g with a standard error of %g, the truth is %g", p, got.Value, got.Stderr, want)
				}
			}
			for _, w := range fit.Warnings {
				if !strings.Contains(w, "cross-validation skips") && !strings.Contains(w, "[soft-edge]") {
					t.Error(w)
				}
			}
		})
	}
}

// TestModelAutoFindsTheForm from the samples of a model's measurement kernels, whatever form its file has.
func TestModelAutoFindsTheForm(t *testing.T) {
	for _, c := range []struct {
		model string
		truth models.Form
		want  []string
	}{
		{"linear", models.OverlapForm, []string{"overlap", "pnorm"}}, // either is a maximum
		{"overlap", models.LinearForm, []string{"linear"}},
		{"finite_diff", models.PNormForm, []string{"pnorm", "overlap"}},
		{"matmul", models.LinearForm, []string{"linear"}},
	} {
		t.Run(fmt.Sprintf("%s is %s", c.model, c.truth), func(t *testing.T) {
			t.Parallel()
			model, err := library.Load(c.model)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "invented.jsonl")
			invented(t, model, c.truth, path)
			var fit struct {
				Model  string
				Choice calibrate.Choice

				Experiment *calibrate.Experiment
			}
			replayJSON(t, &fit, "fit", c.model, "--data", path, "--model", "auto")
			if !slices.Contains(c.want, fit.Choice.Form) || len(fit.Choice.Candidates) != 3 || fit.Experiment == nil {
				t.Errorf("chosen %q: %s", fit.Choice.Form, fit.Choice.Reason)
			}
			if name := map[string]string{"linear": calibrate.General, "overlap": calibrate.General}[c.model]; name != "" && fit.Model != name {
				t.Errorf("the model is named %s", fit.Model)
			}
		})
	}
}
