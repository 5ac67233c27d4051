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
	for name, want := range map[string]string{"h200": "NVIDIA H200", "A100": "NVIDIA A100-SXM4-40GB", "v100": "Tesla V100-SXM2-16GB"} {
		if named, err := Sheet(name); err != nil || named.Name() != want {
			t.Error(name, named.Name(), err)
		}
	}
	device := func(rest string) string { return write("version: 1\ndevices:\n  - names: [x]\n" + rest) }
	for path, want := range map[string]string{
		"H300":                             `no data sheet of "H300"`,
		"titan":                            `no data sheet of "titan"`, // of several architectures
		write("version: 1\n"):              "the data sheet has no devices",
		write("version: 1\ndevice: 3\n"):   `unknown key "device"`,
		write("version: 2\ndevices: []\n"): "version 2",
		write("version: 1\ndevices: []\n"): "there is no device in this file",
		device("    facts: {multipocessors: {value: 66}}\n"):         `:4:13: unknown key "multipocessors"`,
		device("    facts: {multiprocessors: 66}\n"):                 "expected a map",
		device("    facts: {multiprocessors: {value: 66}}\n"):        "a value with its source",
		device("    facts: {items: {value: -1, source: a guess}}\n"): "items is -1",
		device("    architecture: NVIDIA H2000\n    facts: {}\n"):    `:4:19: there is no data sheet of "NVIDIA H2000"`,
		filepath.Join(t.TempDir(), "x.yaml"):                         "no file",
	} {
		if _, err := Sheet(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
