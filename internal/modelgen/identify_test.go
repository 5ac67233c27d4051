package modelgen

import (
	"math"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/features"
	"gpuperf/models"
	"gpuperf/workload"
)

// TestParametersAreIdentified invents a device for each example: parameters under which every term has a share in some
// kernel, with noise of half a per cent on the times. The parameters must come back from the measurements chosen, without a
// doubt of the fit, and the kernels be predicted at the sizes asked for.
func TestParametersAreIdentified(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			if os.Getenv("LONG") == "" && slices.Contains([]string{"softmax", "matvec", "dg", "nbody", "seven_point"}, e.name) {
				t.Skip("slow: LONG=1")
			}
			targets := targetsOf(t, e.script, e.sizes)
			set, err := Make(targets, Options{Name: e.name, Form: e.form, Device: h200}, generators(t))
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(7, uint64(len(e.name))))
			plain, err := Make(targets, Options{Name: e.name, Device: h200}, generators(t))
			if err != nil {
				t.Fatal(err)
			}
			truth := invent(t, set, plain, r)
			var rows []calibrate.Row
			for _, p := range set.Planned {
				values := valuesOf(t, set.Model, p.Case)
				rows = append(rows, calibrate.Row{
					Kernel: p.Program(), Label: p.String(), Features: values,
					Output: evalAt(t, set.Model, values, truth) * (1 + 0.005*r.NormFloat64()),
				})
			}
			fit, err := calibrate.FitRows(t.Context(), set.Model, rows, calibrate.Options{Lanes: 32, NoCrossValidation: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range fit.Warnings {
				if strings.Contains(w, "determined") {
					t.Errorf("%s", w)
				}
			}
			p, err := calibrate.NewPredictor(set.Model, fit)
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range targets {
				k := workload.NewKernel(target.Variant.Kernel)
				for _, at := range target.Sizes {
					values := valuesOf(t, set.Model, &workload.Case{Kernel: k, Sizes: at})
					got, err := p.Predict(values)
					if err != nil {
						t.Fatal(err)
					}
					want := evalAt(t, set.Model, values, truth)
					if math.Abs(got.Seconds-want) > 0.03*want {
						t.Errorf("%s at %v: %.4g s predicted, %.4g s is true", target.Variant.Name, at, got.Seconds, want)
					}
				}
			}
		})
	}
}

// TestPruneSeesWhatCannotBeTold: a term that is another one times a constant goes, and of two that always occur together one
// is remarked on.
func TestPruneSeesWhatCannotBeTold(t *testing.T) {
	c := &content{terms: []term{{param: "p_a"}, {param: "p_b"}, {param: "p_c", optional: true}, {param: "p_d", optional: true}}}
	c.prune([]string{"p_a", "p_b", "p_c", "p_d"}, [][]float64{{1, 2, 3, 0}, {2, 4, 6.001, 0}, {3, 6, 9, 0}, {1, 0, 0, 1}})
	var left []string
	for _, t := range c.terms {
		left = append(left, t.param)
	}
	if !slices.Equal(left, []string{"p_a", "p_b", "p_d"}) {
		t.Errorf("%v are left", left)
	}
	if len(c.notes) != 2 {
		t.Errorf("notes: %q", c.notes)
	}
}

// latencies of the invented device.
var latencies = []struct {
	parameter string
	cycles    float64
}{
	{"p_latency", 1000},
	{"p_delay_rsqrt", 40},
	{"p_delay_exp", 30},
	{"p_delay_div", 40},
	{"p_delay_*", 4},
	{"p_hit", 35},
	{"p_shared_wait", 30},
	{"p_xLD_wait", 30},
	{"p_massLD_wait", 30},
	{"p_*_wait", 280},
	{"p_*_wait_far", 350},
}

// invent draws parameters with which each cost makes up a good part of some kernel. Costs are those of the two sets, of which
// the second is linear.
func invent(t *testing.T, set, linear *Set, r *rand.Rand) map[string]float64 {
	t.Helper()
	truth := map[string]float64{"p_edge": 8, "p_norm": 3, "p_mix": 2, "p_cache": 4e7, "p_hide": 2.5, "p_meet": 2, "p_window": 70}
	for _, p := range set.Model.ParameterNames() {
		truth[p] = max(truth[p], 1e-12)
	}
	params, table, err := columns(linear.Model, linear.Planned, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range params { // of a linear model
		truth[p] = (0.3 + 0.5*r.Float64()) / slices.Max(table[i])
	}
	for _, p := range set.Model.ParameterNames() {
		if of, isFar := strings.CutSuffix(p, "_far"); isFar && !slices.Contains(params, p) {
			truth[p] = truth[of] / 2
		}
	}
	// Of latency, which a linear model knows less of: cycles of half a nanosecond.
	if _, hides := truth["p_hide"]; hides && slices.Contains(set.Model.ParameterNames(), "p_hide") {
		for _, p := range set.Model.ParameterNames() {
			for _, l := range latencies {
				if ok, _ := path.Match(l.parameter, p); ok {
					truth[p] = (0.8 + 0.4*r.Float64()) * l.cycles * cycle
					break
				}
			}
		}
	}
	return truth
}

func valuesOf(t *testing.T, m *models.Model, c *workload.Case) map[string]float64 {
	t.Helper()
	var ids []features.ID
	for _, name := range m.FeatureNames() {
		id, err := features.ParseID(name)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	values, err := c.Features(nil, ids, 32)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func evalAt(t *testing.T, m *models.Model, values, params map[string]float64) float64 {
	t.Helper()
	c, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var x, p []float64
	for _, name := range c.Features {
		x = append(x, values[name])
	}
	for _, name := range c.Parameters {
		p = append(p, params[name])
	}
	return c.Eval(x, p)
}
