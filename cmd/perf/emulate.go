package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/counters"
	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/emulate/survey"
	"gpuperf/emulate/timeline"
	"gpuperf/sass/compiled"
	"gpuperf/workload"
)

// emulated is what is emulated, and how.
type emulated struct {
	countedKernels
	on                                    []string
	code, arch, counted, triton, timeline string
	cycles                                int64
	compare                               bool
	options                               launches.Options
}

func emulateCommand() *cobra.Command {
	var o emulated
	cmd := &cobra.Command{
		Use:   "emulate LAUNCH.yaml | DIR | KERNEL -p n=4096 | PROG.lift -s n=4096 --variant ID",
		Short: "Tell from machine code how long a launch takes, and why",
		Long: `emulate goes through the machine code of a launch on a model of a GPU, without running it: how long it takes, what its sub-groups
wait for, which unit binds, and whether by its latency or its throughput. It needs no GPU.

The code is the listing or cubin that the launch file or --code names; otherwise the source is compiled, which needs CUDA.
The sensitivity of a parameter is the relative change of the time over that of the parameter, when this is raised by 10 %: near 1 is the
bottleneck. A latency that binds asks for more instructions under way; a gap, for less work on that unit. What would help follows, each
with what the launch would gain from it by another emulation, of which docs/emulation.md tells.
A folder of launch files, as of perf capture, gives a table: the launches of an application by their time. --triton ranks what Triton has
compiled of a kernel: docs/howto/triton.md says how a description gives arguments and grid.`,
		Example: `  perf emulate examples/launch/matmul-sass.yaml
  perf emulate examples/launch/matmul-sass.yaml -p n=512 --json`,
		Args: minArgs(1, "a launch file, a folder of them, a kernel or a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if r := (survey.Request{Paths: args, On: o.on, Cache: o.triton, Arch: o.arch, Options: o.options}); r.Asked() {
				return o.tables(cmd, r)
			}
			sequences, err := o.sequences(cmd, args)
			if err != nil {
				return err
			}
			all, err := o.run(cmd, sequences)
			if err != nil {
				return err
			}
			if o.timeline != "" {
				if err := o.draw(cmd, all); err != nil {
					return err
				}
			}
			if c := (launches.Comparison{Reports: all}); o.compare {
				if len(all) < 2 {
					return usagef("--compare: there is nothing to compare with; give two kernels, sizes, codes or devices")
				}
				return show(cmd, c.JSON(), c.Write)
			}
			return show(cmd, kernelsJSON(all), func(w io.Writer) error { return launches.Write(w, all) })
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&o.timeline, "timeline", "", "write a page of what the sub-groups of a sub-partition do, cycle by cycle, to this file")
	cmd.Flags().Int64Var(&o.cycles, "timeline-cycles", 10_000, "the cycles that the page shows, from the start of the launch")
	cmd.Flags().BoolVar(&o.compare, "compare", false, "tell what is different: time, instructions, traffic, what sub-groups wait for, line by line")
	cmd.Flags().Float64Var(&o.options.ClockMHz, "clock", 0, "the clock of the multiprocessors in MHz (default: the greatest of the device)")
	cmd.Flags().BoolVar(&o.options.Regions, "regions", false, "show what the time depends on by loop nest, loop and source line")
	cmd.Flags().StringVar(&o.options.Paths, "paths", "likely", "the ways to take where data is not known that decides: likely, without traps, ends and slow paths, or paper, all")
	cmd.Flags().StringVar(&o.counted, "profile-guided", "", "a samples file of perf counters: its counts of instructions say how often branches are taken that depend on unknown data")
	cmd.Flags().StringSliceVar(&o.on, "on", []string{"NVIDIA H200"}, "the device, or several: a name of a data sheet, or a file with one")
	cmd.Flags().StringVar(&o.code, "code", "", "a listing or a cubin, in place of what the launch file names")
	cmd.Flags().StringVar(&o.arch, "arch", "sm_90", "the architecture that a source is compiled for")
	cmd.Flags().StringVar(&o.triton, "triton", "", "rank what Triton has compiled into this cache, DIR, by the descriptions of launches that are the arguments")
	return cmd
}

// tables prints what stands for many launches.
func (o *emulated) tables(cmd *cobra.Command, r survey.Request) (err error) {
	if r.Sizes, err = parseOneSize(o.sizes); err != nil {
		return err
	}
	all, warnings, err := r.Tables(cmd.Context())
	if err != nil {
		return err
	}
	warn(cmd, warnings)
	return show(cmd, kernelsJSON(all), func(w io.Writer) error { return survey.Write(w, all) })
}

// draw writes the page of the launch that takes longest.
func (o *emulated) draw(cmd *cobra.Command, all []*launches.Report) error {
	switch {
	case len(all) > 1:
		return usagef("--timeline %s: there are %d kernels, sizes or devices, and the page shows one", o.timeline, len(all))
	case o.cycles < 1 || o.cycles > timeline.Most:
		return usagef("--timeline-cycles %d: expected 1 to %d", o.cycles, timeline.Most)
	}
	t := timeline.Record(all[0].Longest().Result, timeline.Options{Cycles: o.cycles})
	var text bytes.Buffer
	if err := t.Write(&text); err != nil {
		return err
	}
	note(cmd, "%s: %s", o.timeline, t.Summary())
	return os.WriteFile(o.timeline, text.Bytes(), 0o666)
}

// sequences are the launches that arguments describe.
func (o *emulated) sequences(cmd *cobra.Command, args []string) (all []*launches.Sequence, err error) {
	o.sizes = append(o.sizes, o.point.sizes...) // -p and -s are the same here
	o.point.sizes = o.sizes
	if err := o.parse(); err != nil {
		return nil, err
	}
	for _, arg := range args {
		if campaign.AreLaunches([]string{arg}, "") {
			for _, at := range o.Sizes {
				s, err := launches.Load(arg, at)
				if err != nil {
					return nil, err
				}
				all = append(all, s)
			}
			continue
		}
		works, err := o.work(cmd, arg)
		if err != nil {
			return nil, err
		}
		for _, w := range works {
			all = append(all, launches.Of(w.Job))
		}
	}
	return all, nil
}

// work are the kernels of a file, or those of tags. Those in OpenCL C are taken as the CUDA C that is written from them.
func (o *emulated) work(cmd *cobra.Command, arg string) ([]counters.Work, error) {
	if filepath.Ext(arg) != ".cl" {
		return o.works(cmd, strings.Fields(arg))
	}
	cases, err := o.Cases(cmd.Context(), []string{arg})
	if err != nil {
		return nil, err
	}
	return counters.OfCases(workload.Generated(cases))
}

// run emulates sequences, each on all devices.
func (o *emulated) run(cmd *cobra.Command, sequences []*launches.Sequence) (all []*launches.Report, err error) {
	compiler := &compiled.Compiler{Arch: o.arch}
	if o.options.Sensitivity = true; o.counted != "" {
		if o.options.Counted, err = counters.Recorded(o.counted); err != nil {
			return nil, err
		}
		defer o.options.Counted.Close()
	}
	for _, s := range sequences {
		listing, err := s.Listing(cmd.Context(), o.code, compiler)
		if err != nil {
			return nil, err
		}
		for _, on := range o.on {
			if o.options.Device, err = facts.Sheet(on); err != nil {
				return nil, err
			}
			o.options.Advice = len(s.Job.Then) == 0
			r, err := s.Run(cmd.Context(), listing, o.options)
			if err != nil {
				return nil, err
			}
			warn(cmd, r.All())
			all = append(all, r)
		}
	}
	return all, nil
}
