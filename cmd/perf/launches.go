package main

import (
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/device/replay"
	"gpuperf/samples"
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
	launches, err := campaign.LoadLaunches(paths, against, at)
	if err != nil {
		return err
	}
	on.driveAs(launches)
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
	return printRecords(cmd, result.Records, nil)
}

// driveAs chooses the interface that launch files run under, unless another was chosen or samples are replayed.
func (f *measureFlags) driveAs(launches *campaign.Launches) {
	if launches.Any() && f.face == "" && !strings.HasPrefix(f.device, replay.Prefix) {
		f.face = launches.Interface.String()
	}
}
