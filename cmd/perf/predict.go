package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/emulate/launches"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// predictFlags are what predict, rank and explain share.
type predictFlags struct {
	sizes    []string
	model    string
	profile  string
	on       measureFlags
	measured bool
	roofs    bool   // rank and explain draw the kernels under the roofs of the device
	terms    bool   // explain shows the terms of the model
	only     string // for what that is asked for the model must predict; "" for nothing
	binary   string
	from     string // what is emulated
	files    frontend.Options
}

func (o *predictFlags) add(cmd *cobra.Command) {
	addSizes(cmd, &o.sizes)
	addFiles(cmd, &o.files)
	cmd.Flags().StringVar(&o.model, "model", "", "the model to use, of those in the profile; auto is the one that suits the kernels best")
	cmd.Flags().StringVar(&o.profile, "profile", "", "the profile of the device (default: the one of this machine's device)"+shipped())
	o.on.add(cmd)
}

// shipped names the profiles that come with the program, for the help of flags.
func shipped() string {
	text := "; or the name of one that comes with the program:"
	for _, e := range profiles.All.Entries {
		text += fmt.Sprintf(" %s (%s)", e.Name, e.Doc)
	}
	return text
}

// addBinary adds what predict and rank have: explain explains the costs of the IR.
func (o *predictFlags) addBinary(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.binary, "binary", "", "count instructions in the kernels' machine code, which this samples file holds")
}

func predictCommand() *cobra.Command {
	var o predictFlags
	var table string
	cmd := &cobra.Command{
		Use:   "predict KERNEL -p n=4096",
		Short: "Predict how long a kernel takes, and why",
		Long: `predict evaluates a calibrated model for the kernels of a file. Nothing is run, unless --measure asks to compare
the prediction with a measurement. With --features it predicts from feature values that were counted elsewhere.

Of a profile with several models it takes the one that was made for the kernel, else the one for any kernel, such as the model general;
with --model auto the one that suits best. A note tells which. The profile h200 comes with the program, so that no GPU is needed:

  perf predict examples/matmul/matmul.star -p n=4096 --profile h200

Kernels that exist, functions of .cu and .cl files and launch files, are emulated: their machine code where a file has it or CUDA's compiler is here, else what
a compiler of perf's own makes of the source, which is nearer to measured times than models are (docs/howto/source.md). --from fixes which.

A model that has no cost for a main part of the kernel's work does not apply: auto never takes it, and one that is named gives a warning, and an
interval without upper end.`,
		Example: `  perf predict examples/matmul/matmul.star -p n=2048,4096 --profile h200`,
		Args: func(cmd *cobra.Command, args []string) error {
			if table != "" {
				return exactArgs(0, "no file beside --features")(cmd, args)
			}
			return exactArgs(1, "one file with kernels (perf rank takes several)")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if table != "" {
				p := throw.Get(o.open(cmd, nil))
				predictTable(cmd, p, table)
				return nil
			}
			return o.predict(cmd, args)
		},
	}
	o.add(cmd)
	o.addBinary(cmd)
	o.addFrom(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure as well, and compare")
	cmd.Flags().StringVar(&table, "features", "", "predict from a CSV table of feature values instead of a kernel")
	return cmd
}

// campaign opens the device to measure what a model predicts, in one state of the caches.
func (o *predictFlags) campaign(cmd *cobra.Command, p *campaign.Predictor, launches *campaign.Launches, all []*campaign.Prediction) (*campaign.Campaign, samples.Mode, error) {
	o.on.driveAs(launches, campaign.CasesOf(all))
	mode, err := o.on.mode("a model is for one state of the caches")
	if err != nil {
		return nil, "", err
	}
	c, err := o.on.openBeside(cmd, p.Elsewhere)
	if err == nil && p.Cache != "" && p.Cache != mode {
		warnf(cmd, warning.OtherCaches, "", "the model was calibrated with %s caches, but these measurements use %s caches", p.Cache, mode)
	}
	return c, mode, err
}

// measure measures the predicted cases.
func (o *predictFlags) measure(cmd *cobra.Command, c *campaign.Campaign, mode samples.Mode, p *campaign.Predictor, predictions []*campaign.Prediction) {
	result := throw.Get(c.Measure(cmd.Context(), mode, campaign.CasesOf(predictions)))
	warn(cmd, result.Warnings)
	for i, one := range predictions {
		one.Measured = &result.Records[i]
		one.Warnings = append(one.Warnings, p.Doubts(one.Measured)...)
	}
}

func warnOf(cmd *cobra.Command, predictions []*campaign.Prediction) {
	for _, r := range predictions {
		for _, text := range r.Warnings {
			warn(cmd, []string{warning.In(r.Label+" "+format.Sizes(r.Sizes), text)})
		}
	}
}

// predictTable predicts each row of a table of feature values.
func predictTable(cmd *cobra.Command, p *campaign.Predictor, path string) {
	all := throw.Get(p.PredictTable(path))
	throw.If(show(cmd, map[string]any{"kernels": all}, func(w io.Writer) error {
		for _, r := range all {
			for _, text := range r.Warnings {
				warn(cmd, []string{warning.In(r.Row, text)})
			}
		}
		return campaign.WriteRows(w, all)
	}))
}

// writeEmulated writes times by emulation, ranked where that is asked for.
func writeEmulated(w io.Writer, all []*launches.Report, times times, ranked bool) error {
	fmt.Fprintf(w, "emulated on %s\n", all[0].Device)
	header := []string{"launch", ">predicted", ">90 % interval", "code from"}
	if ranked {
		header = append([]string{">rank"}, header...)
	}
	if times != nil {
		header = append(header, ">measured", ">error")
	}
	t := format.NewTable(header...)
	for i, r := range all {
		row := []string{r.Name, r.Text(), calibrate.Interval(r.Interval()).String(), cmp.Or(r.Origin, launches.Binary)}
		if times != nil {
			row = append(row, times.cells(r)...)
		}
		if ranked {
			row = append([]string{fmt.Sprint(i + 1)}, row...)
		}
		t.Row(row...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, r := range all {
		for _, l := range r.Launches {
			l.WriteReasons(w, r.Name)
		}
	}
	return nil
}
