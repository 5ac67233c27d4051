package explain

import (
	"cmp"
	"fmt"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/models"
)

// Bound says what takes most of a predicted time, in the words of all commands: the term of the model, or the roof, with its share.
type Bound struct {
	Term  string
	Share float64
}

// String is "" where the model has no cost.
func (b Bound) String() string {
	if b.Term == "" {
		return "nothing that the model has a cost for"
	}
	return fmt.Sprintf("%s, %.0f %% of the time", inWords(b.Term), 100*b.Share)
}

// BoundOf finds what takes most of a prediction by a model with these values of its features. Of a term's costs it counts the term's own, not those of
// terms that it joins.
func BoundOf(m *models.Model, fit *calibrate.Fit, values map[string]float64, p *calibrate.Prediction) Bound {
	params := map[string]float64{}
	for _, e := range fit.Parameters {
		params[e.Name] = e.Value
	}
	parts, within := m.Split(values, params)
	total, raised := lift(parts, within, p)
	return boundOf(m, parts, total, raised, raisedBy(p))
}

func boundOf(m *models.Model, parts []models.Part, total, raised float64, by string) (most Bound) {
	seconds := map[string]float64{by: raised}
	for _, p := range parts {
		seconds[p.Term] += p.Within
	}
	names := []string{}
	for _, t := range m.Terms {
		names = append(names, t.Name)
	}
	for _, name := range append(names, models.WholeTerm, by) {
		if total > 0 && seconds[name]/total > most.Share {
			most = Bound{name, seconds[name] / total}
		}
	}
	return most
}

// lift makes the parts of a model's value those of a prediction, which may be more: total is their sum with what the roof of the device adds, raised.
// Where the prediction is more because two costs take the larger of them at least, all parts grow alike.
func lift(parts []models.Part, within map[string]float64, p *calibrate.Prediction) (total, raised float64) {
	roof := 0.0
	if p.Roof != nil {
		roof = p.Roof.Seconds
	}
	for _, part := range parts {
		total += part.Within
	}
	const rounding = 1e-9 // of sums of parts
	modelled := p.Seconds - p.Lacking
	if by := modelled / total; modelled > roof && by > 1+rounding && total > 0 {
		for i := range parts {
			parts[i].Within *= by
		}
		for term := range within {
			within[term] *= by
		}
		total = modelled
	}
	raised = max(roof-total, p.Lacking, 0)
	return total + raised, raised
}

// raisedBy names what a prediction is more than the model says for.
func raisedBy(p *calibrate.Prediction) string {
	if p.Lacking > 0 {
		return crowdTerm
	}
	return roofTerm
}

// roofTerm names the part by which a prediction was raised to the least time that the device needs.
const roofTerm = "roof"

// crowdTerm names the part of atomic operations that wait for each other, for which models have no cost.
const crowdTerm = "crowd"

// bound says in one sentence what takes most of the time: the term, and the work that takes most of the term.
func (e *explainer) bound(out *Explanation) error {
	out.Bound = e.most.String()
	i := slices.IndexFunc(out.Costs, func(c Cost) bool { return c.Term == e.most.Term })
	switch {
	case i < 0 || out.Costs[i].Parameter == "":
	case e.most.Term == models.WholeTerm:
		out.Bound = fmt.Sprintf("%s, %.0f %% of the time", e.describe(out.Costs[i]), 100*out.Costs[i].Share)
	default:
		out.Bound += fmt.Sprintf(": %.0f %% of it is %s", 100*out.Costs[i].Share/e.most.Share, e.describe(out.Costs[i]))
	}
	return nil
}

// inWords names a term in words, where it has them.
func inWords(term string) string { return cmp.Or(termWords[term], term) }
