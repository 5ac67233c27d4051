package evaluate

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/internal/format"
	"gpuperf/internal/warning"
	"gpuperf/models"
	"gpuperf/samples"
)

// Write writes the report as text.
func (r *Report) Write(w io.Writer) error {
	for i := range r.Suites {
		r.Suites[i].write(w)
	}
	fmt.Fprintf(w, "overall: geometric mean relative error %s, arithmetic mean %s, 95th percentile %s, worst %s (caches %s)\n",
		format.Percent(r.GeomeanRelativeError), format.Percent(r.Points().Mean()), format.Percent(r.Points().Percentile(0.95)),
		format.Percent(r.Points().Worst()), r.Cache)
	r.Choice.write(w)
	if r.WorkRemoved != nil {
		fmt.Fprintf(w, "taking the time with the work removed: geometric mean relative error %s\n", format.Percent(*r.WorkRemoved))
	}
	r.writeIntervals(w)
	if r.Open > 0 {
		fmt.Fprintf(w, "%s without upper bound: a model with no cost for a main part of the work\n", format.Count(r.Open, "prediction"))
	}
	if r.Sensitivity != nil {
		r.Sensitivity.write(w)
	}
	r.writeRows(w)
	for _, c := range r.Conditions {
		fmt.Fprintf(w, "conditions: %s\n", c)
	}
	return nil
}

// write prints a suite: its points, what was left out, and its errors.
func (s *SuiteReport) write(w io.Writer) {
	t := format.NewTable("variant", "sizes", ">predicted", ">measured", ">error")
	for _, v := range s.Variants {
		for _, p := range v.Points {
			t.Row(v.Name, format.Sizes(p.At), format.Seconds(p.Predicted), format.Seconds(p.Measured), format.SignedPercent(p.RelativeError))
		}
		for _, m := range v.Times {
			t.Row(v.Name, format.Sizes(m.At), "-", format.Seconds(m.Measured), "-")
		}
		for _, k := range v.Skipped {
			t.Row(v.Name, format.Sizes(k.At), "", string(k.Status), "")
		}
	}
	fmt.Fprintf(w, "suite %s\n", s.Name)
	t.Write(w)
	for _, skip := range s.Skips() {
		fmt.Fprintf(w, "skipped %s\n", skip)
	}
	for _, v := range s.Variants {
		switch {
		case len(v.Times) > 0:
			fmt.Fprintf(w, "%s: measured alone, as %s says\n", v.Name, v.Launch)
			continue
		case len(v.Points) == 0:
			fmt.Fprintf(w, "%s: not measured\n", v.Name)
			continue
		}
		fmt.Fprintf(w, "%s: geometric mean relative error %s (model %s)", v.Name, format.Percent(v.GeomeanRelativeError), v.Model)
		if v.Launch != "" {
			fmt.Fprintf(w, ", measured as %s says", v.Launch)
		}
		if v.WorkRemoved != nil {
			fmt.Fprintf(w, ", with its work removed %s", format.Percent(*v.WorkRemoved))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s: geometric mean relative error %s, arithmetic mean %s, worst %s\n",
		s.Name, format.Percent(s.GeomeanRelativeError), format.Percent(s.Points().Mean()), format.Percent(s.Points().Worst()))
	s.Ranking.write(w)
	fmt.Fprintln(w)
}

// write writes the order at each size: the measured one, and the predicted one where it is wrong.
func (r Ranking) write(w io.Writer) {
	if r.Of == 0 {
		return
	}
	fmt.Fprintf(w, "ranking right at %d of %d sizes\n", r.Right, r.Of)
	for _, v := range r.Sizes {
		verdict := "right"
		if !v.Right {
			verdict = "wrong"
		}
		fmt.Fprintf(w, "  %s: %s, measured %s", format.Sizes(v.At), verdict, strings.Join(v.Measured, " < "))
		if !v.Right {
			fmt.Fprintf(w, ", predicted %s", strings.Join(v.Predicted, " < "))
		}
		if ties := v.TiesText(); ties != "" {
			fmt.Fprintf(w, " (%s)", ties)
		}
		fmt.Fprintln(w)
	}
}

// WriteBoth writes the times with warm and with cold caches side by side, where there are both.
func (r *Report) WriteBoth(w io.Writer) error {
	if r.Cold == nil {
		return nil
	}
	type key struct{ suite, variant, at string }
	cold := map[key]Point{}
	for _, s := range r.Cold.Suites {
		for _, v := range s.Variants {
			for _, p := range v.Points {
				cold[key{s.Name, v.Name, format.Sizes(p.At)}] = p
			}
		}
	}
	t := format.NewTable("suite", "variant", "sizes", ">warm", ">cold", ">cold / warm", ">error warm", ">error cold")
	for _, s := range r.Suites {
		for _, v := range s.Variants {
			for _, p := range v.Points {
				at := format.Sizes(p.At)
				c, ok := cold[key{s.Name, v.Name, at}]
				if !ok {
					continue
				}
				t.Row(s.Name, v.Name, at, format.Seconds(p.Measured), format.Seconds(c.Measured), fmt.Sprintf("%.3f", c.Measured/p.Measured),
					format.SignedPercent(p.RelativeError), format.SignedPercent(c.RelativeError))
			}
		}
	}
	fmt.Fprintln(w)
	return t.Write(w)
}

// Doubts lists the warnings of the predictions.
func (r *Report) Doubts() (all []string) {
	for _, s := range r.Suites {
		for _, v := range s.Variants {
			for _, p := range v.Points {
				for _, text := range p.Warnings {
					all = append(all, warning.In(v.Name+" "+format.Sizes(p.At), text))
				}
			}
		}
	}
	return all
}

// Outcome returns an error if a kernel crashed, hung or gave wrong results, or if nothing was measured.
func Outcome(reports []*Report) error {
	failed := 0
	for _, r := range reports {
		if len(r.Points()) == 0 {
			return fmt.Errorf("nothing could be measured with %s caches", r.Cache)
		}
		for _, s := range r.Suites {
			for _, v := range s.Variants {
				for _, k := range v.Skipped {
					if k.Status != samples.Refused && k.Status != samples.OutOfMemory {
						failed++
					}
				}
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s failed, left out of the means", format.Count(failed, "kernel"))
	}
	return nil
}

func (s *Sensitivity) write(w io.Writer) {
	for _, part := range []struct {
		title string
		rows  []Sample
	}{{"measurement kernels", s.Kernels}, {"trials of each", s.Trials}} {
		fmt.Fprintf(w, "\nerror by the number of %s\n", part.title)
		t := format.NewTable(">"+part.title, ">error", ">least", ">largest", ">draws", ">not determined")
		for _, r := range part.rows {
			median, least, largest := format.Percent(r.Median), format.Percent(r.Least), format.Percent(r.Largest)
			if r.Unpredicted == 1 {
				median, least, largest = "-", "-", "-"
			}
			t.Row(fmt.Sprint(r.Of), median, least, largest, fmt.Sprint(r.Draws), fmt.Sprintf("%.1f %%", 100*r.Unpredicted))
		}
		t.Write(w)
	}
}

// Sensitivity says how the error of an evaluation depends on the samples that the models were calibrated with. The measured times that
// predictions are compared with stay the same.
type Sensitivity struct {
	Kernels []Sample `json:"kernels"` // by the number of measurement kernels, a size each, all trials
	Trials  []Sample `json:"trials"`  // by the number of trials of each, all measurement kernels
}

// Sample summarizes the errors of several random choices of as many kernels or trials.
type Sample struct {
	Of          int     `json:"of"`          // kernels, all models together, or trials
	Draws       int     `json:"draws"`       // random choices
	Median      float64 `json:"median"`      // of the geometric mean relative errors of the draws
	Least       float64 `json:"least"`       //
	Largest     float64 `json:"largest"`     //
	Unpredicted float64 `json:"unpredicted"` // share of the points that the chosen kernels did not determine, on average; the errors leave them out
}

// Calibrated is a model with the rows that it was fitted to, and the points that it predicts.
type Calibrated struct {
	Model   *models.Model
	Fit     *calibrate.Fit // to all rows
	Rows    []calibrate.Row
	Targets []calibrate.Known
}

// The tables' rows.
var (
	parts       = []float64{1, 0.75, 0.5, 0.35, 0.25, 0.15} // of the measurement kernels
	trialCounts = []int{1, 2, 5, 10, 30, 60}
)

// draws is the number of random choices of a row.
const draws = 9

// Vary fits the models to random parts of their rows and of the trials of their rows, from a fixed seed, and evaluates each time. Rows
// without trials keep their output.
func Vary(ctx context.Context, all []Calibrated, seed uint64) (*Sensitivity, error) {
	out := &Sensitivity{}
	for i, part := range parts {
		size := func(c Calibrated) int { return max(1, int(math.Round(part*float64(len(c.Rows))))) }
		n := draws
		if part == 1 {
			n = 1
		}
		s, err := sample(ctx, all, n, rand.New(rand.NewPCG(seed, uint64(i))), func(c Calibrated, rng *rand.Rand) []calibrate.Row {
			keep := rng.Perm(len(c.Rows))[:size(c)]
			slices.Sort(keep)
			var rows []calibrate.Row
			for _, k := range keep {
				rows = append(rows, c.Rows[k])
			}
			return rows
		})
		if err != nil {
			return nil, fmt.Errorf("%.0f %% of the kernels: %w", 100*part, err)
		}
		for _, c := range all {
			s.Of += size(c)
		}
		out.Kernels = append(out.Kernels, s)
	}
	most := 0
	for _, c := range all {
		for _, r := range c.Rows {
			most = max(most, len(r.Trials))
		}
	}
	for i, n := range trialCounts {
		if i > 0 && trialCounts[i-1] >= most {
			break // there are no more trials
		}
		s, err := sample(ctx, all, draws, rand.New(rand.NewPCG(seed, uint64(100+i))), func(c Calibrated, rng *rand.Rand) []calibrate.Row {
			rows := slices.Clone(c.Rows)
			for k := range rows {
				if t := rows[k].Trials; len(t) > 0 {
					rows[k].Output = medianOf(t, rng.Perm(len(t))[:min(n, len(t))])
				}
			}
			return rows
		})
		if err != nil {
			return nil, fmt.Errorf("%d trials: %w", n, err)
		}
		s.Of = n
		out.Trials = append(out.Trials, s)
	}
	return out, nil
}

// medianOf is the median of the trials chosen.
func medianOf(trials []float64, chosen []int) float64 {
	var x []float64
	for _, k := range chosen {
		x = append(x, trials[k])
	}
	return samples.Summarize(x).Median
}

// sample fits and evaluates n times.
func sample(ctx context.Context, all []Calibrated, n int, rng *rand.Rand, choose func(Calibrated, *rand.Rand) []calibrate.Row) (Sample, error) {
	s := Sample{Draws: n}
	var errors []float64
	points, lost := 0, 0
	for range n {
		var relative []float64
		for _, c := range all {
			init := map[string]float64{}
			for _, e := range c.Fit.Parameters {
				init[e.Name] = e.Value
			}
			fit, err := calibrate.FitRows(ctx, c.Model, choose(c, rng), calibrate.Options{Init: init, NoCrossValidation: true})
			if err != nil {
				return s, err
			}
			p, err := calibrate.NewPredictor(c.Model, fit)
			if err != nil {
				return s, err
			}
			for _, t := range c.Targets {
				points++
				got, err := p.Predict(t.Features)
				if err != nil {
					return s, err
				}
				if len(got.Undetermined) > 0 {
					lost++
					continue
				}
				relative = append(relative, (got.Seconds-t.Measured)/t.Measured)
			}
		}
		if len(relative) > 0 {
			errors = append(errors, Geomean(relative))
		}
	}
	s.Unpredicted = float64(lost) / float64(max(points, 1))
	summary := samples.Summarize(errors)
	s.Median, s.Least, s.Largest = summary.Median, summary.Min, summary.Max
	return s, nil
}
