package main

import (
	"fmt"
	"io"

	"gpuperf/evaluate"
	"gpuperf/workload"
)

// sensitivitySeed makes the tables of sensitivity the same in every run.
const sensitivitySeed = 1

// aim notes an evaluated point for the tables of sensitivity.
func (e *evaluation) aim(p *predictor, c *workload.Case, measured float64) error {
	if !e.sensitivity {
		return nil
	}
	c.Device = p.facts
	values, err := c.Features(p.ids, int(p.device.SubgroupSize))
	if err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	e.targets[p] = append(e.targets[p], evaluate.Target{Features: values, Measured: measured})
	return nil
}

// vary fits the models again with fewer kernels and trials.
func (e *evaluation) vary() (*evaluate.Sensitivity, error) {
	var all []evaluate.Calibrated
	for _, m := range e.models {
		all = append(all, evaluate.Calibrated{Model: m.Model, Fit: &m.calibration.Fit, Rows: m.rows, Targets: e.targets[m.predictor]})
	}
	return evaluate.Vary(e.cmd.Context(), all, sensitivitySeed)
}

func printSensitivity(w io.Writer, s *evaluate.Sensitivity) {
	for _, part := range []struct {
		title string
		rows  []evaluate.Sample
	}{{"measurement kernels", s.Kernels}, {"trials of each", s.Trials}} {
		fmt.Fprintf(w, "\nerror by the number of %s\n", part.title)
		t := newTable(">"+part.title, ">error", ">least", ">largest", ">draws", ">not determined")
		for _, r := range part.rows {
			median, least, largest := percent(r.Median), percent(r.Least), percent(r.Largest)
			if r.Unpredicted == 1 {
				median, least, largest = "-", "-", "-"
			}
			t.row(fmt.Sprint(r.Of), median, least, largest, fmt.Sprint(r.Draws), fmt.Sprintf("%.1f %%", 100*r.Unpredicted))
		}
		t.write(w)
	}
}
