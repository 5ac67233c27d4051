package measure

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/device/replay"
	"gpuperf/samples"
)

// drifting is a device whose sentinel takes the times listed, one after the other; 0 is a failure.
type drifting struct {
	fakeDevice
	times []float64
	ran   int
}

func (d *drifting) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	if job.Identity.Source != samples.SentinelSource {
		return d.fakeDevice.Run(ctx, job)
	}
	t := d.times[min(d.ran, len(d.times)-1)]
	d.ran++
	if t == 0 {
		return nil, device.Errorf(samples.Refused, "no")
	}
	return &device.Result{Trials: []float64{t, t, t}, Clocks: &samples.Clocks{SM: 1980}}, nil
}

func newDrifting(times ...float64) *drifting {
	all, _ := fake{}.Devices()
	return &drifting{fakeDevice{info: all[1]}, times, 0}
}

func tasksTo(n int64) (out []Task) {
	for i := range n {
		out = append(out, task("ok", i+1))
	}
	return out
}

// TestSentinel: it runs at the start, after every so many measurements, and at the end; records carry its latest time, and
// those taken while the device was another are doubted.
func TestSentinel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	j := openJournal(t, path)
	dev := newDrifting(1, 1.01, 1.05, 1)
	watched := 0
	sweep := Sweep{Device: dev, Journal: j, Sentinel: &Sentinel{Tasks: 2}, Watch: func(samples.Record) { watched++ }}
	got, err := sweep.Run(context.Background(), tasksTo(6))
	if err != nil {
		t.Fatal(err)
	}
	wantRatios := []float64{1, 1, 1.01, 1.01, 1.05, 1.05}
	for i, r := range got {
		doubted := strings.Contains(strings.Join(r.Warnings, "\n"), "sentinel")
		if r.Sentinel == nil || r.Sentinel.Ratio != wantRatios[i] || doubted != (wantRatios[i] > 1.02) {
			t.Errorf("record %d: %+v, warnings %q", i, r.Sentinel, r.Warnings)
		}
	}
	if dev.ran != 4 || watched != 4 {
		t.Errorf("the sentinel ran %d times, and was told of %d times", dev.ran, watched)
	}
	stored := records(t, j.Set)
	if len(stored) != 10 {
		t.Fatalf("%d records", len(stored))
	}
	last := stored[9]
	if !last.IsSentinel() || last.Sentinel.Ratio != 1 || last.Clocks == nil || last.Clocks.SM != 1980 {
		t.Errorf("the last record is %+v", last)
	}

	// A resumed sweep that measures nothing runs no sentinel, the next one of the session not before it is due.
	if _, err := sweep.Run(context.Background(), tasksTo(6)); err != nil || dev.ran != 4 {
		t.Errorf("%v, the sentinel ran %d times", err, dev.ran)
	}
	if _, err := sweep.Run(context.Background(), tasksTo(7)); err != nil || dev.ran != 5 {
		t.Errorf("%v, the sentinel ran %d times", err, dev.ran)
	}

	// A replay answers without it.
	recorded, err := replay.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Sweep{Device: recorded, Sentinel: &Sentinel{}}.Run(context.Background(), tasksTo(7))
	if err != nil || again[4].Sentinel == nil || again[4].Sentinel.Ratio != 1.05 || !strings.Contains(strings.Join(again[4].Warnings, "\n"), "sentinel") {
		t.Errorf("%v, %+v", err, again)
	}
}

func TestSentinelIsDue(t *testing.T) {
	now := time.Now()
	ran := &samples.Sentinel{Seconds: 1, Ratio: 1, Time: now.Add(-10 * time.Second)}
	for name, tt := range map[string]struct {
		s    Sentinel
		want bool
	}{
		"never ran":     {Sentinel{}, true},
		"just ran":      {Sentinel{last: ran, since: 1}, false},
		"long ago":      {Sentinel{last: ran, Every: 5 * time.Second}, true},
		"many since":    {Sentinel{last: ran, since: 50}, true},
		"fails":         {Sentinel{failed: true}, false},
		"failed before": {Sentinel{last: ran, since: 50, failed: true}, false},
	} {
		if got := tt.s.due(now); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSentinelThatFails: measurements go on without it.
func TestSentinelThatFails(t *testing.T) {
	dev := newDrifting(0)
	got, err := Sweep{Device: dev, Journal: openJournal(t, filepath.Join(t.TempDir(), "s.jsonl")), Sentinel: &Sentinel{Tasks: 1}}.Run(context.Background(), tasksTo(3))
	if err != nil || len(got) != 3 || dev.ran != 1 || got[2].Sentinel != nil || got[2].Status != samples.OK {
		t.Errorf("%v, %d answers, ran %d times", err, len(got), dev.ran)
	}
}

// TestSentinelOnADevice: it runs, and its time is not a matter of the timer's steps.
func TestSentinelOnADevice(t *testing.T) {
	dev := devicetest.Open(t)
	r, err := dev.Run(context.Background(), SentinelJob(dev.Info().Fingerprint))
	if err != nil {
		t.Fatal(err)
	}
	if s := samples.Summarize(r.Trials); s.Min < 2e-5 {
		t.Errorf("it takes %v", s)
	} else {
		t.Log(s)
	}
}
