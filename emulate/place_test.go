package emulate

import (
	"os"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
)

// Work-groups that run at once add to sums beside each other, and the sums move along the grid: they wait for the part of the second-level cache that these lie in. An H200 took 12.6 ms
// (testdata/remedies/more/h200_cuda.jsonl.gz, spread).
func TestBeside(t *testing.T) {
	source, err := os.ReadFile("../testdata/remedies/more/spread.cu")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile.Kernel(t.Context(), string(source), "before", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	const groups, measured = 65536, 12.6e-3
	r, err := Run(Input{Function: p.Function, Device: sheet(t), Job: device.Job{Entry: "before", Global: []int64{groups * 256}, Local: []int64{256}, Args: []device.Arg{
		{Name: "x", Kind: device.Buffer, DType: "float32", Count: groups * 256, Read: true},
		{Name: "rows", Kind: device.Buffer, DType: "float32", Count: groups / 32, Write: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Seconds < 0.6*measured || r.Seconds > 1.3*measured {
		t.Errorf("%.2f ms", 1e3*r.Seconds)
	}
}

// What is changed in place takes the second-level cache longer than to store it alone: an H200 took 8.54 and 14.08 us between events for 16 and 32 MB
// (testdata/h200/measurement/updates.csv.gz, update_none).
func TestInPlace(t *testing.T) {
	p, err := compile.Kernel(t.Context(), `__global__ void update(float4 *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = x[i];
  x[i] = make_float4(v.x + 1, v.y + 2, v.z + 3, v.w + 4);
}`, "update", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	for items, measured := range map[int64]float64{1 << 20: 8.54e-6, 2 << 20: 14.08e-6} {
		r, err := Run(Input{Function: p.Function, Device: sheet(t), Job: device.Job{Entry: "update", Global: []int64{items}, Local: []int64{256}, Args: []device.Arg{
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: 4 * items, Write: true},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if off := r.Seconds/(measured-eventSeconds) - 1; off < -0.15 || off > 0.15 {
			t.Errorf("%d items: %.2f us", items, 1e6*r.Seconds)
		}
	}
}
