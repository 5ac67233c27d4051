package explain

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/features"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/models"
)

// Cost is a kind of work with its cost, and what it contributes to the prediction.
type Cost struct {
	Term      string  `json:"term"`
	By        string  `json:"by"`                  // the term in words
	Parameter string  `json:"parameter,omitempty"` // "" where the cost is no product of a parameter and work
	Words     string  `json:"words"`               // the work in words
	Work      Work    `json:"work"`
	Alone     float64 `json:"alone"`   // what the work would take by itself
	Seconds   float64 `json:"seconds"` // its part of the prediction: 0 where it is hidden
	Share     float64 `json:"share"`
	Each      float64 `json:"each,omitempty"`
	Unit      string  `json:"unit,omitempty"`
	Rate      float64 `json:"rate,omitempty"` // that the cost implies
	RateUnit  string  `json:"rate_unit,omitempty"`

	ids []features.ID // what counts the work
}

func (e *explainer) parts(out *Explanation) (err error) {
	defer throw.Catch(&err)
	params := map[string]float64{}
	for _, p := range e.Fit.Parameters {
		params[p.Name] = p.Value
	}
	parts, within := e.Model.Split(e.values, params)
	total, raised := lift(parts, within, e.Prediction)
	e.most = boundOf(e.Model, parts, total, raised, raisedBy(e.Prediction))
	share := func(seconds float64) float64 {
		if total == 0 {
			return 0
		}
		return seconds / total
	}
	for _, p := range parts {
		if p.Alone == 0 {
			continue
		}
		cost := throw.Get(e.cost(p))
		cost.Share = share(p.Within)
		if cost.Words = e.describe(cost); cost.Parameter == "" {
			cost.Words = inWords(cost.Term)
		}
		out.Costs = append(out.Costs, cost)
	}
	by := raisedBy(e.Prediction)
	if raised > 0 {
		what := by
		if by == roofTerm {
			what = "roof: " + e.Prediction.Roof.Resource + " at the rate of the device"
		}
		out.Costs = append(out.Costs, Cost{Term: by, By: inWords(by), Words: inWords(by), Work: Work{What: what}, Alone: raised, Seconds: raised, Share: share(raised)})
	}
	slices.SortStableFunc(out.Costs, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(b.Alone, a.Alone))
	})
	e.terms(out, parts, within, total, share)
	if raised > 0 {
		out.Terms = append(out.Terms, Term{Name: by, Alone: raised, Seconds: raised, Share: share(raised)})
	}
	return nil
}

// terms says of each term of the model what it takes alone, what of the total is its, and what would be gained if it took half.
func (e *explainer) terms(out *Explanation, parts []models.Part, within map[string]float64, total float64, share func(float64) float64) {
	roof := 0.0
	if r := e.Prediction.Roof; r != nil {
		roof = r.Seconds
	}
	var terms []calibrate.TermValue
	for _, t := range e.Model.Terms {
		if !e.Model.Factor(t.Name) {
			terms = append(terms, calibrate.TermValue{Name: t.Name, Value: e.Prediction.Time(t.Name)})
		}
	}
	for _, p := range parts { // those that stand in no term
		if p.Term == models.WholeTerm {
			within[p.Term] += p.Within
		}
	}
	if w, ok := within[models.WholeTerm]; ok {
		terms = append(terms, calibrate.TermValue{Name: models.WholeTerm, Value: w})
	}
	for _, t := range terms {
		halved := t.Value / 2 // of what stands in no term
		if t.Name != models.WholeTerm {
			half := e.timeOf(e.Model.Scaled(t.Name, 0.5))
			halved = total - max(half, roof)
		}
		term := Term{Name: t.Name, Joins: e.Model.Joins(t.Name), Alone: t.Value, Seconds: within[t.Name], Share: share(within[t.Name]), Halved: halved}
		out.Terms = append(out.Terms, term)
	}
}

// timeOf is the time by a variant of the model.
func (e *explainer) timeOf(m *models.Model) float64 {
	compiled := throw.Get(m.Compile())
	params, _ := e.Fit.Values(compiled.Parameters) // Predict has found them all
	x := lists.Map(compiled.Features, func(name string) float64 { return e.values[name] })
	return compiled.Eval(x, params)
}

func (e *explainer) cost(p models.Part) (cost Cost, err error) {
	cost = Cost{Term: p.Term, By: inWords(p.Term), Parameter: p.Parameter, Work: Work{What: p.Work, Count: p.Count}, Alone: p.Alone, Seconds: p.Within}
	if p.Parameter == "" {
		return cost, nil
	}
	names := p.Features()
	if cost.ids, err = features.ParseIDs(names); err != nil {
		return cost, err
	}
	estimate := e.Fit.Estimate(p.Parameter)
	cost.Each, cost.Unit, cost.Rate, cost.RateUnit = estimate.Value, estimate.Unit, estimate.Rate, estimate.RateUnit
	if len(names) == 1 && p.Work == names[0] {
		formula, err := e.statistics.Formula(cost.ids[0], e.Case.Sizes)
		if err != nil {
			return cost, err
		}
		if formula != nil {
			cost.Work.Formula = formula.String()
		}
	}
	return cost, nil
}

// describe describes the work of a cost in words.
func (e *explainer) describe(c Cost) string {
	if own := c.total(); own != nil {
		return cmp.Or(workWords[own.Op], own.Op)
	}
	return cmp.Or(Words(e.statistics, e.Case.Sizes, c.ids), c.Work.What)
}

// total is the total of a launch that the work of a cost is, perhaps times a number that other features make; nil for other work.
func (c *Cost) total() (own *features.ID) {
	for i, id := range c.ids {
		if id.Class != features.StaticClass {
			return nil
		}
		if strings.HasSuffix(c.Work.What, id.String()) {
			own = &c.ids[i]
		}
	}
	return own
}
