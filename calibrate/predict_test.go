package calibrate

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestPrediction(t *testing.T) {
	m := model(t, overlapModel)
	kernels, features := microbenchmarks()
	fit := fitRows(t, m, rowsOf(t, m, titanV, 0.02, rand.New(rand.NewPCG(1, 2)), kernels, features))
	at := map[string]float64{"f_launch": 1, "f_groups": 8192, "f_ga": 3e7, "f_gb": 4e7, "f_madd": 1e7, "f_lmem": 0, "f_other": 9}
	p, err := fit.Predict(m, at)
	if err != nil {
		t.Fatal(err)
	}
	v := func(n string) float64 { return fit.Estimate(n).Value }
	overhead, gmem, onchip := v("p_launch")+8192*v("p_group"), 3e7*v("p_ga")+4e7*v("p_gb"), 1e7*v("p_madd")
	for i, want := range []TermValue{{Name: "overhead", Value: overhead}, {Name: "gmem", Value: gmem}, {Name: "onchip", Value: onchip}} {
		if got := p.Terms[i]; got.Name != want.Name || math.Abs(got.Value-want.Value) > 1e-12*want.Value {
			t.Errorf("term %+v, want %+v", got, want)
		}
	}
	if want := overhead + gmem; math.Abs(p.Seconds-want) > 1e-3*want {
		t.Errorf("%g s, want nearly %g", p.Seconds, want)
	}
	if !(p.Interval[0] < p.Seconds && p.Seconds < p.Interval[1]) || p.Interval[1]-p.Interval[0] > 0.2*p.Seconds {
		t.Errorf("%g in %v", p.Seconds, p.Interval)
	}
	if len(p.Warnings) != 0 {
		t.Errorf("warnings %q", p.Warnings)
	}
	at["f_ga"] = 1e12
	if p, err = fit.Predict(m, at); err != nil {
		t.Fatal(err)
	}
	if len(p.Warnings) != 1 || p.Warnings[0] != "feature f_ga: 1 T is outside the calibrated range 0 to 160 M [extrapolation]" {
		t.Errorf("warnings %q", p.Warnings)
	}
	delete(at, "f_lmem")
	if _, err = fit.Predict(m, at); err == nil || err.Error() != "no value for the feature f_lmem of model m" {
		t.Errorf("got %v", err)
	}
	if _, err := fit.Predict(model(t, "expression: p_new * f_ga\n"), at); err == nil || !strings.Contains(err.Error(), "p_new") {
		t.Errorf("got %v", err)
	}
}

// TestKindsOfTerms: costs, what joins them, and numbers are apart.
func TestKindsOfTerms(t *testing.T) {
	m := model(t, "terms:\n  part: step((f_x - p_edge) / f_x, 4)\n  loads: p_x * f_x * part\n  adds: p_y * f_y\n  both: max(loads, adds)\nexpression: p_launch + both\n")
	fit := &Fit{Model: "m", Status: "converged", Converged: true, FeatureRange: map[string][2]float64{"f_x": {1, 9}, "f_y": {1, 9}}}
	for i, name := range []string{"p_edge", "p_x", "p_y", "p_launch"} {
		fit.Parameters = append(fit.Parameters, Estimate{Name: name, Value: float64(i + 1)})
	}
	p, err := fit.Predict(m, map[string]float64{"f_x": 8, "f_y": 2})
	if err != nil {
		t.Fatal(err)
	}
	names := func(list TermValues) (out []string) {
		for _, v := range list {
			out = append(out, v.Name)
		}
		return out
	}
	if got := [][]string{names(p.Terms), names(p.Joined), names(p.Factors)}; !reflect.DeepEqual(got, [][]string{{"loads", "adds"}, {"both"}, {"part"}}) {
		t.Errorf("costs, joined and factors are %v", got)
	}
	if both := p.Time("both"); both != max(p.Time("loads"), p.Time("adds")) || both != p.Seconds-4 || p.Time("part") != 0 {
		t.Errorf("%+v", p)
	}
}

// TestAllowAbove: totals may be above their range where errors on unseen kernels are known, but not below, nor where the fit has seen none.
func TestAllowAbove(t *testing.T) {
	m := model(t, "expression: p_x * f_x + p_y * f_y\n")
	for _, c := range []struct {
		above, unseen bool
		x, y          float64
		warned        string
	}{
		{true, true, 10, 0, ""},
		{true, true, 0.5, 0, "f_x"},
		{true, true, 5, 1, "f_y"},
		{false, true, 10, 0, "f_x"},
		{true, false, 10, 0, "f_x"},
	} {
		fit := &Fit{
			Model: "m", Status: "converged", Converged: true, FeatureRange: map[string][2]float64{"f_x": {1, 9}, "f_y": {0, 0}},
			Parameters: []Estimate{{Name: "p_x", Value: 1}, {Name: "p_y", Value: 1}},
		}
		if c.unseen {
			fit.Unseen = &Unseen{Kernels: 2, Rows: []UnseenRow{{0.1, []int{100, 0}}, {0.2, []int{0, 100}}}}
		}
		p, err := NewPredictor(m, fit)
		if err != nil {
			t.Fatal(err)
		}
		if c.above {
			p.AllowAbove()
		}
		got, err := p.Predict(map[string]float64{"f_x": c.x, "f_y": c.y})
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(got.Warnings, "; "); strings.Contains(text, "extrapolation") != (c.warned != "") || !strings.Contains(text, c.warned) {
			t.Errorf("%+v: %q", c, got.Warnings)
		}
	}
}

func TestPredictionAsJSON(t *testing.T) {
	p := Prediction{Seconds: 0.5, Interval: Interval{0.4, 0.6}, Terms: TermValues{{Name: "gmem", Value: 0.3}, {Name: "arith", Value: 0.2}}, Warnings: []string{}}
	got, err := json.Marshal(p)
	if want := `{"seconds":0.5,"interval":[0.4,0.6],"terms":{"gmem":0.3,"arith":0.2},"warnings":[]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	p.Joined, p.Factors = TermValues{{Name: "both", Value: 0.5}}, TermValues{{Name: "beyond", Value: 1}}
	if got, err = json.Marshal(p); err != nil || !strings.Contains(string(got), `"terms":{"gmem":0.3,"arith":0.2},"joined":{"both":0.5},"factors":{"beyond":1},"warnings"`) {
		t.Errorf("got %s, %v", got, err)
	}
	p.Interval = Interval{math.NaN(), math.NaN()}
	if got, err = json.Marshal(p); err != nil || !strings.Contains(string(got), `"interval":null`) {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestIntervalCoverage: 90 % of new measurements fall into the interval, however few the rows.
func TestIntervalCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, options := range []string{"", "fit: {scale_by_output: true}\n"} {
		m := model(t, "expression: p_a * f_x + p_b\n"+options)
		draw := func(x float64) Row {
			noise := rng.NormFloat64()
			if options != "" {
				noise *= 0.05 * (2*x + 30)
			}
			return Row{Features: map[string]float64{"f_x": x}, Output: 2*x + 30 + noise}
		}
		inside, total := 0, 0
		for range 400 {
			var rows []Row
			for i := range 6 {
				rows = append(rows, draw(float64(i)))
			}
			fit, err := FitRows(context.Background(), m, rows, Options{NoCrossValidation: true})
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				r := draw(10 * rng.Float64())
				p, err := fit.Predict(m, r.Features)
				if err != nil {
					t.Fatal(err)
				}
				total++
				if p.Interval[0] <= r.Output && r.Output <= p.Interval[1] {
					inside++
				}
			}
		}
		if share := float64(inside) / float64(total); share < 0.87 || share > 0.93 {
			t.Errorf("%q: %.3f of the measurements fall into the interval of 90 %%", options, share)
		}
	}
}

// TestPredictionOfWhatWasNotDetermined: a combination that the rows determine is predicted, anything else has no interval and says why.
func TestPredictionOfWhatWasNotDetermined(t *testing.T) {
	m := model(t, "expression: p_a * f_x + p_b * f_y + p_c\n")
	var rows []Row
	for i := range 6 {
		x := float64(i)
		rows = append(rows, Row{Features: map[string]float64{"f_x": x, "f_y": 3 * x}, Output: 2*x + 1 + 0.001*float64(i%2)})
	}
	fit := fitRows(t, m, rows)
	p, err := fit.Predict(m, map[string]float64{"f_x": 2.5, "f_y": 7.5})
	if err != nil || !p.Interval.Known() || len(p.Warnings) != 0 || math.Abs(p.Seconds-6) > 0.01 {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = fit.Predict(m, map[string]float64{"f_x": 2.5, "f_y": 0})
	if err != nil || p.Interval.Known() || len(p.Warnings) != 1 || !strings.HasSuffix(p.Warnings[0], "depends on p_a and p_b, which calibration did not determine [undetermined]") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestPredictionOfAFitThatDidNotConverge(t *testing.T) {
	m := model(t, "expression: p_a * f_x\n")
	fit := fitRows(t, m, []Row{{Features: map[string]float64{"f_x": 1}, Output: 2}, {Features: map[string]float64{"f_x": 2}, Output: 4.1}})
	fit.Converged, fit.Status = false, "too many iterations"
	p, err := fit.Predict(m, map[string]float64{"f_x": 1})
	want := []string{"the fit of the model did not converge (too many iterations), do not trust the prediction [not-converged]"}
	if err != nil || !slices.Equal(p.Warnings, want) {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestNoIntervalWithoutRowsToSpare(t *testing.T) {
	m := model(t, "expression: p_a * f_x\n")
	fit := fitRows(t, m, []Row{{Features: map[string]float64{"f_x": 1}, Output: 2}})
	p, err := fit.Predict(m, map[string]float64{"f_x": 1})
	if err != nil || p.Interval.Known() || p.Seconds != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestIntervalWithoutUpperEnd(t *testing.T) {
	for _, c := range []struct {
		interval Interval
		open     bool
		roof     float64
		want     string
	}{
		{Interval{1e-3, 2e-3}, true, 0, "≥ 1 ms"},
		{Interval{1e-3, 2e-3}, true, 5e-3, "≥ 5 ms"},
		{Interval{1e-3, 2e-3}, false, 1.5e-3, "1.5 ms – 2.5 ms"},
		{unknown, true, 0, "unknown"},
		{unknown, true, 5e-3, "≥ 5 ms"},
		{unknown, false, 5e-3, "unknown"},
	} {
		p := &Prediction{Seconds: 1.2e-3, Interval: c.interval}
		if c.open {
			p.Open()
		}
		if c.roof > 0 {
			p.Under(Roof{Seconds: c.roof})
		}
		if got := p.Interval.String(); got != c.want || p.Seconds != math.Max(1.2e-3, c.roof) {
			t.Errorf("%+v: %s, %g s", c, got, p.Seconds)
		}
		if text, err := p.Interval.MarshalJSON(); err != nil || (string(text) == "null") != (c.want == "unknown") {
			t.Errorf("%+v: %s, %v", c, text, err)
		}
	}
}

// TestRaisedIntervals: a prediction that is raised to the roof keeps an interval of the same width, as a factor.
func TestRaisedIntervals(t *testing.T) {
	p := Prediction{Seconds: 2, Interval: Interval{1, 3}}
	p.Under(Roof{Seconds: 4, Unit: "B/s"})
	if p.Seconds != 4 || p.Interval != (Interval{4, 6}) {
		t.Errorf("%g in %v, want 4 in 4 to 6", p.Seconds, p.Interval)
	}
	p = Prediction{Seconds: 5, Interval: Interval{3, 8}}
	p.Under(Roof{Seconds: 4, Unit: "B/s"})
	if p.Seconds != 5 || p.Interval != (Interval{4, 8}) {
		t.Errorf("%g in %v, want 5 in 4 to 8", p.Seconds, p.Interval)
	}
}
