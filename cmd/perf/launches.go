package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device/replay"
	"gpuperf/internal/campaign"
	"gpuperf/internal/command/capture"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/source"
	"gpuperf/internal/terminal"
	"gpuperf/internal/warning"
	"gpuperf/samples"
	"gpuperf/workload"
)

// measureLaunches measures launch files, or compares them with another. Their source decides on the interface.
func measureLaunches(cmd *cobra.Command, on *measureFlags, paths, sizes []string, against string) error {
	if on.within != "" {
		return usagef("--time-range is for kernels whose sizes are free; a launch file says which it takes")
	}
	at, err := parseSizes(sizes)
	if err != nil {
		return err
	}
	launches, err := campaign.LoadLaunches(cmd.Context(), paths, against, at)
	if err != nil {
		return err
	}
	on.driveAs(launches, nil)
	if against != "" {
		return measureAgainst(cmd, on, func(c *campaign.Campaign, mode samples.Mode) ([]campaign.Against, *campaign.Result, error) {
			return c.AgainstLaunches(cmd.Context(), mode, launches)
		})
	}
	c, modes, err := on.openModes(cmd)
	if err != nil {
		return err
	}
	defer finish(cmd, c)
	result, err := campaign.InModes(modes, func(mode samples.Mode) (*campaign.Result, error) {
		return c.MeasureLaunches(cmd.Context(), mode, launches)
	})
	if err != nil {
		return err
	}
	warn(cmd, result.Warnings)
	achieved, err := c.AchievedLaunches(cmd.Context(), frontend.Options{}, paths, at, result.Records)
	if err != nil {
		return err
	}
	list := campaign.Samples(result.Records, achieved)
	launches.Compare(list)
	return printSamples(cmd, list, achieved != nil)
}

// driveAs chooses the interface that launch files and sources run under, unless another was chosen or samples are replayed.
func (f *measureFlags) driveAs(launches *campaign.Launches, cases []*workload.Case) {
	if on := launches.Interfaces(cases); len(on) > 0 && f.face == "" && !strings.HasPrefix(f.device, replay.Prefix) {
		f.face = on[0].String()
	}
}

func captureCommand() *cobra.Command {
	o := capture.Options{}
	var contents string
	cmd := &cobra.Command{
		Use:   "capture -- APP ARGS...",
		Short: "Write launch files of the kernels that an application launches",
		Long: `capture runs an application and writes a launch file of each kernel that it launches, which perf measure then measures alone: machine code or
source, ND-range, the bytes of every argument, and the buffers that arguments point to. Launches of a kernel with other ND-ranges or values of
arguments have files of their own, which say how often. It sees what goes through CUDA's driver, as the CUDA runtime, libraries and PyTorch do, and
OpenCL where the application is linked with libOpenCL.

It compiles two small libraries with the C compiler of the machine (cc), and for CUDA needs CUPTI, which comes with the CUDA toolkit, and a driver of
CUDA 12.4 or newer. The application's output and exit status stay as they are; what capture says goes to standard error. With --json the output
of the application goes to standard error too. What was captured before an application fails or is stopped is kept.

Files of an earlier capture in the same folder are replaced, and no others: a launch whose file would be in the place of one that somebody else
has made is left out, and told.`,
		Example: `  perf capture -- ./app --size 4096
  perf capture --kernel 'gemm|softmax' --contents -o kernels -- python3 train.py`,
		Args: minArgs(1, "an application"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.Command = args
			if _, err := exec.LookPath(args[0]); err != nil {
				return usagef("there is no program %s that may be run", args[0])
			}
			if err := capture.CheckPattern(o.Kernel); err != nil {
				return usagef("--kernel %s: %w", o.Kernel, err)
			}
			if o.Launch < 1 && cmd.Flags().Changed("launch") {
				return usagef("--launch %d: launches are counted from 1", o.Launch)
			}
			if contents != "" {
				var ok bool
				if o.Contents, ok = format.ParseInteger(contents); !ok || o.Contents < 1 {
					return usagef("--contents=%s: expected a number of bytes, such as 64M", contents)
				}
			}
			data, err := dataDir()
			if err != nil {
				return err
			}
			o.Cache = filepath.Join(data, "capture")
			o.Stdin, o.Stdout, o.Stderr = cmd.InOrStdin(), terminal.Direct(cmd.OutOrStdout()), terminal.Direct(cmd.ErrOrStderr())
			if wantJSON(cmd) {
				o.Stdout = o.Stderr
			}
			result, err := capture.Run(cmd.Context(), o)
			table := format.NewTable("kernel", ">launches", "launch file")
			for _, k := range result.Kernels {
				table.Row(k.Cells()...)
				if k.Why != "" {
					warnf(cmd, warning.LeftOut, k.Short(), "%s", k.Why)
				}
			}
			if result.Unlisted != nil {
				note(cmd, "%s", source.Message(result.Unlisted))
			}
			if failed := new(capture.StatusError); err != nil && !errors.As(err, &failed) {
				return err
			}
			if wantJSON(cmd) {
				return errors.Join(err, printJSON(cmd.OutOrStdout(), result))
			}
			if len(result.Kernels) == 0 {
				return err
			}
			fmt.Fprintln(cmd.ErrOrStderr())
			return errors.Join(err, table.Write(cmd.ErrOrStderr()))
		},
	}
	cmd.Flags().StringVar(&o.Kernel, "kernel", "", "capture the kernels whose name matches this regular expression, in machine code or as in C++ (default: all)")
	cmd.Flags().IntVar(&o.Launch, "launch", 0, "which launch of each kernel to capture (default: the first with each ND-range and each set of values)")
	cmd.Flags().StringVarP(&o.Folder, "output", "o", "captured", "the folder for the launch files")
	cmd.Flags().StringVar(&contents, "contents", "", "keep what buffers of at most so many bytes hold before the launch (alone: 256M); others start with zeros")
	cmd.Flags().Lookup("contents").NoOptDefVal = "256M"
	cmd.Flags().SetInterspersed(false)
	return cmd
}
