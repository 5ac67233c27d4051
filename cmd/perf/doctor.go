package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/command/doctor"
	"gpuperf/internal/counters"
	"gpuperf/internal/throw"
	"gpuperf/internal/toolkit"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is missing on this machine, and say what to do",
		Long: `doctor looks at what measuring and predicting need: loaders and drivers of OpenCL and CUDA, compilers, programs of CUDA's toolkit, the
permission to read counters, the resolution of timers, whether a device keeps its speed and its temperature, the data directory, and whether
profiles still hold. Each line is a finding; where something is to be done, the line below says what. The exit status is 1 where something
does not work.`,
		Example: `  perf doctor`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			data := throw.Get(dataDir())
			findings := doctor.Examine(cmd.Context(), doctor.Machine{
				Data: data,
				Find: func(program string) string { return toolkit.Find(program) },
				Open: func(names []string) error {
					_, err := dl.OpenFirst(names)
					return err
				},
				Counters: counters.Find,
				Devices:  func(ctx context.Context) ([]device.Info, error) { return measure.Devices(ctx, measure.Options{}) },
				OpenDevice: func(ctx context.Context) (device.Device, error) {
					return campaign.OpenDevice(ctx, "", measure.Options{})
				},
				Privileged: os.Geteuid() == 0,
			})
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			err := show(cmd, map[string]any{"findings": findings}, func(w io.Writer) error {
				doctor.Print(w, findings)
				return nil
			})
			if err == nil && doctor.Worst(findings) == doctor.Failure {
				return errReported
			}
			return err
		},
	}
}
