package offload

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"gpuperf/cfront"
	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/samples"
	"gpuperf/scop"
)

// stalled is a device that answers all jobs after the first with a verdict.
type stalled struct {
	device.Device
	jobs   int
	status samples.Status
}

func (d *stalled) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	if d.jobs++; d.jobs > 1 {
		return nil, device.Errorf(d.status, "as told")
	}
	return d.Device.Run(ctx, job)
}

// TestOneConfigurationEnds: a configuration that takes too long, or crashes, ends alone; a crash is an error at the end.
func TestOneConfigurationEnds(t *testing.T) {
	dev := devicetest.Open(t)
	path := filepath.Join(t.TempDir(), "twice.c")
	if err := os.WriteFile(path, []byte("void twice(int n, float a[n]) { for (int i = 0; i < n; i++) a[i] = 2*a[i]; }"), 0o644); err != nil {
		t.Fatal(err)
	}
	nests, err := scop.Load(t.Context(), path, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for status, wrong := range map[samples.Status]bool{samples.Timeout: false, samples.Refused: false, samples.Crash: true, samples.WrongResult: true} {
		all, err := RunAll(t.Context(), &stalled{Device: dev, status: status}, nests, map[string]int64{"n": 17}, RunOptions{Random: 2, Seed: 1, Trials: 1})
		if len(all) != 3 || all[0].Status != samples.OK || all[1].Status != status || all[2].Status != status || (err != nil) != wrong {
			t.Errorf("%s: %d results, %v", status, len(all), err)
		}
	}
}
