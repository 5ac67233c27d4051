package trace

import (
	"slices"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// Windows of a loop lie at even distances from its begin to its end, however long it is; where an iteration is longer than the one before, they are as long as all in the mean.
func TestWindows(t *testing.T) {
	for _, turns := range []int{20, 100, 1000, 12345} {
		w := windows{turns: 4, apart: 1, most: 1 << 20}
		all := 0
		for k := range turns {
			w.keep(make([]item, k))
			all += k
		}
		kept := w.whole()
		if len(kept) < leastWhole || len(kept) > mostWindows {
			t.Fatalf("%d turns: %d windows", turns, len(kept))
		}
		of, distance := 0, 0
		for i, part := range kept {
			of += len(part)
			if i > 0 {
				distance = len(part) - len(kept[i-1])
			}
			if i > 1 && distance != len(kept[1])-len(kept[0]) {
				t.Errorf("%d turns: window %d is not as far from the last one as others", turns, i)
			}
		}
		const within = 0.25 // of 16 windows, half a distance at each end
		mean, want := float64(of)/float64(4*len(kept)), float64(all)/float64(turns)
		if off := mean/want - 1; off < -within || off > within {
			t.Errorf("%d turns: an iteration has %g instructions, want %g", turns, mean, want)
		}
	}
	if (&windows{turns: 4, apart: 1}).whole() != nil {
		t.Error("there are windows of nothing")
	}
}

// Work-groups that claim what they do by an atomic operation share it: each place is taken by one of them, where none knows what the others take.
func TestClaims(t *testing.T) {
	const groups, places = 8, 1024
	p, err := compile.Kernel(t.Context(), `__global__ void walk(int *taken, int *out, int n) {
  for (int i = blockIdx.x; i < n; i += gridDim.x)
    for (int at = i; atomicExch(&taken[at], 1) == 0; at = (at * 5 + 7) & (n - 1)) out[at] = i;
}`, "walk", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	zeros := device.Arg{Name: "taken", Kind: device.Buffer, DType: "int32", Count: places, Sequence: &device.Sequence{}}
	out := device.Arg{Name: "out", Kind: device.Buffer, DType: "int32", Count: places}
	x, err := exec.New(p.Function, device.Job{Entry: "walk", Global: []int64{groups}, Local: []int64{1}, Args: []device.Arg{zeros, out, number(places)}}, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, together := range []int64{0, groups} {
		x.AtOnce = together
		stores := int64(0)
		b := New(x)
		for i := range groups {
			for _, w := range b.Block([3]uint32{uint32(i)}).Warps {
				stores += storesOf(p.Function.Instructions, w.Nodes, 1)
			}
		}
		want := int64(groups * places) // each alone takes all
		if together > 0 {
			want = places
		}
		if stores < want*8/10 || stores > want*12/10 {
			t.Errorf("%d together: %d places are taken, want %d", together, stores, want)
		}
		shared := slices.ContainsFunc(x.Doubts(), func(d exec.Doubt) bool { return d.Kind == exec.AssumedShare })
		if shared != (together > 0) {
			t.Errorf("%d together: said %v", together, shared)
		}
	}
}

func storesOf(code []sass.Instruction, nodes []timing.Node, times int64) (n int64) {
	for i := range nodes {
		for _, e := range nodes[i].Events {
			if code[e.Op].Name == "STG" && !e.Off {
				n += times
			}
		}
		n += storesOf(code, nodes[i].Body, times*nodes[i].Times)
	}
	return n
}
