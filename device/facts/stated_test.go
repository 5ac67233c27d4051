package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sheetOf is a data sheet with facts beside those of an H200.
func sheetOf(t *testing.T, facts ...string) (*Device, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sheet.yaml")
	text := "version: 1\ndevices:\n  - names: [\"edited\"]\n    architecture: NVIDIA H200\n    facts:\n"
	for _, one := range facts {
		key, value, _ := strings.Cut(one, "=")
		text += "      " + key + ": {value: " + value + ", source: \"a guess\"}\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Sheet(path)
}

// Measured rates follow the peak where a sheet states it alone, and what nothing reads is told with its line.
func TestStated(t *testing.T) {
	h200, err := Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	half := h200.Value(MemoryBandwidth) / 2
	d, err := sheetOf(t, "memory_bandwidth="+fmt.Sprint(half), "dram_write_rate=1e12", "fp64_gap=9")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Value(DRAMReadRate), h200.Value(DRAMReadRate)/2; got < 0.99*want || got > 1.01*want {
		t.Errorf("a rate of %g, want %g", got, want)
	}
	if got := d.Value(DRAMWriteRate); got != 1e12 {
		t.Errorf("a rate of %g, which was stated", got)
	}
	unread := strings.Join(d.Unread(), "\n")
	if !strings.Contains(unread, "sheet.yaml:8: fp64_gap changes nothing") || strings.Contains(unread, "memory_bandwidth") || strings.Contains(unread, "dram_write_rate") {
		t.Error(unread)
	}
	d.With(ClockMHz, 1000, "given").Value(FP64Gap)
	if unread := d.Unread(); unread != nil {
		t.Error(unread)
	}
	if h200.Unread() != nil {
		t.Error("no file states anything of an H200")
	}
}

// Numbers that no device has are refused, with their line.
func TestPlausible(t *testing.T) {
	for _, c := range []struct{ fact, want string }{
		{"multiprocessors=0", "a whole number from 1"},
		{"multiprocessors=1.5", "a whole number from 1"},
		{"subgroup_size=0.5", "a whole number from 1"},
		{"group_z=64.5", "a whole number from 1"},
		{"multiprocessors=1e9", "of the devices that are known"},
		{"clock_mhz=.nan", "sheet.yaml:6"},
		{"clock_mhz=.inf", "sheet.yaml:6"},
		{"clock_mhz=-5", "a number from 0"},
		{"clock_mhz=0", "clock_mhz is 0"},
		{"l2_latency=1e12", "of the devices that are known"},
		{"dram_read_rate=0", "dram_read_rate is 0"},
	} {
		if _, err := sheetOf(t, c.fact); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "sheet.yaml:6:") {
			t.Errorf("%s: %v, want %q", c.fact, err, c.want)
		}
	}
	if _, err := sheetOf(t, "multiprocessors=264", "l2_latency=100", "clock_mhz=990.5"); err != nil {
		t.Error(err)
	}
}
