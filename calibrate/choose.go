package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/models"
)

// Choice says which form of a model was chosen for a device, and why. It depends on calibration rows alone.
//
// Stevens and Klöckner leave an a-priori criterion for the form open (section 8.1). Here a form is judged by how well it predicts
// held-out rows: whole kernels, one at a time, and the ratios of the overlap experiment (section 7.4), one at a time, where on-chip
// work and global memory occur in all proportions.
type Choice struct {
	Form       string      `yaml:"form" json:"form"`
	Reason     string      `yaml:"reason" json:"reason"`
	Candidates []Candidate `yaml:"candidates" json:"candidates"` // the simplest first
}

// Candidate is a form with the errors by which it was judged: root mean squares of relative errors, over what all candidates predict.
// They discriminate better than geometric means where forms differ: at the few ratios at which two costs are about equal.
type Candidate struct {
	Form          string  `yaml:"form" json:"form"`
	LeaveKernel   float64 `yaml:"leave_kernel_out" json:"leave_kernel_out"` // on kernels left out
	Kernels       int     `yaml:"kernels" json:"kernels"`                   // how many; 0: none could be predicted by all
	LeaveRatio    float64 `yaml:"leave_ratio_out" json:"leave_ratio_out"`   // on ratios of the overlap experiment left out
	Ratios        int     `yaml:"ratios" json:"ratios"`
	Score         float64 `yaml:"score" json:"score"` // the geometric mean of the two, or the one there is
	GeomeanRelErr float64 `yaml:"geomean_relative_error" json:"geomean_relative_error"`
}

const (
	// alike is the relative difference of scores up to which the simpler form is taken.
	alike = 0.1
	// choiceFloor is the least error in a score: smaller ones are noise.
	choiceFloor = 1e-3
)

// Choose fits the model in each of the forms to the same rows and returns the one that predicts held-out rows best, with the choice in
// its fit. An empty list of forms means models.Forms. A model without form is an error.
func Choose(ctx context.Context, m *models.Model, forms []models.Form, rows []Row, opt Options) (*models.Model, *Fit, error) {
	if len(forms) == 0 {
		forms = models.Forms
	}
	var all []*contender
	for _, form := range forms {
		as, err := m.As(form)
		if err != nil {
			return nil, nil, err
		}
		c, err := contend(ctx, as, rows, opt)
		if err != nil {
			return nil, nil, fmt.Errorf("as %s: %w", form, err)
		}
		c.Form = string(form)
		all = append(all, c)
	}
	best := choose(all)
	winner := all[best]
	choice := &Choice{Form: winner.Form}
	for _, c := range all {
		choice.Candidates = append(choice.Candidates, c.Candidate)
	}
	choice.Reason = reason(choice, best, winner.fit.Experiment)
	winner.fit.Choice = choice
	return winner.model, winner.fit, nil
}

// contender is a fitted form with its predictions of held-out rows.
type contender struct {
	Candidate
	model   *models.Model
	fit     *Fit
	kernels map[string][]heldOut
	ratios  map[float64][]heldOut
}

func contend(ctx context.Context, m *models.Model, rows []Row, opt Options) (_ *contender, err error) {
	defer throw.Catch(&err)
	fit, f := solve(ctx, m, rows, opt)
	p0, _ := fit.Values(f.compiled.Parameters)
	c := &contender{model: m, fit: fit, kernels: map[string][]heldOut{}, ratios: map[float64][]heldOut{}}
	c.GeomeanRelErr = fit.GeomeanRelErr
	if !fit.Converged {
		return c, nil
	}
	leave := func(left func(int) bool) ([]heldOut, error) { return f.predictWithout(ctx, left, p0) }
	for i := range f.t {
		switch r, g := f.ratio[i], f.group[i]; {
		case r > 0 && c.ratios[r] == nil:
			c.ratios[r] = throw.Get(leave(func(k int) bool { return f.ratio[k] == r }))
		case r == 0 && c.kernels[g] == nil:
			// The experiment is not held out: without it the rows do not determine the form.
			c.kernels[g] = throw.Get(leave(func(k int) bool { return f.group[k] == g && f.ratio[k] == 0 }))
		}
	}
	return c, nil
}

// choose fills in the errors of the contenders and returns the best one.
func choose(all []*contender) int {
	for _, c := range all {
		c.LeaveKernel, c.Kernels = commonError(all, func(o *contender) map[string][]heldOut { return o.kernels }, c)
		c.LeaveRatio, c.Ratios = commonError(all, func(o *contender) map[float64][]heldOut { return o.ratios }, c)
		score, n := 0.0, 0
		for _, e := range []struct {
			err float64
			of  int
		}{{c.LeaveKernel, c.Kernels}, {c.LeaveRatio, c.Ratios}} {
			if e.of > 0 {
				score += math.Log(max(e.err, choiceFloor))
				n++
			}
		}
		c.Score = math.Exp(score / float64(max(n, 1)))
		if n == 0 { // nothing was held out: by the fit itself
			c.Score = max(c.GeomeanRelErr, choiceFloor)
		}
		if !c.fit.Converged {
			c.Score = math.MaxFloat64
		}
	}
	least := slices.MinFunc(all, func(a, b *contender) int { return cmp.Compare(a.Score, b.Score) }).Score
	return slices.IndexFunc(all, func(c *contender) bool { return c.Score <= least*(1+alike) })
}

// commonError is the error of one contender on what all of them predict.
func commonError[K cmp.Ordered](all []*contender, of func(*contender) map[K][]heldOut, one *contender) (float64, int) {
	var rows []heldOut
	n := 0
	for _, k := range slices.Sorted(maps.Keys(of(one))) {
		if !slices.ContainsFunc(all, func(o *contender) bool { return len(of(o)[k]) == 0 }) {
			rows = append(rows, of(one)[k]...)
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	sum := 0.0
	for _, r := range rows {
		e := (r.predicted - r.measured) / r.measured
		sum += e * e
	}
	return math.Sqrt(sum / float64(len(rows))), n
}

// reason says in a sentence why the form was chosen.
func reason(c *Choice, best int, experiment *Experiment) string {
	compare := func(of func(Candidate) float64) string {
		text := percent(of(c.Candidates[best]))
		var others []string
		for i, o := range c.Candidates {
			if i != best {
				others = append(others, o.Form+" "+percent(of(o)))
			}
		}
		if others != nil {
			text += " (" + strings.Join(others, ", ") + ")"
		}
		return text
	}
	chosen := c.Candidates[best]
	var why []string
	if chosen.Kernels > 0 {
		why = append(why, fmt.Sprintf("%d held-out kernels are predicted within %s", chosen.Kernels, compare(func(o Candidate) float64 { return o.LeaveKernel })))
	}
	if chosen.Ratios > 0 {
		why = append(why, fmt.Sprintf("%d held-out ratios of the overlap experiment within %s", chosen.Ratios, compare(func(o Candidate) float64 { return o.LeaveRatio })))
	} else {
		why = append(why, "there is no overlap experiment among the samples")
	}
	if chosen.Kernels+chosen.Ratios == 0 {
		why = append(why, "no row could be held out, so the fits alone decide: "+compare(func(o Candidate) float64 { return o.GeomeanRelErr }))
	}
	if experiment != nil && experiment.Hidden != nil {
		why = append(why, "in the experiment "+experiment.HiddenText())
	}
	for i, o := range c.Candidates {
		if i > best && o.Score < chosen.Score {
			why = append(why, fmt.Sprintf("%s is better by less than %.0f %%, but less simple", o.Form, 100*alike))
		}
	}
	return chosen.Form + ": " + strings.Join(why, "; ")
}

func percent(r float64) string { return fmt.Sprintf("%.3g %%", 100*r) }
