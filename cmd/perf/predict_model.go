package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/samples"
	"gpuperf/workload"
)

// ownProfiles are the profiles of the data directory, which is dir.
func ownProfiles() (found []string, dir string, err error) {
	if dir, err = dataDir(); err != nil {
		return nil, "", err
	}
	found, err = filepath.Glob(filepath.Join(dir, "profiles", "*.yaml"))
	return found, dir, err
}

// path finds the profile: the one named, the only one in the data directory, or that of the chosen device.
func (o *predictFlags) path(cmd *cobra.Command) (string, error) {
	if o.profile != "" {
		return o.profile, nil
	}
	found, dir, err := ownProfiles()
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", usagef("there is no profile of any device in %s yet\n    predict for a device that the program knows: --profile %s\n"+
			"    or calibrate a model on your own: perf calibrate MODEL.yaml", dir, strings.Join(profiles.All.Names(), " | "))
	case len(found) == 1 && o.on.device == "":
		return found[0], nil
	}
	dev, err := openDevice(cmd, o.on.device)
	if err != nil {
		return "", err
	}
	defer dev.Close()
	path := campaign.DeviceFile(dir, "profiles", dev.Info().Fingerprint, ".yaml")
	if !slices.Contains(found, path) {
		return "", usagef("there is no profile of %s yet\n    calibrate a model first: perf calibrate MODEL.yaml, or name a profile: --profile %s",
			dev.Info().Fingerprint, strings.Join(found, " | "))
	}
	return path, nil
}

// open finds the model for the cases, and their machine code where that is asked for.
func (o *predictFlags) open(cmd *cobra.Command, cases []*workload.Case) (*campaign.Predictor, error) {
	p, err := o.find(cmd, cases)
	if err == nil {
		err = o.sameCaches(cmd, p)
	}
	if err == nil {
		err = p.UseBinaries(o.binary, cases)
	}
	return p, err
}

// sameCaches refuses to predict for other caches than those that the model was calibrated with.
func (o *predictFlags) sameCaches(cmd *cobra.Command, p *campaign.Predictor) error {
	caches, err := o.caches(cmd)
	if err == nil && !o.measured && p.Cache != "" && caches != "" && caches != p.Cache {
		err = usagef("--cache %s: the model %s was calibrated with %s caches, and predicts for these\n    calibrate it for others: perf calibrate --cache %[1]s", caches, p.Model.Name, p.Cache)
	}
	return err
}

// caches are those that --cache asks for; "" where nobody gave it.
func (o *predictFlags) caches(cmd *cobra.Command) (samples.Mode, error) {
	if flag := cmd.Flag("cache"); flag != nil && flag.Changed {
		return o.on.mode("a prediction is for one state of the caches")
	}
	return "", nil
}

// calibrated are the caches that the profile was calibrated with; "" where it does not say.
func (o *predictFlags) calibrated(cmd *cobra.Command) samples.Mode {
	if path, err := o.path(cmd); err == nil {
		if profile, err := campaign.LoadProfile(path); err == nil && len(profile.Models) > 0 {
			return samples.Mode(profile.Models[0].Origin.Cache)
		}
	}
	return ""
}

// find loads the profile and finds the model in it, or chooses one for the cases and says why.
func (o *predictFlags) find(cmd *cobra.Command, cases []*workload.Case) (_ *campaign.Predictor, err error) {
	defer throw.Catch(&err)
	path := throw.Get(o.path(cmd))
	profile := throw.Get(campaign.LoadProfile(path))
	warn(cmd, profile.Warnings())
	names, name := profile.Names(), o.model
	choose := name == calibrate.Auto && profile.Find(name) == nil
	switch {
	case choose && len(cases) == 0:
		return nil, usagef("--model auto needs kernels to choose a model for; name one: %s", strings.Join(names, " | "))
	case (choose || name == "") && len(names) == 0:
		return nil, usagef("profile %s holds no model\n    calibrate one: perf calibrate MODEL.yaml --profile %s", path, path)
	case choose, name == "" && len(names) > 1:
		return o.bestModel(cmd, profile, cases), nil
	case name == "":
		name = names[0]
	}
	calibration, err := campaign.CalibrationOf(profile, name)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", path, err))
	}
	return campaign.PredictorOf(profile, calibration)
}

// bestModel is the model of a profile that suits the cases best. A note says why. Unless auto was asked for, it must be the only one that
// was made for the cases, or for any kernel; otherwise notes compare all.
func (o *predictFlags) bestModel(cmd *cobra.Command, profile *calibrate.Profile, cases []*workload.Case) *campaign.Predictor {
	ranked := throw.Get(campaign.Rank(profile, cases))
	var names []string
	for _, s := range ranked {
		names = append(names, s.Model.Name)
	}
	if o.model == "" && campaign.Clear(ranked) {
		others := slices.DeleteFunc(profile.Names(), func(name string) bool { return name == names[0] })
		note(cmd, "model %s chosen: %v; also in the profile: %s", names[0], ranked[0].For, strings.Join(others, ", "))
		return ranked[0].Predictor
	}
	if len(cases) == 0 {
		panic(throw.Of(usagef("the profile holds %d models; choose one: --model %s", len(names), strings.Join(names, " | "))))
	}
	choose := o.model == calibrate.Auto
	for i, s := range ranked {
		verdict := "not chosen"
		switch {
		case !s.Applies:
			verdict = "does not apply"
		case i == 0 && choose:
			verdict = "chosen"
		}
		purpose := ""
		if s.For != campaign.ForOthers {
			purpose = s.For.String() + ", "
		}
		of := "of its fit"
		if s.HeldOut {
			of = "on held-out kernels"
		}
		note(cmd, "model %s %s: %sno cost for %s of work, %s, error %s %s",
			s.Model.Name, verdict, purpose, format.Count(s.Unpriced, "kind"), format.Count(s.Doubts, "warning"), format.Percent(s.Error), of)
	}
	switch choices := strings.Join(names, " | "); {
	case !ranked[0].Applies:
		throw.If(campaign.NoModel(cases[0], choices))
		return nil
	case !choose:
		panic(throw.Of(usagef("the profile holds %d models, best first; choose one: --model %s | auto", len(names), choices)))
	}
	return ranked[0].Predictor
}
