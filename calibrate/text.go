package calibrate

import (
	"fmt"
	"io"
	"math"

	"gpuperf/internal/format"
)

// Write writes the parameters with their evidence as text, after the iterations where these are asked for. Warnings are not in it.
func (f *Fit) Write(w io.Writer, history bool) {
	if history {
		t := format.NewTable(">iteration", ">residual", "gradient")
		for _, h := range f.History {
			t.Row(fmt.Sprint(h.N), fmt.Sprintf("%.6g", h.Norm), fmt.Sprintf("%.2g", h.Gradient))
		}
		t.Write(w)
		fmt.Fprintln(w)
	}
	name := f.Model
	if f.Refines != "" {
		name += " refines " + f.Refines
	}
	fmt.Fprintf(w, "model %s: %s of %s, geometric mean relative error %s\n",
		name, format.Count(f.Rows, "row"), format.Count(f.Kernels, "kernel"), format.Percent(f.GeomeanRelErr))
	if f.Cross != nil {
		fmt.Fprintf(w, "each kernel predicted from the others: %s%s\n", format.Percent(f.Cross.GeomeanRelErr), f.Cross.coverage())
	}
	t := format.NewTable("parameter", ">value", ">standard error", "unit", ">implied rate", "")
	for _, p := range f.Parameters {
		rate, note := "", ""
		if p.RateUnit != "" {
			rate = format.Rough(p.Rate, p.RateUnit)
		}
		if p.AtBound != "" {
			note = "at its " + p.AtBound
		}
		value, stderr, unit := format.Uncertain(p.Value, p.StdErr, p.Unit)
		t.Row(p.Name, value, stderr, unit, rate, note)
	}
	t.Write(w)
	fmt.Fprintf(w, "residual %.4g, %s after %s\n", f.Residual, f.Status, format.Count(f.Iterations, "iteration"))
	if f.Choice != nil {
		f.Choice.write(w)
	}
}

// coverage says how many held-out points the intervals held, and how far they were widened for that.
func (c *CrossEval) coverage() string {
	text := ""
	for _, v := range c.Coverage {
		text += fmt.Sprintf("\nintervals: %.3g %% of %d held-out points fell inside the nominal %.3g %% intervals", 100*v.Inside, v.Points, 100*v.Level)
		if v.Margin > 0 {
			text += fmt.Sprintf(", so they were widened by %.3g %% of the prediction; now %.3g %% do", 100*v.Margin, 100*v.InsideWidened)
		}
		switch {
		case math.IsInf(v.Widening, 1):
			text += ", and the points are too few to tell how much wider intervals would have to be"
		case v.Widening > 1:
			text += fmt.Sprintf(", so they were made %.3g times as wide; now %.3g %% do", v.Widening, 100*v.InsideWidened)
		}
	}
	return text
}

// write says how the form of a model was chosen.
func (c *Choice) write(w io.Writer) {
	t := format.NewTable("form", ">held-out kernels", ">held-out ratios", ">score", ">fit", "")
	text := func(err float64, of int) string {
		if of == 0 {
			return "none"
		}
		return fmt.Sprintf("%s of %d", format.Percent(err), of)
	}
	for _, form := range c.Candidates {
		mark := ""
		if form.Form == c.Form {
			mark = "chosen"
		}
		t.Row(form.Form, text(form.LeaveKernel, form.Kernels), text(form.LeaveRatio, form.Ratios), fmt.Sprintf("%.4g", form.Score),
			format.Percent(form.GeomeanRelErr), mark)
	}
	t.Write(w)
	fmt.Fprintln(w, c.Reason)
}
