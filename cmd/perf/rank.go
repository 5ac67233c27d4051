package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/roofline"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/workload"
)

func rankCommand() *cobra.Command {
	var o predictFlags
	var top int
	var all allConfigurations
	cmd := &cobra.Command{
		Use:   "rank KERNEL... -p n=4096",
		Short: "Order kernels by predicted run time",
		Long: `rank predicts every kernel of the files and lists them fastest first, once for each size. Kernels of several files are named by
file and kernel. Where the predictions do not tell with 90 % probability which of two kernels is faster, a column lists each as "tied with"
the other; kernels with alike costs err alike, so that less tells them apart. With --measure the listed kernels are run as well, and stay in the order of predictions: a column has the rank by measured time, and "of the fastest" is of
measured times. Kernels to which the model does not apply come last, and --top leaves out none of them. Kernels that exceed a limit of
the profile's device, such as its largest work-group or its local memory, are skipped with the reason.

Launch files (perf help launch) whose kernels cannot be counted are not predicted: each stands where its measured time puts it among the
predicted ones. Without --measure that is a time measured before, or one of --device replay:FILE.

With --top only those are predicted in full that may be among the first: of the others a bound of the time shows that they are slower, which costs
less. The list is the same.

With --tunables it ranks the configurations of a file with tunables (perf tune), all of them, however many: --top says how many to list, 10 if it is
not given, and --shard takes a part. --table writes each with its time to a file; with --top as well, those that are not predicted with their bound.`,
		Example: `  perf rank examples/transpose/transpose.star -p n=4096 --profile h200
  perf rank examples/launch/saxpy.star examples/launch/saxpy.yaml \
      -p n=1M --profile h200 --measure
  perf rank examples/tune/transpose.star -p n=4096 --tunables --top 3 \
      --profile h200`,
		Args: minArgs(1, "at least one file with kernels"),
		RunE: func(cmd *cobra.Command, args []string) error {
			throw.If(atLeast(0, map[string]int64{"top": int64(top)}))
			if all.on {
				return all.rank(cmd, &o, args, top)
			}
			if done, err := o.emulate(cmd, args, true, top); done || err != nil {
				return err
			}
			return o.rank(cmd, args, top)
		},
	}
	o.add(cmd)
	o.addBinary(cmd)
	o.addFrom(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure the listed kernels as well")
	cmd.Flags().BoolVar(&o.files.Disregard, "opaque", false, "rank kernels with parts that are not counted as if these took no time")
	cmd.Flags().BoolVar(&o.roofs, "roofline", false, "draw the kernels under the device's roofs")
	cmd.Flags().IntVar(&top, "top", 0, "list only this many of each size")
	all.add(cmd)
	return cmd
}

// rank ranks the kernels of files.
func (o *predictFlags) rank(cmd *cobra.Command, args []string, top int) (err error) {
	defer throw.Catch(&err)
	sizes := throw.Get(parseArguments(o.sizes))
	files, unheld, notes := campaign.SplitLaunches(cmd.Context(), o.files, args)
	warn(cmd, notes)
	if len(files) == 0 {
		return usagef("the launch files have no counts to predict their times from, and no kernel that has is beside them\n"+
			"    compare measured times: perf measure %s", strings.Join(args, " "))
	}
	cases := throw.Get(campaign.Cases(cmd.Context(), o.files, files, sizes))
	p := throw.Get(o.open(cmd, cases))
	rankings := throw.Get(p.Rankings(cases, sizes, top))
	launches := throw.Get(campaign.LoadLaunches(cmd.Context(), unheld, "", campaign.SizesOf(rankings)))
	all := campaign.PredictionsOf(rankings)
	skip(cmd, campaign.SkippedOf(rankings), len(all))
	o.narrowing(cmd, p).replace(cmd, all)
	if o.model == "" && !slices.ContainsFunc(all, (*campaign.Prediction).Applies) {
		return campaign.NoModel(all[0].Case, p.Model.Name)
	}
	o.measureRanked(cmd, p, rankings, all, launches)
	printRankings(cmd, p, rankings, all, o.roofs)
	return nil
}

// measureRanked measures the ranked kernels where that is asked for, and launch files, or finds what was measured of these before.
func (o *predictFlags) measureRanked(cmd *cobra.Command, p *campaign.Predictor, rankings []campaign.Ranking, all []*campaign.Prediction, launches *campaign.Launches) {
	if !o.measured && !launches.Any() {
		return
	}
	c, mode, err := o.campaign(cmd, p, launches, all)
	switch {
	case err != nil && !o.measured:
		panic(throw.Errorf("%w\n    a launch file has no counts to predict its time from: give --measure where its device is, or --device replay:SAMPLES.jsonl", err))
	case err != nil:
		throw.If(err)
		return
	}
	defer finish(cmd, c)
	take := c.RecordedLaunches
	if o.measured {
		o.measure(cmd, c, mode, p, all)
		take = c.MeasureLaunches
	}
	launched := throw.Get(take(cmd.Context(), mode, launches))
	warn(cmd, launched.Warnings)
	for _, r := range launched.Records {
		for _, text := range p.Doubts(&r) {
			warn(cmd, []string{warning.In(r.Kernel.String(), text)})
		}
	}
	campaign.Launch(rankings, launched.Records)
}

// printRankings prints a ranking for each size, and what is said against the predictions.
func printRankings(cmd *cobra.Command, p *campaign.Predictor, rankings []campaign.Ranking, all []*campaign.Prediction, roofs bool) {
	var known []roofline.Named
	if roofs {
		known = throw.Get(p.Rooflines(all))
	}
	throw.If(show(cmd, p.RankingsJSON(rankings), func(w io.Writer) error {
		warnOf(cmd, all)
		for i, r := range rankings {
			if len(rankings) > 1 {
				fmt.Fprintf(w, "%s%s\n", strings.Repeat("\n", min(i, 1)), format.Sizes(r.At))
			}
			if err := p.WriteRanking(w, r); err != nil {
				return err
			}
		}
		if roofs {
			roofline.Write(w, known)
		}
		return nil
	}))
}

// runnable are the cases that the model's device runs. The others are left out with a warning; it is an error where that is all of them.
func runnable(cmd *cobra.Command, p *campaign.Predictor, cases []*workload.Case) []*workload.Case {
	run, refused := throw.Get2(p.Predictable(cases))
	skip(cmd, refused, len(run))
	return run
}

// skip says which kernels are left out. Where none is left it is an error: of one kernel, why.
func skip(cmd *cobra.Command, refused []campaign.Refused, left int) {
	if len(refused) == 1 && left == 0 {
		panic(throw.Errorf("%s %s cannot run: %w", refused[0].Label, format.Sizes(refused[0].At), refused[0].Verdict))
	}
	for _, k := range refused {
		warnf(cmd, warning.LeftOut, k.Label+" "+format.Sizes(k.At), "skipped, %s: %s", k.Status, k.Reason)
	}
	if left == 0 {
		panic(throw.Of(errors.New("the device would refuse every kernel")))
	}
}
