package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/device/facts"
	"gpuperf/internal/warning"
	"gpuperf/launch"
	"gpuperf/workload"
)

// staticOptions are what feature --static is told.
type staticOptions struct {
	borders  bool
	hardware string
}

// addFlags adds the flags; when says which other flag they go with, or nothing.
func (o *staticOptions) addFlags(cmd *cobra.Command, when string) {
	cmd.Flags().BoolVar(&o.borders, "borders", false, when+"evaluate selects and index bounds for each work-item instead of assuming the interior")
	cmd.Flags().StringVar(&o.hardware, "hardware", "", when+"the device whose limits and caches count, as drivers name it")
}

// static returns the options of package launch.
func (o *staticOptions) static(subgroup int) (launch.Options, error) {
	opt := launch.Options{SubgroupSize: subgroup, Borders: o.borders}
	if o.hardware != "" {
		var known []string
		if opt.Device, known = facts.Named(o.hardware); opt.Device == nil {
			return opt, usagef("--hardware %q: the limits of this device are not known; known are: %s", o.hardware, strings.Join(known, ", "))
		}
	}
	return opt, nil
}

// noteUnknown warns of the static features that are left out because facts of the device are not known.
func noteUnknown(cmd *cobra.Command, device *facts.Device) {
	var names []string
	var keys []facts.Key
	unknown := &facts.Unknown{}
	for _, f := range launch.Features() {
		if errors.As(launch.Needs(device, f.Name), &unknown) {
			names, keys = append(names, f.Name), append(keys, unknown.Keys...)
		}
	}
	if len(names) > 0 {
		slices.Sort(keys)
		warnf(cmd, warning.UnknownFacts, "without "+strings.Join(names, ", "), "%v", nameDevice(&facts.Unknown{Device: device.Name(), Keys: slices.Compact(keys)}))
	}
}

// nameDevice adds to an error of facts that are not known how to give them.
func nameDevice(err error) error {
	if unknown := (*facts.Unknown)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("%w; name a device by --hardware", err)
	}
	return err
}

// printStatic prints the static features of the cases.
func printStatic(cmd *cobra.Command, cases []*workload.Case, opt launch.Options) error {
	all, warnings, err := campaign.Static(cases, opt)
	if err != nil {
		return err
	}
	warn(cmd, warnings)
	noteUnknown(cmd, opt.Device)
	return show(cmd, kernelsJSON(all), func(w io.Writer) error { return campaign.WriteStatic(w, cases, all) })
}
