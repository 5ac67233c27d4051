package main

import (
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/launches"
	"gpuperf/samples"
)

// TestGPUHere: the GPU of the machine is emulated where its data sheet is known, and the usual one elsewhere.
func TestGPUHere(t *testing.T) {
	named := func(name string, on samples.Interface) device.Info {
		return device.Info{Fingerprint: samples.Fingerprint{Name: name, Interface: on}}
	}
	for _, c := range []struct {
		found []device.Info
		want  string
	}{
		{nil, launches.Usual},
		{[]device.Info{named("pthread-zen", samples.OpenCL), named("NVIDIA H100 80GB HBM3", samples.CUDA)}, "NVIDIA H100 80GB HBM3"},
		{[]device.Info{named("NVIDIA H100 80GB HBM3", samples.OpenCL)}, launches.Usual},
		{[]device.Info{named("NVIDIA Unheard Of", samples.CUDA)}, launches.Usual},
	} {
		if got := emulatedOf(c.found); got != c.want {
			t.Errorf("%v: %s, want %s", c.found, got, c.want)
		}
	}
}
