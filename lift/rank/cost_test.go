package rank

import (
	"testing"

	"gpuperf/calibrate"
	"gpuperf/launch"
	"gpuperf/models"
)

// costOf is a model with the parameters given, for all static features.
func costOf(t testing.TB, text string, params map[string]float64) (*CostModel, []string) {
	t.Helper()
	model, err := models.Parse("cost.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	fit := &calibrate.Fit{Model: model.Name}
	for _, name := range model.ParameterNames() {
		fit.Parameters = append(fit.Parameters, calibrate.Estimate{Name: name, Value: params[name]})
	}
	var names []string
	for _, f := range launch.Features() {
		names = append(names, f.Name)
	}
	c, err := NewCostModel(names, model, fit)
	if err != nil {
		t.Fatal(err)
	}
	return c, names
}

const costText = `
version: 1
name: cost
output: f_cl_wall_time
expression: p_launch * f_static_launches + p_group * f_static_groups
`

// A cost model predicts times by the model's parameters, also from many goroutines.
func TestCostModel(t *testing.T) {
	c, names := costOf(t, costText, map[string]float64{"p_launch": 5e-6, "p_group": 1e-9})
	s := &Set{Names: names}
	for i := range 2000 {
		p := Point{ID: "p", Benchmark: "b", Features: make([]float64, len(names))}
		for j, name := range names {
			switch name {
			case "launches":
				p.Features[j] = 2
			case "work_groups":
				p.Features[j] = float64(i)
			}
		}
		s.Points = append(s.Points, p)
	}
	c.Predict(s)
	for i, p := range s.Points {
		if want := 1e-5 + float64(i)*1e-9; p.Predicted < want*(1-1e-12) || p.Predicted > want*(1+1e-12) {
			t.Fatalf("point %d: %g s, want %g", i, p.Predicted, want)
		}
	}
}
