package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/models"
)

// Cost is a kind of work with its cost.
type Cost struct {
	Term      string  `json:"term"`
	Parameter string  `json:"parameter,omitempty"` // "" where the term is no sum of costs
	Work      Work    `json:"work"`
	Seconds   float64 `json:"seconds"`
	Share     float64 `json:"share"`
	Saved     float64 `json:"saved"` // by which the prediction falls if this costs nothing: 0 for what hides
	Each      float64 `json:"each,omitempty"`
	Unit      string  `json:"unit,omitempty"`
	Rate      float64 `json:"rate,omitempty"` // that the cost implies
	RateUnit  string  `json:"rate_unit,omitempty"`

	ids []features.ID // what counts the work
}

func (e *explainer) terms(out *Explanation) (err error) {
	all := e.prediction.Terms
	if len(all) == 0 {
		all = calibrate.TermValues{{Name: models.WholeTerm, Value: e.prediction.Seconds}}
	}
	for _, t := range all {
		term := Term{Name: t.Name, Joins: e.Model.Joins(t.Name), Seconds: t.Value}
		if term.Saved, err = e.saved(e.Model.Without(t.Name), ""); err != nil {
			return err
		}
		if len(term.Joins) == 0 {
			e.total += t.Value
		}
		out.Terms = append(out.Terms, term)
	}
	for i, t := range out.Terms {
		if e.total > 0 && len(t.Joins) == 0 {
			out.Terms[i].Share = t.Seconds / e.total
		}
	}
	return nil
}

func (e *explainer) costs(out *Explanation) error {
	for _, c := range e.Model.Costs() {
		cost, err := e.cost(c, out.Terms)
		if err != nil {
			return err
		}
		if cost.Seconds == 0 {
			continue
		}
		if e.total > 0 {
			cost.Share = cost.Seconds / e.total
		}
		out.Costs = append(out.Costs, cost)
	}
	slices.SortStableFunc(out.Costs, func(a, b Cost) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return nil
}

func (e *explainer) cost(c models.Cost, terms []Term) (Cost, error) {
	cost := Cost{Term: c.Term, Parameter: c.Parameter, Work: Work{What: c.Work}}
	names, eval := c.Evaluator()
	if eval == nil {
		term := terms[termIndex(terms, c.Term)]
		cost.Seconds, cost.Saved = term.Seconds, term.Saved
		return cost, nil
	}
	values := make([]float64, len(names))
	for i, name := range names {
		values[i] = e.values[name]
	}
	var err error
	if cost.ids, err = features.ParseIDs(names); err != nil {
		return cost, err
	}
	cost.Work.Count = eval(values)
	estimate := e.Fit.Estimate(c.Parameter)
	cost.Each, cost.Unit, cost.Rate, cost.RateUnit = estimate.Value, estimate.Unit, estimate.Rate, estimate.RateUnit
	cost.Seconds = cost.Each * cost.Work.Count
	if cost.Saved, err = e.saved(e.Model, c.Parameter); err != nil {
		return cost, err
	}
	if len(names) == 1 && c.Work == names[0] {
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

// bound names the resource: the term that decides the time, and the work that decides the term.
func (e *explainer) bound(out *Explanation) error {
	if len(out.Costs) == 0 {
		out.Bound = "nothing that the model has a cost for"
		return nil
	}
	names := map[string]string{"gmem": "global memory", "onchip": "on-chip work", "overhead": "overhead of launches, groups and barriers"}
	i := termIndex(out.Terms, out.Costs[0].Term)
	for k, t := range out.Terms {
		if len(t.Joins) == 0 && t.Saved > out.Terms[i].Saved {
			i = k
		}
	}
	term := out.Terms[i]
	out.Bound = cmp.Or(names[term.Name], term.Name)
	j := slices.IndexFunc(out.Costs, func(c Cost) bool { return c.Term == term.Name })
	if j >= 0 && term.Seconds > 0 && out.Costs[j].Parameter != "" {
		c := out.Costs[j]
		out.Bound += fmt.Sprintf(": %.0f %% of it is %s", 100*c.Seconds/term.Seconds, e.describe(c))
	}
	return nil
}

// termIndex is the index of the term of that name, which is one of the terms.
func termIndex(terms []Term, name string) int {
	return slices.IndexFunc(terms, func(t Term) bool { return t.Name == name })
}

// describe describes the work of a cost in words: accesses by their arrays, operations by their names.
func (e *explainer) describe(c Cost) string {
	var words []string
	arrays := map[string][]string{} // by the words before and after them
	add := func(text string) {
		if !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	for _, id := range c.ids {
		for _, r := range e.selected(id) {
			switch k := r.Key.(type) {
			case features.Op:
				add(fmt.Sprintf("%s %s", k.DType, k.Op))
			case features.Mem:
				text := fmt.Sprintf("%ss of %%s", k.Direction)
				if k.Space == kernel.Local {
					text += " in local memory"
				}
				if !slices.Contains(arrays[text], k.Variable) {
					arrays[text] = append(arrays[text], k.Variable)
				}
				add(text)
			case features.Sync:
				add(strings.ReplaceAll(k.Op, "_", " "))
			}
		}
		if id.Class == features.GroupsClass && len(c.ids) == 1 {
			add("work-groups")
		}
	}
	if len(words) == 0 {
		return c.Work.What
	}
	for i, text := range words {
		if of := arrays[text]; of != nil {
			words[i] = fmt.Sprintf(text, strings.Join(of, " and "))
		}
	}
	return strings.Join(words, ", ")
}

// selected lists the records that a feature selects; none if an error prevents it.
func (e *explainer) selected(id features.ID) []features.Record {
	if id.Class == features.GroupsClass {
		return nil
	}
	at, err := e.statistics.Selected(id, e.Case.Sizes)
	if err != nil {
		return nil
	}
	var out []features.Record
	for _, i := range at {
		out = append(out, e.statistics.Records[i])
	}
	return out
}
