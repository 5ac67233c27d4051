package evaluate

import (
	"fmt"
	"io"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/warning"
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
