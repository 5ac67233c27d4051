// Package devicetest opens the default device for tests that run kernels.
package devicetest

import (
	"errors"
	"os"
	"testing"

	"gpuperf/device"
	"gpuperf/device/cuda"
	"gpuperf/device/opencl"
)

// Open opens the device that a user gets by default, until the test ends. Where there is no library of an interface the test is
// skipped, with what would have to be installed as the reason.
func Open(t testing.TB) device.Device {
	t.Helper()
	backend := device.Backends{&cuda.Backend{}, &opencl.Backend{}}
	all, err := backend.Devices()
	if errors.Is(err, opencl.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	index, err := device.Select(all, os.Getenv("PERF_TEST_DEVICE")) // such as opencl: or cpu
	if err != nil {
		t.Fatal(err)
	}
	dev, err := backend.Open(index)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Errorf("closing the device: %v", err)
		}
	})
	t.Log(dev.Info().Name)
	return dev
}
