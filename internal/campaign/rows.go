package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/parallel"
	"gpuperf/internal/warning"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Rows are the samples of a plan as rows for a fit.
type Rows struct {
	Rows     []calibrate.Row
	Ranged   *Ranged             // the sizes that were chosen; nil without a range
	Roof     []calibrate.Reached // that the kernels have reached
	Warnings []string            // kernels left out among them

	binary []calibrate.Row // those whose machine code is known, for the model as it is with the binary
}

// Rows measures the kernels of a plan, at sizes whose times are within a range, and counts their features. An error may come with rows
// that hold warnings and the outcome of the search for sizes.
func (c *Campaign) Rows(ctx context.Context, mode samples.Mode, plan *Plan, within TimeRange) (*Rows, error) {
	out := &Rows{}
	info := c.Device.Info()
	if err := checkOutput(plan.Model, info); err != nil {
		return out, err
	}
	on := facts.Of(info.Fingerprint)
	if err := knownTo(on, plan); err != nil {
		return out, err
	}
	cases, left, err := c.paced(ctx, mode, plan, on, within)
	if err != nil {
		return out, err
	}
	if out.Ranged, err = c.InRange(ctx, mode, cases, within); err != nil {
		return out, err
	}
	cases = out.Ranged.Cases
	result, err := c.Measure(ctx, mode, cases)
	if err != nil {
		return out, err
	}
	out.Warnings = slices.Concat(left, out.Ranged.Warnings, result.Warnings)
	rows, binary := make([]calibrate.Row, len(cases)), make([]binaryRow, len(cases))
	err = parallel.Try(len(cases), c.options.Jobs, func(i int) (err error) {
		one, r := cases[i], result.Records[i]
		if r.Status != samples.OK {
			return nil
		}
		rows[i] = calibrate.Row{Kernel: one.Program(), Label: one.String(), Output: r.Seconds(), Trials: r.Trials}
		if rows[i].Features, err = featuresOn(on, one, plan.ids); err != nil {
			return err
		}
		if rows[i].Ratio, err = overlapRatio(on, one); err != nil || plan.binary == nil {
			return err
		}
		binary[i], err = plan.binary.row(on, one, &r, rows[i])
		return err
	})
	if err != nil {
		return out, err
	}
	if out.Roof, err = reached(on, cases, result.Records); err != nil {
		return out, err
	}
	for i, r := range result.Records {
		if r.Status == samples.OK {
			out.Rows = append(out.Rows, rows[i])
			out.addBinary(binary[i])
			continue
		}
		out.Warnings = append(out.Warnings, warning.LeftOut.About(cases[i].String(), "left out of the fit, %s: %s", r.Status, r.Error))
	}
	if len(out.Rows) == 0 {
		return out, fmt.Errorf("model %s: none of its %d measurement kernels could be measured", plan.Model.Name, len(cases))
	}
	return out, nil
}

// knownTo is an error where facts of the device are not known that the model of a plan counts by: better before hours of measuring than after.
func knownTo(on *facts.Device, plan *Plan) error {
	if len(plan.Cases) == 0 {
		return nil
	}
	_, err := featuresOn(on, plan.Cases[0], plan.ids)
	if unknown := (*facts.Unknown)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("model %s counts by the caches and limits of the device: %w; a model of your kernel alone needs none of them: "+
			"perf calibrate --for KERNEL.star -p n=4096 --own-model", plan.Model.Name, unknown)
	}
	return nil
}

func featuresOn(on *facts.Device, c *workload.Case, ids []features.ID) (map[string]float64, error) {
	values, err := c.Features(on, ids, int(on.Int(facts.SubgroupSize)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return values, nil
}

// overlapTag is the tag of generators of the overlap experiment.
const overlapTag = "overlap_ratio"

// overlapRatio is the number of local for each global access of a kernel of the overlap experiment, work-item by work-item, and 0
// for other kernels.
func overlapRatio(on *facts.Device, c *workload.Case) (float64, error) {
	if !slices.Contains(c.Tags, overlapTag) {
		return 0, nil
	}
	ids, err := features.ParseIDs([]string{"f_mem_access_local", "f_mem_access_global"})
	if err != nil {
		return 0, err
	}
	values, err := featuresOn(on, c, ids)
	return on.Value(facts.SubgroupSize) * values[ids[0].String()] / values[ids[1].String()], err
}

// Calibrated is a calibration with the rows that it was fitted to.
type Calibrated struct {
	*calibrate.Calibration
	General *calibrate.Calibration // that it refines, nil for none
	Binary  *calibrate.Calibration // of the model as it is with the binary, nil for none
	Rows
}

// Calibrate measures what a plan needs and fits its model. An error may come with a result, as that of Rows.
func (c *Campaign) Calibrate(ctx context.Context, mode samples.Mode, plan *Plan, within TimeRange) (*Calibrated, error) {
	rows, err := c.Rows(ctx, mode, plan, within)
	out := &Calibrated{Rows: *rows}
	if err != nil {
		return out, err
	}
	options := calibrate.Options{Lanes: int(c.Device.Info().SubgroupSize)}
	model, fit, err := calibrate.FitAs(ctx, plan.Model, plan.Form, rows.Rows, options)
	if err != nil {
		return out, fmt.Errorf("model %s: %w", plan.Model.Name, err)
	}
	more, err := c.measureRoof(ctx, mode, out.Roof)
	if err != nil {
		return out, err
	}
	out.Roof = append(out.Roof, more...)
	out.Calibration = c.calibration(model, fit, mode)
	out.Binary, err = c.fitBinary(ctx, mode, plan, rows)
	return out, err
}

// calibration is a fit with its model and where both come from.
func (c *Campaign) calibration(model *models.Model, fit *calibrate.Fit, mode samples.Mode) *calibrate.Calibration {
	definition := model.String()
	return &calibrate.Calibration{
		Fit:        *fit,
		Definition: definition,
		Origin: calibrate.Origin{
			Date:        time.Now().UTC().Truncate(time.Second),
			Perf:        c.options.Version,
			ModelFile:   model.File,
			ModelHash:   hashOf([]byte(definition)),
			SamplesFile: c.SamplesFile(),
			SamplesHash: HashOfFile(c.SamplesFile()),
			Cache:       string(mode),
		},
	}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// HashOfFile is the SHA-256 of a file in hex, "" where it cannot be read: it is evidence, not needed to go on.
func HashOfFile(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
