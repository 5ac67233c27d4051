package emulate

import (
	"math"
	"strings"
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

// Of what nobody can say how long it takes, a time is a lower bound: of functions of the system, of sleep, and of the link to the host. What does not come to pass takes no time.
func TestBounds(t *testing.T) {
	const kernel = `__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { x[i] = 2 * x[i]; %s } }`
	for _, c := range []struct {
		does   string
		memory device.Memory
		want   Status
	}{
		{"", "", Whole},
		{`printf("%d\n", i);`, "", AtLeast},
		{`if (x[i] < 0) printf("%d\n", i);`, "", Whole}, // no element is
		{"__nanosleep(100000);", "", AtLeast},
		{"", device.Host, AtLeast},
		{"", device.Managed, Whole},
	} {
		p, err := compile.Kernel(t.Context(), strings.Replace(kernel, "%s", c.does, 1), "k", compile.Options{Architecture: "sm_90"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(Input{Function: p.Function, Device: sheet(t), Job: device.Job{Entry: "k", Global: []int64{1024}, Local: []int64{128}, Args: []device.Arg{
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: 1024, Memory: c.memory},
			{Kind: device.Scalar, DType: "int32", Int: 1024},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != c.want || c.memory == device.Managed && len(r.Warnings) == 0 {
			t.Errorf("%s, memory %q: %s, want %s: %v, %v", c.does, c.memory, r.Status, c.want, r.Why(), r.Warnings)
		}
	}
}
