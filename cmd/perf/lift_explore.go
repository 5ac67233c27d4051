package main

import (
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/scop/offload"
)

func liftExploreCommand() *cobra.Command {
	o := tuneFlags{strategy: "order", samples: "output", profile: noProfile, seeds: 1}
	o.Budget, o.Trials, o.Best, o.Slow, o.on.options.Limit, o.files.Schedules = 40, 4, 5, 20, 15*time.Second, offload.ByStrategy
	cmd := &cobra.Command{
		Use:   "explore PROG.lift -p n=16777216 --budget 40",
		Short: "Search the variants of a program for fast ones, on a device",
		Long: `explore is perf tune PROG.lift with the order rank, so that a ranker that learns from the runs, and from databases of other programs, says which
design points (variants with an ND-range) run next; --order is the --strategy of perf tune, whose help describes all of them. -o is the samples file. The static
features of all points are kept beside it; together they are a database for --database. Where nothing else is said, more points are listed than by perf tune, those
that are slow are repeated sooner, and no profile is used. The same command resumes an interrupted exploration.`,
		Example: `  perf lift explore examples/lift/dot.lift -p n=65536 --budget 4 \
      --count 50 -o dot.jsonl`,
		Args: exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if filepath.Ext(args[0]) != programs {
				return usagef("%s: explore takes functional programs (%s); perf tune takes other files", args[0], programs)
			}
			if o.limit > 0 && !cmd.Flags().Changed("budget") {
				o.Budget = math.MaxInt
			}
			if o.limit > 0 && !cmd.Flags().Changed("enough") && o.Strategy == "rank" {
				o.files.Lift.Enough = 0.05
			}
			return o.run(cmd, args[0])
		},
	}
	cmd.Long += measuringRuns
	o.add(cmd)
	flags := cmd.Flags()
	flags.Lookup("for").Usage = "search for so long, such as 60s, whatever the number of points; the same command goes on from there"
	flags.Lookup("enough").Usage += "; with --for 0.05"
	flags.StringVar(&o.Strategy, "order", "rank", "the order in which points are run: "+strings.Join(strategies(), ", "))
	flags.StringVarP(&o.on.options.Samples, "output", "o", "", "the samples file to add to (default: the device's own in the data directory)")
	flags.StringVar(&o.on.again, "remeasure", "", "measure again what the file has already: all, the samples noisier than a share of their median such as 5%, or those with a tag such as tune")
	return cmd
}
