package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/internal/tune"
	"gpuperf/lift/explore"
	"gpuperf/samples"
	"gpuperf/search"
)

// tuneFlags are those of tune.
type tuneFlags struct {
	tune.Search
	on      measureFlags
	sizes   []string
	files   tune.Options
	model   string
	profile string
	first   []string
	limit   time.Duration
	dir     string
	seeds   int
	over    string
	shard   string
	// The flags of the strategy and of the samples file: lift explore has other names for them.
	strategy, samples string

	databases []string
}

func strategies() []string { return append(search.Names(nil), explore.Strategies()...) }

// add adds the flags of tune and lift explore, whose values are the defaults.
func (o *tuneFlags) add(cmd *cobra.Command) {
	addSizes(cmd, &o.sizes)
	flags := cmd.Flags()
	flags.IntVar(&o.Budget, "budget", o.Budget, "the most configurations to run")
	flags.DurationVar(&o.limit, "for", 0, "end the search after this time, as in 2m (default: no limit)")
	flags.Uint64Var(&o.Seed, "seed", 1, "the seed of what is random")
	flags.StringArrayVar(&o.first, "seed-by", nil, "what to run first: a configuration, as bm=16,bn=32; model, what is predicted to be fastest; or emulator, what perf emulate --search finds (may be repeated)")
	flags.BoolVar(&o.Resume, "resume", false, "take what the samples file has of earlier searches as known")
	flags.StringVar(&o.profile, "profile", o.profile, "the profile of the device (default: its own, if there is one), or none for a search without predictions"+shipped())
	flags.StringVar(&o.model, "model", "", "the model to use, of those in the profile")
	flags.IntVar(&o.Trials, "trials", o.Trials, "trials of each configuration")
	flags.IntVar(&o.Best, "best", o.Best, "how many of the fastest to measure again with more trials, and to list")
	flags.Float64Var(&o.Slow, "slow", o.Slow, "do not repeat what first takes more than this many times the best time so far")
	flags.StringVar(&o.on.device, "device", "", "the device: an index or part of a name as perf devices lists them; all shares the work among all GPUs of the host")
	flags.StringVar(&o.shard, "shard", "0/1", "search a part of the configurations, as number/count, from 0/4 to 3/4")
	flags.StringVar(&o.on.face, "interface", "", "how to drive the device: cuda or opencl (default: cuda where there is a driver for it)")
	flags.BoolVar(&o.on.options.Retry, "retry", false, "run again what failed before")
	flags.DurationVar(&o.on.options.Limit, "limit", o.on.options.Limit, "time limit for building and running one configuration")
	flags.IntVar(&o.on.options.Jobs, "jobs", 0, fmt.Sprintf("programs to build, and results to verify, in parallel (default: the number of processors, at most %d)", campaign.MaxJobs))
	flags.StringVar((*string)(&o.Objective), "objective", string(tune.Time), "what the fastest (--best) are ordered by: "+strings.Join(tune.AllObjectives(), " or ")+"; energy is measured where NVIDIA's management library tells it")
	o.addLift(cmd)
}

// open opens the target at its sizes.
func (o *tuneFlags) open(ctx context.Context, path string, cases []map[string]int64) tune.Target {
	if len(cases) > 1 {
		return throw.Get(tune.OpenSeveral(ctx, path, cases, tune.Over(o.over), o.files))
	}
	return throw.Get(tune.Open(ctx, path, cases[0], o.files))
}

// checkOver refuses what is not for several sizes, or for these alone.
func (o *tuneFlags) checkOver(cmd *cobra.Command, sizes int, isRange bool) {
	switch {
	case o.over != "" && !slices.Contains(tune.AllOvers(), o.over):
		panic(throw.Of(usagef("--over %s: it is one of %s", o.over, strings.Join(tune.AllOvers(), ", "))))
	case sizes > 1 && isRange:
		panic(throw.Of(usagef("-p: either one size is a range, or there are several sizes")))
	case sizes > 1:
		throw.If(refuse(cmd, func(name string) bool {
			return name == "resume" || name == "objective" && o.Objective == tune.Energy || name == "device" && o.on.device == allDevices
		}, "--%s is of one size, and not of several"))
		return
	}
	throw.If(refuse(cmd, func(name string) bool { return name == "over" }, "--%s is for several sizes, such as -p n=1024,2048"))
}

// tellRuns prints what fails, what is the best so far, every tenth run and the last one: as what of the configuration is not the usual one.
func tellRuns(cmd *cobra.Command, usual search.Config) func(tune.Event) {
	const (
		every = 10 // runs between two lines on progress
		told  = 5  // failures of each status; the rest is in the summary
	)
	failures := map[samples.Status]int{}
	return func(e tune.Event) {
		what := "the usual configuration"
		if own := e.Config.Without(usual); len(own) > 0 {
			what = spaced(own)
		}
		at := fmt.Sprintf("[%d/%d]", e.Done, e.Budget)
		if e.Budget == math.MaxInt { // the time is the limit
			at = fmt.Sprintf("[%d]", e.Done)
		}
		switch {
		case e.Seconds() == 0:
			if failures[e.Record.Status]++; failures[e.Record.Status] <= told {
				note(cmd, "%s %s, %s: %s", at, e.Record.Status, e.Record.Error, what)
			}
		case e.Best:
			note(cmd, "%s %s, the best so far: %s", at, format.Seconds(e.Seconds()), what)
		case e.Done%every == 0 || e.Done == e.Budget:
			note(cmd, "%s %s: %s", at, format.Seconds(e.Seconds()), what)
		}
	}
}
