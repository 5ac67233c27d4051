package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file has devices that do not exist: what they do not say is as in another sheet.
func TestSheet(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "device.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	d, err := Sheet(write("version: 1\ndevices:\n  - names: [half]\n    architecture: NVIDIA H200\n    facts: {multiprocessors: {value: 66, source: a guess}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Name() != "half" || d.Int(Multiprocessors) != 66 || d.Value(MemoryBandwidth) != 4.8e12 || d.Value(ALUGap) != 2 {
		t.Error(d.Name(), d.facts)
	}
	if named, err := Sheet("NVIDIA H200"); err != nil || named.Int(Multiprocessors) != 132 {
		t.Error(named, err)
	}
	for path, want := range map[string]string{
		"H300":                               `no data sheet of "H300"`,
		write("version: 1\n"):                "there is no device in this file",
		write("version: 1\ndevice: 3\n"):     `unknown field "device"`,
		filepath.Join(t.TempDir(), "x.yaml"): "no file",
	} {
		if _, err := Sheet(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
