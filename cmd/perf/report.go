package main

import (
	"fmt"

	"gpuperf/device/facts"
	"gpuperf/evaluate"
	"gpuperf/samples"
)

// calibrated is the device that the models of the evaluation are of.
func (e *evaluation) calibrated() samples.Fingerprint {
	if e.profile != nil {
		return e.profile.Device
	}
	return e.session.device.Info().Fingerprint
}

// judge sets the costs of the models against the peaks of the device, and warns of rates above them.
func (e *evaluation) judge() ([]evaluate.Model, error) {
	device := e.calibrated()
	var all []evaluate.Model
	for _, m := range e.models {
		// Kernels to count in, where they are known: a model of a profile may name none.
		cases, err := e.kernels.cases(m.Model)
		if err != nil && e.profile == nil {
			return nil, err
		}
		costs, err := evaluate.Costs(m.Model, &m.calibration.Fit, facts.Of(device), cases, int(device.SubgroupSize))
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
		for _, c := range costs {
			if c.Remark != "" {
				note(e.cmd, "warning: model %s: %s implies %.3g %s, %s of the peak: %s", m.Name, c.Name, c.Rate, c.RateUnit, percent(c.Share()), c.Remark)
			}
		}
		all = append(all, evaluate.Model{Calibration: m.calibration, Costs: costs})
	}
	return all, nil
}

// writePage writes the web page of an evaluation.
func (e *evaluation) writePage(report *evaluate.Report, models []evaluate.Model, profile, dir string) error {
	page := &evaluate.Page{
		Report:      report,
		Device:      e.session.device.Info().Fingerprint,
		Facts:       facts.Of(e.calibrated()),
		Models:      models,
		Profile:     profile,
		SamplesFile: e.session.samplesFile(),
		SamplesHash: hashOfFile(e.session.samplesFile()),
		Records:     e.records,
	}
	for _, f := range e.files {
		page.SuiteFiles = append(page.SuiteFiles, f.Path)
	}
	paths, err := page.Write(dir)
	if err != nil {
		return err
	}
	for _, p := range paths {
		note(e.cmd, "report: %s", p)
	}
	return nil
}
