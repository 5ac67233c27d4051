package main

import (
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device/replay"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/throw"
	"gpuperf/samples"
	"gpuperf/workload"
)

// measureLaunches measures launch files, or compares them with another. Their source decides on the interface.
func measureLaunches(cmd *cobra.Command, on *measureFlags, paths, sizes []string, against string) {
	if on.within != "" {
		panic(throw.Of(usagef("--time-range is for kernels whose sizes are free; a launch file says which it takes")))
	}
	at := throw.Get(parseSizes(sizes))
	launches := throw.Get(campaign.LoadLaunches(cmd.Context(), paths, against, at))
	on.driveAs(launches, nil)
	if against != "" {
		measureAgainst(cmd, on, func(c *campaign.Campaign, mode samples.Mode) ([]campaign.Against, *campaign.Result, error) {
			return c.AgainstLaunches(cmd.Context(), mode, launches)
		})
		return
	}
	c, modes := throw.Get2(on.openModes(cmd))
	defer finish(cmd, c)
	result := throw.Get(campaign.InModes(modes, func(mode samples.Mode) (*campaign.Result, error) {
		return c.MeasureLaunches(cmd.Context(), mode, launches)
	}))
	warn(cmd, result.Warnings)
	achieved := throw.Get(c.AchievedLaunches(cmd.Context(), frontend.Options{}, paths, at, result.Records))
	list := campaign.Samples(result.Records, achieved)
	launches.Compare(list)
	printSamples(cmd, list, achieved != nil)
}

// driveAs chooses the interface that launch files and sources run under, unless another was chosen or samples are replayed.
func (f *measureFlags) driveAs(launches *campaign.Launches, cases []*workload.Case) {
	if on := launches.Interfaces(cases); len(on) > 0 && f.face == "" && f.named() == "" && !strings.HasPrefix(f.device, replay.Prefix) {
		f.face = on[0].String()
	}
}
