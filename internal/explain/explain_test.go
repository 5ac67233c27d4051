package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/models/library"
	"gpuperf/samples"
	"gpuperf/workload"
)

// product is a matrix product with a tile of b in local memory, whose columns are read 16 apart; a is read by rows, far apart.
const product = `
knl = lp.make_kernel("{[i,j,k]: 0<=i,j,k<n}", "c[j,i] = sum(k, a$left[i,k]*b$right[k,j]) / n")
knl = lp.split_iname(knl, "i", 16, outer_tag="g.0", inner_tag="l.0")
knl = lp.split_iname(knl, "j", 16, outer_tag="g.1", inner_tag="l.1")
knl = lp.split_iname(knl, "k", 16)
knl = lp.assume(knl, "n >= 16 and n % 16 = 0")
knl = lp.add_prefetch(knl, "b", ["k_inner", "j_inner"])
knl = lp.add_dtypes(knl, {"a": "float32", "b": "float32", "c": "float32"})
`

const terms = `version: 1
name: m
output: f_cl_wall_time
terms:
  overhead: p_launch * f_sync_kernel_launch + p_barrier * f_sync_barrier_local * f_thread_groups
  gmem: p_a * f_mem_access_tag:left + p_b * f_mem_access_tag:right + p_c * f_mem_access_global_float32_store
  onchip: p_madd * f_op_float32_madd + p_local * f_mem_access_local_float32
`

// subject is the product at n = 256 under a model of the form, with costs of these parameters; others are 0.
func subject(t *testing.T, expression string, costs map[string]float64) Subject {
	t.Helper()
	m, err := models.Parse("m.yaml", []byte(terms+"expression: "+expression+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	variants, err := script.Exec("test.star", product)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int64{"n": 256}
	whole := &workload.Case{Kernel: workload.NewKernel(variants[0].Kernel), Name: "knl", Sizes: at}
	removed, err := workload.WorkRemoved([]*workload.Case{whole})
	if err != nil {
		t.Fatal(err)
	}
	fit := &calibrate.Fit{Model: "m", Freedom: 1, ScaleByOutput: true}
	for _, name := range m.ParameterNames() {
		fit.Parameters = append(fit.Parameters, calibrate.Estimate{Name: name, Value: costs[name]})
	}
	s := Subject{
		Case: whole, Removed: removed[0], Model: m, Fit: fit, Lanes: 32, Facts: facts.Of(samples.Fingerprint{Name: "NVIDIA H200", ComputeUnits: 132}),
	}
	predict(t, &s)
	return s
}

// predict predicts the case by the model and its fit.
func predict(t *testing.T, s *Subject) {
	t.Helper()
	p, err := calibrate.NewPredictor(s.Model, s.Fit)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := features.ParseIDs(p.Features())
	if err != nil {
		t.Fatal(err)
	}
	values, err := s.Case.Features(s.Facts, ids, s.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	if s.Prediction, err = p.Predict(values); err != nil {
		t.Fatal(err)
	}
	if s.Unpriced, err = s.Case.Unpriced(s.Facts, ids, p.Growth(values), s.Lanes, samples.Warm); err != nil {
		t.Fatal(err)
	}
}

const n3 = 256 * 256 * 256

// TestPartsAddUpToTheRoof: what a prediction was raised by is a part of it, and no saving goes below the roof.
func TestPartsAddUpToTheRoof(t *testing.T) {
	for _, expression := range []string{"overhead + gmem + onchip", "overhead + overlap(gmem, onchip, p_edge)"} {
		for _, raise := range []float64{0.5, 0.75, 1, 1.5, 100} {
			s := subject(t, expression, map[string]float64{"p_launch": 5e-6, "p_a": 1e-12, "p_c": 3e-12, "p_madd": 1e-12, "p_edge": 50})
			model := s.Prediction.Seconds
			s.Prediction.Under(calibrate.Roof{Seconds: raise * model, Resource: "global memory", Unit: "B/s"})
			e, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			costs, shares, parts := 0.0, 0.0, 0.0
			for _, c := range e.Costs {
				costs += c.Seconds
				shares += c.Share
			}
			for _, term := range e.Terms {
				parts += term.Share
				if term.Halved > e.Predicted-raise*model+1e-9*model {
					t.Errorf("%s, %g: half of %s saves %g, below the roof", expression, raise, term.Name, term.Halved)
				}
			}
			if want := max(1, raise) * model; math.Abs(costs-want) > 1e-9*want || math.Abs(shares-1) > 1e-9 || math.Abs(parts-1) > 1e-9 {
				t.Errorf("%s, %g: costs of %g make a prediction of %g; their shares are %g, those of terms %g", expression, raise, costs, want, shares, parts)
			}
			if roof := e.Terms[len(e.Terms)-1].Name == roofTerm; roof != (raise > 1) {
				t.Errorf("%s, %g: terms are %+v", expression, raise, e.Terms)
			}
		}
	}
}

func TestPartsAddUp(t *testing.T) {
	costs := map[string]float64{"p_launch": 5e-6, "p_barrier": 1e-9, "p_a": 1e-12, "p_b": 2e-12, "p_c": 3e-12, "p_madd": 1e-12, "p_local": 4e-12, "p_edge": 50}
	for _, c := range []struct {
		expression string
		total      func(overhead, gmem, onchip float64) float64
	}{
		{"overhead + gmem + onchip", func(o, g, c float64) float64 { return o + g + c }},
		{"overhead + overlap(gmem, onchip, p_edge)", func(o, g, c float64) float64 { return o + max(g, c) }},
	} {
		e, err := New(subject(t, c.expression, costs))
		if err != nil {
			t.Fatal(err)
		}
		sum, share := 0.0, 0.0
		for _, k := range e.Costs {
			sum += k.Seconds
			share += k.Share
		}
		if want := c.total(e.Terms[0].Alone, e.Terms[1].Alone, e.Terms[2].Alone); math.Abs(e.Predicted-want) > 1e-3*want ||
			math.Abs(sum-e.Predicted) > 1e-9*want || math.Abs(share-1) > 1e-9 {
			t.Errorf("%s: predicted %g, want %g; the costs add up to %g, their shares to %g", c.expression, e.Predicted, want, sum, share)
		}
		// Every load of a, in every work-item: n³ of them, each counted.
		if k := e.Costs[0]; k.Parameter != "p_a" || k.Work.Count != n3 || k.Work.Formula != "[n] -> { n^3 }" {
			t.Errorf("%s: the largest cost is %+v", c.expression, k)
		}
		if got := e.Unpriced; len(got) != 1 || !strings.HasPrefix(got[0].What, "float32 div") {
			t.Errorf("%s: without a cost are %+v", c.expression, got)
		}
		for _, k := range e.Costs {
			hides := c.expression != "overhead + gmem + onchip" && k.Term == "onchip"
			if hides != (k.Seconds < 1e-6*e.Predicted) {
				t.Errorf("%s: %s takes %g of %g", c.expression, k.Parameter, k.Seconds, e.Predicted)
			}
		}
		for _, term := range e.Terms {
			if saved := e.Predicted - c.total(e.Terms[0].Alone, e.Terms[1].Alone, e.Terms[2].Alone) + term.Seconds/2; math.Abs(term.Halved-saved) > 1e-2*e.Predicted {
				t.Errorf("%s: half of %s saves %g, want %g", c.expression, term.Name, term.Halved, saved)
			}
		}
	}
}

func TestBoundAndAdvice(t *testing.T) {
	for _, c := range []struct {
		name   string
		costs  map[string]float64
		bound  string
		advice string
	}{
		{"scattered loads", map[string]float64{"p_a": 1e-11}, "global memory, 100 % of the time: 100 % of it is loads of a", "neighbours along lid(0) are n elements apart in a, so that work-items ask for 25 %"},
		{"loads again", map[string]float64{"p_b": 1e-11}, "global memory, 100 % of the time: 100 % of it is loads of b", "each element of b is loaded 16 times"},
		{"stores", map[string]float64{"p_c": 1e-11}, "global memory, 100 % of the time: 100 % of it is stores of c", "each element of c is moved once, in full sectors"},
		{"local memory", map[string]float64{"p_local": 1e-11}, "on-chip work, 100 % of the time: 100 % of it is loads of b_fetch in local memory, stores of b_fetch in local memory", "fewer accesses"},
		{"arithmetic", map[string]float64{"p_madd": 2e-12}, "on-chip work, 100 % of the time: 100 % of it is float32 madd", "of the peak rate: fewer operations"},
		{"barriers", map[string]float64{"p_barrier": 1e-9}, "overhead of launches, groups and barriers", "fewer barriers"},
		{"launch", map[string]float64{"p_launch": 1e-6}, "overhead of launches, groups and barriers, 100 % of the time: 100 % of it is kernel launch", "more work in one launch"},
	} {
		e, err := New(subject(t, "overhead + gmem + onchip", c.costs))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(e.Bound, c.bound) {
			t.Errorf("%s: bound %q", c.name, e.Bound)
		}
		if all := strings.Join(e.Advice, "\n"); !strings.Contains(all, c.advice) {
			t.Errorf("%s: advice\n%s\nlacks %q", c.name, all, c.advice)
		}
	}
}

// Each term and each total of the models that come with the program has words.
func TestWords(t *testing.T) {
	for _, name := range library.All.Names() {
		m, err := library.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range m.Terms {
			if len(m.Joins(term.Name)) == 0 && !m.Factor(term.Name) && termWords[term.Name] == "" {
				t.Errorf("%s: term %s", name, term.Name)
			}
		}
		for _, f := range m.FeatureNames() {
			if total, ok := strings.CutPrefix(f, "f_static_"); ok && total != "held_bytes" && workWords[total] == "" { // held_bytes decides, and is no work
				t.Errorf("%s: %s", name, f)
			}
		}
	}
}

// TestCheck: the paper's check tells a sum from a maximum by measured times, and says so where nothing was measured.
func TestCheck(t *testing.T) {
	costs := map[string]float64{"p_a": 1e-12, "p_madd": 1e-11}
	onchip := 1e-11 * n3 / 32
	for _, c := range []struct {
		removed, full float64
		hidden        float64
		verdict       string
	}{
		{onchip, 2 * onchip, 0, "add up"},
		{onchip, onchip, 1, "hides behind the larger"},
		{onchip / 2, 1.25 * onchip, 0.5, "about 50 %"},
		{onchip, 0.5 * onchip, 1.5, "less than its larger part"},
		{onchip, 3 * onchip, -1, "more than the sum"},
		{onchip / 100, onchip, 1, "so small"},
		{0, 0, math.NaN(), "not both kernels were measured"},
	} {
		s := subject(t, "overhead + overlap(gmem, onchip, 50)", costs)
		s.Model, _ = models.Parse("m.yaml", []byte(terms+"expression: overhead + gmem + onchip\n"))
		predict(t, &s)
		s.MeasuredRemoved, s.Measured = c.removed, c.full
		e, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(e.Check.Verdict, c.verdict) || !math.IsNaN(c.hidden) && math.Abs(e.Check.Hidden-c.hidden) > 1e-6 {
			t.Errorf("removed %g, full %g: %+v", c.removed, c.full, e.Check)
		}
	}
}

// TestRemovedWork: loads of global memory that a model counts as on-chip work, since caches serve them, stay in the kernel without its work.
func TestRemovedWork(t *testing.T) {
	s := subject(t, "overhead + gmem + onchip", map[string]float64{"p_a": 1e-12, "p_madd": 1e-11})
	s.Model, _ = models.Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_cl_wall_time\nterms:\n"+
		"  gmem: p_a * f_mem_access_tag:left\n  onchip: p_madd * f_op_float32_madd + p_a * f_mem_access_tag:right\nexpression: gmem + onchip\n"))
	predict(t, &s)
	e, err := New(s)
	if want := 1e-11 * n3 / 32; err != nil || math.Abs(e.Check.Onchip-want) > 1e-9*want {
		t.Errorf("%+v, %v, want %g", e.Check, err, 1e-11*n3/32)
	}
}

// TestRoof: the least time is that of the slowest resource, by hand.
func TestRoof(t *testing.T) {
	s := subject(t, "overhead + gmem + onchip", map[string]float64{"p_a": 1e-12})
	s.Roof = s.Case.LeastTime(s.Facts, oneLaunch, samples.Warm)
	e, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{ // three arrays are within the cache
		"float32 arithmetic": n3 / (132 * 128 * 1980e6),
		"local memory":       (n3/32 + n3/16/32) / (132 * 1980e6), // an element of a tile for each multiply-add, and 16 tiles written; 16 columns are a wavefront of two rows
		"launches":           1e-6,
		"L2":                 2 * 4 * 256 * 256 / (96 * 64 * 1980e6), // two of the arrays are loaded
	}
	for _, r := range e.Roof.Resources {
		if w, ok := want[r.Name]; !ok || math.Abs(r.Seconds-w) > 1e-9*w {
			t.Errorf("%s takes %g at least, want %g", r.Name, r.Seconds, w)
		}
		delete(want, r.Name)
	}
	if len(want) > 0 || e.Roof.Seconds != e.Roof.Resources[0].Seconds || math.Abs(e.Roof.Reached-e.Roof.Seconds/e.Predicted) > 1e-12 {
		t.Errorf("%+v lacks %v", e.Roof, want)
	}
	s = subject(t, "overhead + gmem + onchip", nil)
	s.Facts = nil
	if e, err = New(s); err != nil || e.Roof != nil || e.Bound != "nothing that the model has a cost for" {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestNoTime: where a profile predicts no time, nothing is a share of it.
func TestNoTime(t *testing.T) {
	s := subject(t, "overhead + gmem + onchip", nil)
	s.Roof = s.Case.LeastTime(s.Facts, oneLaunch, samples.Warm)
	e, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	e.Write(&text, true)
	if got := text.String(); strings.Contains(got, "Inf") || strings.Contains(got, "NaN") || !strings.Contains(got, "roof: 2.131 µs for what the kernel cannot do without, by local memory\n") {
		t.Error(got)
	}
	if len(e.Advice) != 1 || !strings.Contains(e.Advice[0], "no cost for 9 kinds of work") { // costs of 0 are none
		t.Error(e.Advice)
	}
	if _, err := json.Marshal(e); err != nil {
		t.Error(err)
	}
}

// TestModelWithoutForm is explained as far as it goes.
func TestModelWithoutForm(t *testing.T) {
	s := subject(t, "overhead + gmem + onchip", nil)
	m, err := models.Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_cl_wall_time\nterms:\n  curve: p_a * f_op_float32_madd / (1 + p_b * f_op_float32_madd)\nexpression: curve\n"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []calibrate.Row
	for i := range 8 {
		x := 1e4 * float64(i+1)
		rows = append(rows, calibrate.Row{Kernel: fmt.Sprint(i), Features: map[string]float64{"f_op_float32_madd": x}, Output: 1e-9 * x / (1 + 1e-6*x)})
	}
	fit, err := calibrate.FitRows(context.Background(), m, rows, calibrate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Model, s.Fit = m, fit
	predict(t, &s)
	e, err := New(s)
	if err != nil || e.Check != nil || e.Form != "" || len(e.Costs) != 1 || e.Costs[0].Parameter != "p_a" || !strings.HasPrefix(e.Bound, "curve, 100 % of the time") {
		t.Errorf("%+v, %v", e, err)
	}
}

// oneLaunch is the rate of launches of a device whose empty kernel took a microsecond.
var oneLaunch = map[string]machine.Peak{machine.Launching: {Rate: 1e6, Unit: "launches/s"}}
