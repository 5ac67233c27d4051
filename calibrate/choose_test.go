package calibrate

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gpuperf/models"
)

// TestChoose: the form in which the times were made is found, whatever form the model file has, and by rows that were left out.
func TestChoose(t *testing.T) {
	seeds := uint64(1)
	if os.Getenv("LONG") != "" {
		seeds = 3
	}
	truth := map[string]float64{"p_norm": 4}
	maps.Copy(truth, titanV)
	base := model(t, strings.Replace(overlapModel, "p_edge: {min: 0}", "p_edge: {min: 3}", 1))
	kernels, features := microbenchmarks()
	for _, c := range []struct {
		form       models.Form
		hiddenFrom float64
		hiddenTo   float64
	}{{models.LinearForm, -0.1, 0.1}, {models.OverlapForm, 0.85, 1.2}, {models.PNormForm, 0.6, 1.02}} {
		as, err := base.As(c.form)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range seeds {
			rows := rowsOf(t, as, truth, 0.01, rand.New(rand.NewPCG(51, seed)), kernels, features)
			for i := range rows {
				if rows[i].Kernel == "ratio" {
					rows[i].Ratio = 32 * rows[i].Features["f_lmem"] / rows[i].Features["f_ga"]
				}
			}
			for _, from := range models.Forms {
				start, err := base.As(from)
				if err != nil {
					t.Fatal(err)
				}
				m, fit, err := Choose(context.Background(), start, nil, rows, Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, _, _, _ := m.Form()
				// Where all of the smaller cost hides, a norm of a high power is as good a maximum.
				hides := c.form == models.OverlapForm && got == models.PNormForm && fit.Estimate("p_norm").Value > 8
				if got != c.form && !hides || fit.Choice.Form != string(got) || !strings.HasPrefix(fit.Choice.Reason, string(got)+": ") {
					t.Errorf("%s, seed %d: chosen %s: %s", c.form, seed, got, fit.Choice.Reason)
				}
				if from != models.LinearForm {
					continue
				}
				e := fit.Experiment
				if e == nil || len(e.Points) != 12 || e.Hidden == nil || *e.Hidden < c.hiddenFrom || *e.Hidden > c.hiddenTo {
					t.Errorf("%s, seed %d: experiment %+v: %s", c.form, seed, e, fit.Choice.Reason)
				}
				if text, err := json.Marshal(fit); err != nil || !strings.Contains(string(text), `"leave_ratio_out":`) {
					t.Errorf("%s, %v", text, err)
				}
			}
		}
	}
}

// TestChooseWithoutExperiment: kernels that tell nothing of the form leave the simplest.
func TestChooseWithoutExperiment(t *testing.T) {
	base := model(t, overlapModel)
	kernels, features := microbenchmarks()
	all := rowsOf(t, base, titanV, 0.01, rand.New(rand.NewPCG(52, 1)), kernels, features)
	var rows []Row
	for _, r := range all {
		if r.Kernel != "ratio" {
			rows = append(rows, r)
		}
	}
	_, fit, err := Choose(context.Background(), base, nil, rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if fit.Choice.Form != "linear" || fit.Experiment != nil || !strings.Contains(fit.Choice.Reason, "no overlap experiment") {
		t.Errorf("%+v", fit.Choice)
	}
	if _, _, err := Choose(context.Background(), model(t, "expression: p_a * f_x\n"), nil, rows, Options{}); err == nil {
		t.Error("a model without form was brought into one")
	}
}
