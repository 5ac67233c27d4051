package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// predictOptions are what predict and rank share.
type predictOptions struct {
	sizes    []string
	model    string
	profile  string
	session  sessionOptions
	measured bool
}

func (o *predictOptions) addFlags(cmd *cobra.Command) {
	addSizesFlag(cmd, &o.sizes)
	cmd.Flags().StringVar(&o.model, "model", "", "the model to use, of those in the profile; auto is the one that suits the kernels best")
	cmd.Flags().StringVar(&o.profile, "profile", "", "the profile of the device (default: the one of this machine's device)")
	o.session.addFlags(cmd)
}

func predictCommand() *cobra.Command {
	var o predictOptions
	var table string
	cmd := &cobra.Command{
		Use:   "predict KERNEL.star -p n=4096",
		Short: "Predict how long a kernel takes, and why",
		Long: `predict evaluates a calibrated model for the kernels of a script. Nothing is run, unless --measure asks for a
measurement beside the prediction. With --features it predicts from feature values that were counted elsewhere.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if table != "" {
				return exactArgs(0, "no script beside --features")(cmd, args)
			}
			return exactArgs(1, "one kernel script")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if table != "" {
				p, err := openPredictor(cmd, o, nil)
				if err != nil {
					return err
				}
				return predictTable(cmd, p, table)
			}
			cases, err := scriptCases(cmd, args[0], o.sizes)
			if err != nil {
				return err
			}
			p, err := openPredictor(cmd, o, cases)
			if err != nil {
				return err
			}
			predictions, err := p.predictAll(cases)
			if err != nil {
				return err
			}
			if o.measured {
				if err := measurePredicted(cmd, o.session, p, predictions); err != nil {
					return err
				}
			}
			return printPredictions(cmd, p, predictions)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure as well, and compare")
	cmd.Flags().StringVar(&table, "features", "", "predict from a CSV table of feature values instead of a kernel")
	return cmd
}

// profilePath finds the profile: the one named, the only one in the data directory, or that of the chosen device.
func profilePath(cmd *cobra.Command, o predictOptions) (string, error) {
	if o.profile != "" {
		return o.profile, nil
	}
	dir, err := dataDir()
	if err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(dir, "profiles", "*.yaml"))
	if err != nil {
		return "", err
	}
	switch {
	case len(found) == 0:
		return "", usagef("no profile of any device yet in %s\n    calibrate a model first: perf calibrate MODEL.yaml", dir)
	case len(found) == 1 && o.session.device == "":
		return found[0], nil
	}
	dev, err := openDevice(cmd, o.session.device)
	if err != nil {
		return "", err
	}
	defer dev.Close()
	path, err := deviceFile("profiles", dev.Info().Fingerprint, ".yaml")
	if err == nil && !slices.Contains(found, path) {
		err = usagef("no profile of %s yet\n    calibrate a model first: perf calibrate MODEL.yaml, or name a profile: --profile %s",
			dev.Info().Fingerprint, strings.Join(found, " | "))
	}
	return path, err
}

// predictor is a model of a profile, ready to predict.
type predictor struct {
	device    samples.Fingerprint // on which it was calibrated
	model     *models.Model
	fit       *calibrate.Fit
	predictor *calibrate.Predictor
	facts     *facts.Device // of the device
	ids       []features.ID
	cache     string // state of the caches in which it was calibrated; "" is not known
}

// openPredictor loads the profile and finds the model in it, or chooses one for the cases.
func openPredictor(cmd *cobra.Command, o predictOptions, cases []*workload.Case) (*predictor, error) {
	path, err := profilePath(cmd, o)
	if err != nil {
		return nil, err
	}
	profile, err := calibrate.LoadProfile(path)
	if err != nil {
		return nil, err
	}
	name := o.model
	if name == auto && profile.Find(auto) == nil {
		switch {
		case len(cases) == 0:
			return nil, usagef("--model auto chooses for kernels, and there are none; name a model: %s", strings.Join(profile.Names(), " | "))
		case len(profile.Models) > 0:
			return bestModel(cmd, profile, cases)
		}
		name = ""
	}
	if name == "" {
		if len(profile.Models) == 0 {
			return nil, usagef("profile %s holds no model\n    calibrate one: perf calibrate MODEL.yaml --profile %s", path, path)
		}
		if len(profile.Models) != 1 {
			return nil, usagef("profile %s holds %d models; choose one: --model %s", path, len(profile.Models), strings.Join(profile.Names(), " | "))
		}
		name = profile.Models[0].Fit.Model
	}
	calibration := profile.Find(name)
	if calibration == nil {
		return nil, usagef("profile %s has no model %q; it holds: %s", path, name, strings.Join(profile.Names(), ", "))
	}
	return newPredictor(profile.Device, calibration)
}

// newPredictor makes ready a calibrated model. The calibration holds the model's definition, so that no other file is
// needed.
func newPredictor(device samples.Fingerprint, calibration *calibrate.Calibration) (*predictor, error) {
	model, err := models.Parse(calibration.Origin.ModelFile, []byte(calibration.Definition))
	if err != nil {
		return nil, fmt.Errorf("model %s of the profile: %w", calibration.Fit.Model, err)
	}
	ids, err := featuresOf(model)
	if err != nil {
		return nil, err
	}
	p, err := calibrate.NewPredictor(model, &calibration.Fit)
	if err != nil {
		return nil, err
	}
	return &predictor{device: device, facts: facts.Of(device), model: model, fit: &calibration.Fit, predictor: p, ids: ids, cache: calibration.Origin.Cache}, nil
}

// prediction is what was predicted, and perhaps measured, for a case.
type prediction struct {
	*workload.Case
	*calibrate.Prediction
	measured *samples.Record
}

func (p *predictor) predict(c *workload.Case) (*prediction, error) {
	c.Device = p.facts
	values, err := c.Features(p.ids, int(p.device.SubgroupSize))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	result, err := p.predictor.Predict(values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	unpriced, err := p.unpriced(c)
	if err != nil {
		return nil, err
	}
	if len(unpriced) > 0 {
		result.Warnings = append(result.Warnings, "the model has no cost for "+listed(unpriced, 3))
	}
	return &prediction{Case: c, Prediction: result}, nil
}

// unpriced lists the work of a kernel that no feature of the model counts.
func (p *predictor) unpriced(c *workload.Case) ([]string, error) {
	if p.isStatic() { // totals of all work, for which nothing else needs to be counted
		return nil, nil
	}
	statistics, err := c.Statistics(features.Options{SubgroupSize: int(p.device.SubgroupSize)})
	if err != nil {
		return nil, err
	}
	records, err := statistics.Uncovered(p.ids, c.Sizes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	var out []string
	for _, r := range records {
		text := r.Key.String()
		if m, ok := r.Key.(features.Mem); ok {
			text = fmt.Sprintf("%s %s %ss of %s", m.Space, m.DType, m.Direction, m.Variable)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out, nil
}

// listed names the first of some things, and how many there are beyond.
func listed(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

func (p *predictor) predictAll(cases []*workload.Case) ([]*prediction, error) {
	all := make([]*prediction, len(cases))
	for i, c := range cases {
		var err error
		if all[i], err = p.predict(c); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// measurePredicted measures the predicted cases. A profile of another device than the one measured on is a warning
// on every prediction.
func measurePredicted(cmd *cobra.Command, o sessionOptions, p *predictor, predictions []*prediction) error {
	if err := o.oneMode("a model is of one state of the caches"); err != nil {
		return err
	}
	session, err := openSession(cmd, o)
	if err != nil {
		return err
	}
	defer session.close()
	if p.cache != "" && p.cache != string(session.mode) {
		note(cmd, "warning: the model was calibrated with %s caches, and these measurements are with %s ones", p.cache, session.mode)
	}
	cases := make([]*workload.Case, len(predictions))
	for i := range predictions {
		cases[i] = predictions[i].Case
	}
	records, err := session.measure(cases)
	if err != nil {
		return err
	}
	here := session.device.Info().Fingerprint
	for i := range predictions {
		predictions[i].measured = &records[i]
		if !here.Same(p.device) {
			predictions[i].Warnings = append(predictions[i].Warnings,
				fmt.Sprintf("the profile is of %s, the measurement of %s", p.device, here))
		}
	}
	return nil
}

// predictionJSON is the form of `perf predict --json`.
type predictionJSON struct {
	Kernel   string           `json:"kernel"`
	Model    string           `json:"model"`
	Device   string           `json:"device"`
	At       map[string]int64 `json:"at,omitempty"`
	Row      string           `json:"row,omitempty"`
	Measured *measuredJSON    `json:"measured,omitempty"`
	*calibrate.Prediction
}

type measuredJSON struct {
	Seconds       float64        `json:"seconds,omitempty"`
	Interval      *[2]float64    `json:"interval,omitempty"`
	RelativeError float64        `json:"relative_error,omitempty"`
	Status        samples.Status `json:"status"`
	Error         string         `json:"error,omitempty"`
}

func (p *predictor) toJSON(r *prediction) predictionJSON {
	j := predictionJSON{
		Kernel: r.Case.Name, Model: p.model.Name, Device: p.device.Name, At: r.Case.Sizes, Prediction: r.Prediction,
	}
	if m := r.measured; m != nil {
		j.Measured = &measuredJSON{Status: m.Status, Error: m.Error}
		if m.Status == samples.OK {
			j.Measured.Seconds = m.Seconds()
			j.Measured.Interval = &[2]float64{m.Summary.Lo, m.Summary.Hi}
			j.Measured.RelativeError = r.relativeError()
		}
	}
	return j
}

// relativeError is signed, NaN where nothing was measured.
func (r *prediction) relativeError() float64 {
	if r.measured == nil || r.measured.Status != samples.OK {
		return math.NaN()
	}
	return (r.Seconds - r.measured.Seconds()) / r.measured.Seconds()
}

func printPredictions(cmd *cobra.Command, p *predictor, predictions []*prediction) error {
	if wantJSON(cmd) {
		all := make([]predictionJSON, len(predictions))
		for i, r := range predictions {
			all[i] = p.toJSON(r)
		}
		if len(all) == 1 {
			return printJSON(cmd.OutOrStdout(), all[0])
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"kernels": all})
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "model %s, calibrated on %s\n", p.model.Name, p.device)
	header := []string{"kernel", "sizes", ">predicted", ">95 % interval"}
	measured := predictions[0].measured != nil
	if measured {
		header = append(header, ">measured", ">error")
	}
	joins := func(term string) bool { return len(p.model.Joins(term)) > 0 } // what it joins is shown
	for _, term := range predictions[0].Terms {
		if !joins(term.Name) {
			header = append(header, ">"+term.Name)
		}
	}
	t := newTable(header...)
	for _, r := range predictions {
		row := []string{r.Name, formatSizes(r.Sizes), seconds(r.Seconds), intervalText(r.Interval)}
		if measured {
			row = append(row, measuredText(r)...)
		}
		for _, term := range r.Terms {
			if !joins(term.Name) {
				row = append(row, seconds(term.Value))
			}
		}
		t.row(row...)
	}
	noteWarnings(cmd, predictions)
	t.write(out)
	return nil
}

// noteWarnings prints what is said against predictions: once for a kernel, what holds at several sizes.
func noteWarnings(cmd *cobra.Command, predictions []*prediction) {
	type said struct{ name, warning string }
	sizes := map[said][]string{}
	var order []said
	for _, r := range predictions {
		for _, w := range r.Warnings {
			s := said{r.Name, w}
			if sizes[s] == nil {
				order = append(order, s)
			}
			sizes[s] = append(sizes[s], formatSizes(r.Sizes))
		}
	}
	for _, s := range order {
		note(cmd, "warning: %s %s: %s", s.name, listed(sizes[s], 4), s.warning)
	}
}

func measuredText(r *prediction) []string {
	if r.measured.Status != samples.OK {
		return []string{string(r.measured.Status), ""}
	}
	return []string{seconds(r.measured.Seconds()), fmt.Sprintf("%+.2f %%", 100*r.relativeError())}
}

func intervalText(i calibrate.Interval) string {
	if !i.Known() {
		return "unknown"
	}
	return seconds(i[0]) + " – " + seconds(i[1])
}

// predictTable predicts each row of a table of feature values.
func predictTable(cmd *cobra.Command, p *predictor, path string) error {
	table, err := calibrate.LoadTable(path)
	if err != nil {
		return err
	}
	rows, err := table.Features(p.predictor.Features())
	if err != nil {
		return err
	}
	kernels := table.Kernels()
	all := make([]predictionJSON, len(rows))
	for i, values := range rows {
		result, err := p.predictor.Predict(values)
		if err != nil {
			return fmt.Errorf("%s: %w", table.Label(i), err)
		}
		all[i] = predictionJSON{Kernel: kernels[i], Model: p.model.Name, Device: p.device.Name, Row: table.Label(i), Prediction: result}
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), map[string]any{"kernels": all})
	}
	t := newTable("row", "kernel", ">predicted", ">95 % interval")
	for _, r := range all {
		t.row(r.Row, r.Kernel, seconds(r.Seconds), intervalText(r.Interval))
		for _, w := range r.Warnings {
			note(cmd, "warning: %s: %s", r.Row, w)
		}
	}
	t.write(cmd.OutOrStdout())
	return nil
}
