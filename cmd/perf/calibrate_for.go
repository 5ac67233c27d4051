package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/modelgen"
	"gpuperf/internal/throw"
	"gpuperf/models"
	"gpuperf/samples"
)

// forOptions ask for models of one's own kernels.
type forOptions struct {
	kernels  []string // scripts, with "#name" for one kernel of a script
	sizes    []string
	own      bool
	folder   string
	name     string
	like     string
	points   int
	isolated bool
	dryRun   bool
	files    frontend.Options
}

func (o *forOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.kernels, "for", nil, "refine the model for any kernel for those of a file, KERNEL or KERNEL#name: a script, a kernel function or a launch file (may be repeated)")
	addSizes(cmd, &o.sizes)
	addFiles(cmd, &o.files)
	f.BoolVar(&o.own, "own-model", false, "with --for: make one model for the kernels alone, which needs no other, and calibrate it")
	f.StringVar(&o.folder, "to", ".", "with --own-model: the folder to write the model file to")
	f.StringVar(&o.name, "name", "", "with --own-model: the model's name, and that of its file (default: the first script's)")
	f.StringVar(&o.like, "like", "", `with --for and --dry-run: the device to choose for, such as "NVIDIA H200"`)
	f.IntVar(&o.points, "points", 0, "with --for: number of sizes to measure each kernel at (default 5; with --own-model 6, or 7 where it has several parameters)")
	f.BoolVar(&o.isolated, "isolated", false, "with --for: measure each access pattern of a kernel alone, never all of them together")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --for: list what would be measured, and write the model file; no device is needed")
}

// check refuses options that mean nothing together.
func (o *forOptions) check(cmd *cobra.Command, args []string) error {
	flags := []string{"to", "name", "model"}
	if len(o.kernels) == 0 {
		flags = []string{"param", "to", "name", "like", "points", "isolated", "dry-run", "own-model"}
	}
	for _, flag := range flags {
		switch {
		case !cmd.Flags().Changed(flag):
		case len(o.kernels) == 0:
			return usagef("--%s has a meaning only with --for: give --for KERNEL.star", flag)
		case !o.own:
			return usagef("--%s is about a model of the kernels alone: add --own-model", flag)
		}
	}
	switch {
	case len(o.kernels) == 0:
		return nil
	case len(args) > 0:
		return usagef("--for calibrates no other model; calibrate %s in a separate call", strings.Join(args, ", "))
	case o.like != "" && !o.dryRun:
		return usagef("--like is for a dry run: a calibration is always for the device it measures")
	}
	return nil
}

// run refines the model for any kernel, or makes a model for the kernels alone, unless this is a dry run.
func (o *forOptions) run(cmd *cobra.Command, on measureFlags, selected campaign.Selection, profile string) {
	points := throw.Get(parseSizes(o.sizes))
	targets, notes := throw.Get2(campaign.Targets(cmd.Context(), o.files, o.kernels, points, o.folder))
	warn(cmd, notes)
	o.checkOwn(targets)
	if o.dryRun {
		device := o.target(cmd, on.device)
		path, set := throw.Get2(campaign.OwnModel(targets, o.options(device), selected, o.own, o.modelName(), o.folder))
		throw.If(show(cmd, set.JSON(path), func(w io.Writer) error {
			warn(cmd, set.Notes)
			return set.Write(w, path)
		}))
		return
	}
	c := throw.Get(on.open(cmd))
	defer finish(cmd, c)
	device := facts.Of(c.Device.Info().Fingerprint)
	if !o.own {
		calibrateAll(cmd, c, on, o.refinements(cmd, targets, device), profile)
		return
	}
	path, set := throw.Get2(campaign.OwnModel(targets, o.options(device), selected, o.own, o.modelName(), o.folder))
	warn(cmd, set.Notes)
	note(cmd, "model: %s", path)
	model := throw.Get(models.Load(path))
	if selected.Form == "" {
		selected.Form = calibrate.Auto
	}
	plan := throw.Get(campaign.NewPlan(cmd.Context(), model, selected))
	calibrateAll(cmd, c, on, []fitting{ofPlan(cmd, plan)}, profile)
}

// refinements refine the model for any kernel for each of the targets.
func (o *forOptions) refinements(cmd *cobra.Command, targets []modelgen.Target, device *facts.Device) []fitting {
	var fits []fitting
	for _, t := range targets {
		fits = append(fits, func(c *campaign.Campaign, mode samples.Mode, within campaign.TimeRange, to *calibrate.Profile) (*campaign.Calibrated, error) {
			m, notes, err := c.RefineIn(cmd.Context(), mode, to, t, o.options(device), within)
			warn(cmd, notes)
			return m, err
		})
	}
	return fits
}

// checkOwn refuses kernels of which no models are made.
func (o *forOptions) checkOwn(targets []modelgen.Target) {
	i := slices.IndexFunc(targets, func(t modelgen.Target) bool { return len(t.Whole) > 0 })
	if !o.own || i < 0 {
		return
	}
	panic(throw.Of(usagef("%s: --own-model makes models of kernels of scripts; without it the model for any kernel is refined for this one", targets[i].Script)))
}

// options are those of modelgen.
func (o *forOptions) options(device *facts.Device) modelgen.Options {
	return modelgen.Options{Device: device, Points: o.points, Isolated: o.isolated}
}

// modelName is the name asked for, or that of the first script.
func (o *forOptions) modelName() string {
	if o.name != "" {
		return o.name
	}
	base, _, _ := strings.Cut(filepath.Base(o.kernels[0]), ".star")
	return strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(base)
}

// target is what is known of the device without measuring; nil where none is named.
func (o *forOptions) target(cmd *cobra.Command, query string) *facts.Device {
	switch {
	case o.like != "":
		if d, known := facts.Named(o.like); d == nil {
			panic(throw.Of(usagef("no facts are known about a device %q; known devices: %s", o.like, strings.Join(known, ", "))))
		}
		return facts.Of(samples.Fingerprint{Name: o.like})
	case query != "":
		dev := throw.Get(openDevice(cmd, query))
		defer dev.Close()
		return facts.Of(dev.Info().Fingerprint)
	}
	return nil
}
