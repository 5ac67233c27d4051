package stock_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/device"
	"gpuperf/internal/command/stock"
)

// TestStale: a profile is in doubt for each of the reasons, and for none where nothing has changed.
func TestStale(t *testing.T) {
	read := func() *calibrate.Profile {
		p, err := profiles.Load("h200")
		if err != nil {
			t.Fatal(err)
		}
		p.Device.UUID = "00"
		return p
	}
	for _, c := range []struct {
		name   string
		change func(*calibrate.Profile, *device.Info)
		want   string
	}{
		{"nothing", func(*calibrate.Profile, *device.Info) {}, ""},
		{"driver", func(_ *calibrate.Profile, d *device.Info) { d.Driver = "999" }, "now it is 999"},
		{"clock", func(_ *calibrate.Profile, d *device.Info) { d.ClockMHz = 7 }, "now it is 7 MHz"},
		{"another device", func(_ *calibrate.Profile, d *device.Info) { d.UUID, d.ClockMHz = "01", 7 }, ""},
		{"model", func(p *calibrate.Profile, _ *device.Info) { p.Models[0].Definition += "\n" }, "model general is not as the program has it now"},
	} {
		p := read()
		d := device.Info{Fingerprint: p.Device}
		c.change(p, &d)
		got := ""
		for _, doubt := range stock.Stale(p, []device.Info{d}) {
			got += doubt.Text
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDiff: parameters that one of two profiles has, and both.
func TestDiff(t *testing.T) {
	fit := func(model string, estimates ...calibrate.Estimate) calibrate.Calibration {
		return calibrate.Calibration{Fit: calibrate.Fit{Model: model, Parameters: estimates}}
	}
	was := &calibrate.Profile{Models: []calibrate.Calibration{
		fit("m", calibrate.Estimate{Name: "a", Value: 1, StdErr: 0.3}, calibrate.Estimate{Name: "b", Value: 2}),
		fit("only", calibrate.Estimate{Name: "c", Value: 3}),
	}}
	is := &calibrate.Profile{Models: []calibrate.Calibration{
		fit("m", calibrate.Estimate{Name: "a", Value: 2, StdErr: 0.4}, calibrate.Estimate{Name: "d", Value: 4}),
		fit("new", calibrate.Estimate{Name: "e", Value: 5}),
	}}
	nan := math.NaN()
	want := []stock.Difference{
		{Model: "m", Parameter: "a", Was: 1, Is: 2, Deviations: 2},
		{Model: "m", Parameter: "b", Was: 2, Is: nan, Deviations: nan},
		{Model: "m", Parameter: "d", Was: nan, Is: 4, Deviations: nan},
		{Model: "only", Parameter: "c", Was: 3, Is: nan, Deviations: nan},
		{Model: "new", Parameter: "e", Was: nan, Is: 5, Deviations: nan},
	}
	got := stock.Diff(was, is)
	if len(got) != len(want) {
		t.Fatalf("%d differences, want %d: %v", len(got), len(want), got)
	}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	for i, w := range want {
		g := got[i]
		if g.Model != w.Model || g.Parameter != w.Parameter || !same(g.Was, w.Was) || !same(g.Is, w.Is) || !same(g.Deviations, w.Deviations) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
}

// TestJournals: a file that cannot be read is a line of the list, not the end of it.
func TestJournals(t *testing.T) {
	folder := t.TempDir()
	bad := filepath.Join(folder, "samples", "bad.jsonl")
	if err := os.MkdirAll(filepath.Dir(bad), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte("{\"version\": 7}\n{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all, err := stock.Journals(folder, nil)
	if err != nil || len(all) != 1 || !strings.Contains(all[0].Error, "bad.jsonl:1") {
		t.Errorf("%+v, %v", all, err)
	}
	bytes, files := stock.Size(folder)
	if files != 1 || bytes != 18 {
		t.Errorf("%d bytes in %d files", bytes, files)
	}
}
