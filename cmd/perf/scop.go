package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device/machine"
	"gpuperf/internal/frontend"
	"gpuperf/internal/throw"
	"gpuperf/scop"
	"gpuperf/scop/compile"
	"gpuperf/scop/deps"
	"gpuperf/scop/offload"
	"gpuperf/scop/schedule"
)

func scopCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scop",
		Short: "Loop nests of C files: what they are, what depends on what, and code for GPUs",
		Long: `scop reads the loop nests of a C file: what stands between #pragma scop and #pragma endscop, or without these every function whose body is
one. Loop bounds, conditions and subscripts must be affine in the iterators and in integer variables that the nest does not change. What is not is
an error with its place and the reason.

Headers are read from the folder of the file and from those of -I; the system's are built in, and no compiler is run. FILE.c#name
is one nest of several, by the name of its function.`,
		Example: `  perf scop show examples/polybench/gemm.c
  perf scop deps examples/polybench/gemm.c
  perf count examples/polybench/gemm.c -p ni=1000,nj=1100,nk=1200`,
	}
	cmd.AddCommand(scopShowCommand(), scopDepsCommand(), scopScheduleCommand(), scopRunCommand(), scopCompileCommand())
	return cmd
}

func scopShowCommand() *cobra.Command {
	var f nestFlags
	cmd := &cobra.Command{
		Use:   "show FILE.c [-I DIR] [-D NAME=VALUE]",
		Short: "Print the parameters, arrays and statements of loop nests",
		Long: `show prints each loop nest of a C file: its parameters, its arrays, and of each statement the points at which it runs (domain), when it runs
beside others (order, the lexicographically least first), and the elements that it reads and writes.`,
		Example: `  perf scop show examples/polybench/gemm.c`,
		Args:    exactArgs(1, "one C file"),
		RunE: ofNests(&f, scop.Write, func(_ *cobra.Command, nests []*scop.Nest, _ map[string]int64) ([]*scop.Object, error) {
			return scop.Objects(nests), nil
		}),
	}
	addC(cmd, &f.Options)
	return cmd
}

func scopDepsCommand() *cobra.Command {
	var f nestFlags
	cmd := &cobra.Command{
		Use:   "deps FILE.c [-p n=100]",
		Short: "Print what depends on what in loop nests, and which loops are parallel",
		Long: `deps prints the dependences between the statements of each loop nest of a C file, exactly: by memory, and of flow also by value, from the last
writer of what is read. Each is a map from the points of one statement to those of another, with the loop that carries it. A loop is
parallel, a reduction (it carries only an associative accumulation), private (parallel with private or old copies of arrays), or sequential.`,
		Example: `  perf scop deps examples/polybench/gemm.c`,
		Args:    exactArgs(1, "one C file"),
		RunE: ofNests(&f, deps.Write, func(cmd *cobra.Command, nests []*scop.Nest, at map[string]int64) ([]*deps.Object, error) {
			return deps.Objects(cmd.Context(), nests, at)
		}),
	}
	addSizes(cmd, &f.sizes)
	addC(cmd, &f.Options)
	return cmd
}

func scopScheduleCommand() *cobra.Command {
	var f nestFlags
	var fusion, strategy, on string
	cmd := &cobra.Command{
		Use:   "schedule FILE.c [--strategy NAME] [--fusion smart|maximal|none] [-p n=1000]",
		Short: "Print an order with parallel loops, and loops that may be tiled",
		Long: `schedule finds an order of each loop nest of a C file that violates no dependence, and prints it as a tree. The loops of a band may be
exchanged and tiled; after each stands what it counts, for each statement. A parallel loop has no dependence between its iterations.

Arrays get copies for the iterations of loops, and statements are split, where more is parallel then; the copies and cuts are named first.

--strategy pluto looks for parallel outer loops and deep bands. The others also say which loops are in a launch of a kernel, and which ones around it
are the host's: launches takes those that cost least at the sizes of -p, bounded tries more loops for the host, with coefficients from -2 to 2, and feautrier has as few
sequential loops as possible. wavefronts is launches with a launch for each wavefront of tiles wherever loops are permutable,
and with a work-group for each iteration wherever these do not depend on each other. --fusion says which statements share loops.`,
		Example: `  perf scop schedule examples/polybench/jacobi-2d.c
  perf scop schedule examples/polybench/cholesky.c --strategy launches`,
		Args: exactArgs(1, "one C file"),
		RunE: ofNests(&f, schedule.Write, func(cmd *cobra.Command, nests []*scop.Nest, at map[string]int64) ([]*schedule.Object, error) {
			find := schedule.ByName[strategy]
			if find == nil || !slices.Contains(schedule.Fusions, schedule.Fusion(fusion)) {
				return nil, usagef("--strategy is %s, and --fusion smart, maximal or none", strings.Join(schedule.Strategies(), ", "))
			}
			of, err := machine.Named(on)
			if err != nil {
				return nil, err
			}
			return schedule.Objects(cmd.Context(), nests, find, schedule.Options{Fusion: schedule.Fusion(fusion), On: of, Sizes: at, Blocks: strategy == "launches"})
		}),
	}
	cmd.Flags().StringVar(&strategy, "strategy", "pluto", strings.Join(schedule.Strategies(), ", "))
	addOn(cmd, &on)
	addSizes(cmd, &f.sizes)
	cmd.Flags().StringVar(&fusion, "fusion", string(schedule.Smart), "smart, maximal or none")
	addC(cmd, &f.Options)
	return cmd
}

func scopRunCommand() *cobra.Command {
	var f nestFlags
	var device string
	var opt offload.RunOptions
	cmd := &cobra.Command{
		Use:   "run FILE.c -p n=100",
		Short: "Run loop nests on a device, verified against the C text",
		Long: `run makes kernels of each loop nest of a C file (see perf scop schedule --strategy launches), runs them at the given sizes on a device, with
random data, and compares all arrays with the interpretation of the C text. The time is that of all kernels together.

Sizes that are too large to interpret are interpreted at smaller ones; at their own, every element is compared with what plainer kernels of the nest
compute. What cannot be judged so is said to be unverified. --random also runs random configurations: schedules, work-groups, sums.

Where no better order is found within a limit of work, the kernels keep that of the text, and the output says so.`,
		Example: `  perf scop run examples/polybench/jacobi-2d.c -p tsteps=5,n=40
  perf scop run examples/polybench/gemm.c -p ni=20,nj=25,nk=30 --random 2`,
		Args: exactArgs(1, "one C file"),
		RunE: ofNests(&f, offload.WriteResults, func(cmd *cobra.Command, nests []*scop.Nest, at map[string]int64) ([]*offload.Result, error) {
			dev, err := openDevice(cmd, device)
			if err != nil {
				return nil, err
			}
			defer dev.Close()
			if cmd.Flags().Changed("trials") && opt.Trials < 1 {
				return nil, usagef("--trials %d: must be more than 0", opt.Trials)
			}
			return offload.RunAll(cmd.Context(), dev, nests, at, opt)
		}),
	}
	cmd.Flags().StringVar(&device, "device", "", "the device: an index or part of a name, as perf devices lists them")
	cmd.Flags().StringVarP(&opt.Samples, "output", "o", "", "the samples file to add the measurements to")
	cmd.Flags().IntVar(&opt.Random, "random", 0, "how many random configurations run, too")
	cmd.Flags().StringArrayVar(&opt.Try, "try", nil, "a configuration to run, too, such as S0.block=64x4,S1.share=32: what it does not say is by default (may be repeated)")
	cmd.Flags().IntVar(&opt.Trials, "trials", 0, "the most trials of each configuration (default 60; fewer once the median is certain); 1 is without warm-up, where only results matter")
	cmd.Flags().Uint64Var(&opt.Seed, "seed", 1, "of the random configurations")
	addSizes(cmd, &f.sizes)
	addC(cmd, &f.Options)
	return cmd
}

func scopCompileCommand() *cobra.Command {
	var f nestFlags
	var dir, as, on string
	cmd := &cobra.Command{
		Use:   "compile FILE.c -o DIR [--as opencl|cuda] [--on NAME] [-p n=1000]",
		Short: "Write a C file anew, its loop nests as kernels",
		Long: `compile writes DIR/FILE.c: the file with each loop nest replaced by buffers, copies and launches of kernels, and the headers that it includes
from its own folder. It is compiled and linked in place of the file, by a compiler of C99 or later; for CUDA a second file has the kernels.

The kernels are right at all sizes and on all devices. Those of -p are the sizes for which they should be fast, and --on names the device: tiles are
chosen by what they are predicted to take there. A parameter without a size is taken to be about 1000. Where no better order is found within a limit
of work, the kernels keep that of the text.

A nest that cannot be compiled is left as it is, and the reason is printed. The macros of -D are in the written file. When the program runs,
PERF_SCOP_DEVICE chooses the device, by number or part of its name, and PERF_SCOP_TIME=1 prints how long kernels took. PERF_SCOP_OPTIONS are
options of OpenCL's compiler, and PERF_SCOP_GRAPHS=0 makes no CUDA graphs of the launches of loops.`,
		Example: `  perf scop compile examples/polybench/gemm.c -o compiled
  perf scop compile examples/polybench/gemm.c --as cuda --on H100`,
		Args: exactArgs(1, "one C file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(compile.Languages, as) {
				return usagef("the languages of --as are opencl and cuda, not %q", as)
			}
			at := throw.Get(parseOneSize(f.sizes))
			of := throw.Get(machine.Named(on))
			opt := compile.Options{Options: f.Options.Options, Language: as, Sizes: at, On: of}
			result := throw.Get(compile.File(cmd.Context(), args[0], dir, opt))
			return show(cmd, result, result.Print)
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "compiled", "the folder for what is written")
	cmd.Flags().StringVar(&as, "as", "opencl", "opencl or cuda")
	addOn(cmd, &on)
	addSizes(cmd, &f.sizes)
	addC(cmd, &f.Options)
	return cmd
}

// addOn adds the flag of the device for which code is made.
func addOn(cmd *cobra.Command, on *string) {
	cmd.Flags().StringVar(on, "on", machine.Usual, "the device to choose by: a name of a data sheet, or a file with one")
}

// nestFlags are those of commands about the loop nests of a file.
type nestFlags struct {
	frontend.Options
	sizes []string
}

// ofNests is a command that finds something about each loop nest.
func ofNests[T any](f *nestFlags, write func(io.Writer, []T) error, find func(*cobra.Command, []*scop.Nest, map[string]int64) ([]T, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		defer throw.Catch(&err)
		at := throw.Get(parseOneSize(f.sizes))
		nests := throw.Get(f.Nests(cmd.Context(), args[0]))
		all, err := find(cmd, nests, at)
		if len(all) == 0 {
			return err
		}
		return errors.Join(err, show(cmd, kernelsJSON(all), func(w io.Writer) error { return write(w, all) }))
	}
}
