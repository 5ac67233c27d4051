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
)

func calibrateCommand() *cobra.Command {
	var session sessionOptions
	var kernels selection
	var profile string
	cmd := &cobra.Command{
		Use:   "calibrate MODEL...",
		Short: "Measure what models need on a device, fit them, keep a profile",
		Long: `calibrate runs the measurement kernels that the models name (files, or names that perf models lists), fits the models to their times, and adds them to the
profile of the device. What was measured before is not measured again: a calibration that was stopped goes on where it was.`,
		Args: minArgs(1, "at least one model"),
		RunE: func(cmd *cobra.Command, args []string) error {
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
	kernels.addFlags(cmd)
	cmd.Flags().StringVar(&profile, "profile", "", "the profile to add to (default: the device's own in the data directory)")
	return cmd
}

func calibrateAll(cmd *cobra.Command, s *session, all []*models.Model, kernels *selection, path string) error {
	device := s.device.Info().Fingerprint
	if path == "" {
		var err error
		if path, err = deviceFile("profiles", device, ".yaml"); err != nil {
			return err
		}
	}
	profile, err := calibrate.LoadProfile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		profile = &calibrate.Profile{Version: calibrate.ProfileVersion}
	case err != nil:
		return err
	case !profile.Device.Same(device):
		return usagef("profile %s is of %s, not of %s; name another with --profile", path, profile.Device, device)
	}
	profile.Device = device
	var fits []*calibrate.Fit
	for _, model := range all {
		calibration, err := s.calibrate(model, kernels)
		if err != nil {
			return err
		}
		profile.Put(*calibration)
		// Saved after each model, so that a failure of the next loses nothing.
		if err := profile.Save(path); err != nil {
			return err
		}
		fits = append(fits, &calibration.Fit)
		if !wantJSON(cmd) {
			printFit(cmd, &calibration.Fit, false)
		}
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), map[string]any{"profile": path, "device": device, "models": fits})
	}
	fmt.Fprintf(cmd.OutOrStdout(), "profile: %s\n", path)
	return nil
}

// calibrate measures what the model needs and fits it.
func (s *session) calibrate(model *models.Model, kernels *selection) (*calibrate.Calibration, error) {
	rows, err := s.rowsOf(model, kernels)
	if err != nil {
		return nil, err
	}
	fit, err := calibrate.FitRows(s.cmd.Context(), model, rows, calibrate.Options{Lanes: int(s.device.Info().SubgroupSize)})
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", model.Name, err)
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
