package launches

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gpuperf/emulate"
)

// Reports are compared by quantities, by what warps wait for and by lines.
func TestComparison(t *testing.T) {
	c := Comparison{[]*Report{run(t, matmul, map[string]int64{"n": 256}, true), run(t, matmul, map[string]int64{"n": 512}, true)}}
	var out bytes.Buffer
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"instructions", "7.90", "memory queue", "matmul.cu:13", "B/A", "bottleneck"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	text, err := json.Marshal(c.JSON())
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Compared []struct {
			Name   string
			Values []float64
		}
	}
	if err := json.Unmarshal(text, &read); err != nil || read.Compared[0].Name != "time" || len(read.Compared[0].Values) != 2 {
		t.Error(err, read)
	}
	// All lines together take the time of the launches.
	for i, r := range c.Reports {
		sum := 0.0
		for _, l := range c.lines() {
			sum += l.seconds[i]
		}
		if sum < 0.999*r.Seconds() || sum > 1.001*r.Seconds() {
			t.Errorf("the lines take %g s, and the launch %g s", sum, r.Seconds())
		}
	}
}

// Lines with the same text are the same line, wherever they stand.
func TestLinesOfVersions(t *testing.T) {
	a, b := run(t, matmul, map[string]int64{"n": 256}, false), run(t, matmul, map[string]int64{"n": 256}, false)
	a.file, b.file = "matmul.cu", "other.cu"
	a.source, b.source = make([]string, 30), make([]string, 31)
	a.source[12], b.source[13] = "  sum += x;", "sum += x;"
	for i := range b.Launches[0].Lines {
		if l := &b.Launches[0].Lines[i]; l.Place == "matmul.cu:13" {
			l.Place = "other.cu:14"
		}
	}
	var out bytes.Buffer
	if err := (Comparison{[]*Report{a, b}}).Write(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "matmul.cu:13  sum += x;") || strings.Contains(out.String(), "other.cu:14") {
		t.Error(&out)
	}
}

// Lines that versions have changed are those that have most in common.
func TestPaired(t *testing.T) {
	none := math.NaN()
	all := paired([]*line{
		{"a:9", "t += 0.35 * d - 0.02 * t;", []float64{7, none}},
		{"a:10", "out[i] = t;", []float64{1, none}},
		{"a:3", "int i;", []float64{2, 2}},
		{"b:9", "t += 0.35f * d - 0.02f * t;", []float64{none, 3}},
		{"b:7", "float x = in[i + 1] - 0.35f;", []float64{none, 1}},
	})
	if len(all) != 4 || all[0].name != "a:9, b:9" || all[0].seconds[1] != 3 || !math.IsNaN(all[1].seconds[1]) {
		t.Errorf("%+v", all)
	}
}

// What is asked for must make sense.
func TestWrongOptions(t *testing.T) {
	s, err := Load(matmul, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listing(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"a clock of -1 MHz": {ClockMHz: -1},
		"paths are taken by the rule likely or paper, not": {Paths: "all"},
	} {
		o.Device = sheet(t)
		if _, err := s.Run(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The clock makes a kernel faster that does not wait for DRAM.
func TestClock(t *testing.T) {
	s, err := Load(matmul, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listing(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), l, Options{Device: sheet(t), ClockMHz: 990})
	if err != nil {
		t.Fatal(err)
	}
	if fast := run(t, matmul, nil, false); r.Seconds() < 1.9*fast.Seconds() || !r.Launches[0].ClockGiven || r.Launches[0].ClockMHz != 990 {
		t.Errorf("%g s at half the clock, %g s at all of it", r.Seconds(), fast.Seconds())
	}
}

// Of two reports it is said first what makes the second one slower, or faster, and then what speaks against that.
func TestVerdict(t *testing.T) {
	of := func(lines map[string]float64) *Report {
		sum, r := 0.0, &emulate.Result{Status: emulate.Whole}
		for _, s := range lines {
			sum += s
		}
		for place, s := range lines {
			r.Lines = append(r.Lines, emulate.Line{Place: place, Part: s / sum})
		}
		r.Seconds = sum
		return &Report{Launches: []Launch{{1, r}}}
	}
	a, b := of(map[string]float64{"k:1": 5e-6, "k:2": 2e-6}), of(map[string]float64{"k:1": 1e-6, "k:2": 5e-6, "k:3": 3e-6})
	for _, c := range []struct {
		two  []*Report
		want string
	}{
		{[]*Report{a, b}, "B takes 1.29× the time of A: 9 µs and 7 µs; 3 µs more in k:2; 4 µs less in k:1"},
		{[]*Report{b, a}, "B takes 0.778× the time of A: 7 µs and 9 µs; 3 µs less in k:2; 4 µs more in k:1"},
		{[]*Report{a, a}, "B takes 1× the time of A: 7 µs and 7 µs"},
	} {
		of := Comparison{Reports: c.two}
		if got := of.verdict(of.lines()); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
