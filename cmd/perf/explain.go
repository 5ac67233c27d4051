package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device/replay"
	"gpuperf/explain"
	"gpuperf/samples"
	"gpuperf/workload"
)

func explainCommand() *cobra.Command {
	var o predictOptions
	var recorded string
	cmd := &cobra.Command{
		Use:   "explain KERNEL.star -p n=4096 [--measure | --replay samples.jsonl]",
		Short: "Say why a kernel takes its time, and what would have to change",
		Long: `explain takes the predicted time of a kernel apart: terms, the costs within them with their counts, what each would save if
it were free, and which resource the kernel waits for. It sets the time against the peaks of the device, and makes the check
of Stevens and Klöckner, section 8.1: the kernel without arithmetic and local memory, plus what the removed work costs by
the microbenchmarks, against the whole kernel. With --measure both kernels are run, with --replay their times come from
recorded samples; without either the check is only what the model says.`,
		Args: exactArgs(1, "one kernel script"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if recorded != "" {
				if o.measured {
					return usagef("--replay and --measure: the times come from one of the two")
				}
				o.measured, o.session.device = true, replay.Prefix+recorded
			}
			whole, err := scriptCases(cmd, args[0], o.sizes)
			if err != nil {
				return err
			}
			p, err := openPredictor(cmd, o, whole)
			if err != nil {
				return err
			}
			subjects := explainSubjects(cmd, p, whole)
			if o.measured {
				if err := measureSubjects(cmd, o.session, subjects); err != nil {
					return err
				}
			}
			var all []*explain.Explanation
			for _, s := range subjects {
				e, err := explain.New(s)
				if err != nil {
					return err
				}
				all = append(all, e)
			}
			return printExplanations(cmd, p, all)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure the kernel, and the kernel without its work")
	cmd.Flags().StringVar(&recorded, "replay", "", "take the times of both from this samples file, where it has them")
	return cmd
}

// explainSubjects pairs each case with the same kernel without its work.
func explainSubjects(cmd *cobra.Command, p *predictor, whole []*workload.Case) []explain.Subject {
	subjects := make([]explain.Subject, len(whole))
	for i, c := range whole {
		s := explain.Subject{Case: c, Model: p.model, Fit: p.fit, Lanes: int(p.device.SubgroupSize), Facts: p.facts}
		if removed, err := workload.WorkRemoved(whole[i : i+1]); err != nil {
			note(cmd, "warning: no check for overlap: %s", firstLine(err))
		} else {
			s.Removed = removed[0]
		}
		subjects[i] = s
	}
	return subjects
}

// measureSubjects measures, or looks up, the kernels with and without their work. What cannot be had is a warning.
func measureSubjects(cmd *cobra.Command, o sessionOptions, subjects []explain.Subject) error {
	session, err := openSession(cmd, o)
	if err != nil {
		return err
	}
	defer session.close()
	for i := range subjects {
		s := &subjects[i]
		for _, one := range []struct {
			of   *workload.Case
			into *float64
		}{{s.Case, &s.Measured}, {s.Removed, &s.MeasuredRemoved}} {
			if one.of == nil {
				continue
			}
			records, err := session.measure([]*workload.Case{one.of})
			switch {
			case err != nil && session.journal != nil:
				return err
			case err != nil: // never recorded
				note(cmd, "warning: %v", err)
			case records[0].Status != samples.OK:
				note(cmd, "warning: %s: %s: %s", one.of, records[0].Status, records[0].Error)
			default:
				*one.into = records[0].Seconds()
			}
		}
	}
	return nil
}

func printExplanations(cmd *cobra.Command, p *predictor, all []*explain.Explanation) error {
	if wantJSON(cmd) {
		if len(all) == 1 {
			return printJSON(cmd.OutOrStdout(), all[0])
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"kernels": all})
	}
	for i, e := range all {
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		printExplanation(cmd.OutOrStdout(), p, e)
		warn(cmd, e.Warnings)
	}
	return nil
}

func printExplanation(w io.Writer, p *predictor, e *explain.Explanation) {
	form := ""
	if e.Form != "" {
		form = ", " + e.Form
	}
	fmt.Fprintf(w, "%s %s on %s (model %s%s)\n\n", e.Kernel, formatSizes(e.At), p.device.Name, e.Model, form)
	fmt.Fprintf(w, "  predicted  %s (%s)\n", seconds(e.Predicted), intervalText(e.Interval))
	if e.Error != nil {
		fmt.Fprintf(w, "  measured   %s, the model is %+.2f %% off\n", seconds(e.Measured), 100**e.Error)
	}
	fmt.Fprintf(w, "  waits for  %s\n\n", e.Bound)
	printTerms(w, e)
	printCosts(w, e)
	if c := e.Check; c != nil {
		printCheck(w, c)
	}
	if e.Roof != nil {
		printRoof(w, e)
	}
	if len(e.Unpriced) > 0 {
		fmt.Fprintf(w, "\nno cost in the model\n")
		t := newTable(">count", "what")
		for _, u := range e.Unpriced {
			t.row(fmt.Sprintf("%.6g", u.Count), u.What)
		}
		t.write(indented{w})
	}
	if len(e.Advice) > 0 {
		fmt.Fprintf(w, "\nwhat would have to change\n")
		for _, a := range e.Advice {
			for i, line := range wrap(a, 110) {
				fmt.Fprintf(w, "  %s %s\n", map[bool]string{true: "-", false: " "}[i == 0], line)
			}
		}
	}
}

const barWidth = 30

func printTerms(w io.Writer, e *explain.Explanation) {
	t := newTable("term", ">time", ">share", "", ">saved if free")
	for _, term := range e.Terms {
		if len(term.Joins) > 0 {
			t.row(term.Name, seconds(term.Seconds), "", "of "+strings.Join(term.Joins, " and "), savedText(term.Saved, e.Predicted))
			continue
		}
		n := int(math.Round(barWidth * max(term.Share, 0)))
		t.row(term.Name, seconds(term.Seconds), fmt.Sprintf("%.1f %%", 100*term.Share), strings.Repeat("█", n)+strings.Repeat("·", max(barWidth-n, 0)), savedText(term.Saved, e.Predicted))
	}
	t.write(indented{w})
	fmt.Fprintln(w)
}

func savedText(saved, of float64) string {
	if saved < 0.0005*of {
		return "nothing"
	}
	return fmt.Sprintf("%s (%.1f %%)", seconds(saved), 100*saved/of)
}

// leastShare is the share under which a cost is not printed; JSON has all.
const leastShare = 0.001

func printCosts(w io.Writer, e *explain.Explanation) {
	t := newTable("cost", "term", ">time", ">share", ">saved if free", ">count", "of", ">implied rate")
	rest, n := 0.0, 0
	for _, c := range e.Costs {
		if c.Share < leastShare {
			rest += c.Seconds
			n++
			continue
		}
		rate := ""
		if c.RateUnit != "" {
			rate = fmt.Sprintf("%.3g %s", c.Rate, c.RateUnit)
		}
		count := ""
		if c.Parameter != "" {
			count = fmt.Sprintf("%.6g", c.Work.Count)
		}
		t.row(c.Parameter, c.Term, seconds(c.Seconds), fmt.Sprintf("%.1f %%", 100*c.Share), savedText(c.Saved, e.Predicted), count, c.Work.What, rate)
		if c.Work.Formula != "" {
			t.row("", "", "", "", "", "", "= "+c.Work.Formula, "")
		}
	}
	t.write(indented{w})
	if n > 0 {
		fmt.Fprintf(w, "  and %d smaller costs, %s together\n", n, seconds(rest))
	}
}

func printCheck(w io.Writer, c *explain.Check) {
	by := func(measured bool) string {
		if measured {
			return "measured"
		}
		return "predicted"
	}
	fmt.Fprintf(w, "\ndoes on-chip work hide behind global memory?\n")
	t := newTable("", ">time", "")
	t.row("kernel without arithmetic and local memory", seconds(c.Removed), by(c.RemovedMeasured))
	t.row("the removed work", seconds(c.Onchip), "by calibrated costs")
	t.row("their sum", seconds(c.Sum()), "")
	t.row("the larger", seconds(c.Max()), "")
	t.row("whole kernel", seconds(c.Full), by(c.FullMeasured))
	t.write(indented{w})
	for _, line := range wrap(c.Verdict, 110) {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

func printRoof(w io.Writer, e *explain.Explanation) {
	of := "predicted"
	if e.Measured > 0 {
		of = "measured"
	}
	fmt.Fprintf(w, "\nroof: %s at the device's peaks, %.1f %% of the %s time\n", seconds(e.Roof.Seconds), 100*e.Roof.Reached, of)
	t := newTable("resource", ">least time", ">amount", ">achieved", ">peak", ">of peak")
	for _, r := range e.Roof.Resources {
		t.row(r.Name, seconds(r.Seconds), fmt.Sprintf("%.4g %s", r.Amount, r.Unit), fmt.Sprintf("%.3g %s/s", r.Rate, r.Unit),
			fmt.Sprintf("%.3g %s/s", r.Peak, r.Unit), fmt.Sprintf("%.1f %%", 100*r.Rate/r.Peak))
	}
	t.write(indented{w})
}

// indented writes lines two columns to the right.
type indented struct{ io.Writer }

func (w indented) Write(line []byte) (int, error) {
	if _, err := w.Writer.Write([]byte("  ")); err != nil {
		return 0, err
	}
	return w.Writer.Write(line)
}
