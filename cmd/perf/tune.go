package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/calibrate/profiles"
	"gpuperf/internal/campaign"
	"gpuperf/internal/fleet"
	"gpuperf/internal/throw"
	"gpuperf/internal/tune"
	"gpuperf/scop/offload"
	"gpuperf/search"
	"gpuperf/workload"
)

// tuneLong is the help of tune.
const tuneLong = `tune runs configurations of a kernel on a device, and reports the fastest. What can be chosen stands in the file: tunables of a kernel script, as in
bm = lp.tunable("bm", [16, 32, 64]); parameters of a launch file, which are macros, sizes and the ND-range that depends on these, in its section tune or in a
file of their own that names it. Of a loop nest in a C file (perf scop) the compiler's choices are searched: the schedule, and for each kernel its
work-groups, tiles, local memory and shared sums; --schedules partitions decides the order of parts of the nest and which are fused, too, and hyperplanes
beside that by which loops the parts are run (O2 and O3 of Papenhausen and Mueller, 2018); -o then writes the C file anew. Of a functional program (perf lift) it is the recipe of rewriting, its
numbers such as tile sizes, and the ND-range; -o then writes kernels and a host function, as perf lift export does.

Results are verified as perf measure does it, and a wrong one has no time. Every configuration is kept in the samples file, so that the same command resumes
an interrupted search; with --resume those that are there count as known, and the budget is for others. A configuration that launches the same as another
is not run again, one that is much slower than the best is run once. The fastest are measured again at the end.

Where there is a profile of the device, predictions order the candidates, their error is learned from the runs, and what is hopeless is not run.

With --shard only a part of the configurations is searched. With --device all, all GPUs of the host share them and the budget, a process each, with samples
of their own, and a folder of its number in that of -o.

A samples file in place of a kernel compares strategies: all are replayed on the configurations that it has, with many seeds. The table has the runs that
it took to reach 95 % of the best recorded speed, and the best time so far over the best recorded one, as means with their confidence intervals of 95 %.
--strategy ants,random takes some alone. Of functional programs it is what perf lift explore has recorded, too.

Several sizes, as n=1024,2048, are searched together: each configuration runs at all of them. --over worst finds the one that at its worst size takes the
fewest times what the best takes there, mean the one with the least geometric mean of the times, and each one for each range of sizes, and where one hands over
to the next.

One size of a functional program may be a range, as n=1000..100000000: then recipes are chosen for parts of it, by predicted times, and it is told where
one hands over to the next. In the middle of each part as many configurations as the budget says run of its recipe, and of each of those of the parts beside it.

Strategies:
  ants       ant colony optimization over the graph of choices (Papenhausen and Mueller, 2018), with a regression tree
  bandit     several techniques, chosen by how often they found something better, as OpenTuner does
  evolution  differential evolution
  greedy     one choice of the best at a time
  model      what the model expects to be fastest; without a profile, what is near to what was fast
  random     at random, every configuration as likely as the others

Of functional programs also:
  rank       by a ranker that learns from the runs, and from samples of other programs (--database)
  descent    the Monte-Carlo descent of Steuwer et al.: each of a sample of the applicable rules is followed by a random walk down to a variant,
             which is run; the rule with the best time is kept. It makes its own variants`

func tuneCommand() *cobra.Command {
	o := tuneFlags{strategy: "strategy", samples: "samples"}
	cmd := &cobra.Command{
		Use:   "tune KERNEL.star | LAUNCH.yaml | FILE.c | PROG.lift | SAMPLES.jsonl",
		Short: "Search the configurations of a kernel, a loop nest or a functional program for fast ones, on a device",
		Long:  tuneLong,
		Example: `  perf tune examples/tune/transpose.star -p n=512 --budget 6
  perf tune examples/tune/product.yaml --budget 4 --strategy greedy
  perf tune examples/polybench/mvt.c -p n=60 --budget 3
  perf tune examples/lift/scal.lift -p n=4096 --budget 3`,
		Args: exactArgs(1, "a kernel script, a launch file, a C file, a functional program or a samples file"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	cmd.Long += measuringRuns
	o.Budget, o.Trials, o.Best, o.Slow, o.on.options.Limit = 50, 5, 3, 5, 10*time.Second
	addC(cmd, &o.files.Files)
	o.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.Strategy, "strategy", "ants", strings.Join(strategies(), ", "))
	flags.StringVar((*string)(&o.files.Schedules), "schedules", string(offload.ByStrategy), "of a C file, which schedules there are: "+strings.Join(offload.AllSchedules(), ", "))
	flags.StringVar(&o.over, "over", string(tune.Worst), "how configurations are judged at several sizes: "+strings.Join(tune.AllOvers(), ", "))
	flags.IntVar(&o.seeds, "seeds", 100, "of a samples file: with how many seeds each strategy is replayed")
	flags.StringVarP(&o.dir, "output", "o", "", "a folder to write the best configuration to")
	flags.StringVar(&o.on.options.Samples, "samples", "", "the samples file to add to (default: the device's own in the data directory)")
	return cmd
}

func (o *tuneFlags) run(cmd *cobra.Command, path string) (err error) {
	defer throw.Catch(&err)
	throw.If(atLeast(1, map[string]int64{"budget": int64(o.Budget), "trials": int64(o.Trials), "best": int64(o.Best), "seeds": int64(o.seeds)}))
	switch {
	case !(o.Slow > 1):
		return usagef("--slow %v: must be greater than 1", o.Slow)
	case !slices.Contains(tune.AllObjectives(), string(o.Objective)):
		return usagef("--objective %s: it is one of %s", o.Objective, strings.Join(tune.AllObjectives(), ", "))
	case o.limit < 0:
		return usagef("--for %v: must be more than 0", o.limit)
	case o.limit > 0:
		o.Until = time.Now().Add(o.limit)
	}
	if !slices.Contains(offload.AllSchedules(), string(o.files.Schedules)) {
		return usagef("--schedules %s: it is one of %s", o.files.Schedules, strings.Join(offload.AllSchedules(), ", "))
	}
	o.lift(cmd, path)
	if ext := filepath.Ext(strings.TrimSuffix(path, ".gz")); ext == ".jsonl" {
		o.replay(cmd, path)
		return nil
	}
	if strings.Contains(o.Strategy, ",") {
		return usagef("--%s %s: several are compared on a samples file; a search has one", o.strategy, o.Strategy)
	}
	part, err := fleet.ParseShard(o.shard)
	if err != nil {
		return usagef("--shard %v", err)
	}
	o.Part, o.Parts = part.Index, part.Count
	between, sizes := throw.Get2(tune.ParseRange(o.sizes))
	if between != nil {
		throw.If(refuse(cmd, func(name string) bool {
			return slices.Contains([]string{"shard", "seed-by", "profile", "model"}, name) || name == "device" && o.on.device == allDevices || o.dir != "" && name == "output"
		}, "--%s is of one size, and not of ranges"))
	}
	cases := throw.Get(parseSizes(sizes))
	at := cases[0]
	o.checkOver(cmd, len(cases), between != nil)
	if o.on.device == allDevices {
		o.onAll(cmd, path)
		return nil
	}
	switch isProgram := filepath.Ext(path) == programs; {
	case isProgram: // it has strategies of its own
	case between != nil:
		return usagef("-p %s=%d..%d: ranges of a size are of functional programs (%s)", between.Name, between.From, between.To, programs)
	default:
		if err := search.CheckName(o.Strategy, nil); err != nil { // sooner than the device is opened
			return usagef("--%s %s: %v", o.strategy, o.Strategy, err)
		}
	}
	o.on.options.Trials = o.Trials
	if on, ok := tune.Interface(path); ok && o.on.face == "" {
		o.on.face = on.String()
	}
	o.Campaign = throw.Get(o.on.open(cmd))
	defer finish(cmd, o.Campaign)
	if !o.Campaign.Live() {
		return usagef("--device %s: %s needs a device, not recorded samples", o.on.device, cmd.Name())
	}
	info := o.Campaign.Device.Info()
	o.files.Device = &info
	if between != nil {
		between.Others = at
		o.ranges(cmd, path, between)
		return nil
	}
	o.Target = o.open(cmd.Context(), path, cases)
	o.search(cmd)
	return nil
}

// replay compares strategies on recorded searches.
func (o *tuneFlags) replay(cmd *cobra.Command, path string) {
	var only []string
	if cmd.Flag("strategy").Changed {
		only = strings.Split(o.Strategy, ",")
	}
	for _, name := range only {
		if err := search.CheckName(name, nil); err != nil {
			panic(throw.Of(usagef("--strategy %s: %v", o.Strategy, err)))
		}
	}
	r := throw.Get(tune.NewReplay(cmd.Context(), path, o.seeds, o.Budget, only...))
	throw.If(show(cmd, r, r.Write))
}

// search searches the configurations of the target.
func (o *tuneFlags) search(cmd *cobra.Command) {
	if err := search.CheckName(o.Strategy, o.Target.Space()); err != nil {
		panic(throw.Of(usagef("--%s %s: %v", o.strategy, o.Strategy, err)))
	}
	o.predictor(cmd)
	for _, text := range o.first {
		list, err := o.Begin(cmd.Context(), text)
		if err != nil {
			panic(throw.Of(usagef("--seed-by %s: %v", text, err)))
		}
		o.First = append(o.First, list...)
	}
	o.Progress = tellRuns(cmd, o.Target.Usual())
	result, err := o.Run(cmd.Context())
	if result == nil {
		throw.If(err)
		return
	}
	warn(cmd, result.Warnings)
	if ctx := cmd.Context(); o.dir != "" && len(result.Best) > 0 && (err == nil || ctx.Err() != nil) { // who is interrupted gets what there is
		err = errors.Join(err, result.Take(context.WithoutCancel(ctx), o.dir))
	}
	throw.If(errors.Join(err, show(cmd, result.JSON(), result.Write)))
	if len(result.Best) == 0 {
		panic(throw.Of(errors.New("no configuration ran with the right results")))
	}
}

// noProfile stands for a search without predictions.
const noProfile = "none"

// predictor finds the model that orders candidates: of the profile that is named, or of the device's own.
func (o *tuneFlags) predictor(cmd *cobra.Command) {
	dev := o.Campaign.Device.Info().Fingerprint
	if o.profile == noProfile {
		return
	}
	if o.profile == "" {
		found, dir := throw.Get2(ownProfiles())
		own := campaign.DeviceFile(dir, "profiles", dev, ".yaml")
		for _, path := range append(found, profiles.All.Names()...) {
			if p, err := campaign.LoadProfile(path); path == own || err == nil && p.Device.Covers(dev) {
				o.profile = path
			}
		}
	}
	if o.profile == "" {
		if o.model != "" {
			panic(throw.Of(usagef("--model %s: give the --profile that holds it", o.model)))
		}
		return
	}
	counted, err := o.Target.Counted(cmd.Context(), o.Target.Usual())
	if err != nil {
		note(cmd, "no predictions: %v", err)
		return
	}
	var cases []*workload.Case
	for _, c := range counted {
		cases = append(cases, c.Case)
	}
	o.Predictor = throw.Get((&predictFlags{profile: o.profile, model: o.model}).open(cmd, cases))
	warnNow(cmd, o.Predictor.Elsewhere(dev))
}
