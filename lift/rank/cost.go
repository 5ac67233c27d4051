package rank

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"gpuperf/calibrate"
	"gpuperf/calibrate/lm"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
	"gpuperf/internal/throw"
	"gpuperf/launch"
	"gpuperf/models"
	"gpuperf/models/library"
)

// costModels are the models of package library whose parameters are fitted to the training points. Their features are totals of
// static features. The last has more parts, and needs what walks with accesses tell (launch.Options.Traffic). Calibrated on measurement kernels,
// they can also predict the times for the ranker "model".
var costModels = []string{"parts", "general"}

// costRows bounds the points that the model is fitted to; of more points a random sample is taken.
const costRows = 1000

// costSettings end the fit early: the errors of the model on other programs are much larger.
var costSettings = lm.Settings{Ftol: 1e-6, Xtol: 1e-6, MaxEvaluations: 200, NoPolish: true}

// CostModel is a fitted model that predicts the time of points from totals of their static features (Stevens and Klöckner, section
// 4). It is safe for concurrent use.
type CostModel struct {
	totals   *launch.Selection
	params   []float64
	compiled sync.Pool // of *models.Compiled, each for one goroutine at a time
}

// NewCostModel prepares a fitted model for points with static features of these names. It fails if a feature of the model
// cannot be computed from static features.
func NewCostModel(names []string, model *models.Model, fit *calibrate.Fit) (_ *CostModel, err error) {
	defer throw.Catch(&err)
	compiled := throw.Get(model.Compile())
	totals := totalsOf(names, model.Name, compiled.Features)
	params, ok := fit.Values(compiled.Parameters)
	if !ok {
		return nil, fmt.Errorf("the fit of %s lacks a parameter of the model: calibrate again", fit.Model)
	}
	c := &CostModel{totals: totals, params: params}
	c.compiled.New = func() any { return compiled.Clone() }
	return c, nil
}

// OfVectors reports whether all features of a model are computed from static features of these names.
func OfVectors(m *models.Model, names []string) bool {
	_, err := launch.NewSelection(names, m.FeatureNames())
	return err == nil
}

// Estimate is about how many seconds points take on a device by their static features, of these names: what [machine.Machine] says of their work, without a fit.
func Estimate(names []string, d *facts.Device) (func(values []float64) float64, error) {
	on := machine.Of(d)
	work, err := launch.NewWork(names, on)
	if err != nil {
		return nil, err
	}
	return func(values []float64) float64 { return on.Seconds(work.At(values)) }, nil
}

// Estimated orders points by that estimate, which has learnt nothing: the scores are logarithms of rates.
func Estimated(names []string, d *facts.Device) (Scorer, error) {
	seconds, err := Estimate(names, d)
	if err != nil {
		return nil, err
	}
	return func(s *Set) ([]float64, error) {
		return lists.Map(s.Points, func(p Point) float64 { return -math.Log(seconds(p.Features)) }), nil
	}, nil
}

// totalsOf selects the features of a model from static features.
func totalsOf(names []string, model string, of []string) *launch.Selection {
	totals, err := launch.NewSelection(names, of)
	if err != nil {
		panic(throw.Errorf("model %s: %w", model, err))
	}
	return totals
}

// Seconds is the time of a point, whose features are in the order of the names that the model was made for.
func (c *CostModel) Seconds(values []float64) float64 {
	compiled := c.compiled.Get().(*models.Compiled)
	defer c.compiled.Put(compiled)
	return compiled.Eval(c.totals.At(values), c.params)
}

// shares are the terms of the model in percent of its time, for each point of a set with the features of the model's names.
func (c *CostModel) shares(s *Set) [][]float64 {
	out := make([][]float64, len(s.Points))
	parallel.For(len(s.Points), func(i int) {
		compiled := c.compiled.Get().(*models.Compiled)
		defer c.compiled.Put(compiled)
		totals := c.totals.At(s.Points[i].Features)
		all := compiled.Eval(totals, c.params)
		out[i] = make([]float64, len(compiled.TermNames))
		compiled.Terms(totals, c.params, out[i])
		for j := range out[i] {
			out[i][j] *= 100 / max(all, leastSeconds)
		}
	})
	return out
}

// Predict sets the predicted times of all points of a set.
func (c *CostModel) Predict(s *Set) {
	parallel.For(len(s.Points), func(i int) { s.Points[i].Predicted = c.Seconds(s.Points[i].Features) })
}

// fitted is a model of the library with the parameters that fit the measured points best.
type fitted struct {
	*CostModel
	names []string // of the features
}

func fitModel(name string, train *Set) *fitted {
	model := throw.Get(library.Load(name))
	names := model.FeatureNames()
	totals := totalsOf(train.Names, model.Name, names)
	var rows []calibrate.Row
	for i := range train.Points {
		p := &train.Points[i]
		if math.IsNaN(p.Seconds) || math.IsInf(p.Seconds, 1) {
			continue
		}
		row := map[string]float64{}
		for j, v := range totals.At(p.Features) {
			row[names[j]] = v
		}
		rows = append(rows, calibrate.Row{Kernel: p.Benchmark, Features: row, Output: p.Seconds, Label: p.ID})
	}
	if len(rows) == 0 {
		panic(throw.Of(ErrNoPoint))
	}
	fit := initial(model)
	if len(rows) >= 3*len(model.ParameterNames()) { // enough points for a fit
		if len(rows) > costRows {
			rng := rand.New(rand.NewPCG(treeSeed, 1))
			rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			rows = rows[:costRows]
		}
		fit = throw.Get(calibrate.FitRows(context.Background(), model, rows, calibrate.Options{NoCrossValidation: true, Starts: 1, LM: costSettings}))
	}
	cost := throw.Get(NewCostModel(train.Names, model, fit))
	return &fitted{cost, train.Names}
}

// predict returns scores, the negative logarithms of times, and the shares of the model's terms.
func (f *fitted) predict(s *Set) (scores []float64, shares [][]float64) {
	s = throw.Get(s.Select(f.names))
	scores = make([]float64, len(s.Points))
	parallel.For(len(s.Points), func(i int) { scores[i] = -math.Log(max(f.Seconds(s.Points[i].Features), leastSeconds)) })
	return scores, f.CostModel.shares(s)
}

// learnCost fits the first of costModels alone.
func learnCost(train *Set) (_ Scorer, err error) {
	defer throw.Catch(&err)
	model := fitModel(costModels[0], train)
	return func(s *Set) (_ []float64, err error) {
		defer throw.Catch(&err)
		scores, _ := model.predict(s)
		return scores, nil
	}, nil
}

// leastSeconds is less than any launch takes.
const leastSeconds = 1e-12

// initial has the parameters at which a fit would start.
func initial(model *models.Model) *calibrate.Fit {
	fit := &calibrate.Fit{Model: model.Name}
	for _, p := range model.Parameters {
		if p.Init != nil {
			fit.Parameters = append(fit.Parameters, calibrate.Estimate{Name: p.Name, Value: *p.Init})
		}
	}
	return fit
}

// needsOf returns an error if a model of the library needs other static features than these.
func needsOf(name string) func(names []string) error {
	return func(names []string) (err error) {
		defer throw.Catch(&err)
		model := throw.Get(library.Load(name))
		totalsOf(names, model.Name, model.FeatureNames())
		return nil
	}
}
