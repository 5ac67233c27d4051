package rank

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/models"
)

//go:embed cost.yaml
var costModel []byte

// costRows bounds the points that the model is fitted to; of more a random sample is taken.
const costRows = 2000

// totals are what the features of the cost model are, of a launch, in terms of static features.
var totals = []struct {
	name string
	of   func(v func(name string) float64, items float64) float64
}{
	{"f_static_launches", func(v func(string) float64, _ float64) float64 { return v("launches") }},
	{"f_static_groups", func(v func(string) float64, _ float64) float64 { return v("work_groups") }},
	{"f_static_lines", func(v func(string) float64, items float64) float64 {
		if s := v("sectors"); s > 0 {
			return items * v("sectors_item") * v("cache_lines") / s
		}
		return 0
	}},
	{"f_static_sectors", func(v func(string) float64, items float64) float64 { return items * v("sectors_item") }},
	{"f_static_ops", func(v func(string) float64, items float64) float64 {
		return items * (v("adds") + v("muls") + v("madds") + v("divs") + v("special_ops") + v("other_ops"))
	}},
	{"f_static_local", func(v func(string) float64, items float64) float64 {
		return items * (v("local_loads") + v("local_stores")) * v("bank_cycles")
	}},
	{"f_static_barriers", func(v func(string) float64, items float64) float64 { return items * v("barriers") }},
	{"f_static_statements", func(v func(string) float64, items float64) float64 {
		return items * (v("statements") + v("loop_bodies") + v("ifs") + v("selects"))
	}},
}

// totalsOf are the features of the cost model for a point. Lanes that sub-groups leave empty cost as much as those in use.
func totalsOf(s *Set, p *Point) (map[string]float64, error) {
	missing := ""
	value := func(name string) float64 {
		i := slices.Index(s.Names, name)
		if i < 0 {
			missing = name
			return 0
		}
		return p.Features[i]
	}
	items := value("global_size_0") * value("global_size_1") * value("global_size_2") / max(value("lanes_used"), 1e-3)
	out := map[string]float64{}
	for _, t := range totals {
		out[t.name] = t.of(value, items)
	}
	if missing != "" {
		return nil, fmt.Errorf("the points have no feature %s", missing)
	}
	return out, nil
}

// fitCost calibrates the cost model on the measured points.
func fitCost(train *Set) (Scorer, error) {
	model, err := models.Parse("cost.yaml", costModel)
	if err != nil {
		return nil, err
	}
	var rows []calibrate.Row
	for i := range train.Points {
		p := &train.Points[i]
		if math.IsNaN(p.Seconds) || math.IsInf(p.Seconds, 1) {
			continue
		}
		values, err := totalsOf(train, p)
		if err != nil {
			return nil, err
		}
		rows = append(rows, calibrate.Row{Kernel: p.Benchmark, Features: values, Output: p.Seconds, Label: p.ID})
	}
	if len(rows) == 0 {
		return nil, errors.New("there is no measured point to learn from")
	}
	if len(rows) > costRows {
		rng := rand.New(rand.NewPCG(treeSeed, 1))
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:costRows]
	}
	fit, err := calibrate.FitRows(context.Background(), model, rows, calibrate.Options{NoCrossValidation: true})
	if err != nil {
		return nil, err
	}
	predictor, err := calibrate.NewPredictor(model, fit)
	if err != nil {
		return nil, err
	}
	return &costScorer{predictor}, nil
}

// costScorer scores by the time that the fitted model gives.
type costScorer struct{ predictor *calibrate.Predictor }

func (c *costScorer) Score(s *Set) ([]float64, error) {
	out := make([]float64, len(s.Points))
	for i := range s.Points {
		values, err := totalsOf(s, &s.Points[i])
		if err != nil {
			return nil, err
		}
		p, err := c.predictor.Predict(values)
		if err != nil {
			return nil, err
		}
		out[i] = -math.Log(max(p.Seconds, 1e-12))
	}
	return out, nil
}
