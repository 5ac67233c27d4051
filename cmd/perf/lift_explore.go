package main

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/internal/fleet"
	"gpuperf/internal/format"
	"gpuperf/launch"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
	"gpuperf/samples"
)

func liftExploreCommand() *cobra.Command {
	var o spaceOptions
	var on measureFlags
	var search explore.Search
	var databases []string
	var model modelOptions
	var shard string
	cmd := &cobra.Command{
		Use:   "explore PROG.lift -p n=16777216 --budget 40",
		Short: "Search the variants of a program for fast ones, on a device",
		Long: `explore derives variants of a program, orders their design points (a variant with an ND-range), runs the first of them, and reports
the best. Every element of the results is compared with those of a reference variant on the device; the reference itself is
checked against the meaning of the program at a small size. A point that is wrong, crashes, is refused or takes too long is recorded as
such in the journal. The static features of all points are kept beside it; together they are a database for --database. The
same command resumes an interrupted exploration.

One size may be a range, as n=1000..100000000: then recipes are chosen for parts of it, by predicted times, and it is told where one hands over
to the next. In the middle of each part as many points as the budget says run of its recipe, and of those of the parts beside it.

perf tune PROG.lift --strategy rank or descent searches so too, at one size, with what perf tune has for all kinds of kernels; it keeps no features.

With --device all, all GPUs of the host share the design points and the budget, a process each, with samples of their own.

Orders:
  rank     by a ranker that learns from databases of other programs and from this exploration
  random   at random
  descent  the Monte-Carlo descent of Steuwer et al.: each of a sample of the applicable rules is followed by a random walk down to
           a variant, which is run; the rule with the best time is kept. It makes its own variants`,
		Example: `  perf lift explore examples/lift/dot.lift -p n=65536 --budget 4 \
      --count 50 -o dot.jsonl`,
		Args: exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(explore.Orders(), search.Order) {
				return usagef("--order %s: the orders are %s", search.Order, strings.Join(explore.Orders(), ", "))
			}
			if err := errors.Join(
				atLeast(1, map[string]int64{"budget": int64(search.Budget), "best": int64(search.Best)}),
				atLeast(0, map[string]int64{"round": int64(search.Round)}),
			); err != nil {
				return err
			}
			if !(search.Slow > 1) {
				return usagef("--slow %v: must be greater than 1", search.Slow)
			}
			if search.Ranker != "" {
				if search.Order != "rank" {
					return usagef("--ranker %s: the order %s uses no ranker", search.Ranker, search.Order)
				}
				if _, err := findRanker(search.Ranker, model); err != nil {
					return err
				}
			}
			if search.For < 0 || !(search.Enough >= 0 && search.Enough < 1) {
				return usagef("--for %v --enough %v: a time, and a probability below 1", search.For, search.Enough)
			}
			if search.For > 0 && !cmd.Flags().Changed("budget") {
				search.Budget = math.MaxInt32
			}
			if search.For > 0 && !cmd.Flags().Changed("enough") {
				search.Enough = 0.05
			}
			if on.options.Limit == 0 {
				on.options.Limit = 15 * time.Second
			}
			search.Trials = on.options.Trials
			part, err := fleet.ParseShard(shard)
			if err != nil {
				return usagef("--shard %v", err)
			}
			if on.device == allDevices {
				all := tuneFlags{on: on, samples: "output"}
				all.Budget = search.Budget
				return all.onAll(cmd, args[0])
			}
			c, err := on.open(cmd)
			if err != nil {
				return err
			}
			defer finish(cmd, c)
			if !c.Live() {
				return usagef("--device %s: explore needs a device, not recorded samples", on.device)
			}
			info := c.Device.Info()
			start := time.Now()
			r, rest, err := explore.ParseRange(o.sizes)
			if err != nil {
				return err
			}
			if r != nil && part.Count > 1 {
				return usagef("--shard %s: ranges of a size have no parts", shard)
			}
			if r != nil {
				search.Campaign = c
				o.sizes = rest
				return exploreRanges(cmd, &o, r, args[0], search, databases)
			}
			if search.Space, err = o.open(args[0], &info); err != nil {
				return err
			}
			s := search.Space
			var own []*explore.Point
			for i, p := range s.Points {
				if part.Has(i) {
					own = append(own, p)
				}
			}
			s.Points = own
			note(cmd, "%s, %s in %v", format.Count(len(s.Derived.Variants), "variant"), format.Count(len(s.Points), "design point"), time.Since(start).Round(time.Millisecond))
			device := facts.Of(info.Fingerprint)
			if err := model.set(cmd, s, device); err != nil {
				return err
			}
			db, err := loadDatabase(cmd, databases, s.Program.Name, false)
			if err != nil {
				return err
			}
			search.Train = db.Set
			search.Seed = o.Seed + int64(part.Index)
			search.Static = launch.Options{SubgroupSize: int(info.SubgroupSize), Device: device, Traffic: search.Static.Traffic}
			search.Campaign = c
			search.Vectors = rank.VectorsFile(c.SamplesFile())
			search.Progress = exploreProgress(cmd)
			result, err := search.Run(cmd.Context())
			if err != nil {
				return err
			}
			note(cmd, "explored in %v", time.Since(start).Round(time.Millisecond))
			if !wantJSON(cmd) {
				warn(cmd, append(result.Warnings, result.LeftOut()...))
			}
			if err := show(cmd, result.JSON(), result.Write); err != nil {
				return err
			}
			if len(result.Best) == 0 {
				return errors.New("no point ran with the right results")
			}
			return nil
		},
	}
	o.addFlags(cmd)
	addExpected(cmd, &o.Request)
	on.add(cmd)
	model.addFlags(cmd)
	flags := cmd.Flags()
	flags.Lookup("trials").Usage = "trials of each point (default 4; those that were fastest are measured again, with up to 60)"
	flags.Lookup("limit").Usage = "give up a point whose building and trials take longer (default 15s)"
	flags.Lookup("device").Usage = "the device: an index or part of a name as perf devices lists them; all shares the work among all GPUs of the host"
	flags.StringVar(&shard, "shard", "0/1", "explore a part of the design points, as number/count, from 0/4 to 3/4")
	flags.IntVar(&search.Budget, "budget", 40, "the most points to run")
	flags.DurationVar(&search.For, "for", 0, "choose points for so long, such as 60s, whatever their number; the same command goes on from there")
	flags.Float64Var(&search.Enough, "enough", 0, "stop where as many more points as have run find one that is 2 % faster with less than this probability (0: never; with --for 0.05)")
	flags.StringVar(&search.Order, "order", "rank", "the order in which points are run: "+strings.Join(explore.Orders(), ", "))
	flags.StringVar(&search.Ranker, "ranker", "", "the ranker of the order rank (default "+rank.Default+"; see perf lift rank --help)")
	trafficFlag(cmd, &search.Static.Traffic)
	flags.StringArrayVar(&databases, "database", nil, "samples of earlier explorations to learn from, except those of this program (may be repeated)")
	flags.IntVar(&search.Best, "best", 5, "how many of the fastest points to measure again with more trials, and to list")
	flags.Float64Var(&search.Slow, "slow", 20, "do not repeat points whose first run takes more than this many times the best time so far")
	flags.IntVar(&search.Round, "round", 0, "points to run before the order is updated (default: a quarter of the budget, at most 10; for --order random the whole budget)")
	return cmd
}

// exploreRanges chooses recipes for ranges of a size, and runs points of them.
func exploreRanges(cmd *cobra.Command, o *spaceOptions, sizes *explore.Sizes, path string, search explore.Search, databases []string) error {
	var err error
	if len(o.sizes) > 0 {
		if sizes.Others, err = parseOneSize(o.sizes); err != nil {
			return err
		}
	}
	info := search.Campaign.Device.Info()
	r, err := o.OpenRange(path, sizes, &info)
	if err != nil {
		return err
	}
	db, err := loadDatabase(cmd, databases, r.Program.Name, false)
	if err != nil {
		return err
	}
	device := facts.Of(info.Fingerprint)
	r.Train, r.Static = db.Set, launch.Options{SubgroupSize: int(info.SubgroupSize), Device: device, Traffic: search.Static.Traffic}
	list, err := r.Choose()
	if err != nil {
		return err
	}
	note(cmd, "%s chosen by predicted times", format.Count(len(list), "range"))
	search.Train, search.Seed, search.Static = db.Set, o.Seed, r.Static
	search.Vectors = rank.VectorsFile(search.Campaign.SamplesFile())
	search.Progress = exploreProgress(cmd)
	warnings, err := r.Measure(cmd.Context(), list, search)
	if err != nil {
		return err
	}
	if !wantJSON(cmd) {
		warn(cmd, warnings)
	}
	return show(cmd, r.JSON(list, warnings), func(w io.Writer) error { return r.Write(w, list) })
}

// exploreProgress prints what fails and what is the best so far, and every hundredth point.
func exploreProgress(cmd *cobra.Command) func(explore.Event) {
	const every = 100
	failures := map[samples.Status]int{}
	return func(e explore.Event) {
		switch {
		case e.Record.Status != samples.OK:
			const told = 5 // of each status; the rest is in the summary
			if failures[e.Record.Status]++; failures[e.Record.Status] <= told {
				note(cmd, "%s", e)
			}
		case e.Best:
			note(cmd, "%s  %s, the best so far", e, format.Seconds(e.Record.Seconds()))
		case e.Done%every == 0:
			note(cmd, "%s  %s", e, format.Seconds(e.Record.Seconds()))
		}
	}
}
