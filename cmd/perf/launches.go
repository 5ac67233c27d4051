package main

import (
	"slices"
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

// openBeside is open for what is predicted. A warning of another device than the predictions are for, if elsewhere has one, is said before the work.
func (f *measureFlags) openBeside(cmd *cobra.Command, elsewhere func(samples.Fingerprint) string) (*campaign.Campaign, error) {
	c, err := f.open(cmd)
	if err == nil {
		warnNow(cmd, elsewhere(c.Device.Info().Fingerprint))
	}
	return c, err
}

// query is how the device is asked for: by the interface too, where one was chosen.
func (f *measureFlags) query() (string, error) {
	switch on := f.named(); {
	case f.face == "" || on == f.face:
		return f.device, nil
	case on != "":
		return "", usagef("--device %s and --interface %s name two interfaces; leave one of them out", f.device, f.face)
	case !slices.ContainsFunc(samples.Interfaces, func(i samples.Interface) bool { return i.String() == f.face }):
		return "", usagef("--interface %s: choose cuda or opencl", f.face)
	}
	return f.face + ":" + f.device, nil
}

// named is the interface that --device names, as in cuda:0; "" where it names none.
func (f *measureFlags) named() string {
	on, _, ok := strings.Cut(f.device, ":")
	if !ok || !slices.ContainsFunc(samples.Interfaces, func(i samples.Interface) bool { return i.String() == on }) {
		return ""
	}
	return on
}

// driveAs chooses the interface that launch files and sources run under, unless another was chosen or samples are replayed.
func (f *measureFlags) driveAs(launches *campaign.Launches, cases []*workload.Case) {
	if on := launches.Interfaces(cases); len(on) > 0 && f.face == "" && f.named() == "" && !strings.HasPrefix(f.device, replay.Prefix) {
		f.face = on[0].String()
	}
}
