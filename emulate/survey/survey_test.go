package survey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
)

// folder has launch files of two kernels, one that is launched often, and one whose code is missing.
func folder(t *testing.T) string {
	t.Helper()
	at := t.TempDir()
	for name, text := range map[string]string{
		"matmul-1.yaml": "version: 1\nlaunches: 3\nlisting: matmul.sass\nkernel: matmul\nsizes: {n: 256}\ngrid: [n / 16, n / 16]\nblock: [16, 16]\n" +
			"args: [{int32: n}, {buffer: a, dtype: float32, size: n * n}, {buffer: b, dtype: float32, size: n * n}, {buffer: c, dtype: float32, size: n * n}]\n" +
			"resources: {registers: 24, shared: 2112}\n",
		"saxpy-1.yaml": "version: 1\nlisting: saxpy.sass\nkernel: saxpy\ngrid: [1024]\nblock: [256]\nresources: {registers: 10}\n" +
			"args: [{int32: 262144}, {float32: 2}, {buffer: x, dtype: float32, size: 262144}, {buffer: y, dtype: float32, size: 262144}]\n",
		"gone-1.yaml": "version: 1\nlisting: gone.sass\nkernel: gone\ngrid: [1]\nblock: [1]\n",
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"matmul.sass", "saxpy.sass"} {
		text, err := os.ReadFile("../../testdata/sass/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

// The launches that take most of the time come first, as often as they are launched.
func TestFolder(t *testing.T) {
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	last := 0 // of two passes: what binds is found out of those that take most of the time
	s, err := Folder(t.Context(), folder(t), Options{Each: launches.Options{Device: device, Binds: true}, Progress: func(done, total int) {
		if last++; done != last || done > total {
			t.Errorf("%d of %d are done after %d", done, total, last-1)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Rows) != 2 || len(s.Failed) != 1 || s.Times() != 4 {
		t.Fatalf("%+v", s)
	}
	first := s.Rows[0]
	if want := 3*first.Seconds() + s.Rows[1].Seconds(); first.File != "matmul-1.yaml" || s.Seconds() != want {
		t.Errorf("%s first; %g seconds, want %g", first.File, s.Seconds(), want)
	}
	if all := strings.Join(s.All(), "\n"); !strings.Contains(all, "gone-1.yaml is left out: ") {
		t.Error(all)
	}
	var out bytes.Buffer
	if err := s.Write(&out); err != nil || !strings.Contains(out.String(), "in 4 launches") || !strings.Contains(out.String(), "saxpy-1.yaml") {
		t.Errorf("%v\n%s", err, &out)
	}
	text, err := json.Marshal(s)
	if err != nil || !strings.Contains(string(text), `"file":"matmul-1.yaml","kernel":"matmul","name":"matmul","launches":3,`) || !strings.Contains(string(text), `"error":`) {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := Folder(t.Context(), t.TempDir(), Options{Each: launches.Options{Device: device, Binds: true}}); err == nil || !strings.Contains(err.Error(), "has no launch files") {
		t.Error(err)
	}
}

// Launch files that are alike are emulated once, results are kept, and what decides about them tells them apart.
func TestAlike(t *testing.T) {
	at, kept := folder(t), t.TempDir()
	text, err := os.ReadFile(filepath.Join(at, "matmul-1.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"matmul-2.yaml": {"launches: 3", "launches: 5"},
		"matmul-3.yaml": {"size: n * n}]", "size: n * n, fill: zeros}]"},
		"matmul-4.yaml": {"size: n * n}]", "size: n * n, fill: unknown}]"},
		"matmul-5.yaml": {"n: 256", "n: 512"},
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for known := range 2 {
		s, err := Folder(t.Context(), at, Options{Each: launches.Options{Device: device}, Kept: kept})
		if err != nil {
			t.Fatal(err)
		}
		if s.Alike != 1 || s.Known != 5*known || len(s.Rows) != 6 {
			t.Errorf("call %d: %d alike, %d known, %d rows", known+1, s.Alike, s.Known, len(s.Rows))
		}
		out, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, strings.Replace(string(out), `"known":5`, `"known":0`, 1))
	}
	if tables[0] != tables[1] {
		t.Error("results that were kept are others")
	}
	s, err := Folder(t.Context(), at, Options{Each: launches.Options{Device: device, ClockMHz: 1000}, Kept: kept})
	if err != nil || s.Known != 0 {
		t.Error("another clock:", s.Known, err)
	}
}

// What the application measured stands beside what is predicted, and decides about shares; the cold launch counts for neither error nor median.
func TestMeasured(t *testing.T) {
	at := folder(t)
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	predicted := map[string]float64{}
	s, err := Folder(t.Context(), at, Options{Each: launches.Options{Device: device}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Rows {
		left := device.Value(facts.UnrecordedCycles)*(1-min(r.Waves, 1)) + device.Value(facts.UnrecordedFull)*min(r.Waves, 1)
		predicted[r.File] = r.Seconds() - left/device.Value(facts.ClockMHz)/1e6
	}
	for name, times := range map[string]string{
		"matmul-1.yaml": fmt.Sprintf("application: {seconds: [1, %g, %g], timed: 3, total: %g, cold: true}", predicted["matmul-1.yaml"]*0.8, predicted["matmul-1.yaml"]*0.8, 1e-3),
		"saxpy-1.yaml":  fmt.Sprintf("application: {seconds: [%g], total: 3e-3}", predicted["saxpy-1.yaml"]*4),
	} {
		text, err := os.ReadFile(filepath.Join(at, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(at, name), append(text, times+"\n"...), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if s, err = Folder(t.Context(), at, Options{Each: launches.Options{Device: device}}); err != nil {
		t.Fatal(err)
	}
	e := s.Errors()
	if s.Rows[0].File != "saxpy-1.yaml" || e.Kinds != 2 || e.Half != 1 || math.Abs(e.Mean-0.5) > 1e-6 || math.Abs(e.Geometric-math.Sqrt(0.25*0.75)) > 1e-6 || math.Abs(e.Measured-4e-3) > 1e-9 {
		t.Errorf("%s first, %+v", s.Rows[0].File, e)
	}
	var out bytes.Buffer
	if err := s.Write(&out); err != nil || !strings.Contains(out.String(), "+25 %") || !strings.Contains(out.String(), "-75 %") || !strings.Contains(out.String(), "75.0 %") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// What binds is found out of one launch of a kernel and ND-range; the time is that of each.
func TestKinds(t *testing.T) {
	at := folder(t)
	text, err := os.ReadFile(filepath.Join(at, "saxpy-1.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(at, "matmul-1.yaml"))
	for i, n := range []string{"1000", "131072", "262144"} {
		changed := strings.Replace(string(text), "int32: 262144", "int32: "+n, 1) + "application: {seconds: [2e-6], timed: 1, total: 2e-6}\n"
		if err := os.WriteFile(filepath.Join(at, fmt.Sprintf("saxpy-%d.yaml", i+1)), []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	var all [2]*Survey
	for i := range all {
		if all[i], err = Folder(t.Context(), at, Options{Each: launches.Options{Device: device, Binds: i > 0}}); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range all[1].Rows {
		if want := all[0].Rows[i].Seconds(); r.Seconds() != want || r.Bottleneck == "" || i > 0 && r.Seconds() == all[1].Rows[0].Seconds() {
			t.Errorf("%s: %g seconds, want %g; bottleneck %q", r.File, r.Seconds(), want, r.Bottleneck)
		}
	}
}

// Launches of a kernel that take about as long share a row of the table, with the sum of their launches.
func TestGroups(t *testing.T) {
	row := func(file, kernel string, times int64, seconds float64, status emulate.Status) *Row {
		return &Row{File: file, Times: times, Outcome: &Outcome{Kernel: kernel, Each: &seconds, Status: status}}
	}
	s := &Survey{Rows: []*Row{
		row("a-1", "a", 3, 10e-6, emulate.Whole), row("b-1", "b", 1, 10e-6, emulate.Whole), row("a-2", "a", 1, 10.8e-6, emulate.Whole),
		row("a-3", "a", 1, 12e-6, emulate.Whole), row("a-4", "a", 1, 10e-6, emulate.Supposed),
	}}
	var got []string
	for _, g := range s.groups() {
		got = append(got, fmt.Sprintf("%s: %d of %.4g", g.name(), g.Times, g.Seconds()))
	}
	if want := []string{"a-1 and 1 more: 4 of 1.02e-05", "b-1: 1 of 1e-05", "a-3: 1 of 1.2e-05", "a-4: 1 of 1e-05"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if s.Rows[0].Times != 3 || s.Rows[0].Seconds() != 10e-6 {
		t.Error("the survey's own rows have changed")
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"matmul":                  "matmul",
		"_Z4axpyIfEviT_PKS0_PS0_": "axpy<float>",
		"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIN3c104HalfEEESt5arrayIPcLm3EEEEviT0_T1_": "vectorized_elementwise_kernel<4, CUDAFunctor_add<Half>, a...",
	} {
		if got := short(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
