package launches

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device/facts"
)

// edited is a data sheet of a device that does not exist: an H200 with other facts.
func edited(t *testing.T, changed string) *facts.Device {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sheet.yaml")
	text := "version: 1\ndevices:\n  - names: [\"edited\"]\n    architecture: NVIDIA H200\n    facts:\n"
	for _, one := range strings.Split(changed, ", ") {
		key, value, _ := strings.Cut(one, "=")
		text += fmt.Sprintf("      %s: {value: %s, source: \"a guess\"}\n", key, value)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := facts.Sheet(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// product is a launch of a product of matrices, but for its resources.
const product = `kernel: matmul
sizes: {n: 2048}
grid: [n / 16, n / 16]
block: [16, 16]
args: [{int32: n}, {buffer: a, dtype: float32, size: n * n}, {buffer: b, dtype: float32, size: n * n}, {buffer: c, dtype: float32, size: n * n}]
resources: `

// A hypothetical device is an edited data sheet: what runs at once, the caches, rates and the clock follow it.
func TestEditedSheets(t *testing.T) {
	const (
		saxpy = `kernel: saxpy_vector
sizes: {n: 16777216}
grid: [n / 256]
block: [256]
args: [{int32: n}, {float32: 2}, {buffer: x, dtype: float32, size: 4 * n}, {buffer: y, dtype: float32, size: 4 * n}]
resources: {registers: 22}
`
		stencil = `kernel: stencil
sizes: {n: 128}
grid: [n / 64, n / 4]
block: [64, 4]
args: [{int32: n}, {int32: n}, {int32: n}, {buffer: u, dtype: float64, size: n * n * n}, {buffer: w, dtype: float64, size: n * n * n}]
resources: {registers: 32}
`
	)
	blocks := func(r *Report) float64 { return float64(r.Launches[0].Blocks) }
	l1 := func(r *Report) float64 { return r.Launches[0].Memory.L1Hit }
	l2 := func(r *Report) float64 { return r.Launches[0].Work.GlobalBytes }
	for name, c := range map[string]struct {
		listing, launch, sheet string
		of                     func(*Report) float64
		least, most            float64 // of what the device has over what an H200 has
	}{
		"twice the shared memory runs more work-groups": {"matmul", product + "{registers: 24, shared: 47000}\n", "local_bytes=466944, l1_bytes=524288", blocks, 2, 2},
		"which the kernel gains from": {
			"matmul", product + "{registers: 24, shared: 48000}\n", "local_bytes=466944, l1_bytes=524288", (*Report).Seconds, 0.4, 0.95,
		},
		"half the multiprocessors":             {"matmul", product + "{registers: 24, shared: 2112}\n", "multiprocessors=66", (*Report).Seconds, 1.8, 2.1},
		"half the clock":                       {"matmul", product + "{registers: 24, shared: 2112}\n", "clock_mhz=990", (*Report).Seconds, 1.9, 2.05},
		"half the registers":                   {"matmul", product + "{registers: 64, shared: 2112}\n", "registers=32768", blocks, 0.5, 0.5},
		"half the bandwidth":                   {"saxpy", saxpy, "dram_read_rate=2.27e12, dram_write_rate=2.4e12", (*Report).Seconds, 1.7, 2.05},
		"half the peak bandwidth":              {"saxpy", saxpy, "memory_bandwidth=2.4e12", (*Report).Seconds, 1.7, 2.05},
		"half the clock, with DRAM's as it is": {"saxpy", saxpy, "clock_mhz=990", (*Report).Seconds, 0.98, 1.3},
		"a small L1 serves less":               {"stencil", strings.Replace(stencil, "128", "256", 1), "l1_bytes=40960, local_bytes=32768", l1, 0, 0.9},
		"a small L2 asks DRAM for more":        {"stencil", stencil, "l2_bytes=2000000", l2, 2, math.Inf(1)},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, c.listing+".sass", c.launch)
			s, err := Load(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			l, err := s.Listing(t.Context(), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			var got [2]float64
			for i, d := range []*facts.Device{sheet(t), edited(t, c.sheet)} {
				r, err := s.Run(t.Context(), l, Options{Device: d})
				if err != nil {
					t.Fatal(err)
				}
				got[i] = c.of(r)
			}
			if ratio := got[1] / got[0]; ratio < c.least || ratio > c.most {
				t.Errorf("%g on an H200, %g on the other: %g times as much", got[0], got[1], ratio)
			}
		})
	}
}
