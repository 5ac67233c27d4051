package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/device/replay"
	"gpuperf/explain"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/samples"
	"gpuperf/workload"
)

func explainCommand() *cobra.Command {
	var o predictFlags
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
				o.measured, o.on.device = true, replay.Prefix+recorded
			}
			whole, err := scriptCases(cmd, args[0], o.sizes)
			if err != nil {
				return err
			}
			p, err := o.open(cmd, whole)
			if err != nil {
				return err
			}
			subjects := explainSubjects(cmd, p, whole)
			if o.measured {
				if err := measureSubjects(cmd, o.on, subjects); err != nil {
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
	o.add(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure the kernel, and the kernel without its work")
	cmd.Flags().StringVar(&recorded, "replay", "", "take the times of both from this samples file, where it has them")
	return cmd
}

// explainSubjects pairs each case with the same kernel without its work.
func explainSubjects(cmd *cobra.Command, p *campaign.Predictor, whole []*workload.Case) []explain.Subject {
	subjects := make([]explain.Subject, len(whole))
	for i, c := range whole {
		s := explain.Subject{Case: c, Model: p.Model, Fit: p.Fit, Lanes: int(p.Device.SubgroupSize), Facts: p.Facts}
		if removed, err := workload.WorkRemoved(whole[i : i+1]); err != nil {
			warnf(cmd, "no check for overlap: %s", source.Message(err))
		} else {
			s.Removed = removed[0]
		}
		subjects[i] = s
	}
	return subjects
}

// measureSubjects measures, or looks up, the kernels with and without their work. What cannot be had is a warning.
func measureSubjects(cmd *cobra.Command, on measureFlags, subjects []explain.Subject) error {
	modes, err := on.modes()
	if err != nil {
		return err
	}
	c, err := on.open(cmd)
	if err != nil {
		return err
	}
	defer finish(cmd, c)
	for i := range subjects {
		s := &subjects[i]
		for _, one := range []struct {
			of   *workload.Case
			into *float64
		}{{s.Case, &s.Measured}, {s.Removed, &s.MeasuredRemoved}} {
			if one.of == nil {
				continue
			}
			result, err := c.Measure(cmd.Context(), modes[0], []*workload.Case{one.of})
			if err != nil && c.Live() {
				return err
			}
			if err != nil { // never recorded
				warnf(cmd, "%v", err)
				continue
			}
			warn(cmd, result.Warnings)
			if r := result.Records[0]; r.Status != samples.OK {
				warnf(cmd, "%s: %s: %s", one.of, r.Status, r.Error)
			} else {
				*one.into = r.Seconds()
			}
		}
	}
	return nil
}

func printExplanations(cmd *cobra.Command, p *campaign.Predictor, all []*explain.Explanation) error {
	return show(cmd, kernelsJSON(all), func(w io.Writer) error {
		for i, e := range all {
			fmt.Fprint(w, strings.Repeat("\n", min(i, 1)))
			printExplanation(w, p, e)
			warn(cmd, e.Warnings)
		}
		return nil
	})
}

func printExplanation(w io.Writer, p *campaign.Predictor, e *explain.Explanation) {
	form := ""
	if e.Form != "" {
		form = ", " + e.Form
	}
	fmt.Fprintf(w, "%s %s on %s (model %s%s)\n\n", e.Kernel, format.Sizes(e.At), p.Device.Name, e.Model, form)
	fmt.Fprintf(w, "  predicted  %s (%s)\n", format.Seconds(e.Predicted), intervalText(e.Interval))
	if e.Error != nil {
		fmt.Fprintf(w, "  measured   %s, the model is %+.2f %% off\n", format.Seconds(e.Measured), 100**e.Error)
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
		fmt.Fprintf(w, "\nwork that the model leaves out\n")
		t := format.NewTable(">count", "what")
		for _, u := range e.Unpriced {
			t.Row(fmt.Sprintf("%.6g", u.Count), u.What)
		}
		t.WriteIndented(w, "  ")
	}
	if len(e.Advice) > 0 {
		fmt.Fprintf(w, "\nwhat could change\n")
		for _, a := range e.Advice {
			for i, line := range format.Wrap(a, 110) {
				fmt.Fprintf(w, "  %s %s\n", map[bool]string{true: "-", false: " "}[i == 0], line)
			}
		}
	}
}

const barWidth = 30

func printTerms(w io.Writer, e *explain.Explanation) {
	t := format.NewTable("term", ">time", ">share", "", ">saved if free")
	for _, term := range e.Terms {
		if len(term.Joins) > 0 {
			t.Row(term.Name, format.Seconds(term.Seconds), "", "of "+strings.Join(term.Joins, " and "), savedText(term.Saved, e.Predicted))
			continue
		}
		n := int(math.Round(barWidth * max(term.Share, 0)))
		t.Row(term.Name, format.Seconds(term.Seconds), fmt.Sprintf("%.1f %%", 100*term.Share), strings.Repeat("█", n)+strings.Repeat("·", max(barWidth-n, 0)), savedText(term.Saved, e.Predicted))
	}
	t.WriteIndented(w, "  ")
	fmt.Fprintln(w)
}

func savedText(saved, of float64) string {
	if saved < 0.0005*of {
		return "nothing"
	}
	return fmt.Sprintf("%s (%.1f %%)", format.Seconds(saved), 100*saved/of)
}

// leastShare is the share under which a cost is not printed; JSON has all.
const leastShare = 0.001

func printCosts(w io.Writer, e *explain.Explanation) {
	t := format.NewTable("cost", "term", ">time", ">share", ">saved if free", ">count", "of", ">implied rate")
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
		t.Row(c.Parameter, c.Term, format.Seconds(c.Seconds), fmt.Sprintf("%.1f %%", 100*c.Share), savedText(c.Saved, e.Predicted), count, c.Work.What, rate)
		if c.Work.Formula != "" {
			t.Row("", "", "", "", "", "", "= "+c.Work.Formula, "")
		}
	}
	t.WriteIndented(w, "  ")
	if n > 0 {
		fmt.Fprintf(w, "  and %d smaller costs, %s together\n", n, format.Seconds(rest))
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
	t := format.NewTable("", ">time", "")
	t.Row("kernel without arithmetic and local memory", format.Seconds(c.Removed), by(c.RemovedMeasured))
	t.Row("the removed work", format.Seconds(c.Onchip), "by calibrated costs")
	t.Row("their sum", format.Seconds(c.Sum()), "")
	t.Row("the larger", format.Seconds(c.Max()), "")
	t.Row("whole kernel", format.Seconds(c.Full), by(c.FullMeasured))
	t.WriteIndented(w, "  ")
	for _, line := range format.Wrap(c.Verdict, 110) {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

func printRoof(w io.Writer, e *explain.Explanation) {
	of := "predicted"
	if e.Measured > 0 {
		of = "measured"
	}
	fmt.Fprintf(w, "\nroofline: %s at the device's peak rates, %.1f %% of the %s time\n", format.Seconds(e.Roof.Seconds), 100*e.Roof.Reached, of)
	t := format.NewTable("resource", ">least time", ">amount", ">achieved", ">peak", ">of peak")
	for _, r := range e.Roof.Resources {
		t.Row(r.Name, format.Seconds(r.Seconds), fmt.Sprintf("%.4g %s", r.Amount, r.Unit), fmt.Sprintf("%.3g %s/s", r.Rate, r.Unit),
			fmt.Sprintf("%.3g %s/s", r.Peak, r.Unit), fmt.Sprintf("%.1f %%", 100*r.Rate/r.Peak))
	}
	t.WriteIndented(w, "  ")
}
