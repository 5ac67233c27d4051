package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/campaign"
	"gpuperf/device/facts"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/kernel/script"
	"gpuperf/modelgen"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// forOptions ask for a model that is made for kernels.
type forOptions struct {
	kernels  []string // scripts, with "#name" for one kernel of a script
	sizes    []string
	folder   string
	name     string
	like     string
	points   int
	isolated bool
	dryRun   bool
}

func (o *forOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.kernels, "for", nil, "make a model for the kernels of a script, KERNEL.star or KERNEL.star#name, and calibrate it (may be repeated)")
	addSizes(cmd, &o.sizes)
	f.StringVar(&o.folder, "to", ".", "with --for: the folder to write the model file to")
	f.StringVar(&o.name, "name", "", "with --for: the model's name, and that of its file (default: the first script's)")
	f.StringVar(&o.like, "like", "", `with --for and --dry-run: the device to choose for, such as "NVIDIA H200"`)
	f.IntVar(&o.points, "points", 0, "with --for: number of sizes to measure each kernel at (default 6, or 7 where it has several parameters)")
	f.BoolVar(&o.isolated, "isolated", false, "with --for: measure each access pattern of a kernel alone, never all of them together")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --for: write the model file and list what it would measure; no device is needed")
}

// check refuses options that mean nothing together.
func (o *forOptions) check(cmd *cobra.Command, args []string) error {
	if len(o.kernels) == 0 {
		for _, flag := range []string{"param", "to", "name", "like", "points", "isolated", "dry-run"} {
			if cmd.Flags().Changed(flag) {
				return usagef("--%s has a meaning only with --for: give --for KERNEL.star", flag)
			}
		}
		return minArgs(1, "at least one model, or --for KERNEL.star")(cmd, args)
	}
	if len(args) > 0 {
		return usagef("--for makes its own model; calibrate %s in a separate call", strings.Join(args, ", "))
	}
	if o.like != "" && !o.dryRun {
		return usagef("--like is for a dry run: a calibration is always for the device it measures")
	}
	return nil
}

// run makes the model, writes its file, and calibrates it unless this is a dry run.
func (o *forOptions) run(cmd *cobra.Command, on measureFlags, selected campaign.Selection, profile string) error {
	if selected.Form == "" {
		selected.Form = calibrate.Auto
	}
	targets, err := o.targets(cmd)
	if err != nil {
		return err
	}
	if o.dryRun {
		device, err := o.target(cmd, on.device)
		if err != nil {
			return err
		}
		path, set, err := o.make(targets, device, selected)
		if err != nil {
			return err
		}
		return o.list(cmd, path, set)
	}
	c, err := on.open(cmd)
	if err != nil {
		return err
	}
	defer finish(cmd, c)
	path, set, err := o.make(targets, facts.Of(c.Device.Info().Fingerprint), selected)
	if err != nil {
		return err
	}
	warn(cmd, set.Notes)
	note(cmd, "model: %s", path)
	model, err := models.Load(path)
	if err != nil {
		return err
	}
	plan, err := campaign.NewPlan(model, selected)
	if err != nil {
		return err
	}
	return calibrateAll(cmd, c, on, []*campaign.Plan{plan}, profile)
}

// targets loads the kernels, each at those of the sizes that are about its parameters.
func (o *forOptions) targets(cmd *cobra.Command) ([]modelgen.Target, error) {
	points, err := parseSizes(o.sizes)
	if err != nil {
		return nil, err
	}
	var out []modelgen.Target
	var all []script.Variant
	for _, path := range o.kernels {
		variants, err := campaign.LoadScript(cmd.Context(), path)
		if err != nil {
			return nil, err
		}
		file, _, _ := source.CutName(path)
		for _, v := range variants {
			out = append(out, modelgen.Target{Script: relativeTo(o.folder, file), Variant: v})
		}
		all = append(all, variants...)
	}
	sizes, notes, err := campaign.CompleteSizes(all, points)
	if err != nil {
		return nil, err
	}
	warn(cmd, notes)
	for i := range out {
		out[i].Sizes = sizes[i]
	}
	return out, nil
}

// relativeTo is the path of a file as seen from a folder, or itself where there is none.
func relativeTo(folder, file string) string {
	from, err1 := filepath.Abs(folder)
	to, err2 := filepath.Abs(file)
	if err1 != nil || err2 != nil {
		return file
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return to
	}
	return filepath.ToSlash(rel)
}

// modelName is the name asked for, or that of the first script.
func (o *forOptions) modelName() string {
	if o.name != "" {
		return o.name
	}
	base, _, _ := strings.Cut(filepath.Base(o.kernels[0]), ".star")
	return strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(base)
}

// make chooses the model, in the form that --model asks for, and writes its file. With auto it has the most general form, which
// calibration brings into the others.
func (o *forOptions) make(targets []modelgen.Target, device *facts.Device, selected campaign.Selection) (string, *modelgen.Set, error) {
	options := modelgen.Options{Name: o.modelName(), Device: device, Points: o.points, Isolated: o.isolated, Form: models.PNormForm}
	if selected.Form != calibrate.Auto {
		var err error
		if options.Form, err = models.ParseForm(selected.Form); err != nil {
			return "", nil, usagef("--model: %v, or auto", err)
		}
	}
	set, err := modelgen.Make(targets, options, func(m models.Measurement) ([]*workload.Case, error) {
		return campaign.TagCases(selected.Generators, m.Tags, string(m.Match))
	})
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(o.folder, 0o755); err != nil {
		return "", nil, err
	}
	path := filepath.Join(o.folder, options.Name+".yaml")
	return path, set, os.WriteFile(path, []byte(set.Text), 0o644)
}

// target is what is known of the device without measuring; nil where none is named.
func (o *forOptions) target(cmd *cobra.Command, query string) (*facts.Device, error) {
	switch {
	case o.like != "":
		if d, known := facts.Named(o.like); d == nil {
			return nil, usagef("no facts are known about a device %q; known devices: %s", o.like, strings.Join(known, ", "))
		}
		return facts.Of(samples.Fingerprint{Name: o.like}), nil
	case query != "":
		dev, err := openDevice(cmd, query)
		if err != nil {
			return nil, err
		}
		defer dev.Close()
		return facts.Of(dev.Info().Fingerprint), nil
	}
	return nil, nil
}

// list prints what a dry run would measure.
func (o *forOptions) list(cmd *cobra.Command, path string, set *modelgen.Set) error {
	type plannedJSON struct {
		Kernel  samples.Identity `json:"kernel"`
		Seconds float64          `json:"estimated_seconds"`
	}
	total := 0.0
	var all []plannedJSON
	t := format.NewTable("kernel", "sizes", ">estimated time")
	for _, p := range set.Planned {
		total += p.Seconds
		all = append(all, plannedJSON{p.Identity, p.Seconds})
		t.Row(p.Program(), format.Sizes(p.Sizes), format.Seconds(p.Seconds))
	}
	result := map[string]any{"model": path, "kernels": all, "estimated_seconds": total, "notes": set.Notes}
	return show(cmd, result, func(w io.Writer) error {
		warn(cmd, set.Notes)
		t.Write(w)
		_, err := fmt.Fprintf(w, "%s, %s for one of each; model: %s\n", format.Count(len(all), "launch"), format.Seconds(total), path)
		return err
	})
}
