package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/models"
	"gpuperf/samples"
)

func calibrateCommand() *cobra.Command {
	var session sessionOptions
	var kernels selection
	var own forOptions
	var profile string
	cmd := &cobra.Command{
		Use:   "calibrate MODEL... | --for KERNEL.star -p n=4096",
		Short: "Measure what models need on a device, fit them, keep a profile",
		Long: `calibrate runs the measurement kernels that the models name (files, or names that perf models lists), fits the
models to their times, and adds them to the profile of the device. With --model auto each is fitted in every form, and the
one is kept that predicts best what it was not fitted to. What was measured before is not measured again: a calibration that was stopped goes on where it was.
Times are taken with warm caches, or with --cache cold; a profile holds models of one of the two.

With --for it makes a model for kernels of your own: it finds the patterns in which they access global memory, takes the rest of
their work away so as to measure each alone at sizes around those that -p asks for, adds measurement kernels for their other
operations, and writes all of this as a model file, which you can read, edit and calibrate again. The kernels themselves are never
run. Unless --model names a form, it is --model auto.`,
		Args: own.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(own.kernels) > 0 {
				return own.run(cmd, session, &kernels, profile)
			}
			var all []*models.Model
			for _, path := range args {
				model, err := loadModel(path)
				if err != nil {
					return err
				}
				// Mistakes in the files show before anything runs.
				if _, err := featuresOf(model); err != nil {
					return err
				}
				if err := kernels.check(model); err != nil {
					return err
				}
				if _, err := kernels.cases(model); err != nil {
					return err
				}
				all = append(all, model)
			}
			s, err := openSession(cmd, session)
			if err != nil {
				return err
			}
			defer s.close()
			return calibrateAll(cmd, s, all, &kernels, profile)
		},
	}
	session.addFlags(cmd)
	session.addTimeRange(cmd)
	kernels.addFlags(cmd)
	own.addFlags(cmd)
	cmd.Flags().StringVar(&profile, "profile", "", "the profile to add to (default: the device's own in the data directory)")
	return cmd
}

// calibrateAll calibrates the models in each state of the caches that was asked for, into a profile each.
func calibrateAll(cmd *cobra.Command, s *session, all []*models.Model, kernels *selection, path string) error {
	modes, err := s.options.modes()
	if err != nil {
		return err
	}
	if len(modes) > 1 && path != "" {
		return usagef("--cache both: a profile is of one state of the caches; calibrate twice, or leave out --profile")
	}
	var results []any
	for _, s.mode = range modes {
		result, err := calibrateMode(cmd, s, all, kernels, path)
		if err != nil {
			return err
		}
		results = append(results, result)
	}
	switch {
	case wantJSON(cmd) && len(results) == 1:
		return printJSON(cmd.OutOrStdout(), results[0])
	case wantJSON(cmd):
		return printJSON(cmd.OutOrStdout(), map[string]any{"profiles": results})
	}
	return nil
}

// calibrateMode calibrates the models in the session's state of the caches. It returns what is printed as JSON.
func calibrateMode(cmd *cobra.Command, s *session, all []*models.Model, kernels *selection, path string) (any, error) {
	device := s.device.Info().Fingerprint
	if path == "" {
		ext := ".yaml"
		if s.mode == samples.Cold {
			ext = "-cold.yaml"
		}
		var err error
		if path, err = deviceFile("profiles", device, ext); err != nil {
			return nil, err
		}
	}
	profile, err := calibrate.LoadProfile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		profile = &calibrate.Profile{Version: calibrate.ProfileVersion}
	case err != nil:
		return nil, err
	case !profile.Device.Same(device):
		return nil, usagef("profile %s is of %s, not of %s; name another with --profile", path, profile.Device, device)
	}
	for _, c := range profile.Models {
		if c.Origin.Cache != "" && c.Origin.Cache != string(s.mode) {
			return nil, usagef("the models of profile %s were calibrated with %s caches, these are with %s ones; name another with --profile",
				path, c.Origin.Cache, s.mode)
		}
	}
	profile.Device = device
	var fits []*calibrate.Fit
	for _, model := range all {
		calibration, err := s.calibrate(model, kernels)
		if err != nil {
			return nil, err
		}
		profile.Put(*calibration)
		// Saved after each model, so that a failure of the next loses nothing.
		if err := profile.Save(path); err != nil {
			return nil, err
		}
		fits = append(fits, &calibration.Fit)
		if !wantJSON(cmd) {
			printFit(cmd, &calibration.Fit, false)
		}
	}
	if !wantJSON(cmd) {
		fmt.Fprintf(cmd.OutOrStdout(), "profile: %s (caches %s)\n", path, s.mode)
	}
	return map[string]any{"profile": path, "cache": s.mode, "device": device, "models": fits}, nil
}

// calibrate measures what the model needs and fits it.
func (s *session) calibrate(model *models.Model, kernels *selection) (*calibrate.Calibration, error) {
	rows, err := s.rowsOf(model, kernels)
	if err != nil {
		return nil, err
	}
	s.fitted = rows
	asked := model
	model, fit, err := kernels.fit(s.cmd.Context(), asked, rows, calibrate.Options{Lanes: int(s.device.Info().SubgroupSize)})
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", asked.Name, err)
	}
	definition := model.String()
	return &calibrate.Calibration{
		Fit:        *fit,
		Definition: definition,
		Origin: calibrate.Origin{
			Date:        time.Now().UTC().Truncate(time.Second),
			Perf:        version(),
			ModelFile:   model.File,
			ModelHash:   hashOf([]byte(definition)),
			SamplesFile: s.samplesFile(),
			SamplesHash: hashOfFile(s.samplesFile()),
			Cache:       string(s.mode),
		},
	}, nil
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// hashOfFile is "" for a file that cannot be read: the hash is evidence, not needed to go on.
func hashOfFile(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return hashOf(text)
}
