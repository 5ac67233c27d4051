package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/device/opencl"
	"gpuperf/samples"
)

func (d *fakeDevice) KeepPrograms(dir string) { d.programs = dir }

func (d *fakeDevice) Build(job device.Job) error {
	switch job.Entry {
	case "typo":
		return device.Errorf(samples.BuildFailed, "a typo")
	case "segfault", "hang":
		_, err := d.Run(context.Background(), job)
		return err
	}
	return os.WriteFile(device.ProgramFile(d.programs, d.info.Fingerprint, job), []byte(fmt.Sprint(os.Getpid())), 0o644)
}

// TestAhead: all that can be built is, by several processes, once; what cannot be leaves nothing and stops nobody.
func TestAhead(t *testing.T) {
	dir := t.TempDir()
	dev := openFake(t, Options{}).Info()
	var jobs []device.Job
	add := func(entry string, n int64) {
		job := task(entry, n).Job
		job.Source += fmt.Sprint(n)
		jobs = append(jobs, job, job) // as two sizes of a kernel
	}
	for n := range int64(20) {
		add("ok", n+1)
	}
	add("typo", 1)
	add("segfault", 1)
	add("hang", 1)
	for n := range int64(20) {
		add("ok", n+101)
	}
	most := 0
	a := Ahead{
		Options: Options{Programs: dir, Env: []string{envBackend + "=fake"}, Deadline: 3 * time.Second}, Jobs: 3,
		Progress: func(done, total int) {
			if most = max(most, done); total != 43 {
				t.Errorf("%d of %d", done, total)
			}
		},
	}
	if err := a.Run(context.Background(), dev, jobs); err != nil || most != 43 {
		t.Fatal(err, most)
	}
	builders := map[string]bool{}
	for _, job := range jobs {
		by, err := os.ReadFile(device.ProgramFile(dir, dev.Fingerprint, job))
		if (err == nil) != (job.Entry == "ok") {
			t.Errorf("%s: %v", job.Identity, err)
		}
		if err == nil {
			builders[string(by)] = true
		}
	}
	if len(builders) < 2 {
		t.Errorf("%d processes have built", len(builders))
	}

	// Workers that are kept build on, and end when they are told to.
	kept := Builders{}
	a.Keep, a.Options.Programs, a.Progress = &kept, t.TempDir(), nil
	for _, some := range [][]device.Job{jobs[:20], jobs[20:40]} {
		if err := a.Run(context.Background(), dev, some); err != nil {
			t.Fatal(err)
		}
	}
	workers := map[string]bool{}
	for _, job := range jobs[:40] {
		by, err := os.ReadFile(device.ProgramFile(a.Options.Programs, dev.Fingerprint, job))
		if err != nil {
			t.Error(err)
		}
		workers[string(by)] = true
	}
	processes := slices.Clone(kept.idle)
	kept.Close()
	if n := len(workers); n > 3 || len(processes) != 3 {
		t.Errorf("%d workers, of which %d were kept", n, len(processes))
	}
	for _, r := range processes {
		if !r.closed {
			t.Error("a worker goes on")
		}
	}
	a.Keep, a.Options.Programs = nil, dir

	// What is there is not built again.
	most = 0
	a.Progress = func(done, _ int) { most = done }
	if err := a.Run(context.Background(), dev, jobs[:40]); err != nil || most != 0 {
		t.Errorf("%v, %d programs built again", err, most)
	}
	a.Options.Command = []string{"/no/such/program"}
	if err := a.Run(context.Background(), dev, jobs[:40]); err != nil {
		t.Errorf("a worker was started for nothing: %v", err)
	}
	a.Options.Programs = t.TempDir()
	a.Least = 44
	if err := a.Run(context.Background(), dev, jobs); err != nil {
		t.Errorf("a worker was started for too few: %v", err)
	}
	a.Least = 43
	if err := a.Run(context.Background(), dev, jobs); err == nil || !strings.Contains(err.Error(), "starting a worker") {
		t.Errorf("no worker: %v", err)
	}
	a.Options.Command = nil
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("Ctrl-C"))
	if err := a.Run(ctx, dev, jobs); err == nil || err.Error() != "Ctrl-C" {
		t.Errorf("stopped: %v", err)
	}
}

// TestAheadOnADevice: what was built ahead gives the same results, and is built no more.
func TestAheadOnADevice(t *testing.T) {
	o := Options{Programs: filepath.Join(t.TempDir(), "programs")}
	r, err := Open(context.Background(), "", o)
	if err != nil {
		if strings.Contains(err.Error(), opencl.ErrNone.Error()) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	defer r.Close()
	var jobs []device.Job
	for k := range 10 {
		jobs = append(jobs, device.Job{
			Source: fmt.Sprintf("__kernel void k(__global float *y) { y[get_global_id(0)] = %d; }", k),
			Entry:  "k", Global: []int64{64}, Local: []int64{16}, Keep: []string{"y"},
			Policy: device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: time.Millisecond},
			Args:   []device.Arg{{Name: "y", Kind: device.Buffer, DType: "float32", Count: 64, Write: true}},
		})
	}
	if err := (Ahead{Options: o, Jobs: 2}).Run(context.Background(), r.Info(), jobs); err != nil {
		t.Fatal(err)
	}
	for k, job := range jobs {
		if _, err := os.Stat(device.ProgramFile(o.Programs, r.Info().Fingerprint, job)); err != nil {
			t.Error(err)
		}
		res, err := r.Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		want := device.Arg{DType: "float32", Kind: device.Scalar, Float: float64(k)}
		bytes, err := want.ScalarBytes()
		if err != nil || string(res.Outputs["y"][:4]) != string(bytes) {
			t.Errorf("kernel %d writes %v, want %v, %v", k, res.Outputs["y"][:4], bytes, err)
		}
		t.Logf("loaded in %v", res.BuildTime)
	}
}
