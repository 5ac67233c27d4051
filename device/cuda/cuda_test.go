package cuda

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gpuperf/device"
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
		e := (*driver)(nil).Verdict(tt.phase, fmt.Errorf("wrapped: %w", &callError{Function: "cuLaunchKernel", Code: tt.code}))
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

// open opens the first device of a conversation.
func open(t *testing.T, b *Backend) device.Device {
	t.Helper()
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
		Policy: device.Policy{Trials: 3, MinWarmUp: -1, MaxWarmUp: time.Nanosecond}, Keep: []string{"y"},
	}
}

func TestRun(t *testing.T) {
	d := open(t, converse(t))
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
	if c := r.Clocks; c == nil || c.SM == 0 || c.Memory == 0 || c.Temperature == 0 {
		t.Errorf("%+v", c)
	}
	for _, s := range r.Trials {
		if s < 1e-6 || s > 1e-3 {
			t.Errorf("%g s", s)
		}
	}
}

// TestInstances runs an instance of a template, by an expression that names it, with more shared memory than a kernel has unasked, and
// the same as machine code, by its symbol.
func TestInstances(t *testing.T) {
	b := converse(t)
	d := open(t, b)
	job := scaled(1 << 14)
	job.Parts = map[string][]device.Run{"y": {{First: 0, Count: 1}}}
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
	c, err := openCompiler(b.open)
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

// TestAttributes launches in clusters that run together, with all parameters in one piece, a variable of the module, and a wish for the L1 cache.
func TestAttributes(t *testing.T) {
	d := open(t, converse(t))
	job := scaled(1024)
	job.Source = strings.Replace("__constant__ float factor;\n"+scale, "a *", "a * factor *", 1)
	job.Variables = []device.Arg{{Name: "factor", Kind: device.Variable, DType: "float32", Count: 1, Seed: 7, Read: true}}
	carveout := int64(50)
	job.Attributes = &device.Attributes{Cooperative: true, Cluster: []int64{2}, Carveout: &carveout}
	var fields []device.Field
	for i, at := range []int64{0, 8, 16, 20} {
		fields = append(fields, device.Field{Offset: at, Arg: job.Args[i]})
	}
	job.Args, job.Packed = []device.Arg{{Name: "all", Kind: device.Struct, Count: 24, Fields: fields}}, true
	r, err := d.Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	x, factor := make([]byte, 4), make([]byte, 4)
	device.Fill("float32", x, 2)
	device.Fill("float32", factor, 7)
	number := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	if got, want := number(r.Outputs["y"]), 2*number(factor)*number(x); got != want {
		t.Errorf("element 0 is %g, want %g", got, want)
	}
}

// TestCold flushes the caches by a kernel of package runner, and compares by another.
func TestCold(t *testing.T) {
	d := open(t, converse(t))
	job := scaled(1000)
	job.Mode = samples.Cold
	job.Expect = &device.Expect{Job: scaled(1000), Results: []string{"y"}, Tolerance: 1e-6}
	if r, err := d.Run(context.Background(), job); err != nil || len(r.Trials) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	job.Args[2].Float = 3
	_, err := d.Run(context.Background(), job)
	if e, ok := device.AsError(err); !ok || e.Status != samples.WrongResult {
		t.Errorf("another factor: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	d := open(t, converse(t))
	for _, tt := range []struct {
		edit      func(*device.Job)
		want      samples.Status
		text, log string // parts of the message and of the compiler's log
	}{
		{func(j *device.Job) { j.Source = "no CUDA C" }, samples.BuildFailed, "does not compile", `kernel.cu(1): error: identifier "no" is undefined`},
		{func(j *device.Job) { j.Entry = "other" }, samples.BuildFailed, "the program has no kernel function other", ""},
		{func(j *device.Job) { j.Entry, j.Named = "other<float>", true }, samples.BuildFailed, "does not compile", "other"},
		{func(j *device.Job) { j.Image = []byte("no machine code") }, samples.BuildFailed, "CUDA_ERROR_INVALID_IMAGE", ""},
		{func(j *device.Job) { j.Image = []byte(".version 8.0\n.target sm_90\nwrong") }, samples.BuildFailed, "CUDA_ERROR_INVALID_PTX", "ptxas"},
		{func(j *device.Job) { j.Options = "--no-such-option" }, samples.BuildFailed, "error 5", ""},
		{func(j *device.Job) { j.Args[0].Count = d.Info().GlobalMem/4 - 2000 }, samples.OutOfMemory, "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY", ""},
		{func(j *device.Job) { j.Args = j.Args[:3] }, samples.Refused, "has 4 parameters, and the launch gives it 3 arguments", ""},
	} {
		job := scaled(1000)
		tt.edit(&job)
		_, err := d.Run(context.Background(), job)
		e, ok := device.AsError(err)
		if !ok || e.Status != tt.want || !strings.Contains(e.Msg, tt.text) || !strings.Contains(e.Log, tt.log) {
			t.Errorf("%v\n%+v\nwant %s: %s\n%s", err, e, tt.want, tt.text, tt.log)
		}
	}
}

// TestOtherCall: a conversation that takes another turn than its recording is a failure, which tells both.
func TestOtherCall(t *testing.T) {
	var failures []string
	c, err := begin("TestRun", func(err error) { failures = append(failures, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	if c.recording {
		t.Skip("of what is recorded")
	}
	d, err := (&Backend{open: c.open}).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Run(context.Background(), scaled(2000)); err == nil {
		t.Error("a job that was not recorded has a result")
	}
	d.Close()
	const guards = 2 << 16 // bytes in front of a buffer and behind it
	if len(failures) != 1 || !strings.Contains(failures[0], fmt.Sprintf("was\n  cuMemAlloc_v2(%d)\nand now is\n  cuMemAlloc_v2(%d)", 4000+guards, 8000+guards)) {
		t.Errorf("%q", failures)
	}
	c.failed = false
	if err := c.end(); err == nil || !strings.Contains(err.Error(), "are not called any more") {
		t.Errorf("%v", err)
	}
}
