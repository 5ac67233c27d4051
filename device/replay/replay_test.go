package replay_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device"
	"gpuperf/device/replay"
	"gpuperf/samples"
)

func job(source string, n int64) device.Job {
	return device.Job{
		Identity: samples.Identity{Source: "k.star", Variant: "v", Sizes: map[string]int64{"n": n}},
		Source:   source, Entry: "k", Global: []int64{n}, Local: []int64{8},
	}
}

func record(j device.Job, status samples.Status, seconds float64) samples.Record {
	r := j.Record()
	r.Device = samples.Fingerprint{Name: "GPU", Platform: "P", Type: "gpu"}
	r.Time, r.Status = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), status
	if status == samples.OK {
		r.Trials = []float64{seconds, 2 * seconds, 3 * seconds}
		s := samples.Summarize(r.Trials)
		r.Summary = &s
	} else {
		r.Error = "it broke"
	}
	return r
}

func open(t *testing.T, records ...samples.Record) *replay.Device {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	j, err := samples.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	d, err := replay.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestReplay(t *testing.T) {
	d := open(t, record(job("a", 64), samples.OK, 1), record(job("a", 128), samples.OK, 2), record(job("a", 256), samples.Crash, 0),
		record(job("a", 64), samples.OK, 10))
	if d.Info().Name != "GPU" {
		t.Errorf("info: %+v", d.Info())
	}
	other := job("a", 128)
	other.Local = []int64{16}
	for name, tt := range map[string]struct {
		job     device.Job
		median  float64
		warning string
		status  samples.Status
	}{
		"newest":         {job("a", 64), 20, "", ""},
		"as it was":      {job("a", 128), 4, "", ""},
		"source changed": {job("b", 128), 4, "the source has changed since it was recorded on 2026-03-04", ""},
		"launch changed": {other, 4, "the launch has changed", ""},
		"failure":        {job("a", 256), 0, "", samples.Crash},
	} {
		r, err := d.Run(context.Background(), tt.job)
		if tt.status != "" {
			if e, ok := device.AsError(err); !ok || e.Status != tt.status || e.Msg != "it broke" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m := samples.Summarize(r.Trials).Median; m != tt.median || r.Recorded == nil || r.Recorded.Seconds() != m {
			t.Errorf("%s: median %g, record %+v", name, m, r.Recorded)
		}
		if got := strings.Join(r.Warnings, ";"); (tt.warning == "") != (got == "") || !strings.Contains(got, tt.warning) {
			t.Errorf("%s: warnings %q", name, got)
		}
	}
}

func TestMissing(t *testing.T) {
	var records []samples.Record
	for _, n := range []int64{512, 16, 1024, 4096, 2048, 2048} {
		records = append(records, record(job("a", n), samples.OK, 1))
	}
	d := open(t, records...)
	cold := job("a", 512)
	cold.Mode = samples.Cold
	stranger := job("a", 512)
	stranger.Identity.Variant = "w"
	for name, tt := range map[string]struct {
		job  device.Job
		near []int64
		text string
	}{
		"nearest first": {job("a", 3000), []int64{4096, 2048, 1024}, "no warm sample of k.star#v n=3000; recorded nearest: n=4096; n=2048; n=1024"},
		"small":         {job("a", 1), []int64{16, 512, 1024}, "recorded nearest: n=16"},
		"cold":          {cold, nil, "no cold sample of k.star#v n=512, nor of that kernel at any size"},
		"other variant": {stranger, nil, "no warm sample of k.star#w n=512, nor"},
	} {
		_, err := d.Run(context.Background(), tt.job)
		var missing *replay.MissingError
		if !errors.As(err, &missing) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int64
		for _, id := range missing.Nearest {
			got = append(got, id.Sizes["n"])
		}
		if diff := cmp.Diff(tt.near, got); diff != "" || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %s, %v", name, diff, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := replay.Open("/no/such/file"); err == nil {
		t.Error("a missing file is opened")
	}
	path := filepath.Join(t.TempDir(), "empty.jsonl")
	j, err := samples.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	if _, err := replay.Open(path); err == nil || !strings.Contains(err.Error(), "holds no sample") {
		t.Errorf("%v", err)
	}
}
