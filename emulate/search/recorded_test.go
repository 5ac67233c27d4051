package search

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/sass"
)

// recorded is a space whose machine code and times were recorded on an H200: the codes of all configurations, and times of most (those that are 0
// the device refuses).
type recorded struct {
	*Emulator
	times  map[string]float64 // in microseconds, by configuration
	order  []Configuration    // in which they were recorded
	random []float64          // those of 300 configurations that were drawn at random
	codes  map[string]*sass.Listing
}

// drawn is how many of the recorded configurations were drawn at random: those after the first one.
const drawn = 300

func record(t *testing.T, name string) *recorded {
	t.Helper()
	f, err := Load("../../testdata/search/" + name + "-space.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	files, err := zip.OpenReader("../../testdata/search/" + name + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	text := func(name string) string {
		f, err := files.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	r := &recorded{times: map[string]float64{}, codes: map[string]*sass.Listing{}}
	for i, line := range strings.Split(strings.TrimSpace(text("times.txt")), "\n") {
		at := strings.LastIndexByte(line, ' ')
		var us float64
		fmt.Sscan(line[at+1:], &us)
		r.times[line[:at]] = us
		r.order = append(r.order, configuration(line[:at]))
		if i > 0 && i <= drawn && us > 0 {
			r.random = append(r.random, us)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(text("registers.txt")), "\n") {
		var code string
		var registers int
		fmt.Sscan(line, &code, &registers)
		l, err := sass.Parse(text(code + ".sass"))
		if err != nil {
			t.Fatal(err)
		}
		l.Functions[0].Registers = registers
		r.codes[code] = l
	}
	r.Emulator = &Emulator{Space: f, Device: d, Code: func(_ context.Context, c Configuration, _ *launches.Sequence) (*sass.Listing, error) {
		return r.codes[fmt.Sprintf("%d-%d-%d-%d", c[3], c[4], c[5], c[9])], nil
	}}
	return r
}

// measured is the recorded time of a configuration in microseconds, 0 for none.
func (r *recorded) measured(c Configuration) float64 {
	return r.times[strings.Trim(fmt.Sprint(c), "[]")]
}

// What is listed after ten compilations, against the best measured of 300 drawn at random: the fastest of the list is as good, the one predicted to be the
// fastest not quite. The search was chosen on the contraction.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		name string
		most float64 // of the best of those drawn
	}{{"contraction", 1.15}, {"stencil", 1.2}} {
		t.Run(c.name, func(t *testing.T) {
			if os.Getenv("LONG") == "" {
				t.Skip("it takes half a minute: LONG=1")
			}
			r := record(t, c.name)
			found, err := Find(t.Context(), r.Space, r.Base, r, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if found.Compilations > 10 {
				t.Errorf("%d compilations", found.Compilations)
			}
			best := found.Best[0]
			got, want := r.measured(best.Configuration), slices.Min(r.random)
			t.Logf("%s: %.1f us, emulated %.1f; the best of %d is %.1f; %d emulated, %d compiled", r.Text(best.Configuration), got, best.Seconds*1e6, len(r.random), want,
				found.Seen, found.Compilations)
			for _, p := range found.Path {
				t.Logf("by %s: %s, %.1f us, emulated %.1f", p.Move, r.Text(p.Configuration), r.measured(p.Configuration), p.Seconds*1e6)
			}
			report, err := report(found, r.Space, "space.yaml", "NVIDIA H200")
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			report.Write(&text)
			if data, err := json.Marshal(report); err != nil || !strings.Contains(string(data), `"compilations":10`) || !strings.Contains(text.String(), "unroll") {
				t.Errorf("%s\n%s\n%v", data, text.String(), err)
			}
			first := got
			for _, b := range found.Best {
				if us := r.measured(b.Configuration); us > 0 && (first == 0 || us < first) {
					first = us
				}
			}
			t.Logf("the best of the %d best is %.1f us", len(found.Best), first)
			if first > 1.06*want {
				t.Errorf("the best of the %d best takes %.1f us, of 300 at random %.1f", len(found.Best), first, want)
			}
			if got == 0 || got > c.most*want {
				t.Errorf("%.1f us, more than %.2f times %.1f", got, c.most, want)
			}
		})
	}
}
