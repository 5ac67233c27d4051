package main

import (
	"gpuperf/evaluate"
	"gpuperf/evaluate/peaks"
)

// writePage writes the web page of an evaluation. Costs are set against the peaks of the device that the models are of.
func (e *evaluation) writePage(report *evaluate.Report, profile, dir string) error {
	device := e.session.device.Info().Fingerprint
	calibrated := device
	if e.profile != nil {
		calibrated = e.profile.Device
	}
	page := &evaluate.Page{
		Report:      report,
		Device:      device,
		Peaks:       peaks.Of(calibrated),
		Profile:     profile,
		SamplesFile: e.session.samplesFile(),
		SamplesHash: hashOfFile(e.session.samplesFile()),
		Records:     e.records,
	}
	for _, f := range e.files {
		page.SuiteFiles = append(page.SuiteFiles, f.Path)
	}
	for _, m := range e.models {
		// Kernels to count in, where they are known: a model of a profile may name none.
		cases, err := e.kernels.cases(m.Model)
		if err != nil && e.profile == nil {
			return err
		}
		costs, err := evaluate.Costs(m.Model, &m.calibration.Fit, page.Peaks, cases, int(calibrated.SubgroupSize))
		if err != nil {
			return err
		}
		page.Models = append(page.Models, evaluate.Model{Calibration: m.calibration, Costs: costs})
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
