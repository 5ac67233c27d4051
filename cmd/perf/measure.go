package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

func measureCommand() *cobra.Command {
	var on measureFlags
	var kernels chosenKernels
	var against string
	cmd := &cobra.Command{
		Use:   "measure KERNEL... -p n=2048 | LAUNCH.yaml... | TAG...",
		Short: "Measure kernels on a device",
		Long: `measure runs the kernels of files at the given sizes, those that launch files describe (perf help launch), or the measurement
kernels that tags select, and adds the samples to a file. Kernels that the file has already are not measured again. A kernel that hangs,
crashes or is refused leaves a sample with that status; the others are still measured.

Results are compared with those of a reference interpreter before times count: at a small size, and those of some work-groups at the
size that is measured. Differences that rounding cannot explain make a sample a wrong_result. A kernel in which the interpreter finds a
race or an access out of bounds is faulty, and never launched. Samples say what was compared, or why nothing could be. A launch file says
itself what its results are compared with. A kernel function runs as its source has it, with 1.5 for arguments in floating point.

Beside the times stand rates: of the distinct bytes of global memory that a kernel reads and writes, of its floating-point additions and
multiplications, and the least time that the device needs for both as a share of the time, by the peaks of its data sheet or the rates
in its profile; "-" where that is not known. Where the driver tells, there are the registers of a work-item, its private memory (of
spilled registers and arrays), and how many work-groups a compute unit holds at once: as the share of the sub-groups that it can hold.

Each sample carries the state of the caches, the latest time of a fixed sentinel kernel, which shows whether the device is
as fast as when the session began, and the clocks where the driver reports them. With --trials 3 a sample takes little time and
space. A samples file compressed by gzip can be replayed as it is.

Several launch files stand side by side, with the ratio of each time to the fastest; perf init launch drafts such a file from a source.

Which of two kernels is faster, --against tells: after they are measured as above, it takes a trial of each in turn, 60 times or as often
as --trials says, so that a device that changes its clocks changes both. The verdict is the ratio with its 95 % interval, by Wilcoxon's
signed-rank test; where the interval holds 1, how large a difference it leaves room for.`,
		Example: `  perf measure examples/matmul/matmul.star -p n=128
  perf measure examples/launch/saxpy.yaml -p n=1M,16M --cache both
  perf measure axpy dtype:float32 n:1048576
  perf measure axpy lsize_0:256 n:1048576 dtype:float32 \
      --against 'axpy lsize_0:64 n:1048576 dtype:float32'`,
		Args: minArgs(1, "a file with kernels, launch files, or tags"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if campaign.AreLaunches(args, against) {
				measureLaunches(cmd, &on, args, kernels.sizes, against)
				return nil
			}
			if against != "" && on.within != "" {
				return usagef("--time-range chooses sizes for one kernel, --against compares two at the same")
			}
			if against != "" {
				throw.If(kernels.parse())
				pairs := throw.Get(kernels.Pairs(cmd.Context(), args, against))
				measureAgainst(cmd, &on, func(c *campaign.Campaign, mode samples.Mode) ([]campaign.Against, *campaign.Result, error) {
					return c.Against(cmd.Context(), mode, pairs)
				})
				return nil
			}
			throw.If(kernels.parse())
			cases := throw.Get(kernels.Cases(cmd.Context(), args))
			on.driveAs(nil, cases)
			c, modes := throw.Get2(on.openModes(cmd))
			defer finish(cmd, c)
			cases = throw.Get(on.ranged(cmd, c, modes[0], cases))
			result := throw.Get(campaign.InModes(modes, func(mode samples.Mode) (*campaign.Result, error) { return c.Measure(cmd.Context(), mode, cases) }))
			warn(cmd, result.Warnings)
			achieved := throw.Get(c.Achieved(cases, result.Records))
			printSamples(cmd, campaign.Samples(result.Records, achieved), true)
			return nil
		},
	}
	on.add(cmd)
	on.addTimeRange(cmd)
	kernels.add(cmd)
	cmd.Flags().StringVar(&against, "against", "", "compare with this kernel, FILE.star#KERNEL, SOURCE.cl#KERNEL, LAUNCH.yaml or tags, by trials of both in turn")
	return cmd
}

// chosenKernels are the flags of commands whose arguments are a file with kernels, or tags.
type chosenKernels struct {
	campaign.Chosen
	sizes []string
}

func (k *chosenKernels) add(cmd *cobra.Command) {
	addSizes(cmd, &k.sizes)
	addFiles(cmd, &k.Files)
	addGenerators(cmd, &k.Generators)
	addMatch(cmd, &k.Match)
}

// parse reads the sizes.
func (k *chosenKernels) parse() (err error) {
	k.Sizes, err = parseArguments(k.sizes)
	return err
}

// printSamples prints samples, with what the kernels achieved or without. Where one failed, the exit status says so.
func printSamples(cmd *cobra.Command, list []campaign.Sample, achieved bool) {
	throw.If(show(cmd, map[string]any{"samples": list}, campaign.SampleTable(list, achieved).Write))
	failed := 0
	for _, r := range list {
		if r.Log != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: the log says:\n    %s\n", r.Kernel.Key(), strings.ReplaceAll(strings.TrimSpace(r.Log), "\n", "\n    "))
		}
		if r.Status != samples.OK {
			failed++
		}
	}
	if failed > 0 {
		panic(throw.Errorf("%d of %s could not be measured", failed, format.Count(len(list), "kernel")))
	}
}

// comparison compares pairs of kernels in a state of the caches.
type comparison func(*campaign.Campaign, samples.Mode) ([]campaign.Against, *campaign.Result, error)

// measureAgainst compares pairs of kernels and prints what came of it.
func measureAgainst(cmd *cobra.Command, on *measureFlags, compare comparison) {
	c, modes := throw.Get2(on.openModes(cmd))
	defer finish(cmd, c)
	var all []campaign.Against
	var failed error
	t := format.NewTable(campaign.AgainstHeader...)
	for _, mode := range modes {
		compared, result := throw.Get2(compare(c, mode))
		warn(cmd, result.Warnings)
		all = append(all, compared...)
		for _, r := range result.Records {
			if r.Status != samples.OK {
				failed = fmt.Errorf("%s cannot be compared: %s: %s", r.Kernel, r.Status, r.Error)
			}
		}
	}
	for _, a := range all {
		t.Row(a.Cells()...)
	}
	throw.If(show(cmd, map[string]any{"comparisons": all}, t.Write))
	throw.If(failed)
}
