package main

import (
	"github.com/spf13/cobra"

	"gpuperf/emulate/launches"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/samples"
	"gpuperf/workload"
)

// times are what was measured of launches that are emulated; of none nothing was asked for.
type times map[*launches.Report]*campaign.Measured

// timesOf measures what arguments describe, for the reports of its emulation, which are in the same order.
func (o *predictFlags) timesOf(cmd *cobra.Command, args []string, all []*launches.Report) (t times, err error) {
	defer throw.Catch(&err)
	sizes := throw.Get(parseArguments(o.sizes))
	var files *campaign.Launches
	var cases []*workload.Case
	if campaign.AreLaunches(args, "") {
		files = throw.Get(campaign.LoadLaunches(cmd.Context(), args, "", sizes))
	} else {
		for _, path := range args {
			cases = append(cases, throw.Get(fileCases(cmd, o.files, path, o.sizes))...)
		}
	}
	o.on.driveAs(files, cases)
	mode := throw.Get(o.on.mode("the emulated time is for one state of the caches"))
	c := throw.Get(o.on.openBeside(cmd, all[0].Elsewhere))
	defer finish(cmd, c)
	result := throw.Get(measureAny(cmd, c, mode, files, cases))
	warn(cmd, result.Warnings)
	if len(result.Records) != len(all) {
		return nil, usagef("%d times are predicted, and %d measured: name launch files alone, or files of kernels", len(all), len(result.Records))
	}
	t = times{}
	for i, r := range all {
		t[r] = campaign.MeasuredBeside(&result.Records[i], r.Seconds())
	}
	return t, nil
}

func measureAny(cmd *cobra.Command, c *campaign.Campaign, mode samples.Mode, files *campaign.Launches, cases []*workload.Case) (*campaign.Result, error) {
	if files != nil {
		return c.MeasureLaunches(cmd.Context(), mode, files)
	}
	return c.Measure(cmd.Context(), mode, cases)
}

// cells are the columns of a report: the measured time, and by how much the predicted one is off.
func (t times) cells(r *launches.Report) []string {
	switch m := t[r]; {
	case m == nil:
		return []string{"-", "-"}
	case m.Status != samples.OK:
		return []string{string(m.Status), ""}
	default:
		return []string{format.Seconds(m.Seconds), format.SignedPercent(m.RelativeError)}
	}
}
