package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/emulate/search"
	"gpuperf/emulate/survey"
	"gpuperf/emulate/timeline"
	"gpuperf/internal/advise"
	"gpuperf/internal/campaign"
	"gpuperf/internal/counters"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/launchfile"
	"gpuperf/samples"
	"gpuperf/workload"
)

// emulated is what is emulated, and how.
type emulated struct {
	countedKernels
	launches.Request
	triton, timeline string
	cycles           int64
	search, times    bool
}

func emulateCommand() *cobra.Command {
	var o emulated
	cmd := &cobra.Command{
		Use:   "emulate LAUNCH.yaml | DIR | KERNEL -p n=4096 | PROG.lift -p n=4096 --variant ID",
		Short: "Tell from machine code how long a launch takes, and why",
		Long: `emulate goes through the machine code of a launch on a model of a GPU, without running it: how long it takes, what its sub-groups
wait for, which unit binds, and whether by its latency or its throughput. It needs no GPU.

The code is the listing or cubin that the launch file or --code names; otherwise the source, or the one that is written for a kernel, is compiled, which
needs CUDA's toolkit; where there is none, perf sass -o tells on another machine what to bring. Launches that follow each other, as those of a program, are
emulated one by one, and their times added up.

The sensitivity of a parameter is the relative change of the time over that of the parameter, when this is raised by 10 %: near 1 is the
bottleneck. A latency that binds asks for more instructions under way; a gap, for less work on that unit. What would help follows, each with its gain.

Several kernels, sizes, codes or devices give a table, and with --compare what is different. A device that does not exist is a data sheet that names
another as its architecture, and says what is not as there. Where data that is not known decides, emulate prints what to write under assume in the launch
file; counts by --profile-guided say it too.

A folder of launch files, as of perf capture, gives a table: the launches of an application by their time. --triton ranks what Triton has
compiled of a kernel: docs/howto/triton.md says how a description gives arguments and grid. --search takes a file with a space of
configurations of a launch file, compiles at most ten programs, and lists fast ones without running any; Ctrl-C ends it with what it has found:
docs/howto/tuning.md.`,
		Example: `  perf emulate examples/launch/matmul-sass.yaml
  perf emulate examples/launch/matmul-sass.yaml -p n=512 --json
  perf emulate --compare examples/launch/matmul-sass.yaml -p n=512,1024
  perf emulate examples/launch/matmul-sass.yaml --regions
  perf emulate examples/launch/matmul-sass.yaml --timeline timeline.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.triton != "" {
				return nil
			}
			return minArgs(1, "a launch file, a folder of them, a kernel or a program")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("clock") {
				throw.If(launches.CheckClock(o.ClockMHz))
			}
			if !cmd.Flags().Changed("on") {
				o.On = []string{gpuHere(cmd.Context())}
			}
			if len(args) == 0 { // what the cache has is listed
				args = []string{o.triton}
			}
			if o.search {
				return o.find(cmd, args)
			}
			if r := (survey.Request{Paths: args, On: o.On, Cache: o.triton, Arch: o.Arch, Times: o.times, Options: o.Options}); r.Asked() {
				return o.tables(cmd, r)
			}
			return o.print(cmd, args)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&o.timeline, "timeline", "", "write a page of what the sub-groups of a sub-partition do, cycle by cycle, to this file; FILE.json is for perf report")
	cmd.Flags().Int64Var(&o.cycles, "timeline-cycles", 0, "the cycles that the page shows, from the start of the launch (default 10,000)")
	cmd.Flags().BoolVar(&o.search, "search", false, "look for fast configurations in the space of a file")
	cmd.Flags().BoolVar(&o.Compare, "compare", false, "tell what is different: time, instructions, traffic, what sub-groups wait for, line by line")
	cmd.Flags().Float64Var(&o.ClockMHz, "clock", 0, "the clock of the multiprocessors in MHz (default: the greatest of the device)")
	cmd.Flags().BoolVar(&o.times, "times", false, "of --triton and folders: times alone, without what binds, in half the time")
	cmd.Flags().BoolVar(&o.Regions, "regions", false, "show what the time depends on by loop nest, loop and source line")
	cmd.Flags().StringVar(&o.Paths, "paths", "likely", "the ways to take where data is not known that decides: likely (all but traps, ends and slow paths), or paper (all)")
	cmd.Flags().StringVar(&o.Profile, "profile-guided", "", "a samples file of perf counters: its counts of instructions say how often branches are taken that depend on unknown data")
	cmd.Flags().StringSliceVar(&o.On, "on", nil, "the device, or several: a name of a data sheet, or a file with one (default: the GPU of this machine if its sheet is known, else "+launches.Usual+")")
	cmd.Flags().StringSliceVar(&o.Codes, "code", nil, "a listing or a cubin, or several, in place of what the launch file names")
	cmd.Flags().StringVar(&o.From, "from", "", "where machine code comes from: binary (a file, or CUDA's compiler), or source (a compiler of perf's own; no tools are needed)")
	cmd.Flags().StringVar(&o.Arch, "arch", launches.UsualArch, "the architecture that a source is compiled for")
	cmd.Flags().StringVar(&o.triton, "triton", "", "rank what Triton has compiled into this cache, DIR, by the descriptions of launches that are the arguments; without any, list it")
	return cmd
}

// print emulates what arguments name, and prints it.
func (o *emulated) print(cmd *cobra.Command, args []string) (err error) {
	defer throw.Catch(&err)
	sequences := throw.Get(o.sequences(cmd, args))
	all, warnings := throw.Get2(o.Run(cmd.Context(), sequences))
	warn(cmd, warnings)
	if o.timeline != "" {
		said := throw.Get(timeline.WriteFile(o.timeline, launches.Longest(all), timeline.Options{Cycles: o.cycles}))
		note(cmd, "%s", said)
	}
	if c := (launches.Comparison{Reports: all}); o.Compare {
		return show(cmd, c.JSON(), c.Write)
	}
	throw.If(show(cmd, kernelsJSON(all), func(w io.Writer) error { return launches.Write(w, all) }))
	if slices.ContainsFunc(all, func(r *launches.Report) bool { return r.Status() == emulate.Endless }) {
		return errReported // that it has no time stands in the output
	}
	return nil
}

// Flags that a search takes, and those that tables of many launches do not. What would not be heeded is refused.
var (
	ofSearch   = []string{"search", "on", "arch", "json", "quiet", "help"}
	ofLaunches = []string{"timeline", "timeline-cycles", "code", "compare", "profile-guided"}
)

// refuse is the error of the first flag that is given and refused, if there is one.
func refuse(cmd *cobra.Command, refused func(name string) bool, text string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && refused(f.Name) {
			err = usagef(text, f.Name)
		}
	})
	return err
}

// find looks for fast configurations in the space of a file.
func (o *emulated) find(cmd *cobra.Command, args []string) (err error) {
	defer throw.Catch(&err)
	if len(args) != 1 || len(o.On) != 1 {
		return usagef("--search takes one file, and one device")
	}
	other := func(name string) bool { return !slices.Contains(ofSearch, name) }
	throw.If(refuse(cmd, other, "--search does not take --%s: sizes and what else is to hold stand in the launch file"))
	told := time.Now()
	r := throw.Get(search.Run(cmd.Context(), args[0], o.On[0], o.Arch, search.Options{Progress: func(p search.Progress) {
		if time.Since(told) > 5*time.Second {
			told = time.Now()
			note(cmd, "emulated %d configurations of %d programs; the fastest takes %s", p.Seen, p.Compilations, format.Seconds(p.Best))
		}
	}}))
	return errors.Join(show(cmd, r, r.Write), cmd.Context().Err())
}

// emulating says every few seconds how many launch files of a folder are emulated.
func emulating(cmd *cobra.Command) func(done, total int) {
	tell := nowAndThen(cmd)
	return func(done, total int) { tell("launches emulated", done, total) }
}

// nowAndThen tells how far long work is, every few seconds.
func nowAndThen(cmd *cobra.Command) func(what string, done, total int) {
	var lock sync.Mutex
	told := time.Now()
	return func(what string, done, total int) {
		lock.Lock()
		defer lock.Unlock()
		if time.Since(told) > 5*time.Second {
			told = time.Now()
			note(cmd, "%s: %d of %d", what, done, total)
		}
	}
}

// tables prints what stands for many launches.
func (o *emulated) tables(cmd *cobra.Command, r survey.Request) (err error) {
	defer throw.Catch(&err)
	single := func(name string) bool { return slices.Contains(ofLaunches, name) }
	throw.If(refuse(cmd, single, "--%s is for single launches, and not for folders, caches and descriptions of Triton's: name launch files"))
	r.Sizes = throw.Get(parseOneSize(o.sizes))
	r.Kept, r.Progress = keptResults(), emulating(cmd)
	all, warnings := throw.Get2(r.Tables(cmd.Context()))
	warn(cmd, warnings)
	return show(cmd, kernelsJSON(all), func(w io.Writer) error { return survey.Write(w, all) })
}

// sequences are the launches that arguments describe.
func (o *emulated) sequences(cmd *cobra.Command, args []string) (all []*launches.Sequence, err error) {
	if err := o.parse(); err != nil {
		return nil, err
	}
	for _, arg := range args {
		if campaign.AreLaunches([]string{arg}, "") {
			if err := checkLaunch(cmd, arg, o.Sizes); err != nil {
				return nil, err
			}
			more, err := launches.LoadAll(arg, o.Sizes)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
			continue
		}
		more, err := o.ofKernels(cmd, arg)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// ofKernels are the launches of the kernels of a file, or of those of tags. Those in OpenCL C are compiled as they are, by perf's own compiler; for the
// machine code of another they are taken as the CUDA C that is written from them.
func (o *emulated) ofKernels(cmd *cobra.Command, arg string) (all []*launches.Sequence, err error) {
	var works []counters.Work
	if filepath.Ext(arg) == ".cl" {
		cases, err := o.Cases(cmd.Context(), []string{arg})
		if err != nil {
			return nil, err
		}
		if o.From == launches.Source || o.From == "" && len(o.Codes) == 0 {
			return advise.SequencesOf(cases)
		}
		works, err = counters.OfCases(workload.FromOpenCL(cases), samples.CUDA)
		if err != nil {
			return nil, err
		}
	} else if works, err = o.works(cmd, strings.Fields(arg)); err != nil {
		return nil, err
	}
	for _, w := range works {
		all = append(all, launches.Of(w.Job))
	}
	return all, nil
}

// checkLaunch refuses a launch file whose launch no device runs, and warns of what is undefined in it.
func checkLaunch(cmd *cobra.Command, path string, sizes []map[string]int64) (err error) {
	defer throw.Catch(&err)
	file := throw.Get(launchfile.Load(path))
	for _, at := range sizes {
		verdict, doubts := throw.Get2(frontend.CheckLaunch(cmd.Context(), file, at))
		if verdict != nil {
			return fmt.Errorf("%s cannot run: %w", path, verdict)
		}
		for _, text := range doubts {
			warnf(cmd, warning.Undefined, path, "%s", text)
		}
	}
	return nil
}
