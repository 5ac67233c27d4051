package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/frontend"
	"gpuperf/internal/throw"
	"gpuperf/sass"
	"gpuperf/sass/compiled"
)

// machineCode is whose machine code is shown.
type machineCode struct {
	countedKernels
	arch, to string
	facts    bool
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

LISTING is what cuobjdump -sass or nvdisasm -hex -c -gi prints, for sm_70 and later. A cubin needs nvdisasm or cuobjdump, from
CUDA's toolkit. A kernel is compiled first, by NVRTC or nvcc, PTX by ptxas, for the architecture of the GPU that
is here, or the one that --arch names. Where there is no toolkit, FILE.cubin is read with the FILE.sass beside it that -o writes.`,
		Example: `  perf sass testdata/sass/matmul.sass
  perf sass testdata/sass/spill.sass --facts
  perf sass testdata/sass/matmul.sass --json`,
		Args: exactArgs(1, "one listing, cubin or file with a kernel"),
		RunE: func(cmd *cobra.Command, args []string) error {
			defer collect(runsLong)()
			listing := o.read(cmd, args[0])
			warn(cmd, listing.Warnings)
			if o.facts {
				return show(cmd, listing.JSON(), listing.WriteFacts)
			}
			return showCode(cmd, listing.JSON(), listing.Write)
		},
	}
	cmd.Flags().BoolVar(&o.facts, "facts", false, "print the facts alone, without instructions")
	cmd.Flags().StringVar(&o.arch, "arch", "", "compile for this architecture, such as sm_90, instead of that of the GPU here")
	cmd.Flags().StringVarP(&o.to, "output", "o", "", "write the machine code to this file, FILE.cubin, and its listing to FILE.sass")
	o.addFlags(cmd)
	return cmd
}

// read reads a listing or a cubin, or compiles kernels and lists them.
func (o *machineCode) read(cmd *cobra.Command, path string) *sass.Listing {
	if !frontend.IsKernel(path) && filepath.Ext(path) != ".lift" {
		if o.arch != "" || o.sizes != nil || o.to != "" {
			panic(throw.Of(usagef("--arch, -o and -p are for kernels that are compiled first; %s is a listing or a cubin", path)))
		}
		return throw.Get(sass.ReadFile(cmd.Context(), path))
	}
	works := throw.Get(o.works(cmd, []string{path}))
	if o.arch == "" {
		o.arch = architecture(cmd)
	}
	jobs := make([]device.Job, len(works))
	for i, w := range works {
		jobs[i] = w.Job
	}
	programs := throw.Get((&compiled.Compiler{Arch: o.arch}).All(cmd.Context(), jobs))
	if o.to != "" {
		if len(programs) > 1 {
			panic(throw.Of(usagef("-o %s: there are %d programs; name one kernel, as %s#NAME", o.to, len(programs), path)))
		}
		files := throw.Get(programs[0].Save(cmd.Context(), o.to))
		note(cmd, "written: %s", strings.Join(files, ", "))
	}
	return compiled.Listing(programs)
}

// architecture is that of the first of NVIDIA's GPUs here.
func architecture(cmd *cobra.Command) string {
	devices, _ := measure.Devices(cmd.Context(), measure.Options{})
	for _, d := range devices {
		if strings.HasPrefix(d.Architecture, "sm_") {
			return d.Architecture
		}
	}
	panic(throw.Of(usagef("there is no GPU of NVIDIA's here to compile for: name an architecture, as --arch sm_90")))
}
