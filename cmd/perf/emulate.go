package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/counters"
	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/sass/compiled"
	"gpuperf/workload"
)

// emulated is what is emulated, and how.
type emulated struct {
	countedKernels
	on         []string
	code, arch string
}

func emulateCommand() *cobra.Command {
	var o emulated
	cmd := &cobra.Command{
		Use:   "emulate LAUNCH.yaml | KERNEL -p n=4096 | PROG.lift -s n=4096 --variant ID",
		Short: "Tell from machine code how long a launch takes, and why",
		Long: `emulate goes through the machine code of a launch on a model of a GPU, without running it: how long it takes, what its sub-groups
wait for, which unit binds, and whether by its latency or its throughput. It needs no GPU.

The code is the listing or cubin that the launch file or --code names; otherwise the source is compiled, which needs CUDA.
The sensitivity of a parameter is the relative change of the time over that of the parameter, when this is raised by 10 %: near 1 is the
bottleneck. A latency that binds asks for more instructions under way; a gap, for less work on that unit.`,
		Example: `  perf emulate examples/launch/matmul-sass.yaml
  perf emulate examples/launch/matmul-sass.yaml -p n=512 --json`,
		Args: minArgs(1, "a launch file, a kernel or a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			sequences, err := o.sequences(cmd, args)
			if err != nil {
				return err
			}
			all, err := o.run(cmd, sequences)
			if err != nil {
				return err
			}
			return show(cmd, kernelsJSON(all), func(w io.Writer) error { return launches.Write(w, all) })
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringSliceVar(&o.on, "on", []string{"NVIDIA H200"}, "the device, or several: a name of a data sheet, or a file with one")
	cmd.Flags().StringVar(&o.code, "code", "", "a listing or a cubin, in place of what the launch file names")
	cmd.Flags().StringVar(&o.arch, "arch", "sm_90", "the architecture that a source is compiled for")
	return cmd
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
	for _, s := range sequences {
		listing, err := s.Listing(cmd.Context(), o.code, compiler)
		if err != nil {
			return nil, err
		}
		for _, on := range o.on {
			d, err := facts.Sheet(on)
			if err != nil {
				return nil, err
			}
			r, err := s.Run(listing, launches.Options{Device: d, Sensitivity: true})
			if err != nil {
				return nil, err
			}
			warn(cmd, r.All())
			all = append(all, r)
		}
	}
	return all, nil
}
