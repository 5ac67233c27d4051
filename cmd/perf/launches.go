package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/device/replay"
	"gpuperf/launchfile"
	"gpuperf/samples"
)

// isLaunchFile tells a launch file from scripts and tags.
func isLaunchFile(arg string) bool { return slices.Contains(launchfile.Extensions, filepath.Ext(arg)) }

// measureLaunches measures launch files. Their source decides on the interface.
func measureLaunches(cmd *cobra.Command, on *measureFlags, paths, sizes []string, against string) error {
	if on.within != "" {
		return usagef("--time-range is for kernels whose sizes are free; a launch file says which it takes")
	}
	at, err := parseSizes(sizes)
	if err != nil {
		return err
	}
	if against != "" {
		if !isLaunchFile(against) {
			return usagef("--against %s: launch files are compared with a launch file", against)
		}
		paths = append(slices.Clone(paths), against)
	}
	launches, err := campaign.LoadLaunches(paths, at)
	if err != nil {
		return err
	}
	if on.face == "" && !strings.HasPrefix(on.device, replay.Prefix) {
		on.face = launches.Interface.String()
	}
	if against != "" {
		pairs := launches.AgainstLast(len(at))
		return measureAgainst(cmd, on, func(c *campaign.Campaign, mode samples.Mode) ([]campaign.Against, *campaign.Result, error) {
			return c.AgainstLaunches(cmd.Context(), mode, pairs)
		})
	}
	c, err := on.open(cmd)
	if err != nil {
		return err
	}
	defer finish(cmd, c)
	modes, err := on.modes()
	if err != nil {
		return err
	}
	records, err := inModes(cmd, modes, launches.Len(), func(mode samples.Mode) (*campaign.Result, error) {
		return c.MeasureLaunches(cmd.Context(), mode, launches)
	})
	if err != nil {
		return err
	}
	return printRecords(cmd, nil, records)
}
