package runner

import (
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/samples"
)

// TestGuards: a write outside of a buffer is a wrong result, with the place and what was written, also of buffers that nothing is compared with; the next
// job with the same buffers starts with whole guards.
func TestGuards(t *testing.T) {
	for _, reuse := range []bool{false, true} {
		d, f := newDevice()
		for _, tt := range []struct {
			stray []int64
			want  string
		}{
			{nil, ""},
			{[]int64{8}, "y[8] = 7, behind the 8 elements of y"},
			{[]int64{-1}, "y[-1] = 7, in front of the 8 elements of y"},
			{[]int64{9, 20, 8 + guardBytes - 1}, "y[9] = 7, the first of 3, behind the 8"},
			{[]int64{-guardBytes}, "y[-65536] = 7"},
			{nil, ""},
		} {
			job := increment(8)
			job.Reuse, f.stray = reuse, tt.stray
			_, err := d.Run(t.Context(), job)
			verdict, ok := device.AsError(err)
			if tt.want == "" && err != nil || tt.want != "" && (!ok || verdict.Status != samples.WrongResult || !strings.Contains(verdict.Msg, tt.want)) {
				t.Errorf("reuse %v, writes at %v: %v, want %q", reuse, tt.stray, err, tt.want)
			}
		}
		if d.Close(); len(f.memory)+len(f.parts) != 0 {
			t.Errorf("%d buffers and %d parts were not given back", len(f.memory), len(f.parts))
		}
	}
}

// TestLateWrite: what only a later run writes is seen, too.
func TestLateWrite(t *testing.T) {
	d, f := newDevice()
	b, err := d.prepare(t.Context(), increment(8), &device.Result{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.release()
	for _, stray := range [][]int64{nil, {11}} {
		f.stray = stray
		if _, err := b.run(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if err := b.outside(increment(8)); (err != nil) != (stray != nil) {
			t.Errorf("%v after a write at %v", err, stray)
		}
	}
	f.stray = nil
	if err := b.outside(increment(8)); err != nil {
		t.Errorf("%v after it was said", err)
	}
}

// TestNoRoom: a buffer as large as the device allows has no guards, and runs all the same.
func TestNoRoom(t *testing.T) {
	d, f := newDevice()
	for spare, parts := range map[int64]int{0: 0, 100: 0, 2 * guardBytes: 1} {
		d.info.MaxAlloc = 8 + spare
		b, err := d.guarded(8)
		if err != nil || int64(len(f.memory[b.guard.whole])) > d.info.MaxAlloc || len(f.parts) != parts {
			t.Errorf("with %d bytes to spare: %v, %d bytes, %d parts", spare, err, len(f.memory[b.guard.whole]), len(f.parts))
		}
		d.free(b)
	}
}

// TestPattern: guards differ from each other at every place nearly, and never hold what kernels like to write.
func TestPattern(t *testing.T) {
	a, b, same := pattern(2, 1000), pattern(3, 1000), 0
	for i := range a {
		if a[i] < 0x20 || a[i] > 0x3f {
			t.Fatalf("byte %d is %#x", i, a[i])
		}
		if a[i] == b[i] {
			same++
		}
	}
	if len(a) != 1000 || same > 100 {
		t.Errorf("%d bytes, of which %d are the same in another guard", len(a), same)
	}
}
