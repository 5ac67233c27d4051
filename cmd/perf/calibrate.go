package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/device/cuda"
	"gpuperf/device/machine"
	"gpuperf/emulate/bench"
	"gpuperf/internal/campaign"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

func calibrateCommand() *cobra.Command {
	var on measureFlags
	var selected campaign.Selection
	var own forOptions
	var profile, sheet string
	var emulator bool
	cmd := &cobra.Command{
		Use:   "calibrate [MODEL...] | --for KERNEL -p n=4096 | --emulator",
		Short: "Measure what models need on a device, fit them, keep a profile",
		Long: `calibrate runs the measurement kernels that the models name (files, or names that perf models lists), fits the
models to their times, and adds them to the profile of the device. Without a model it takes general, which predicts any kernel. With
--model auto each model is fitted in every form, and the form that predicts held-out rows best is kept. Kernels measured before are
not measured again, so an interrupted calibration resumes.
Times are taken with warm caches, or with --cache cold; a profile holds models for one of the two. Several calibrations may add to
one profile at the same time. A few kernels more show the highest rates of the device: no prediction is faster than they allow.

With --for it refines the model for any kernel in the profile, or in one for the device that comes with the program: of each kernel it
measures the accesses to global memory, all of them and each pattern alone, without the rest of its work, at sizes around those given by -p.
These times correct the costs of that kernel, as far as they show them; others stay. predict, rank and explain use what is refined for a kernel. A
kernel function or launch file of which no work can be removed, as of atomic operations and vectors, is run as it is at the sizes that are given, which
should be several; a warning says so. Other kernels are never run themselves. With --own-model it makes a model of the kernels of scripts alone, with measurement kernels
for all of their work, as a model file that you can read, edit and calibrate again; the default is then --model auto.

With --emulator it measures on a GPU of NVIDIA what perf emulate must know of it: latencies and gaps of instructions, barriers, caches, atomics.
It takes half a minute, and nvdisasm of CUDA's toolkit. The result is a data sheet for perf emulate --on, with the source of each number.`,
		Example: `  perf calibrate --profile my-h200.yaml \
      --device replay:testdata/h200/general.jsonl.gz
  perf calibrate examples/matmul/own_kernel.yaml --tag n:64,96,128
  perf calibrate --for examples/matmul/matmul.star -p n=256 --dry-run
  perf calibrate examples/matmul/own_kernel.yaml --profile my-profile.yaml \
      --device replay:testdata/h200/matmul_2_2.jsonl`,
		Args: own.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			if emulator {
				calibrateEmulator(cmd, on, args, sheet)
				return nil
			}
			if len(own.kernels) > 0 {
				own.run(cmd, on, selected, profile)
				return nil
			}
			plans, err := campaign.Plans(cmd.Context(), args, selected) // mistakes in the files show before anything runs
			if err != nil {
				return err
			}
			c := throw.Get(on.open(cmd))
			defer finish(cmd, c)
			if selected.On = machine.Told(c.Device.Info()); selected.On.Multiprocessors != machine.Of(nil).Multiprocessors { // other sizes
				plans = throw.Get(campaign.Plans(cmd.Context(), args, selected))
			}
			var fits []fitting
			for _, plan := range plans {
				fits = append(fits, ofPlan(cmd, plan))
			}
			calibrateAll(cmd, c, on, fits, profile)
			return nil
		},
	}
	on.add(cmd)
	on.addTimeRange(cmd)
	addSelection(cmd, &selected)
	own.add(cmd)
	cmd.Flags().BoolVar(&emulator, "emulator", false, "measure what perf emulate must know of the device, for a data sheet")
	cmd.Flags().StringVar(&sheet, "sheet", "", "with --emulator: the data sheet to write (default: the device's own in the data directory)")
	cmd.Flags().StringVar(&profile, "profile", "", "the profile to add to (default: the device's own in the data directory)")
	return cmd
}

// calibrateEmulator measures what the emulator must know of a device.
func calibrateEmulator(cmd *cobra.Command, on measureFlags, args []string, sheet string) {
	if len(args) > 0 {
		panic(throw.Of(usagef("--emulator calibrates no model; calibrate %s in a separate call", args[0])))
	}
	c := throw.Get(on.open(cmd))
	defer finish(cmd, c)
	if sheet == "" {
		data := throw.Get(dataDir())
		sheet = campaign.DeviceFile(data, "sheets", c.Device.Info().Fingerprint, ".yaml")
	}
	throw.If(replace.Sheet.Check(sheet, nil))
	result := throw.Get(bench.Calibrate(cmd.Context(), c, cuda.Cubin))
	warn(cmd, result.Warnings)
	throw.If(result.Save(sheet))
	throw.If(show(cmd, result.JSON(), result.Write))
}

// fitting measures and fits what goes to a profile; nil where there is nothing to measure.
type fitting func(*campaign.Campaign, samples.Mode, campaign.TimeRange, *calibrate.Profile) (*campaign.Calibrated, error)

func ofPlan(cmd *cobra.Command, plan *campaign.Plan) fitting {
	return func(c *campaign.Campaign, mode samples.Mode, within campaign.TimeRange, _ *calibrate.Profile) (*campaign.Calibrated, error) {
		return c.Calibrate(cmd.Context(), mode, plan, within)
	}
}

// calibrateAll calibrates in each state of the caches that was asked for, into a profile each.
func calibrateAll(cmd *cobra.Command, c *campaign.Campaign, on measureFlags, fittings []fitting, path string) {
	modes := throw.Get(on.modes())
	if len(modes) > 1 && path != "" {
		panic(throw.Of(usagef("--cache both: a profile holds models for one state of the caches; calibrate twice, or leave out --profile")))
	}
	var results []any
	for _, mode := range modes {
		result := calibrateMode(cmd, c, on, mode, fittings, path)
		results = append(results, result)
	}
	switch {
	case !wantJSON(cmd):
		return // printed model by model
	case len(results) == 1:
		throw.If(printJSON(cmd.OutOrStdout(), results[0]))
		return
	}
	throw.If(printJSON(cmd.OutOrStdout(), map[string]any{"profiles": results}))
}

// calibrateMode calibrates the models in one state of the caches. It returns what is printed as JSON.
func calibrateMode(cmd *cobra.Command, c *campaign.Campaign, on measureFlags, mode samples.Mode, fittings []fitting, path string) any {
	within := throw.Get(campaign.ParseTimeRange(on.within))
	device := c.Device.Info().Fingerprint
	if path == "" {
		data := throw.Get(dataDir())
		path = campaign.DeviceFile(data, "profiles", device, map[samples.Mode]string{samples.Warm: ".yaml", samples.Cold: "-cold.yaml"}[mode])
	}
	profile, err := campaign.OpenProfile(path, device, mode) // a wrong profile shows before anything runs
	if err != nil {
		panic(throw.Of(err))
	}
	var fits []*calibrate.Fit
	for _, fit := range fittings {
		m, err := fit(c, mode, within, profile)
		tellRows(cmd, within, m.Rows)
		if err != nil {
			panic(throw.Of(err))
		}
		// Added after each model, so that a failure of the next loses nothing.
		throw.If(m.AddTo(path, device))
		fits = append(fits, &m.Fit)
		if !wantJSON(cmd) {
			printFit(cmd, &m.Fit, false)
		}
	}
	after := throw.Get(campaign.OpenProfile(path, device, mode))
	warn(cmd, after.Warnings())
	if !wantJSON(cmd) {
		fmt.Fprintf(cmd.OutOrStdout(), "profile: %s (caches %s)\n", path, mode)
	}
	return map[string]any{"profile": path, "cache": mode, "device": device, "models": fits}
}

// tellRows prints what is to be known of the rows of a fit.
func tellRows(cmd *cobra.Command, within campaign.TimeRange, rows campaign.Rows) {
	tellRanged(cmd, within, rows.Ranged)
	warn(cmd, rows.Warnings)
}
