package calibrate

import (
	"fmt"
	"io"

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
		fmt.Fprintf(w, "each kernel predicted from the others: %s\n", format.Percent(f.Cross.GeomeanRelErr))
	}
	if f.Unseen != nil {
		fmt.Fprintln(w, f.Unseen)
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
	verdict := ""
	if f.Verdict == PoorFit || f.Verdict == NotIdentified {
		verdict = fmt.Sprintf(" (%s of the outputs: %s)", format.Percent(f.Misfit), f.Verdict)
	}
	fmt.Fprintf(w, "residual %.4g%s, %s after %s\n", f.Residual, verdict, f.Status, format.Count(f.Iterations, "iteration"))
	if f.Choice != nil {
		f.Choice.write(w)
	}
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
