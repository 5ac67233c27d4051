package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device/replay"
	"gpuperf/emulate/launches"
	"gpuperf/internal/advise"
	"gpuperf/internal/campaign"
	"gpuperf/internal/explain"
	"gpuperf/internal/roofline"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/samples"
	"gpuperf/workload"
)

func explainCommand() *cobra.Command {
	var o predictFlags
	var recorded string
	cmd := &cobra.Command{
		Use:   "explain KERNEL [KERNEL] -p n=4096 [--measure | --replay samples.jsonl]",
		Short: "Explain why a kernel takes its time, and what would make it faster",
		Long: `explain breaks down the predicted time of a kernel: what takes it (these parts add up to the prediction), and which accesses, by array and source line, how much of it goes with. Then
it says what to change: the defect, the remedy, and how fast the kernel would be with it, by the same model. Of two kernels it says what differs, in time, by work and by access. --terms
shows the terms and costs of the model by name ("alone" is what one would take by itself), and what half of a term would save. It compares the time with the peaks of the device, and makes
the check of Stevens and Klöckner, section 8.1: the kernel without arithmetic and local memory, plus the calibrated cost of the removed work, against the whole kernel. With --measure both
kernels are run; with --replay their times come from recorded samples; otherwise the check uses predictions alone.

What predict emulates is explained by emulation, too: what binds, in which lines the time is lost, and what would help, as perf emulate says it; defects that the source tells come with the
gains that the model says. That are kernels that exist, functions of .cu and .cl files and launch files, and others where the model's interval is wide, the device has a data sheet and no
profile, or --from asks for it. --from model, --terms, --roofline, --assume, --measure and --replay explain by the model.

Two kernels may be of any kinds. What has no counts, such as a launch file with machine code alone, is emulated, and with it what it is compared with. Of a functional
program, PROG.lift, the plainest variant is explained, or PROG.lift#ID, as perf lift derive lists them; its launches count as one.`,
		Example: `  perf explain examples/matmul/matmul.star -p n=4096 --profile h200
  perf explain examples/matmul/matmul.star \
      examples/matmul/matmul_prefetch.star -p n=4096 --profile h200
  perf explain examples/launch/matmul-sass.yaml`,
		Args: someArgs(1, 2, "one kernel, or two that are compared"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if recorded != "" {
				if o.measured {
					return usagef("--replay and --measure exclude each other")
				}
				o.measured, o.on.device = true, replay.Prefix+recorded
			}
			if o.terms {
				o.only = "--terms shows its terms"
			}
			if done, err := o.explainEmulated(cmd, args); done || err != nil {
				return err
			}
			tellOfOthers(cmd, args)
			whole := throw.Get(casesOfAll(cmd, &o, args))
			p := throw.Get(o.open(cmd, whole))
			whole = runnable(cmd, p, whole)
			predictions, emulated := throw.Get2(o.explainNarrower(cmd, p, throw.Get(p.PredictAll(whole)), len(args) == 2))
			subjects := explainSubjects(cmd, p, predictions)
			o.on.driveAs(nil, whole)
			if o.measured {
				measureSubjects(cmd, p, o.on, subjects)
			}
			o.explainAll(cmd, o.narrowing(cmd, p), subjects, emulated, len(args) == 2)
			return nil
		},
	}
	o.add(cmd)
	o.addFrom(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure the kernel, and the kernel with its work removed")
	cmd.Flags().BoolVar(&o.terms, "terms", false, "show the terms of the model and their costs by name, as model files have them")
	cmd.Flags().BoolVar(&o.roofs, "roofline", false, "draw the roofline: DRAM, the second-level cache, and the path of L1 and local memory")
	cmd.Flags().StringVar(&recorded, "replay", "", "take both times from this samples file, where it has them")
	return cmd
}

// tellOfOthers says what loop nests and functional programs are explained as, and what makes kernels of them.
func tellOfOthers(cmd *cobra.Command, args []string) {
	for _, arg := range args {
		file, variant, _ := source.CutName(arg)
		switch {
		case isProgram(arg) && variant == "":
			note(cmd, "the plainest variant of %s is explained; %s#ID is one that perf lift derive lists, and perf tune %s searches fast ones", file, file, file)
		case filepath.Ext(file) == ".c":
			note(cmd, "the loops of %s are explained as they stand, one after the other in one work-item; perf scop compile %s --as cuda writes kernels of them, which explain takes, too, and perf tune searches fast ones", file, file)
		}
	}
}

// explainNarrower takes from predictions those that are emulated in place of the model, as predict takes them, and explains these. Two kernels that are compared are
// explained by the same.
func (o *predictFlags) explainNarrower(cmd *cobra.Command, p *campaign.Predictor, all []*campaign.Prediction, two bool) (kept []*campaign.Prediction, emulated []*launches.Report, err error) {
	if o.roofs { // they are drawn over what the model counts
		return all, nil, nil
	}
	n := o.narrowing(cmd, p)
	kept, emulated, err = n.split(cmd, all, launches.Request{})
	if err != nil || !two || len(kept) == 0 || len(emulated) == 0 {
		return kept, emulated, err
	}
	if emulated = advise.Emulated(cmd.Context(), n.device, campaign.CasesOf(all), launches.Request{}); emulated == nil {
		note(cmd, "the model explains both, so that they can be compared, as not both can be emulated")
		return all, nil, cmd.Context().Err()
	}
	note(cmd, "both are emulated, so that they can be compared; --from model takes the model for both")
	return nil, emulated, nil
}

// explainAll explains kernels one after the other, or what differs between two.
func (o *predictFlags) explainAll(cmd *cobra.Command, n narrowing, subjects []explain.Subject, emulated []*launches.Report, two bool) {
	var all []*explain.Explanation
	for _, s := range subjects {
		s.Roofline = o.roofs || wantJSON(cmd)
		e := throw.Get(explain.New(s))
		if !two && n.device != "" {
			advise.DrawnBanks(cmd.Context(), n.device, s.Case, e)
			advise.Refine(cmd.Context(), n.device, s.Case, e)
		}
		all = append(all, e)
	}
	if two && len(emulated) == 2 {
		throw.If(showDifference(cmd, emulated))
		return
	}
	if two {
		compared(cmd, together(subjects, all), o.roofs)
		return
	}
	list := make([]any, 0, len(all)+len(emulated))
	for _, e := range all {
		list = append(list, e)
	}
	for _, r := range emulated {
		list = append(list, r)
	}
	throw.If(show(cmd, kernelsJSON(list), func(w io.Writer) error {
		for i, e := range all {
			fmt.Fprint(w, strings.Repeat("\n", min(i, 1)))
			warn(cmd, e.Warnings)
			e.Write(w, o.terms)
		}
		drawRoofs(w, all, o.roofs)
		if len(emulated) == 0 {
			return nil
		}
		fmt.Fprint(w, strings.Repeat("\n", min(len(all), 1)))
		return launches.Write(w, emulated)
	}))
}

// together takes the launches of one variant of a functional program as one.
func together(subjects []explain.Subject, all []*explain.Explanation) (joined []*explain.Explanation) {
	for i := 0; i < len(all); {
		n := i + 1
		for n < len(all) && isProgram(subjects[i].Case.Label) && subjects[n].Case.Label == subjects[i].Case.Label {
			n++
		}
		joined = append(joined, explain.Together(all[i:n]))
		i = n
	}
	return joined
}

// compared shows what differs between two kernels.
func compared(cmd *cobra.Command, all []*explain.Explanation, roofs bool) {
	if len(all) != 2 {
		panic(throw.Of(usagef("two kernels are compared, each at one size, and here are %d: name them, as FILE.star#KERNEL", len(all))))
	}
	c := explain.Compare(all[0], all[1])
	throw.If(show(cmd, c, func(w io.Writer) error {
		for _, e := range all {
			warn(cmd, e.Warnings)
		}
		c.Write(w)
		drawRoofs(w, all, roofs)
		return nil
	}))
}

// drawRoofs draws the roofline of kernels, if that is asked for.
func drawRoofs(w io.Writer, all []*explain.Explanation, asked bool) {
	if !asked {
		return
	}
	var known []roofline.Named
	for _, e := range all {
		if e.Roofline != nil {
			name := e.Kernel
			if len(all) > 1 {
				name = filepath.Base(e.Script) + " " + name
			}
			known = append(known, roofline.Named{Name: name, Roofline: e.Roofline})
		}
	}
	roofline.Write(w, known)
}

// explainSubjects pairs each case with the same kernel without its work.
func explainSubjects(cmd *cobra.Command, p *campaign.Predictor, whole []*campaign.Prediction) []explain.Subject {
	subjects := make([]explain.Subject, len(whole))
	for i, one := range whole {
		s := advise.SubjectOf(p, one)
		if removed, err := workload.WorkRemoved([]*workload.Case{one.Case}); err != nil {
			warnf(cmd, warning.NotMeasured, one.Label, "overlap cannot be checked, %s", source.Message(err))
		} else {
			s.Removed = removed[0]
		}
		subjects[i] = s
	}
	return subjects
}

// measureSubjects measures, or looks up, the kernels with and without their work. What cannot be had is a warning.
func measureSubjects(cmd *cobra.Command, p *campaign.Predictor, on measureFlags, subjects []explain.Subject) {
	modes := throw.Get(on.modes())
	c := throw.Get(on.openBeside(cmd, p.Elsewhere))
	defer finish(cmd, c)
	for i := range subjects {
		s := &subjects[i]
		for _, one := range []struct {
			of   *workload.Case
			into func(*samples.Record)
		}{
			{s.Case, func(r *samples.Record) {
				s.Record, s.Measured, s.Roof, s.Caches = r, r.Seconds(), p.Roof(s.Case, r.Mode), r.Mode
			}},
			{s.Removed, func(r *samples.Record) { s.MeasuredRemoved = r.Seconds() }},
		} {
			if one.of == nil {
				continue
			}
			result, err := c.Measure(cmd.Context(), modes[0], []*workload.Case{one.of})
			if err != nil && c.Live() {
				throw.If(err)
				return
			}
			if err != nil { // never recorded
				warnf(cmd, warning.LeftOut, "", "%v", err)
				continue
			}
			warn(cmd, result.Warnings)
			if r := &result.Records[0]; r.Status != samples.OK {
				warnf(cmd, warning.LeftOut, one.of.String(), "%s: %s", r.Status, r.Error)
			} else {
				one.into(r)
			}
		}
	}
}
