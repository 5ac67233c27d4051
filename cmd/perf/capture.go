package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/emulate/survey"
	"gpuperf/internal/command/capture"
	"gpuperf/internal/command/report"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/internal/terminal"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
)

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
			result, err := captured(cmd, &o, contents)
			if result == nil {
				return err
			}
			table := format.NewTable("kernel", ">launches", "launch file")
			for _, row := range result.Rows() {
				table.Row(row...)
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
	addCapture(cmd, &o, &contents)
	return cmd
}

// addCapture adds the flags of what is captured.
func addCapture(cmd *cobra.Command, o *capture.Options, contents *string) {
	cmd.Flags().StringVar(&o.Kernel, "kernel", "", "capture the kernels whose name matches this regular expression, in machine code or as in C++ (default: all)")
	cmd.Flags().IntVar(&o.Launch, "launch", 0, "which launch of each kernel to capture (default: the first with each ND-range and each set of values)")
	cmd.Flags().StringVarP(&o.Folder, "output", "o", "captured", "the folder for the launch files")
	cmd.Flags().StringVar(contents, "contents", "", "keep what all buffers of at most so many bytes hold before the launch (alone: 256M), or none (default: of those that decide about the time)")
	cmd.Flags().Lookup("contents").NoOptDefVal = allContents
	cmd.Flags().SetInterspersed(false)
}

// allContents are the bytes of the largest buffer whose contents are kept, unless another size is given.
const allContents = "256M"

// captured runs an application and writes launch files. There is no result where nothing was run.
func captured(cmd *cobra.Command, o *capture.Options, contents string) (_ *capture.Result, err error) {
	defer throw.Catch(&err)
	if _, err := exec.LookPath(o.Command[0]); err != nil {
		return nil, usagef("there is no program %s that may be run", o.Command[0])
	}
	if err := capture.CheckPattern(o.Kernel); err != nil {
		return nil, usagef("--kernel %s: %w", o.Kernel, err)
	}
	if o.Launch < 1 && cmd.Flags().Changed("launch") {
		return nil, usagef("--launch %d: launches are counted from 1", o.Launch)
	}
	if contents != "none" {
		var ok bool
		if o.Contents, ok = format.ParseInteger(cmp.Or(contents, allContents)); !ok || o.Contents < 1 {
			return nil, usagef("--contents=%s: expected a number of bytes, such as 64M, or none", contents)
		}
	}
	if contents == "" {
		sheet := throw.Get(facts.Sheet(launches.Usual))
		o.Decides = func(ctx context.Context, path string) ([]string, error) { return launches.Deciding(ctx, path, sheet) }
	}
	data := throw.Get(dataDir())
	o.Cache = filepath.Join(data, "capture")
	o.Stdin, o.Stdout, o.Stderr = cmd.InOrStdin(), terminal.Direct(cmd.OutOrStdout()), terminal.Direct(cmd.ErrOrStderr())
	if wantJSON(cmd) {
		o.Stdout = o.Stderr
	}
	o.Progress = nowAndThen(cmd)
	result, err := capture.Run(cmd.Context(), *o)
	for _, k := range result.Kernels {
		if k.Why != "" {
			warnf(cmd, warning.LeftOut, k.Short(), "%s", k.Why)
		}
	}
	if result.Unlisted != nil {
		note(cmd, "%s", source.Message(result.Unlisted))
	}
	if result.Undecided > 0 {
		note(cmd, "of %s it is not known which contents decide about the time: those of buffers of up to 1 MB are kept", format.Count(result.Undecided, "kernel"))
	}
	return &result, err
}

func appCommand() *cobra.Command {
	o := capture.Options{}
	var contents, on, page string
	cmd := &cobra.Command{
		Use:   "app -- APP ARGS...",
		Short: "Tell which kernels of an application take its time, and why",
		Long: `app runs an application, captures the kernels that it launches, as perf capture does, and prints what perf emulate tells of them: how long each took in
the application beside what is predicted, its share, what binds it, and how busy the busiest unit is. The launch files stay, so that perf emulate, perf
measure and perf report take them later, also on another machine.

Its output, its input and its exit status are those of the application; what app says goes to standard error, and with --json to standard output.`,
		Example: `  perf app -- ./app --size 4096
  perf app --page app.html -- python3 train.py`,
		Args: minArgs(1, "an application"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = args
			result, failed := captured(cmd, &o, contents)
			if status := new(capture.StatusError); result == nil || failed != nil && !errors.As(failed, &status) {
				return failed
			}
			return errors.Join(failed, tell(cmd, o.Folder, on, page))
		},
	}
	addCapture(cmd, &o, &contents)
	cmd.Flags().StringVar(&on, "on", launches.Usual, "the device whose times are predicted: a name of a data sheet, or a file with one")
	cmd.Flags().StringVar(&page, "page", "", "write the table as a web page too, to this file")
	return cmd
}

// tell emulates a folder of launch files, and prints the table.
func tell(cmd *cobra.Command, folder, on, page string) (err error) {
	defer throw.Catch(&err)
	all, warnings := throw.Get2(survey.Request{Paths: []string{folder}, On: []string{on}, Kept: keptResults(), Progress: emulating(cmd)}.Tables(cmd.Context()))
	warn(cmd, warnings)
	text := throw.Get(json.Marshal(kernelsJSON(all)))
	if page != "" {
		section := throw.Get(report.Application(folder, text))
		writePage(page, &report.Page{Title: "perf app", Sections: []report.Section{section}})
		note(cmd, "page: %s", page)
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), kernelsJSON(all))
	}
	fmt.Fprintln(cmd.ErrOrStderr())
	return survey.Write(cmd.ErrOrStderr(), all)
}

// keptResults is the folder of results of emulation; "" is none.
func keptResults() string {
	data, err := dataDir()
	if err != nil {
		return ""
	}
	return filepath.Join(data, "emulated")
}
