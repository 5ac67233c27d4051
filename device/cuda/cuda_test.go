package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

func TestCodes(t *testing.T) {
	for c, want := range map[code]string{
		700: "CUDA_ERROR_ILLEGAL_ADDRESS", 2: "CUDA_ERROR_OUT_OF_MEMORY", 12345: "error 12345", missingFunction: "the driver lacks the function",
	} {
		if got := c.String(); got != want {
			t.Errorf("%d: %s, want %s", c, got, want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		phase  runner.Phase
		code   code
		status samples.Status
		fatal  bool
	}{
		{runner.Building, 209, samples.BuildFailed, false},
		{runner.Preparing, 2, samples.OutOfMemory, false},
		{runner.Preparing, 400, samples.Refused, false},
		{runner.Launching, 1, samples.Refused, false},
		{runner.Launching, 701, samples.Refused, false},
		{runner.Launching, 720, samples.Refused, false},
		{runner.Launching, 700, samples.Crash, true}, // of a launch before
		{runner.Running, 700, samples.Crash, true},
		{runner.Running, 719, samples.Crash, true},
	} {
		e := (*driver)(nil).Verdict(tt.phase, fmt.Errorf("wrapped: %w", &callError{"cuLaunchKernel", tt.code}))
		if e.Status != tt.status || e.Fatal != tt.fatal {
			t.Errorf("phase %d, %v: %s, fatal %v", tt.phase, tt.code, e.Status, e.Fatal)
		}
	}
}

func TestGrid(t *testing.T) {
	for _, tt := range []struct {
		global, local []int64
		groups, group [3]int64
		refused       bool
	}{
		{[]int64{1024}, []int64{256}, [3]int64{4, 1, 1}, [3]int64{256, 1, 1}, false},
		{[]int64{64, 32, 3}, []int64{16, 16, 1}, [3]int64{4, 2, 3}, [3]int64{16, 16, 1}, false},
		{[]int64{96}, nil, [3]int64{3, 1, 1}, [3]int64{32, 1, 1}, false},
		{[]int64{7, 5}, nil, [3]int64{7, 5, 1}, [3]int64{1, 1, 1}, false},
		{[]int64{100}, []int64{64}, [3]int64{}, [3]int64{}, true},
	} {
		groups, group, err := grid(tt.global, tt.local)
		if (err != nil) != tt.refused || err == nil && (groups != tt.groups || group != tt.group) {
			t.Errorf("%v of %v: %v of %v, %v", tt.global, tt.local, groups, group, err)
		}
	}
}

// open opens the first device, or skips.
func open(t *testing.T) device.Device {
	t.Helper()
	b := &Backend{}
	if _, err := b.Devices(); errors.Is(err, ErrNone) {
		t.Skip(err)
	}
	d, err := b.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

const scale = `extern "C" __global__ void scale(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}`

func scaled(n int64) device.Job {
	return device.Job{
		Identity: samples.Identity{Source: "scale"}, Source: scale, Entry: "scale", Global: []int64{(n + 63) / 64 * 64}, Local: []int64{64},
		Args: []device.Arg{
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: n, Write: true},
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: n, Seed: 2, Read: true},
			{Name: "a", Kind: device.Scalar, DType: "float32", Float: 2},
			{Name: "n", Kind: device.Scalar, DType: "int32", Int: n},
		},
		Policy: device.Policy{Trials: 3, MinWarmUp: -1, MaxWarmUp: time.Millisecond}, Keep: []string{"y"},
	}
}

func TestRun(t *testing.T) {
	d := open(t)
	r, err := d.Run(context.Background(), scaled(1000))
	if err != nil {
		t.Fatal(err)
	}
	x := make([]byte, 4000)
	device.Fill("float32", x, 2)
	for i := range 1000 {
		at := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])) }
		if got, want := at(r.Outputs["y"]), 2*at(x); got != want {
			t.Fatalf("element %d is %g, want %g", i, got, want)
		}
	}
	if r.Compiled.Registers == 0 || r.Compiled.GroupsPerUnit == 0 {
		t.Errorf("%+v", r.Compiled)
	}
}

// TestInstances runs an instance of a template, by an expression that names it, with more shared memory than a kernel has unasked, and
// the same as machine code, by its symbol.
func TestInstances(t *testing.T) {
	d := open(t)
	job := scaled(1 << 14)
	job.Source = `template <class T> __global__ void scale(T *y, const T *x, T a, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = a * tile[n - 1 - i];
}`
	job.Entry, job.Named, job.Global, job.Local, job.Dynamic = "scale<float>", true, []int64{256}, []int64{256}, 4<<14
	check := func() {
		t.Helper()
		r, err := d.Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]byte, 4<<14)
		device.Fill("float32", x, 2)
		first, last := binary.LittleEndian.Uint32(r.Outputs["y"]), binary.LittleEndian.Uint32(x[len(x)-4:])
		if got, want := math.Float32frombits(first), 2*math.Float32frombits(last); got != want {
			t.Errorf("%s: element 0 is %g, want %g", job.Entry, got, want)
		}
	}
	check()
	c, err := openCompiler(dl.OpenFirst)
	if err != nil {
		t.Fatal(err)
	}
	code, symbols, log, err := c.cubin(job.Source, d.Info().Architecture, nil, job.Names())
	if err != nil {
		t.Fatal(err, log)
	}
	job.Image, job.Entry, job.Named = code, symbols[job.Entry], false
	check()
	job.Dynamic = 1 << 30
	if _, err := d.Run(context.Background(), job); err == nil {
		t.Error("a gigabyte of shared memory is given")
	}
}

// TestCold flushes the caches by a kernel of package runner, and compares by another.
func TestCold(t *testing.T) {
	d := open(t)
	job := scaled(1000)
	job.Mode = samples.Cold
	job.Expect = &device.Expect{Job: scaled(1000), Results: []string{"y"}, Tolerance: 1e-6}
	if r, err := d.Run(context.Background(), job); err != nil || len(r.Trials) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRefusals(t *testing.T) {
	d := open(t)
	for name, tt := range map[string]struct {
		edit func(*device.Job)
		want samples.Status
	}{
		"syntax":    {func(j *device.Job) { j.Source = "no CUDA C" }, samples.BuildFailed},
		"entry":     {func(j *device.Job) { j.Entry = "other" }, samples.BuildFailed},
		"instance":  {func(j *device.Job) { j.Entry, j.Named = "other<float>", true }, samples.BuildFailed},
		"image":     {func(j *device.Job) { j.Image = []byte("no machine code") }, samples.BuildFailed},
		"option":    {func(j *device.Job) { j.Options = "--no-such-option" }, samples.BuildFailed},
		"arguments": {func(j *device.Job) { j.Args = j.Args[:3] }, samples.Refused},
	} {
		job := scaled(1000)
		tt.edit(&job)
		_, err := d.Run(context.Background(), job)
		e, ok := device.AsError(err)
		if !ok || e.Status != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// TestZCrash is the last one, as the context of the whole process is lost with it.
func TestZCrash(t *testing.T) {
	job := scaled(1000)
	job.Args[3].Int, job.Global[0] = 1<<30, 1<<30
	_, err := open(t).Run(context.Background(), job)
	if e, ok := device.AsError(err); !ok || e.Status != samples.Crash || !e.Fatal {
		t.Errorf("an access out of bounds: %v", err)
	}
}
