package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/calibrate/profiles"
	"gpuperf/device/machine"
	"gpuperf/internal/campaign"
	"gpuperf/internal/fleet"
	"gpuperf/internal/format"
	"gpuperf/internal/tune"
	"gpuperf/lift/explore"
	"gpuperf/scop/offload"
	"gpuperf/search"
	"gpuperf/workload"
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
	shard   string
	samples string // the flag of the samples file

	databases []string
}

func tuneCommand() *cobra.Command {
	o := tuneFlags{samples: "samples"}
	cmd := &cobra.Command{
		Use:   "tune KERNEL.star | LAUNCH.yaml | FILE.c | PROG.lift | SAMPLES.jsonl",
		Short: "Search the configurations of a kernel, a loop nest or a functional program for fast ones, on a device",
		Long: `tune runs configurations of a kernel on a device, and reports the fastest. What can be chosen stands in the file: tunables of a kernel script, as in
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
--strategy ants,random takes some alone.

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
             which is run; the rule with the best time is kept. It makes its own variants`,
		Example: `  perf tune examples/tune/transpose.star -p n=512 --budget 6
  perf tune examples/tune/product.yaml --budget 4 --strategy greedy
  perf tune examples/polybench/mvt.c -p n=60 --budget 3
  perf tune examples/lift/scal.lift -p n=4096 --budget 3`,
		Args: exactArgs(1, "a kernel script, a launch file, a C file, a functional program or a samples file"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	cmd.Long += measuringRuns
	addSizes(cmd, &o.sizes)
	addC(cmd, &o.files.Files)
	flags := cmd.Flags()
	flags.IntVar(&o.Budget, "budget", 50, "the most configurations to run")
	flags.DurationVar(&o.limit, "for", 0, "end the search after this time, as in 2m (default: no limit)")
	flags.StringVar(&o.Strategy, "strategy", "ants", strings.Join(append(search.Names(nil), explore.Strategies()...), ", "))
	flags.StringVar((*string)(&o.files.Schedules), "schedules", string(offload.ByStrategy), "of a C file, which schedules there are: "+strings.Join(offload.AllSchedules(), ", "))
	flags.Uint64Var(&o.Seed, "seed", 1, "the seed of what is random")
	flags.IntVar(&o.seeds, "seeds", 100, "of a samples file: with how many seeds each strategy is replayed")
	flags.StringArrayVar(&o.first, "seed-by", nil, "what to run first: a configuration, as bm=16,bn=32; model, what is predicted to be fastest; or emulator, what perf emulate --search finds (may be repeated)")
	flags.BoolVar(&o.Resume, "resume", false, "take what the samples file has of earlier searches as known")
	flags.StringVar(&o.profile, "profile", "", "the profile of the device (default: its own, if there is one), or none for a search without predictions"+shipped())
	flags.StringVar(&o.model, "model", "", "the model to use, of those in the profile")
	flags.StringVarP(&o.dir, "output", "o", "", "a folder to write the best configuration to")
	flags.IntVar(&o.Trials, "trials", 5, "trials of each configuration")
	flags.IntVar(&o.Best, "best", 3, "how many of the fastest to measure again with more trials, and to list")
	flags.Float64Var(&o.Slow, "slow", 5, "do not repeat what first takes more than this many times the best time so far")
	flags.StringVar(&o.on.device, "device", "", ofDevices)
	flags.StringVar(&o.shard, "shard", "0/1", ofShards)
	flags.StringVar(&o.on.face, "interface", "", "how to drive the device: cuda or opencl (default: cuda where there is a driver for it)")
	flags.StringVar(&o.on.options.Samples, "samples", "", "the samples file to add to (default: the device's own in the data directory)")
	flags.BoolVar(&o.on.options.Retry, "retry", false, "run again what failed before")
	flags.DurationVar(&o.on.options.Limit, "limit", 10*time.Second, "time limit for building and running one configuration")
	flags.IntVar(&o.on.options.Jobs, "jobs", 0, fmt.Sprintf("programs to build, and results to verify, in parallel (default: the number of processors, at most %d)", campaign.MaxJobs))
	o.addLift(cmd)
	return cmd
}

func (o *tuneFlags) run(cmd *cobra.Command, path string) (err error) {
	if err := atLeast(1, map[string]int64{"budget": int64(o.Budget), "trials": int64(o.Trials), "best": int64(o.Best), "seeds": int64(o.seeds)}); err != nil {
		return err
	}
	switch {
	case !(o.Slow > 1):
		return usagef("--slow %v: must be greater than 1", o.Slow)
	case o.limit < 0:
		return usagef("--for %v: must be more than 0", o.limit)
	case o.limit > 0:
		o.Until = time.Now().Add(o.limit)
	}
	if !slices.Contains(offload.AllSchedules(), string(o.files.Schedules)) {
		return usagef("--schedules %s: it is one of %s", o.files.Schedules, strings.Join(offload.AllSchedules(), ", "))
	}
	if err := o.lift(cmd, path); err != nil {
		return err
	}
	if ext := filepath.Ext(strings.TrimSuffix(path, ".gz")); ext == ".jsonl" {
		var only []string
		if cmd.Flag("strategy").Changed {
			only = strings.Split(o.Strategy, ",")
		}
		for _, name := range only {
			if err := search.CheckName(name, nil); err != nil {
				return usagef("--strategy %s: %v", o.Strategy, err)
			}
		}
		r, err := tune.NewReplay(cmd.Context(), path, o.seeds, o.Budget, only...)
		if err != nil {
			return err
		}
		return show(cmd, r, r.Write)
	}
	if strings.Contains(o.Strategy, ",") {
		return usagef("--strategy %s: several are compared on a samples file; a search has one", o.Strategy)
	}
	part, err := fleet.ParseShard(o.shard)
	if err != nil {
		return usagef("--shard %v", err)
	}
	o.Part, o.Parts = part.Index, part.Count
	at, err := parseOneSize(o.sizes)
	if err != nil {
		return err
	}
	if filepath.Ext(path) != programs {
		if err := search.CheckName(o.Strategy, nil); err != nil { // sooner than the device is opened
			return usagef("--strategy %s: %v", o.Strategy, err)
		}
	}
	if o.on.device == allDevices {
		return o.onAll(cmd, path)
	}
	o.on.options.Trials = o.Trials
	c, err := o.on.open(cmd)
	if err != nil {
		return err
	}
	defer finish(cmd, c)
	if !c.Live() {
		return usagef("--device %s: tune needs a device, not recorded samples", o.on.device)
	}
	info := c.Device.Info()
	o.files.On, o.files.Device = machine.Told(info), &info
	if o.Target, err = tune.Open(cmd.Context(), path, at, o.files); err != nil {
		return err
	}
	if err := search.CheckName(o.Strategy, o.Target.Space()); err != nil {
		return usagef("--strategy %s: %v", o.Strategy, err)
	}
	o.Campaign = c
	if err := o.predictor(cmd); err != nil {
		return err
	}
	for _, text := range o.first {
		list, err := o.Begin(cmd.Context(), text)
		if err != nil {
			return usagef("--seed-by %s: %v", text, err)
		}
		o.First = append(o.First, list...)
	}
	usual := o.Target.Usual()
	o.Progress = func(e tune.Event) { tellRun(cmd, e, usual) }
	result, err := o.Run(cmd.Context())
	if result == nil {
		return err
	}
	warn(cmd, result.Warnings)
	if o.dir != "" && len(result.Best) > 0 && err == nil {
		err = result.Take(cmd.Context(), o.dir)
	}
	if err := errors.Join(err, show(cmd, result.JSON(), result.Write)); err != nil {
		return err
	}
	if len(result.Best) == 0 {
		return errors.New("no configuration ran with the right results")
	}
	return nil
}

// What flags of a search say.
const (
	ofDevices = "the device: an index or part of a name as perf devices lists them; all shares the work among all GPUs of the host"
	ofShards  = "search a part of the configurations, as number/count, from 0/4 to 3/4"
)

// noProfile stands for a search without predictions.
const noProfile = "none"

// predictor finds the model that orders candidates: of the profile that is named, or of the device's own.
func (o *tuneFlags) predictor(cmd *cobra.Command) error {
	dev := o.Campaign.Device.Info().Fingerprint
	if o.profile == noProfile {
		return nil
	}
	if o.profile == "" {
		found, dir, err := ownProfiles()
		if err != nil {
			return err
		}
		own := campaign.DeviceFile(dir, "profiles", dev, ".yaml")
		for _, path := range append(found, profiles.All.Names()...) {
			if p, err := campaign.LoadProfile(path); path == own || err == nil && p.Device.Covers(dev) {
				o.profile = path
			}
		}
	}
	if o.profile == "" {
		if o.model != "" {
			return usagef("--model %s: give the --profile that holds it", o.model)
		}
		return nil
	}
	counted, err := o.Target.Counted(cmd.Context(), o.Target.Usual())
	if err != nil {
		note(cmd, "no predictions: %v", err)
		return nil
	}
	var cases []*workload.Case
	for _, c := range counted {
		cases = append(cases, c.Case)
	}
	o.Predictor, err = (&predictFlags{profile: o.profile, model: o.model}).open(cmd, cases)
	return err
}

// tellRun prints what fails, what is the best so far, every tenth run and the last one: as what of the configuration is not the usual one.
func tellRun(cmd *cobra.Command, e tune.Event, usual search.Config) {
	const every = 10
	what := "the usual configuration"
	if own := e.Config.Without(usual); len(own) > 0 {
		what = spaced(own)
	}
	at := fmt.Sprintf("[%d/%d]", e.Done, e.Budget)
	switch {
	case e.Seconds() == 0:
		note(cmd, "%s %s, %s: %s", at, e.Record.Status, e.Record.Error, what)
	case e.Best:
		note(cmd, "%s %s, the best so far: %s", at, format.Seconds(e.Seconds()), what)
	case e.Done%every == 0 || e.Done == e.Budget:
		note(cmd, "%s %s: %s", at, format.Seconds(e.Seconds()), what)
	}
}
