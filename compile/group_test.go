package compile_test

import (
	"context"
	"encoding/binary"
	"testing"

	"gpuperf/cfront"
	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// TestGroup: what the work-items of a sub-group or a work-group compute together.
func TestGroup(t *testing.T) {
	const n, rows = 96, 12
	const text = `__kernel void k(__global uint *out, __global ulong *flag) {
  int t = get_local_id(0), n = get_local_size(0);
  __local int s[100]; __local float2 v[100];
  event_t e = async_work_group_copy(s, (__global int *) out, 96, 0);
  wait_group_events(1, &e);
  out[t] = s[95 - t];
  out[n + t] = sub_group_reduce_add(t) + 100000 * sub_group_reduce_max((ulong) t << 33 >> 33);
  out[2 * n + t] = sub_group_scan_inclusive_add((long) t) + 1000 * sub_group_scan_exclusive_min(200 - t);
  out[3 * n + t] = work_group_reduce_add((float) t);
  out[4 * n + t] = work_group_scan_exclusive_add(t) + 10000 * work_group_scan_inclusive_add(1u);
  out[5 * n + t] = work_group_broadcast(7 * t, 70) + 10000 * work_group_any(t == 90) + 100000 * work_group_all(t < 90);
  out[6 * n + t] = sub_group_ballot(t % 3 == 0).x;
  out[7 * n + t] = sub_group_broadcast_first(t) + 1000 * sub_group_broadcast(t, 5) + 1000000 * work_group_reduce_min((ulong) (t + 9));
  out[8 * n + t] = work_group_reduce_max(t < 50 ? (double) t : -1.0);
  event_t f = async_work_group_strided_copy((__local int *) v, (__global const int *) out, 30, 3, 0);
  wait_group_events(1, &f);
  out[9 * n + t] = t < 30 ? ((__local int *) v)[t] : 0;
  out[10 * n + t] = (uint) atomic_load(flag + t) + atomic_fetch_add_explicit(out + 11 * n + t, 5u, memory_order_relaxed);
  atomic_store(flag + t, 3ul);
}`
	p, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90", Language: cfront.OpenCL})
	if err != nil {
		t.Fatal(err)
	}
	launch, err := exec.New(p.Function, device.Job{Global: []int64{n}, Local: []int64{n}, Args: []device.Arg{
		{Name: "out", Kind: device.Buffer, DType: "uint32", Count: n * rows, Sequence: &device.Sequence{Mul: 1, Mod: n * rows}},
		{Name: "flag", Kind: device.Buffer, DType: "uint64", Count: n, Sequence: &device.Sequence{Mul: 1, Mod: n}},
	}}, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := launch.Group([3]uint32{})
	g.Run(1_000_000)
	if !g.Ended() {
		t.Fatal("it does not end")
	}
	out := must(g.Read("out", 0, 4*n*rows))
	for i := range n {
		sum, first := 0, i/32*32
		for k := first; k <= i; k++ {
			sum += k
		}
		least := 1<<31 - 1
		if i > first {
			least = 200 - (i - 1)
		}
		ballot := 0
		for k := range 32 {
			ballot |= btoi((first+k)%3 == 0) << k
		}
		strided := 0
		if i < 30 {
			strided = 95 - 3*i
		}
		for row, want := range []int{
			95 - i, 32*first + 496 + 100000*(first+31), sum + 1000*least, n * (n - 1) / 2, i*(i-1)/2 + 10000*(i+1), 7*70 + 10000, ballot, first + 1000*(first+5) + 9000000, 49, strided, i + 11*n + i,
		} {
			if got := binary.LittleEndian.Uint32(out[4*(row*n+i):]); got != uint32(want) {
				t.Fatalf("output %d of work-item %d is %d, want %d", row, i, got, want)
			}
		}
	}
}
