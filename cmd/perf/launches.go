package main

import (
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device/replay"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
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
