package cuda

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/samples"
)

// workers names a folder: a process that finds it in its environment is a worker, and leaves a file there that says how its conversation went.
const workers = "PERF_TEST_WORKERS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(workers); dir != "" {
		os.Exit(worker(dir))
	}
	os.Exit(m.Run())
}

// worker is a worker process; each has a conversation of its own.
func worker(dir string) int {
	for n := 1; ; n++ {
		log, err := os.OpenFile(filepath.Join(dir, fmt.Sprint(n)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		c, err := begin(fmt.Sprintf("TestRestart.%d", n), func(err error) { fmt.Fprintln(log, err) })
		if err != nil {
			fmt.Fprintln(log, err)
			return 1
		}
		status := measure.WorkerMain(&Backend{open: c.open})
		if err := c.end(); err != nil {
			fmt.Fprintln(log, err)
		}
		return status
	}
}

// TestRestart: after a launch that has cost the context, the next job is run by a new worker.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d, err := measure.Open(context.Background(), "", measure.Options{Command: []string{self}, Env: []string{workers + "=" + dir}, Grace: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	bad := scaled(1000)
	bad.Args[3].Int, bad.Global[0] = 1<<30, 1<<30
	for i, job := range []device.Job{scaled(1000), bad, scaled(1000)} {
		_, err := d.Run(context.Background(), job)
		e, failed := device.AsError(err)
		switch {
		case i != 1 && err != nil:
			t.Error(err)
		case i == 1 && (!failed || e.Status != samples.Crash || !strings.Contains(e.Msg, "CUDA_ERROR_ILLEGAL_ADDRESS")):
			t.Errorf("an access out of bounds: %v", err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(logs) != 2 {
		t.Errorf("%d workers, %v", len(logs), err)
	}
	for _, log := range logs {
		if text, err := os.ReadFile(log); err != nil || len(text) > 0 {
			t.Errorf("%s%v", text, err)
		}
	}
}

// TestCrash is the last one: when it is recorded, the context of the whole process is lost.
func TestCrash(t *testing.T) {
	job := scaled(1000)
	job.Args[3].Int, job.Global[0] = 1<<30, 1<<30
	_, err := open(t, converse(t)).Run(context.Background(), job)
	if e, ok := device.AsError(err); !ok || e.Status != samples.Crash || !e.Fatal || !strings.Contains(e.Msg, "CUDA_ERROR_ILLEGAL_ADDRESS") {
		t.Errorf("an access out of bounds: %v", err)
	}
}
