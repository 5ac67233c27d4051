package rank

import (
	"testing"

	"gpuperf/calibrate"
	"gpuperf/launch"
	"gpuperf/models"
)

// clockOf is a clock of a model on the parameters given, for all static features.
func clockOf(t testing.TB, text string, params map[string]float64) (*Clock, []string) {
	t.Helper()
	model, err := models.Parse("clock.yaml", []byte(text))
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
	c, err := NewClock(names, model, fit)
	if err != nil {
		t.Fatal(err)
	}
	return c, names
}

const clockModel = `
version: 1
name: clock
output: f_cl_wall_time
expression: p_launch * f_static_launches + p_group * f_static_groups
`

// A clock tells the time by a model's parameters, also from many goroutines.
func TestClock(t *testing.T) {
	c, names := clockOf(t, clockModel, map[string]float64{"p_launch": 5e-6, "p_group": 1e-9})
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
