package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gpuperf/internal/campaign"
	"gpuperf/internal/fleet"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/tune"
	"gpuperf/workload"
)

// allConfigurations are the flags of rank that are about the configurations of a file with tunables.
type allConfigurations struct {
	on           bool
	shard, table string
}

func (a *allConfigurations) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.on, "tunables", false, "rank all configurations of a file with tunables")
	cmd.Flags().StringVar(&a.shard, "shard", "0/1", "with --tunables: the part to rank, as number/count, from 0/4 to 3/4")
	cmd.Flags().StringVar(&a.table, "table", "", "with --tunables: write every configuration with its time, or with --top a bound of it, to this file; one that was stopped is continued")
}

// rank predicts all configurations of the one file.
func (a *allConfigurations) rank(cmd *cobra.Command, o *predictFlags, args []string, top int) (err error) {
	defer throw.Catch(&err)
	if len(args) != 1 {
		return usagef("--tunables ranks the configurations of one file, got %d", len(args))
	}
	if o.measured {
		return usagef("--tunables measures nothing; perf tune --seed-by model measures what is predicted to be fastest")
	}
	part, err := fleet.ParseShard(a.shard)
	if err != nil {
		return usagef("--shard %v", err)
	}
	at := throw.Get(parseOneSize(o.sizes))
	target := throw.Get(tune.Open(cmd.Context(), args[0], at, tune.Options{Files: o.files}))
	counted := throw.Get(target.Counted(cmd.Context(), target.Usual()))
	var cases []*workload.Case
	for _, c := range counted {
		cases = append(cases, c.Case)
	}
	guide, final := throw.Get2(o.finals(cmd))
	path, _, _ := source.CutName(args[0])
	r := tune.Ranking{Final: final, Target: target, Sizes: at, Hash: campaign.HashOfFile(path), Index: part.Index, Parts: part.Count, Top: top, All: a.table != "" && top == 0, Table: a.table}
	r.Predictor = throw.Get(guide.open(cmd, cases))
	const every = 10_000 // some seconds of work
	told := 0
	r.Progress = func(done int) {
		if done/every > told {
			told = done / every
			note(cmd, "%d configurations done", done)
		}
	}
	defer collect(runsLong)()
	result := throw.Get(r.Run(cmd.Context()))
	throw.If(show(cmd, result, result.Write))
	if len(result.Best) == 0 && len(result.Timeless) > 0 {
		return fmt.Errorf("no configuration has a time: %s", result.Timeless[0].Refused)
	}
	if len(result.Best) == 0 && result.Configurations > 0 {
		return errors.New("the device would refuse every configuration")
	}
	return nil
}
