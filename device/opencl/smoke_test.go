package opencl

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"gpuperf/device"
	"gpuperf/samples"
)

func TestSmoke(t *testing.T) {
	for _, s := range []Search{{}, {Loaders: []string{}, Drivers: []string{"libpocl.so.2"}, Vendors: []string{}}} {
		b := &Backend{Search: s}
		ds, err := b.Devices()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			enc := json.NewEncoder(os.Stdout)
			enc.Encode(d)
		}
		dev, err := b.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []samples.Mode{"warm", "cold"} {
			r, err := dev.Run(context.Background(), device.Job{
				Identity: samples.Identity{Source: "x"},
				Source:   `__kernel void axpy(__global float *y, __global const float *x, float a, int n) { int i = get_global_id(0); if (i < n) y[i] += a * x[i]; }`,
				Entry:    "axpy", Global: []int64{1 << 20}, Local: []int64{256}, Mode: mode,
				Args: []device.Arg{
					{Name: "y", Kind: device.Buffer, DType: "float32", Count: 1 << 20, Seed: 1, Read: true, Write: true},
					{Name: "x", Kind: device.Buffer, DType: "float32", Count: 1 << 20, Seed: 2, Read: true},
					{Name: "a", Kind: device.Scalar, DType: "float32", Float: 2},
					{Name: "n", Kind: device.Scalar, DType: "int32", Int: 1 << 20},
				}, Keep: []string{"y"},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(mode, len(r.Outputs["y"]), r.WarmUp, samples.Summarize(r.Trials), len(r.Trials), r.Compiled, r.BuildTime, r.Warnings)
		}
		dev.Close()
	}
}
