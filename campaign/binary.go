package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/evaluate"
	"gpuperf/features"
	"gpuperf/internal/warning"
	"gpuperf/launch"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// withBinary is a model as it is where the machine code of kernels is known.
type withBinary struct {
	*models.Model
	ids []features.ID
}

// newWithBinary is nil where the model has no such form.
func newWithBinary(m *models.Model) (*withBinary, error) {
	with, err := m.WithBinary()
	if with == nil || err != nil {
		return nil, err
	}
	ids, err := featuresOf(with)
	return &withBinary{with, ids}, err
}

// binaryRow is a row for a model as it is with the binary, or the reason why there is none.
type binaryRow struct {
	calibrate.Row
	reason string
}

// row is that of a measurement kernel with the features of the model.
func (w *withBinary) row(on *facts.Device, c *workload.Case, r *samples.Record, row calibrate.Row) (binaryRow, error) {
	if r.Compiled.Code == nil {
		return binaryRow{}, nil
	}
	out := binaryRow{Row: row}
	var err error
	out.Features, err = featuresOn(on, compiled(c, r), w.ids)
	if reason := (*launch.NoCode)(nil); errors.As(err, &reason) {
		out.reason = reason.Reason
		return out, nil
	}
	return out, err
}

// addBinary keeps a row, or says why it is left out of the fit with the binary.
func (r *Rows) addBinary(row binaryRow) {
	switch {
	case row.reason != "":
		r.Warnings = append(r.Warnings, warning.NoBinary.About(row.Label, "left out of the fit with the binary: %s", row.reason))
	case row.Features != nil:
		r.binary = append(r.binary, row.Row)
	}
}

// compiled is the case with what the compiler made of it.
func compiled(c *workload.Case, r *samples.Record) *workload.Case {
	with := *c
	with.Compiled = &r.Compiled
	return &with
}

// leastCoded is the share of the samples whose machine code must be known for a fit with it.
const leastCoded = 0.5

// fitBinary fits the model as it is with the binary to the rows whose machine code is known; nil where these are too few.
func (c *Campaign) fitBinary(ctx context.Context, mode samples.Mode, plan *Plan, rows *Rows) (*calibrate.Calibration, error) {
	if plan.binary == nil || float64(len(rows.binary)) < leastCoded*float64(len(rows.Rows)) {
		return nil, nil
	}
	fit, err := calibrate.FitRows(ctx, plan.binary.Model, rows.binary, calibrate.Options{Lanes: int(c.Device.Info().SubgroupSize)})
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", plan.binary.Name, err)
	}
	fit.BinaryOf = plan.Model.Name
	return c.calibration(plan.binary.Model, fit, mode), nil
}

// binaryIn is the calibration of a model as it is with the binary, nil where the profile has none.
func binaryIn(p *calibrate.Profile, model string) *calibrate.Calibration {
	i := slices.IndexFunc(p.Models, func(c calibrate.Calibration) bool { return c.Fit.BinaryOf == model })
	if i < 0 {
		return nil
	}
	return &p.Models[i]
}

// HasBinary reports whether the model can predict with the binary.
func (p *Predictor) HasBinary() bool { return p.binary != nil }

// PredictBinary predicts the time of a case from what the compiler made of it. Where that does not tell enough, the prediction is that from the
// IR, and its FromIR says why.
func (p *Predictor) PredictBinary(c *workload.Case, ir *Prediction, r *samples.Record) (*Prediction, error) {
	instead := func(reason string) (*Prediction, error) {
		out := *ir
		out.FromIR = reason
		return &out, nil
	}
	switch {
	case p.binary == nil:
		return instead("model " + p.Model.Name + " was not calibrated with the machine code of kernels")
	case p.For(c) != p:
		return instead("the model is refined for this kernel by what was measured of it")
	case r == nil:
		return instead("there is no sample of it")
	}
	out, err := p.binary.Predict(compiled(c, r))
	if reason := (*launch.NoCode)(nil); errors.As(err, &reason) {
		return instead(reason.Reason)
	} else if err != nil {
		return nil, err
	}
	out.Case = c
	return out, nil
}

// Binaries are samples of kernels with their machine code.
type Binaries struct{ set *samples.Set }

// OpenBinaries reads a samples file.
func OpenBinaries(path string) (*Binaries, error) {
	set, err := samples.Load(path)
	if err != nil {
		return nil, err
	}
	return &Binaries{set}, nil
}

// Close closes the file.
func (b *Binaries) Close() error { return b.set.Close() }

// of is a sample of the case's program with its machine code, at the same sizes where there is one, else at others; nil where there is none.
func (b *Binaries) of(c *workload.Case) (*samples.Record, error) {
	on, ok := b.set.Device()
	if !ok {
		return nil, nil
	}
	job, err := c.On(on.Interface).Job(device.Policy{})
	if err != nil {
		return nil, err
	}
	want, best := job.Record(), (*samples.Record)(nil)
	for _, mode := range []samples.Mode{samples.Warm, samples.Cold} {
		for r, err := range b.set.Like(c.Identity, mode) {
			if err != nil {
				return nil, err
			}
			if r.Compiled.Code == nil || r.SourceHash != want.SourceHash || !slices.Equal(r.Local, want.Local) {
				continue
			}
			if same := r.Kernel.Key() == c.Identity.Key(); same || best == nil {
				best = r
			}
			if best.Kernel.Key() == c.Identity.Key() {
				return best, nil
			}
		}
	}
	return best, nil
}

// WithBinaries predicts again from the machine code that samples hold.
func (p *Predictor) WithBinaries(all []*Prediction, b *Binaries) ([]*Prediction, error) {
	out := make([]*Prediction, len(all))
	for i, ir := range all {
		r, err := b.of(ir.Case)
		if err != nil {
			return nil, err
		}
		if out[i], err = p.PredictBinary(ir.Case, ir, r); err != nil {
			return nil, err
		}
		if reason := out[i].FromIR; reason != "" {
			out[i].Warnings = append(slices.Clone(out[i].Warnings), warning.NoBinary.About("", "predicted from the IR, not with the binary: %s", reason))
		}
	}
	return out, nil
}

// withBinary predicts a point of a variant that was measured from its machine code, too.
func (m *Fitted) withBinary(suite string, p *Prediction, r *samples.Record) (*evaluate.WithBinary, error) {
	if m.Binary == nil {
		return nil, nil
	}
	q, err := m.Predictor.PredictBinary(p.Case, p, r)
	if err != nil {
		return nil, err
	}
	if q.FromIR == "" {
		b := m.Predictor.binary
		values, err := featuresOn(b.Facts, compiled(p.Case, r), b.ids)
		if err != nil {
			return nil, err
		}
		m.Binary.know(suite, p, values, r.Seconds())
	}
	return &evaluate.WithBinary{Predicted: q.Seconds, Interval: q.Interval, FromIR: q.FromIR, Prediction: q.Prediction}, nil
}
