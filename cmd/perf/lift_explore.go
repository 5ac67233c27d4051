package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/internal/format"
	"gpuperf/launch"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
	"gpuperf/roofline"
	"gpuperf/samples"
	"gpuperf/workload"
)

// vectorsFile is where the vectors of the samples of a file are kept.
func vectorsFile(samples string) string {
	base, packed := strings.CutSuffix(samples, ".gz")
	path := strings.TrimSuffix(base, ".jsonl") + ".vectors.jsonl"
	if packed {
		path += ".gz"
	}
	return path
}

// loadDatabase reads training databases: samples files, each with its vectors beside it. Points of the benchmark left out are
// not in it. The device is that of the first file.
func loadDatabase(cmd *cobra.Command, files []string, without string) (*rank.Set, *facts.Device, error) {
	return loadPoints(cmd, files, without, false)
}

// loadPoints is loadDatabase; with own, features that explorations do not have now may stand in the files, all of them alike.
// Points have the features that all files have, of those that depend on the device.
func loadPoints(cmd *cobra.Command, files []string, without string, own bool) (*rank.Set, *facts.Device, error) {
	var first *facts.Device
	var sets []*rank.Set
	names, always := allFeatures(), launch.Names(nil)
	for _, file := range files {
		set, device, err := loadSet(cmd, vectorsFile(file), file)
		if err != nil {
			return nil, nil, err
		}
		if first == nil {
			first = device
		}
		if len(set.Points) == 0 {
			continue
		}
		lacks := func(name string) bool { return !slices.Contains(set.Names, name) }
		if own && len(sets) == 0 && slices.ContainsFunc(always, lacks) {
			names = set.Names
		}
		names = slices.DeleteFunc(names, func(name string) bool { return lacks(name) && !slices.Contains(always, name) })
		sets = append(sets, set.Where(func(p *rank.Point) bool { return p.Benchmark != without }))
	}
	all := &rank.Set{Names: names}
	for i, set := range sets {
		part, err := set.Select(names)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", vectorsFile(files[i]), err)
		}
		all.Points = append(all.Points, part.Points...)
	}
	return all, first, nil
}

// allFeatures are the names of all static features.
func allFeatures() (names []string) {
	for _, f := range launch.Features() {
		names = append(names, f.Name)
	}
	return names
}

func liftExploreCommand() *cobra.Command {
	var o spaceOptions
	var on measureFlags
	var search explore.Search
	var databases []string
	var model modelOptions
	cmd := &cobra.Command{
		Use:   "explore PROG.lift -s n=16777216 --budget 40",
		Short: "Search the variants of a program for fast ones, on a device",
		Long: `explore derives variants of a program, orders their design points (a variant with an ND-range), runs the first of them, and reports
the best. The results of each are compared with those of a reference variant on the device, in every element; the reference is
held against the meaning of the program at a small size. A point that is wrong, crashes, is refused or takes too long is noted as
such in the journal, beside which the static features of all points are kept: together they are a database for --database. The
same command goes on where it was stopped.

Orders:
  rank     what a ranker says, which learns from databases of other programs and from this exploration
  random   at random
  descent  the Monte-Carlo descent of Steuwer et al.: of the rules that apply, each of a sample is followed by a random walk down to
           a variant, which is run; the rule with the best time is kept. It makes its own variants`,
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
				return usagef("--slow %v: it is greater than 1", search.Slow)
			}
			if search.Ranker != "" {
				r, err := rank.Find(search.Ranker)
				switch {
				case err != nil:
					return usage(err)
				case search.Order != "rank":
					return usagef("--ranker %s: the order %s asks no ranker", search.Ranker, search.Order)
				case r.Predicted() && model.profile == "":
					return usagef("--ranker %s: it needs the times that a model predicts: give a --profile", search.Ranker)
				}
			}
			if on.options.Limit == 0 {
				on.options.Limit = 15 * time.Second
			}
			defer rareCollections()()
			search.Trials = on.options.Trials
			c, err := on.open(cmd)
			if err != nil {
				return err
			}
			defer finish(cmd, c)
			if !c.Live() {
				return usagef("--device %s: an exploration runs on a device, not on records", on.device)
			}
			info := c.Device.Info()
			start := time.Now()
			if search.Space, err = o.open(args[0], &info); err != nil {
				return err
			}
			s := search.Space
			note(cmd, "%d variants, %d design points in %v", len(s.Derived.Variants), len(s.Points), time.Since(start).Round(time.Millisecond))
			device := facts.Of(info.Fingerprint)
			if err := model.set(cmd, s, device); err != nil {
				return err
			}
			if search.Train, _, err = loadDatabase(cmd, databases, s.Program.Name); err != nil {
				return err
			}
			search.Seed = o.seed
			search.Static = launch.Options{SubgroupSize: int(info.SubgroupSize), Device: device}
			search.Campaign = c
			search.Vectors = vectorsFile(c.SamplesFile())
			search.Progress = exploreProgress(cmd)
			result, err := search.Run(cmd.Context())
			if err != nil {
				return err
			}
			note(cmd, "explored in %v", time.Since(start).Round(time.Millisecond))
			return printExploration(cmd, s, result, device)
		},
	}
	o.addFlags(cmd)
	on.add(cmd)
	model.addFlags(cmd)
	flags := cmd.Flags()
	flags.Lookup("trials").Usage = "trials of each point (default 4; those that were fastest are measured again, with up to 60)"
	flags.Lookup("limit").Usage = "give up a point whose building and trials take longer (default 15s)"
	flags.IntVar(&search.Budget, "budget", 40, "points to run, at most")
	flags.StringVar(&search.Order, "order", "rank", "the order in which points are run: "+strings.Join(explore.Orders(), ", "))
	flags.StringVar(&search.Ranker, "ranker", "", "the ranker of the order rank (default "+rank.Default+"; see perf lift rank --help)")
	flags.StringArrayVar(&databases, "database", nil, "samples of earlier explorations to learn from (may be repeated); those of this program are left out")
	flags.IntVar(&search.Best, "best", 5, "the fastest points to measure again, with care, and to list")
	flags.Float64Var(&search.Slow, "slow", 20, "points whose first run takes so many times the best time so far are not run again")
	flags.IntVar(&search.Round, "round", 0, "points to run between two looks at the outcomes (default: a quarter of the budget, at most 10; for --order random all)")
	return cmd
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

func printExploration(cmd *cobra.Command, s *explore.Space, r *explore.Result, device *facts.Device) error {
	var none error
	if len(r.Best) == 0 {
		none = errors.New("no point ran with the right results")
	}
	if wantJSON(cmd) {
		type runJSON struct {
			Variant variantJSON `json:"variant"`
			Local   [3]int64    `json:"local"`
			Global  [3]int64    `json:"global"`
			Seconds float64     `json:"seconds"`
			Trials  int         `json:"trials"`
			Run     int         `json:"run"` // its place in the order
			Roof    *roof       `json:"roof,omitempty"`
		}
		best := []runJSON{}
		for _, b := range r.Best {
			at := slices.IndexFunc(r.Runs, func(x explore.Run) bool { return x.Point == b.Point })
			best = append(best, runJSON{variantOf(b.Point.Variant), b.Point.Local, b.Point.Global, b.Record.Seconds(), len(b.Record.Trials), at + 1, roofOf(b.Point, s.Names(), device)})
		}
		if err := printJSON(cmd.OutOrStdout(), map[string]any{
			"program": s.Program.Name, "sizes": s.Sizes, "runs": len(r.Runs), "statuses": r.Statuses, "best": best,
			"not_lowered": r.Left, "reference": variantOf(r.Reference.Variant), "verified_at": r.Verified, "warnings": append([]string{}, r.Warnings...),
		}); err != nil {
			return err
		}
		return none
	}
	warn(cmd, r.Warnings)
	out := cmd.OutOrStdout()
	fmt.Fprint(out, s.Program.Name)
	if len(s.Sizes) > 0 {
		fmt.Fprintf(out, ", %s", workload.FormatSizes(s.Sizes))
	}
	fmt.Fprintf(out, ": %d points run", len(r.Runs))
	for _, status := range slices.Sorted(maps.Keys(r.Statuses)) {
		fmt.Fprintf(out, ", %d %s", r.Statuses[status], status)
	}
	fmt.Fprintf(out, "; compared with %s\n", referenceText(r.Reference, r.Verified))
	for _, text := range slices.Sorted(maps.Keys(r.Reasons)) {
		warnf(cmd, "%d points left out: %s", r.Reasons[text], text)
	}
	if none != nil {
		return none
	}
	_, known := roofline.Global(device)
	header := []string{"variant", ">time", ">trials", ">run", "work-items", "recipe"}
	if known {
		header = slices.Insert(header, 2, ">of roof")
	}
	t := format.NewTable(header...)
	for _, b := range r.Best {
		at := slices.IndexFunc(r.Runs, func(x explore.Run) bool { return x.Point == b.Point })
		row := []string{b.Point.Variant.ID, format.Seconds(b.Record.Seconds()), fmt.Sprint(len(b.Record.Trials)), fmt.Sprint(at + 1), b.Point.Range.String(), b.Point.Variant.Recipe}
		if known {
			share := "-"
			if roof := roofOf(b.Point, s.Names(), device); roof != nil {
				share = fmt.Sprintf("%.1f %%", 100*roof.Seconds/b.Record.Seconds())
			}
			row = slices.Insert(row, 2, share)
		}
		t.Row(row...)
	}
	t.Write(out)
	if roof := roofOf(r.Best[0].Point, s.Names(), device); roof != nil {
		fmt.Fprintf(out, "roofline: %s\n", roof.text())
	}
	fmt.Fprintf(out, "\n%s", r.Best[0].Point.Variant.Program)
	return nil
}
