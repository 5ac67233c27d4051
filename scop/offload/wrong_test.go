package offload

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/samples"
	"gpuperf/scop"
)

// broken is a device that computes wrong results in one of its runs, and refuses another.
type broken struct {
	device.Device
	runs, wrong, refused int
}

func (b *broken) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	b.runs++
	if b.runs == b.refused {
		return nil, device.Errorf(samples.Refused, "too many work-items")
	}
	r, err := b.Device.Run(ctx, job)
	if err == nil && b.runs == b.wrong {
		for name := range r.Outputs {
			r.Outputs[name] = slices.Repeat([]byte{0x40}, len(r.Outputs[name]))
		}
	}
	return r, err
}

// TestWrong: a wrong result is an error that names the configuration, has no time, and stops no other run; what the device refuses in a random configuration is no error.
func TestWrong(t *testing.T) {
	dev := &broken{Device: devicetest.Open(t), wrong: 2, refused: 3}
	n := example(t, "mvt", "double")
	all, err := RunAll(t.Context(), dev, []*scop.Nest{n}, map[string]int64{"n": 8}, RunOptions{Random: 3, Trials: 1})
	var got []samples.Status
	for _, r := range all {
		got = append(got, r.Status)
		if r.Status != samples.OK && (r.Verified || r.Valid() || r.Seconds != 0 || r.Record != nil || r.Why == "") {
			t.Errorf("%+v", r)
		}
	}
	if want := []samples.Status{samples.OK, samples.WrongResult, samples.Refused, samples.OK}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if err == nil || !strings.Contains(err.Error(), "schedule=") {
		t.Errorf("error: %v", err)
	}
	dev = &broken{Device: dev.Device, refused: 1}
	if all, err := RunAll(t.Context(), dev, []*scop.Nest{n}, map[string]int64{"n": 8}, RunOptions{Trials: 1}); err == nil || len(all) != 1 || all[0].Status != samples.Refused {
		t.Errorf("the default configuration is refused: %v, %v", all, err)
	}
}
