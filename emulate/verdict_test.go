package emulate

import (
	"math"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
)

// Work-groups that share work by claims have a time where all run at once, as each does a part of it. Where more wait for room, how much those before leave to them is not known, and
// there is neither a time nor a bound.
func TestShared(t *testing.T) {
	p, err := compile.Kernel(t.Context(), `__global__ void walk(int *taken, int *out, int n, int most) {
  for (int i = blockIdx.x; i < n; i += gridDim.x)
    for (int at = i & most; atomicExch(&taken[at], 1) == 0; at = (at * 5 + 7) & most) out[at] = i;
}`, "walk", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		groups, most int64
		want         Status
	}{{8, 1023, Supposed}, {1 << 13, 7, Unknown}} {
		r, err := Run(Input{Function: p.Function, Device: sheet(t), Job: device.Job{Entry: "walk", Global: []int64{c.groups}, Local: []int64{1}, Args: []device.Arg{
			{Name: "taken", Kind: device.Buffer, DType: "int32", Count: 1024, Sequence: &device.Sequence{}},
			{Name: "out", Kind: device.Buffer, DType: "int32", Count: 1024},
			{Kind: device.Scalar, DType: "int32", Int: max(c.groups, 1024)},
			{Kind: device.Scalar, DType: "int32", Int: c.most},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != c.want || r.Status.Timed() == math.IsInf(r.Seconds, 0) {
			t.Errorf("%d groups: %s, %g s, want %s: %v", c.groups, r.Status, r.Seconds, c.want, r.Why())
		}
	}
}
