package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
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
func newWithBinary(m *models.Model) *withBinary {
	with, err := m.WithBinary()
	if with == nil || err != nil {
		throw.If(err)
		return nil
	}
	ids := throw.Get(featuresOf(with))
	return &withBinary{with, ids}
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

// UseBinaries makes the predictor predict cases from their machine code, of which a samples file tells: of each kernel at the same sizes, or at
// others if its source is the same. Without a file it predicts them from the IR.
func (p *Predictor) UseBinaries(path string, cases []*workload.Case) (err error) {
	defer throw.Catch(&err)
	if path == "" {
		return nil
	}
	set := throw.Get(samples.Load(path))
	defer set.Close()
	p.coded = map[string]*samples.Record{}
	for _, c := range cases {
		p.coded[c.Identity.Key()] = throw.Get(codedIn(set, c))
	}
	return nil
}

// codedIn is a sample of the case's kernel that has its machine code, nil where there is none.
func codedIn(set *samples.Set, c *workload.Case) (best *samples.Record, err error) {
	on, ok := set.Device()
	if !ok {
		return nil, nil
	}
	job, err := c.On(on.Interface).Job(device.Policy{})
	if err != nil {
		return nil, err
	}
	want := job.Record()
	for _, mode := range []samples.Mode{samples.Warm, samples.Cold} {
		for r, err := range set.Like(c.Identity, mode) {
			if err != nil {
				return nil, err
			}
			if r.Compiled.Code == nil || r.SourceHash != want.SourceHash || !slices.Equal(r.Local, want.Local) {
				continue
			}
			if best == nil || r.Kernel.Key() == c.Identity.Key() {
				best = r
			}
		}
	}
	return best, nil
}

// withBinary is the prediction of a case from what the compiler made of it, as a sample tells. Where that does not tell enough it is the one from
// the IR, and FromIR says why.
func (p *Predictor) withBinary(ir *Prediction, r *samples.Record) (*Prediction, error) {
	out, reason := *ir, (*launch.NoCode)(nil)
	switch {
	case p.binary == nil:
		out.FromIR = "model " + p.Model.Name + " was not calibrated with the machine code of kernels"
	case p.For(ir.Case) != p:
		out.FromIR = "the model is refined for this kernel by what was measured of it"
	case r == nil:
		out.FromIR = "no sample tells of its machine code"
	default:
		with, err := p.binary.Predict(compiled(ir.Case, r))
		if err == nil {
			with.Case = ir.Case
			return with, nil
		}
		if !errors.As(err, &reason) {
			return nil, err
		}
		out.FromIR = reason.Reason
	}
	return &out, nil
}

// counts says where those of a prediction come from; "" where nobody asked.
func (p *Predictor) counts(one *Prediction) string {
	switch {
	case p.coded == nil:
		return ""
	case one.FromIR != "":
		return evaluate.FromIR
	}
	return evaluate.FromBinary
}

// binaryNote says that the predictions, or some of them, are with the binary; "" for none.
func (p *Predictor) binaryNote(all []*Prediction) string {
	n := 0
	for _, one := range all {
		if p.counts(one) == evaluate.FromBinary {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case len(all):
		return ", " + evaluate.FromBinary
	}
	return fmt.Sprintf(", %s for %d of %s", evaluate.FromBinary, n, format.Count(len(all), "kernel"))
}

// withBinary predicts a point of a suite that was measured from its machine code, too.
func (m *Fitted) withBinary(suite string, p *Prediction, r *samples.Record) *evaluate.WithBinary {
	if m.Binary == nil {
		return nil
	}
	q := throw.Get(m.Predictor.withBinary(p, r))
	if q.FromIR == "" {
		m.Binary.know(suite, q, r.Seconds())
	}
	return &evaluate.WithBinary{Predicted: q.Seconds, Interval: q.Interval, FromIR: q.FromIR, Prediction: q.Prediction}
}
