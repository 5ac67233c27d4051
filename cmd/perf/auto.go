package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/workload"
)

// fitness is how well a model of a profile suits kernels.
type fitness struct {
	predictor *predictor
	unpriced  int     // records of the kernels that no feature of the model sees, counted in each case
	off       int     // warnings of its predictions: features outside what was calibrated
	err       float64 // on kernels left out of its calibration, or of the fit where none could be
}

// bestModel chooses among the models of a profile for the cases: the one that leaves the least of their work without a cost, then the
// one that predicts with the fewest warnings, then the one with the smallest error on kernels left out. A note says why.
func bestModel(cmd *cobra.Command, profile *calibrate.Profile, cases []*workload.Case) (*predictor, error) {
	var all []fitness
	for i := range profile.Models {
		f, err := suits(profile, &profile.Models[i], cases)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b fitness) int {
		return cmp.Or(cmp.Compare(a.unpriced, b.unpriced), cmp.Compare(a.off, b.off), cmp.Compare(a.err, b.err))
	})
	for i, f := range all {
		role := "chosen"
		if i > 0 {
			role = "not chosen"
		}
		note(cmd, "model %s %s: %d kinds of work without a cost, %d warnings, %s on kernels left out of its calibration",
			f.predictor.model.Name, role, f.unpriced, f.off, percent(f.err))
	}
	return all[0].predictor, nil
}

func suits(profile *calibrate.Profile, calibration *calibrate.Calibration, cases []*workload.Case) (fitness, error) {
	f := fitness{err: calibration.Fit.GeomeanRelErr}
	if c := calibration.Fit.Cross; c != nil && !math.IsNaN(c.GeomeanRelErr) {
		f.err = c.GeomeanRelErr
	}
	var err error
	if f.predictor, err = newPredictor(profile.Device, calibration); err != nil {
		return f, err
	}
	for _, c := range cases {
		unpriced, err := f.predictor.unpriced(c)
		if err != nil {
			return f, err
		}
		f.unpriced += len(unpriced)
		p, err := f.predictor.predict(c)
		if err != nil {
			return f, err
		}
		f.off += len(p.Warnings)
	}
	return f, nil
}
