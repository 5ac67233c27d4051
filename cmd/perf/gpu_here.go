package main

import (
	"context"
	"slices"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/measure"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/command/doctor"
	"gpuperf/samples"
)

// gpuHere is the GPU that is emulated where nobody names one: that of this machine, if its data sheet says enough, else the usual one.
func gpuHere(ctx context.Context) string {
	if m := (&doctor.Machine{}); !slices.Contains(m.GPUs(), "NVIDIA") { // no driver need be asked
		return launches.Usual
	}
	found, err := measure.Devices(ctx, measure.Options{})
	if err != nil {
		return launches.Usual
	}
	return emulatedOf(found)
}

// emulatedOf is the first GPU driven by CUDA that is emulated, else the usual one.
func emulatedOf(found []device.Info) string {
	for _, i := range found {
		if i.Interface != samples.CUDA {
			continue
		}
		if d, err := facts.Sheet(i.Name); err == nil {
			if _, _, err := emulate.Device(d); err == nil {
				return d.Name()
			}
		}
	}
	return launches.Usual
}
