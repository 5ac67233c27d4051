package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/samples"
	"gpuperf/workload"
)

func measureCommand() *cobra.Command {
	var session sessionOptions
	var sizes []string
	var folder, match string
	cmd := &cobra.Command{
		Use:   "measure KERNEL.star -p n=2048 | TAG...",
		Short: "Measure kernels on a device",
		Long: `measure runs the kernels of a script at the given sizes, or the measurement kernels that tags select, and adds the
samples to a file. What the file has already is not measured again. A kernel that hangs, crashes or is refused leaves a
sample with that status, and the others are measured all the same.

Each sample carries the state of the caches, the latest time of a fixed sentinel kernel, which shows whether the device is
as fast as when the session began, and, where the driver tells, the clocks. With --trials 3 a sample takes little time and
little room; a samples file that gzip has packed can be replayed as it is.`,
		Args: minArgs(1, "a kernel script, or tags"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cases, err := measureCases(cmd, args, sizes, folder, match)
			if err != nil {
				return err
			}
			s, err := openSession(cmd, session)
			if err != nil {
				return err
			}
			defer s.close()
			if cases, err = s.inRange(cases); err != nil {
				return err
			}
			records, err := s.measureModes(cases)
			if err != nil {
				return err
			}
			return printRecords(cmd, records)
		},
	}
	session.addFlags(cmd)
	session.addTimeRange(cmd)
	addSizesFlag(cmd, &sizes)
	cmd.Flags().StringVar(&folder, "generators", "", "a folder of generators to use beside the built-in ones")
	addMatchFlag(cmd, &match)
	return cmd
}

// measureModes measures the cases in each state of the caches that was asked for: case by case the one, then the other.
func (s *session) measureModes(cases []*workload.Case) ([]samples.Record, error) {
	modes, err := s.options.modes()
	if err != nil {
		return nil, err
	}
	of := make([][]samples.Record, len(modes))
	for i, mode := range modes {
		s.mode = mode
		if of[i], err = s.measure(cases); err != nil {
			return nil, err
		}
	}
	var records []samples.Record
	for k := range cases {
		for i := range modes {
			records = append(records, of[i][k])
		}
	}
	return records, nil
}

func measureCases(cmd *cobra.Command, args, sizes []string, folder, match string) ([]*workload.Case, error) {
	file, _, _ := strings.Cut(args[0], "#")
	if !strings.HasSuffix(file, ".star") {
		if len(sizes) > 0 {
			return nil, usagef("-p is for kernel scripts; tags give sizes as %s", `"n:2048"`)
		}
		return selectCases(folder, args, match)
	}
	if len(args) > 1 {
		return nil, usagef("one kernel script is measured at a time, got %s too", args[1])
	}
	return scriptCases(cmd, args[0], sizes)
}

// printRecords prints samples. Where one failed, the exit status says so.
func printRecords(cmd *cobra.Command, records []samples.Record) error {
	failed := 0
	for _, r := range records {
		if r.Status != samples.OK {
			failed++
		}
	}
	if wantJSON(cmd) {
		if err := printJSON(cmd.OutOrStdout(), map[string]any{"samples": records}); err != nil {
			return err
		}
	} else {
		t := newTable("kernel", "caches", ">median", ">95 % interval", ">trials", "status")
		for _, r := range records {
			if r.Status != samples.OK {
				t.row(r.Kernel.Key(), string(r.Mode), "", "", "", fmt.Sprintf("%s: %s", r.Status, r.Error))
				continue
			}
			t.row(r.Kernel.Key(), string(r.Mode), seconds(r.Seconds()), seconds(r.Summary.Lo)+" – "+seconds(r.Summary.Hi), fmt.Sprint(len(r.Trials)), "ok")
		}
		t.write(cmd.OutOrStdout())
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d kernels could not be measured", failed, len(records))
	}
	return nil
}
