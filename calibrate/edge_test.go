package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/models"
)

// softRows are rows that are faster than the larger of two costs, as no device is: without a bound the edge of an overlap would be 0.
func softRows(seed uint64, form string) []Row {
	rng := rand.New(rand.NewPCG(seed, 5))
	var rows []Row
	for i := range 24 {
		x, y := math.Pow(10, 2*rng.Float64()), math.Pow(10, 2*rng.Float64())
		out := (2*x + 3*y) / 2
		if form == "pnorm" {
			out = 6 * x * y / (2*x + 3*y)
		}
		rows = append(rows, Row{Kernel: fmt.Sprint(i / 3), Features: map[string]float64{"f_x": x, "f_y": y}, Output: out * (1 + 0.01*rng.NormFloat64())})
	}
	return rows
}

// TestSoftEdges: an edge with which an overlap falls below its larger cost is bounded, and the fit says so.
func TestSoftEdges(t *testing.T) {
	for form, least := range map[string]float64{"overlap": 3, "pnorm": leastNorm} {
		m := model(t, "expression: "+form+"(p_a * f_x, p_b * f_y, p_s)\nfit: {scale_by_output: true}\n")
		fit := fitRows(t, m, softRows(1, form))
		if all := strings.Join(fit.Warnings, "\n"); !strings.Contains(all, "p_s: bounded to ") && !strings.Contains(all, "[soft-edge]") {
			t.Errorf("%s: no word of the edge in\n%s", form, all)
		}
		if e := fit.Estimate("p_s"); e.Value < least {
			t.Errorf("%s: the edge is %g", form, e.Value)
		}
	}
}

// TestNoPredictionBelowTheLargerCost: whatever a fit returns, no prediction by it is below the larger of two costs that overlap by over a per cent, and
// no interval ends below that cost.
func TestNoPredictionBelowTheLargerCost(t *testing.T) {
	shapes := []string{"p_s", "10 * p_s", "p_s - 4", "0.5", "p_s / 100", "p_a"}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]string{"overlap", "pnorm"}).Draw(t, "form")
		shape := rapid.SampledFrom(shapes).Draw(t, "shape")
		scaled := rapid.Bool().Draw(t, "scaled")
		m, err := models.Parse("m.yaml", fmt.Appendf(nil, "version: 1\nname: m\noutput: f_t\nexpression: p_c + %s(p_a * f_x, p_b * f_y, %s)\nfit: {scale_by_output: %v, nonnegative: true}\n", form, shape, scaled))
		if err != nil {
			t.Fatal(err)
		}
		fit, err := FitRows(context.Background(), m, softRows(rapid.Uint64Range(0, 50).Draw(t, "seed"), rapid.SampledFrom([]string{"overlap", "pnorm"}).Draw(t, "rows")), Options{Starts: 2, NoCrossValidation: true})
		if err != nil {
			return // refused, with a word
		}
		p, err := NewPredictor(m, fit)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			x, y := math.Pow(10, rapid.Float64Range(-2, 5).Draw(t, "x")), math.Pow(10, rapid.Float64Range(-2, 5).Draw(t, "y"))
			at, err := p.Predict(map[string]float64{"f_x": x, "f_y": y})
			if err != nil {
				continue
			}
			larger := max(fit.Estimate("p_a").Value*x, fit.Estimate("p_b").Value*y)
			if at.Seconds < (1-models.Slack)*larger*(1-1e-12) {
				t.Fatalf("%s with %v at %g, %g: %g is below the larger cost %g", form, fit.Parameters, x, y, at.Seconds, larger)
			}
			if at.Interval[1] < larger*(1-1e-12) {
				t.Fatalf("%s with %v at %g, %g: the interval %v ends below the larger cost %g", form, fit.Parameters, x, y, at.Interval, larger)
			}
		}
	})
}

// TestEdgesThatSuffice: an edge that is sharp enough for its rows stays as it is, with no word about it.
func TestEdgesThatSuffice(t *testing.T) {
	m := model(t, "expression: overlap(p_a * f_x, p_b * f_y, p_s)\nfit: {scale_by_output: true}\n")
	rows := plainRows(40, 3, 0, func(x, y float64) float64 {
		a, b := 2*x, 3*y
		s := (math.Tanh(40*(a-b)/(a+b)) + 1) / 2
		return a*s + b*(1-s)
	})
	for i := range 12 {
		rows[i].Features["f_y"] = rows[i].Features["f_x"] * (2.0/3 + 0.005*float64(i-6))
		a, b := 2*rows[i].Features["f_x"], 3*rows[i].Features["f_y"]
		s := (math.Tanh(40*(a-b)/(a+b)) + 1) / 2
		rows[i].Output = a*s + b*(1-s)
	}
	fit := fitRows(t, m, rows)
	if strings.Contains(fmt.Sprint(fit.Warnings), "[soft-edge]") || math.Abs(fit.Estimate("p_s").Value-40) > 0.01 {
		t.Errorf("%v, %s", fit.Parameters, fit.Warnings)
	}
}

// TestSharpestEdge: at that edge no two costs make an overlap fall short by more than the slack, and at half of it some do.
func TestSharpestEdge(t *testing.T) {
	m := model(t, "expression: overlap(f_x, f_y, p_s)\n")
	edges := m.Edges()
	worst := func(p float64) (short float64) {
		for i := range 2000 {
			short = max(short, edges.Shortfall(0, []float64{1, float64(i) / 2000}, []float64{p}))
		}
		return short
	}
	if short := worst(sharpestEdge); short > models.Slack {
		t.Errorf("short by %g", short)
	}
	if short := worst(sharpestEdge / 2); short < models.Slack {
		t.Errorf("half the edge is short by %g only", short)
	}
}
