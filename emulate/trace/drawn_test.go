package trace

import (
	"math"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// Of walks of random length, as many as are known, some stand for all: a warp executes as many instructions as without, within twice what is said that these are off by, in a part of the work.
func TestDrawn(t *testing.T) {
	for _, c := range []struct {
		name, far string
		walks     int64
		part      int64
	}{
		{"short", "20", 300, 8},
		{"long, so that each walk is a long loop itself", "150", 60, 3},
	} {
		t.Run(c.name, func(t *testing.T) { drawn(t, c.far, c.walks, c.part) })
	}
}

// drawn compares walks until they are so far from where they began with the same executed to their end: of those, one of part instructions is executed at most.
func drawn(t *testing.T, far string, walks, part int64) {
	p, err := compile.Kernel(t.Context(), strings.ReplaceAll(`__global__ void walks(int *out, int n) {
  unsigned s = 2463534242u + 747796405u * threadIdx.x;
  int sum = 0;
  for (int t = 0; t < n; t++) {
    int x = 0;
    while (x > -FAR && x < FAR) {
      s = s * 1664525u + 1013904223u;
      x += (int)(s >> 30) - 1;
      sum++;
    }
  }
  out[threadIdx.x] = sum;
}`, "FAR", far), "walks", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	out := device.Arg{Name: "out", Kind: device.Buffer, DType: "int32", Count: 32}
	x, err := exec.New(p.Function, device.Job{Entry: "walks", Global: []int64{32}, Local: []int64{32}, Args: []device.Arg{out, number(walks)}}, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	var counts, steps [2]int64
	var off float64
	for i := range counts {
		b := New(x)
		if b.whole = i == 1; !b.whole {
			b.keeps = 100
		}
		counts[i], steps[i] = b.Block([3]uint32{}).Warps[0].Count(), int64(b.Steps)
		if i == 0 {
			off = float64(b.Apart)
		}
	}
	t.Logf("%d instructions by %d, off by %.0f as is said; %d by %d", counts[0], steps[0], off, counts[1], steps[1])
	if math.Abs(float64(counts[0]-counts[1])) > 2*off || off > 0.5*float64(counts[1]) {
		t.Errorf("%d instructions, want %d within %.0f", counts[0], counts[1], off)
	}
	if part*steps[0] > steps[1] {
		t.Errorf("%d of %d instructions are executed", steps[0], steps[1])
	}
}
