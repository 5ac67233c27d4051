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
sample with that status, and the others are measured all the same.`,
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
			records, err := s.measure(cases)
			if err != nil {
				return err
			}
			return printRecords(cmd, records)
		},
	}
	session.addFlags(cmd)
	addSizesFlag(cmd, &sizes)
	cmd.Flags().StringVar(&folder, "generators", "", "a folder of generators to use beside the built-in ones")
	addMatchFlag(cmd, &match)
	return cmd
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
		t := newTable("kernel", ">median", ">95 % interval", ">trials", "status")
		for _, r := range records {
			if r.Status != samples.OK {
				t.row(r.Kernel.Key(), "", "", "", fmt.Sprintf("%s: %s", r.Status, r.Error))
				continue
			}
			t.row(r.Kernel.Key(), seconds(r.Seconds()), seconds(r.Summary.Lo)+" – "+seconds(r.Summary.Hi), fmt.Sprint(len(r.Trials)), "ok")
		}
		t.write(cmd.OutOrStdout())
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d kernels could not be measured", failed, len(records))
	}
	return nil
}
