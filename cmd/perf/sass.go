package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/device"
	"gpuperf/device/cuda"
	"gpuperf/emulate"
	"gpuperf/frontend"
	"gpuperf/measure"
	"gpuperf/samples"
	"gpuperf/sass"
)

// machineCode is whose machine code is shown.
type machineCode struct {
	arch  string
	sizes []string
	facts bool
	files frontend.Options
}

func sassCommand() *cobra.Command {
	var o machineCode
	cmd := &cobra.Command{
		Use:   "sass LISTING | CUBIN | KERNEL",
		Short: "Show machine code of NVIDIA's GPUs: loops, accesses, control bits",
		Long: `sass prints what the compiler made of a kernel. First come facts: registers, instructions by class, memory accesses by their width
per work-item, spills, and the same for the body of each loop. Then come the instructions, block by block, with loops indented,
and an arrow from each block to those that may follow it.

The column before an instruction is decoded from its encoding: B, the scoreboards that it waits for; R and W, those that it
releases when its operands have been read and when its result has been written; Y, where the scheduler is asked to turn to
another sub-group; S, the cycles that the sub-group then stalls.

LISTING is what cuobjdump -sass or nvdisasm -hex -c -g prints, for sm_70 and later. A cubin needs nvdisasm or cuobjdump, from
CUDA's toolkit. A kernel is compiled first, by NVRTC or nvcc, PTX by ptxas, for the architecture of the GPU that
is here, or the one that --arch names.`,
		Example: `  perf sass testdata/sass/matmul.sass
  perf sass testdata/sass/spill.sass --facts
  perf sass testdata/sass/matmul.sass --json`,
		Args: exactArgs(1, "one listing, cubin or file with a kernel"),
		RunE: func(cmd *cobra.Command, args []string) error {
			listing, err := o.read(cmd, args[0])
			if err != nil {
				return err
			}
			warn(cmd, listing.Warnings)
			if o.facts {
				return show(cmd, listing.JSON(), listing.WriteFacts)
			}
			return show(cmd, listing.JSON(), listing.Write)
		},
	}
	cmd.Flags().BoolVar(&o.facts, "facts", false, "print the facts alone, without instructions")
	cmd.Flags().StringVar(&o.arch, "arch", "", "compile for this architecture, such as sm_90, instead of that of the GPU here")
	addSizes(cmd, &o.sizes)
	addFiles(cmd, &o.files)
	return cmd
}

// read reads a listing or a cubin, or compiles a kernel and lists that.
func (o *machineCode) read(cmd *cobra.Command, path string) (*sass.Listing, error) {
	if !frontend.IsKernel(path) && !campaign.AreLaunches([]string{path}, "") {
		if o.arch != "" || o.sizes != nil {
			return nil, usagef("--arch and -p are for kernels that are compiled first; %s is a listing or a cubin", path)
		}
		return sass.ReadFile(cmd.Context(), path)
	}
	jobs, err := o.jobs(cmd, path)
	if err != nil {
		return nil, err
	}
	if o.arch == "" {
		if o.arch, err = architecture(cmd); err != nil {
			return nil, err
		}
	}
	all, seen := &sass.Listing{}, map[string]bool{}
	for _, job := range jobs {
		if seen[job.SourceHash()] {
			continue
		}
		seen[job.SourceHash()] = true
		cubin, err := cuda.Cubin(job, o.arch)
		if e, ok := device.AsError(err); ok && e.Log != "" {
			return nil, fmt.Errorf("%s: %s\n    %s", path, e.Msg, strings.ReplaceAll(e.Log, "\n", "\n    "))
		}
		if err != nil {
			return nil, err
		}
		if sass.IsPTX(cubin) {
			if cubin, err = sass.Assemble(cmd.Context(), cubin, o.arch); err != nil {
				return nil, err
			}
		}
		listing, err := sass.ReadCubin(cmd.Context(), cubin, true)
		if err != nil {
			return nil, err
		}
		all.Functions, all.Warnings = append(all.Functions, listing.Functions...), append(all.Warnings, listing.Warnings...)
	}
	return all, nil
}

// jobs are what a script or a launch file would run by CUDA.
func (o *machineCode) jobs(cmd *cobra.Command, path string) ([]device.Job, error) {
	if campaign.AreLaunches([]string{path}, "") {
		at, err := parseSizes(o.sizes)
		if err != nil {
			return nil, err
		}
		launches, err := campaign.LoadLaunches([]string{path}, "", at)
		if err != nil {
			return nil, err
		}
		if launches.Interface != samples.CUDA {
			return nil, usagef("%s runs under %s: only CUDA's compiler gives machine code", path, launches.Interface)
		}
		return launches.Jobs(), nil
	}
	cases, err := fileCases(cmd, o.files, path, o.sizes)
	if err != nil {
		return nil, err
	}
	jobs := make([]device.Job, len(cases))
	for i, c := range cases {
		if err := c.CheckInterface(samples.CUDA); err != nil {
			return nil, usagef("%w: only CUDA's compiler gives machine code", err)
		}
		if jobs[i], err = c.On(samples.CUDA).Job(device.Policy{}); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// architecture is that of the first of NVIDIA's GPUs here.
func architecture(cmd *cobra.Command) (string, error) {
	devices, _ := measure.Devices(cmd.Context(), measure.Options{})
	for _, d := range devices {
		if strings.HasPrefix(d.Architecture, "sm_") {
			return d.Architecture, nil
		}
	}
	return "", usagef("there is no GPU of NVIDIA's here to compile for: name an architecture, as --arch sm_90")
}

func emulateCommand() *cobra.Command {
	var sizes, on []string
	var code, arch string
	cmd := &cobra.Command{
		Use:   "emulate LAUNCH.yaml [--on DEVICE]",
		Short: "Tell from machine code how long a launch takes, and why",
		Long: `emulate goes through the machine code of a launch on a model of a GPU, without running it: how long it takes, what its sub-groups
wait for, which unit binds, and whether by its latency or its throughput. It needs no GPU.

The code is the listing or cubin that the launch file or --code names; otherwise the source is compiled, which needs CUDA.
The sensitivity of a parameter is the relative change of the time over that of the parameter, when this is raised by 10 %: near 1 is the
bottleneck. A latency that binds asks for more instructions under way; a gap, for less work on that unit.`,
		Example: `  perf emulate examples/launch/matmul-sass.yaml
  perf emulate examples/launch/matmul-sass.yaml -p n=512 --json`,
		Args: exactArgs(1, "one launch file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := parseOneSize(sizes)
			if err != nil {
				return err
			}
			var all []*emulate.Result
			o := emulate.Options{Sizes: at, Code: code, Sensitivity: true, Compile: func() (*sass.Listing, error) {
				return (&machineCode{arch: arch, sizes: sizes}).read(cmd, args[0])
			}}
			for _, o.On = range on {
				r, err := emulate.File(cmd.Context(), args[0], o)
				if err != nil {
					return err
				}
				warn(cmd, r.Warnings)
				all = append(all, r)
			}
			return show(cmd, kernelsJSON(all), func(w io.Writer) error { return emulate.Write(w, all) })
		},
	}
	addSizes(cmd, &sizes)
	cmd.Flags().StringSliceVar(&on, "on", []string{"NVIDIA H200"}, "the device, or several: a name of a data sheet, or a file with one")
	cmd.Flags().StringVar(&code, "code", "", "a listing or a cubin, in place of what the launch file names")
	cmd.Flags().StringVar(&arch, "arch", "sm_90", "the architecture that a source is compiled for")
	return cmd
}
