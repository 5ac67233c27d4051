package launchfile

import (
	"strings"
	"testing"
)

const listed = "version: 1\nlisting: code.sass\nkernel: k\ngrid: [2]\nblock: [32]\nargs: [{int32: 3}]\n"

// What emulation needs is read, and what cannot be meant is refused where it stands.
func TestCode(t *testing.T) {
	f, err := Parse("a/b.yaml", []byte(listed+"arch: sm_90\nresources: {registers: 24, shared: 512}\nassume:\n  - {branch: \"0x5c0\", taken: 0.5}\n  - {loop: \"k.cu:12\", trips: 17}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if f.Code != (Code{Listing: "a/code.sass", Arch: "sm_90", Registers: 24, Shared: 512}) {
		t.Error(f.Code)
	}
	if len(f.Assume) != 2 || f.Assume[0].Branch != "0x5c0" || f.Assume[0].Value != 0.5 || f.Assume[1].Loop != "k.cu:12" || f.Assume[1].Value != 17 {
		t.Error(f.Assume)
	}
	job, err := f.Emulated(nil)
	if err != nil || job.Entry != "k" || job.Global[0] != 64 {
		t.Error(job, err)
	}
	if _, err := f.Job(nil); err == nil || !strings.Contains(err.Error(), "can be emulated, and not executed") {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"assume: [{branch: \"0x5c0\"}]\n":            "expected an assumption",
		"assume: [{branch: \"0x5c0\", taken: 2}]\n":  "expected a number from 0 to 1",
		"assume: [{loop: \"k.cu:12\", trips: -1}]\n": "expected a number from 0 to 1e+15",
		"resources: {registers: -1}\n":               "expected 0 or more",
		"assume: [{loop: a, region: b, trips: 1}]\n": "expected an assumption",
	} {
		if _, err := Parse("b.yaml", []byte(listed+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
