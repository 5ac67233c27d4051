package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate/profiles"
	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/throw"
)

func devicesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "List what can be measured here",
		Long: `devices lists every device that CUDA and OpenCL find; one that both find is listed by each. The one marked with an asterisk is used unless
--device of the other commands names another: the first GPU, or a CPU where there is no GPU.`,
		Example: `  perf devices`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			devices, err := measure.Devices(cmd.Context(), measure.Options{})
			if err != nil {
				return fmt.Errorf("%w\n    to predict, no device is needed: perf predict KERNEL.star -p n=4096 --profile %s", err, strings.Join(profiles.All.Names(), " | "))
			}
			chosen := throw.Get(device.Select(devices, ""))
			return show(cmd, map[string]any{"devices": devices, "default": chosen}, func(w io.Writer) error {
				device.Print(w, devices, chosen)
				return nil
			})
		},
	}
}
