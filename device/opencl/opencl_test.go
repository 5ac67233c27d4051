package opencl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// pocl is a driver that can be used without a loader, on machines that have it.
const pocl = "libpocl.so.2"

// bare searches for PoCL's driver alone.
var bare = Search{Loaders: []string{}, Drivers: []string{pocl}, Vendors: []string{}}

// quick measures as little as it can.
var quick = device.Policy{Trials: 3, MinWarmUp: -1, MaxWarmUp: time.Millisecond}

// openFirst opens the default device of a search, or skips.
func openFirst(t testing.TB, s Search) *runner.Device {
	t.Helper()
	b := &Backend{Search: s}
	all, err := b.Devices()
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	i, err := device.Select(all, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Open(i)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d.(*runner.Device)
}

// everyWay runs a test through the loader, and through a bare driver.
func everyWay(t *testing.T, f func(t *testing.T, d *runner.Device)) {
	t.Run("loader", func(t *testing.T) { f(t, openFirst(t, Search{})) })
	t.Run("bare", func(t *testing.T) { f(t, openFirst(t, bare)) })
}

const axpySource = `__kernel void axpy(__global float *y, __global const float *x, float a, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
}`

func axpy(n int64) device.Job {
	return device.Job{
		Identity: samples.Identity{Source: "axpy", Sizes: map[string]int64{"n": n}},
		Source:   axpySource, Entry: "axpy", Global: []int64{(n + 63) / 64 * 64}, Local: []int64{64}, Policy: quick,
		Args: []device.Arg{
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: n, Seed: 1, Read: true, Write: true},
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: n, Seed: 2, Read: true},
			{Name: "a", Kind: device.Scalar, DType: "float32", Float: 0.5},
			{Name: "n", Kind: device.Scalar, DType: "int32", Int: n},
		},
		Keep: []string{"y"},
	}
}

func floats(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func seeded(n int64, seed uint64) []float32 {
	b := make([]byte, 4*n)
	device.Fill("float32", b, seed)
	return floats(b)
}

// checkAxpy computes what the kernel does; a device may fuse the operations, so they are compared with a tolerance.
func checkAxpy(t *testing.T, got []float32) {
	t.Helper()
	n := int64(len(got))
	y, x := seeded(n, 1), seeded(n, 2)
	for i := range got {
		if want := y[i] + 0.5*x[i]; math.Abs(float64(got[i]-want)) > 1e-6 {
			t.Fatalf("element %d is %g, want %g", i, got[i], want)
		}
	}
}

func TestRun(t *testing.T) {
	everyWay(t, func(t *testing.T, d *runner.Device) {
		// 8193 elements leave the last work-group partly idle.
		r, err := d.Run(context.Background(), axpy(8193))
		if err != nil {
			t.Fatal(err)
		}
		checkAxpy(t, floats(r.Outputs["y"]))
		if len(r.Outputs) != 1 || len(r.Trials) != 3 || r.BuildTime <= 0 || r.WarmUp < 2 {
			t.Errorf("%d outputs, %d trials, built in %v, %d runs before", len(r.Outputs), len(r.Trials), r.BuildTime, r.WarmUp)
		}
		for _, s := range r.Trials {
			if s <= 0 || s > 10 {
				t.Errorf("a trial of %g s", s)
			}
		}
		if r.Compiled.PreferredMultiple <= 0 || r.Compiled.MaxWorkGroup < 64 {
			t.Errorf("compiled: %+v", r.Compiled)
		}
	})
}

func TestRunCold(t *testing.T) {
	d := openFirst(t, Search{})
	job := axpy(4096)
	job.Mode = samples.Cold
	r, err := d.Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	checkAxpy(t, floats(r.Outputs["y"]))
	if !d.Held().Sweeping || len(r.Trials) != 3 {
		t.Errorf("nothing was swept, %d trials", len(r.Trials))
	}
}

// TestArguments passes every kind and type of argument, in three dimensions, with local memory and a barrier.
func TestArguments(t *testing.T) {
	const source = `
__kernel void args(__global long *out, __local int *tile, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul, float f) {
  int lid = get_local_id(0) + 4 * (get_local_id(1) + 2 * get_local_id(2));
  tile[lid] = lid;
  barrier(CLK_LOCAL_MEM_FENCE);
  long g = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  out[g] = 1000000 * tile[15 - lid] + c + uc + s + us + i + ui + l + (long)ul + (long)f;
}`
	scalar := func(dtype string, v int64) device.Arg {
		return device.Arg{Name: dtype, Kind: device.Scalar, DType: dtype, Int: v}
	}
	job := device.Job{
		Source: source, Entry: "args", Global: []int64{8, 4, 2}, Local: []int64{4, 2, 2}, Policy: quick, Keep: []string{"out"},
		Args: []device.Arg{
			{Name: "out", Kind: device.Buffer, DType: "int64", Count: 64, Write: true},
			{Name: "tile", Kind: device.Local, DType: "int32", Count: 16},
			scalar("int8", -1), scalar("uint8", 2), scalar("int16", -300), scalar("uint16", 400), scalar("int32", -70000),
			scalar("uint32", 80000), scalar("int64", -1), scalar("uint64", 2),
			{Name: "f", Kind: device.Scalar, DType: "float32", Float: 7},
		},
	}
	var want []int64
	for z := range 2 {
		for y := range 4 {
			for x := range 8 {
				lid := x%4 + 4*(y%2+2*(z%2))
				want = append(want, int64(1000000*(15-lid))-1+2-300+400-70000+80000-1+2+7)
			}
		}
	}
	everyWay(t, func(t *testing.T, d *runner.Device) {
		r, err := d.Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for b := r.Outputs["out"]; len(b) > 0; b = b[8:] {
			got = append(got, int64(binary.LittleEndian.Uint64(b)))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestStructures passes a structure and raw bytes by value, and is refused what OpenCL cannot pass.
func TestStructures(t *testing.T) {
	const source = `
typedef struct { char tag; float a; } options;
__kernel void set(__global float *out, options o, int2 more) { out[0] = o.tag * o.a + more.x * more.y; }`
	number := func(a device.Arg) device.Arg {
		a.Kind = device.Scalar
		return a
	}
	out := device.Arg{Name: "out", Kind: device.Buffer, DType: "float32", Count: 1, Write: true}
	job := device.Job{
		Source: source, Entry: "set", Global: []int64{1}, Local: []int64{1}, Policy: quick, Keep: []string{"out"},
		Args: []device.Arg{
			out,
			{Name: "o", Kind: device.Struct, Count: 8, Fields: []device.Field{
				{Offset: 0, Arg: number(device.Arg{DType: "int8", Int: -2})}, {Offset: 4, Arg: number(device.Arg{DType: "float32", Float: 1.5})},
			}},
			{Name: "more", Kind: device.Raw, Bits: []byte{5, 0, 0, 0, 4, 0, 0, 0}},
		},
	}
	everyWay(t, func(t *testing.T, d *runner.Device) {
		r, err := d.Run(context.Background(), job)
		if err != nil || floats(r.Outputs["out"])[0] != 17 {
			t.Errorf("%+v, %v", r, err)
		}
		for name, edit := range map[string]func(*device.Job){
			"place":     func(j *device.Job) { j.Args[0].At = 4 },
			"pointer":   func(j *device.Job) { j.Args[1].Fields[0].Arg = out },
			"one piece": func(j *device.Job) { j.Args, j.Packed = j.Args[1:2], true },
			"variable": func(j *device.Job) {
				j.Variables = []device.Arg{{Name: "v", Kind: device.Variable, DType: "int8", Count: 1}}
			},
		} {
			wrong := job
			wrong.Args = slices.Clone(job.Args)
			wrong.Args[1].Fields = slices.Clone(wrong.Args[1].Fields)
			edit(&wrong)
			if e, ok := device.AsError(func() error { _, err := d.Run(context.Background(), wrong); return err }()); !ok || e.Status != samples.Refused {
				t.Errorf("%s: %v", name, e)
			}
		}
	})
}

// TestBuffersHoldTheSeededData copies buffers larger than a piece of the transfer.
func TestBuffersHoldTheSeededData(t *testing.T) {
	d := openFirst(t, Search{})
	const n = 9<<20 + 5
	job := device.Job{
		Source: `__kernel void copy(__global float *y, __global const float *x) { y[get_global_id(0)] = x[get_global_id(0)]; }`,
		Entry:  "copy", Global: []int64{n}, Policy: quick, Keep: []string{"y"},
		Args: []device.Arg{
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: n, Seed: 1, Write: true},
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: n, Seed: 2, Read: true},
		},
	}
	r, err := d.Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 4*n)
	device.Fill("float32", want, 2)
	if !bytes.Equal(want, r.Outputs["y"]) {
		t.Error("the data differs")
	}
}

func TestRefusals(t *testing.T) {
	everyWay(t, func(t *testing.T, d *runner.Device) {
		for name, tt := range map[string]struct {
			change func(*device.Job)
			status samples.Status
			want   string
		}{
			"syntax error":     {func(j *device.Job) { j.Source = "__kernel void axpy( {" }, samples.BuildFailed, "CL_BUILD_PROGRAM_FAILURE"},
			"unknown function": {func(j *device.Job) { j.Entry = "xpya" }, samples.BuildFailed, "no kernel function xpya"},
			"bad option":       {func(j *device.Job) { j.Options = "-no-such-option" }, samples.BuildFailed, "CL_"},
			"zero byte":        {func(j *device.Job) { j.Source += "\x00" }, samples.BuildFailed, "zero byte"},
			"missing argument": {func(j *device.Job) { j.Args = j.Args[:3] }, samples.Refused, "has 4 parameters, and the launch gives it 3"},
			"scalar's size": {func(j *device.Job) {
				j.Args[3] = device.Arg{Kind: device.Scalar, DType: "int64", Int: 1}
			}, samples.Refused, "argument 3 (): clSetKernelArg: CL_INVALID_ARG_SIZE (the parameter of the kernel has another size)"},
			"large work-group": {func(j *device.Job) { j.Global[0], j.Local[0] = 1<<20, 1<<20 }, samples.Refused, "the device allows"},
			"large buffer":     {func(j *device.Job) { j.Args[1].Count = d.Info().MaxAlloc }, samples.Refused, "the device allows"},
			"local memory": {func(j *device.Job) {
				j.Source = strings.Replace(j.Source, "int n)", "int n, __local float *t)", 1)
				j.Args = append(j.Args, device.Arg{Name: "t", Kind: device.Local, DType: "float32", Count: d.Info().LocalMem})
			}, samples.Refused, "local memory"},
			"static local memory": {func(j *device.Job) {
				j.LocalMem = 4 * d.Info().LocalMem // not left to the driver: PoCL 5 aborts the process when such a kernel is launched
				j.Source = strings.Replace(j.Source, "int i =", fmt.Sprintf(
					"__local float t[%d]; t[get_local_id(0)] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); y[0] = t[5]; int i =",
					d.Info().LocalMem), 1)
			}, samples.Refused, "local memory"},
			"required work-group": {func(j *device.Job) {
				j.Source = strings.Replace(j.Source, "__kernel", "__kernel __attribute__((reqd_work_group_size(32, 1, 1)))", 1)
			}, samples.Refused, "the source requires work-groups of [32 1 1] work-items"},
			"uneven": {func(j *device.Job) { j.Local[0] = 63 }, samples.Refused, "do not divide"},
		} {
			job := axpy(1024)
			tt.change(&job)
			_, err := d.Run(context.Background(), job)
			e, ok := device.AsError(err)
			if !ok || e.Status != tt.status || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("%s: %v, want %s: …%s", name, err, tt.status, tt.want)
			}
			if name == "syntax error" && ok && !strings.Contains(e.Log, "error") {
				t.Errorf("the log is %q", e.Log)
			}
		}
		// The device is none the worse for it.
		if _, err := d.Run(context.Background(), axpy(1024)); err != nil {
			t.Error(err)
		}
	})
}

func TestInterrupted(t *testing.T) {
	d := openFirst(t, Search{})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	_, err := d.Run(ctx, axpy(64))
	if e, ok := device.AsError(err); !ok || e.Status != samples.Interrupted || e.Msg != "enough" {
		t.Errorf("%v", err)
	}
}

func TestProgramsAreCached(t *testing.T) {
	d := openFirst(t, Search{})
	build := func(k int) time.Duration {
		job := axpy(64)
		job.Source = fmt.Sprintf("// %d\n%s", k, job.Source)
		r, err := d.Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		return r.BuildTime
	}
	first := build(0)
	if again := build(0); again != first {
		t.Errorf("built twice: %v and %v", first, again)
	}
	d.MaxPrograms = 4
	for k := range 5 {
		build(k)
	}
	if held := d.Held(); held.Programs != 4 {
		t.Errorf("%d programs are kept, want 4", held.Programs)
	}
	if build(0) == first {
		t.Error("what was dropped is still there")
	}
	second := build(2)
	build(5) // drops what was used longest ago, which 2 is not
	build(6)
	if build(2) != second {
		t.Error("what was just used is dropped")
	}
}

func TestClosed(t *testing.T) {
	d := openFirst(t, Search{})
	d.Close()
	if _, err := d.Run(context.Background(), axpy(64)); err == nil {
		t.Error("a closed device runs")
	}
	d.Close()
}

func TestDescriptions(t *testing.T) {
	everyWay(t, func(t *testing.T, d *runner.Device) {
		i := d.Info()
		if i.Name == "" || i.Vendor == "" || i.Driver == "" || i.Platform == "" || !strings.HasPrefix(i.DeviceVersion, "OpenCL ") ||
			i.Type == "" || i.ComputeUnits <= 0 || i.GlobalMem <= 0 || i.LocalMem <= 0 || i.MaxAlloc <= 0 || i.MaxWorkGroup <= 0 ||
			len(i.MaxWorkItems) != 3 || i.SubgroupSize <= 0 || i.SubgroupSource == "" || i.Library == "" || len(i.Extensions) == 0 {
			t.Errorf("%+v", i)
		}
	})
}

// TestBareDriverIsTheSameDevice compares what the loader and the driver's own dispatch table lead to.
func TestBareDriverIsTheSameDevice(t *testing.T) {
	one := openFirst(t, bare).Info()
	all, err := (&Backend{}).Devices()
	if err != nil {
		t.Skip(err)
	}
	if !slices.ContainsFunc(all, func(d device.Info) bool {
		return d.Same(one.Fingerprint) && slices.Equal(d.Extensions, one.Extensions)
	}) {
		t.Errorf("%+v is not among %+v", one, all)
	}
}

// TestSearch tries what is found on broken and on unusual machines.
func TestSearch(t *testing.T) {
	havePocl := func() bool { _, err := bare.platforms(); return err == nil }()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none := []string{}
	notALibrary := write("broken.so", "this is no library")
	write("a.icd", "/no/such/driver.so\n")
	write("b.icd", pocl+"\n")
	write("c.icd", "\n")
	for name, tt := range map[string]struct {
		search Search
		want   string // part of the error; "" is PoCL
	}{
		"nothing":             {Search{none, none, none}, "apt install ocl-icd-libopencl1 pocl-opencl-icd"},
		"no such file":        {Search{[]string{"/no/libOpenCL.so"}, none, none}, "cannot open /no/libOpenCL.so"},
		"not a library":       {Search{[]string{notALibrary}, none, none}, "cannot open " + notALibrary},
		"no OpenCL loader":    {Search{[]string{"libc.so.6"}, none, none}, "the library lacks the function"},
		"no OpenCL driver":    {Search{none, []string{"libc.so.6"}, none}, "libc.so.6 is no OpenCL driver"},
		"no loader but .icd":  {Search{none, none, []string{dir}}, ""},
		"one .icd":            {Search{none, none, []string{filepath.Join(dir, "b.icd")}}, ""},
		"missing directory":   {Search{none, none, []string{"/no/such/dir"}}, "no OpenCL platform"},
		"broken, then a good": {Search{[]string{notALibrary}, []string{"libc.so.6", pocl}, none}, ""},
		"the same twice":      {Search{none, []string{pocl, pocl}, none}, ""},
	} {
		ps, err := tt.search.platforms()
		switch {
		case tt.want == "" && !havePocl:
			t.Logf("%s: not tried, as there is no %s", name, pocl)
		case tt.want == "" && (err != nil || len(ps) != 1):
			t.Errorf("%s: %d platforms, %v", name, len(ps), err)
		case tt.want != "" && (!errors.Is(err, ErrNone) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// TestResidentDriverIsNotOpenedTwice names PoCL's driver beside the loader that has brought it.
func TestResidentDriverIsNotOpenedTwice(t *testing.T) {
	count := func(s Search) int {
		ps, err := s.platforms()
		if err != nil {
			t.Skip(err)
		}
		return len(ps)
	}
	if a, b := count(Search{}), count(Search{Drivers: []string{pocl}}); a != b {
		t.Errorf("%d platforms with the driver named, %d without", b, a)
	}
}

func TestCodes(t *testing.T) {
	for c, want := range map[code]string{
		-5: "CL_OUT_OF_RESOURCES", -54: "CL_INVALID_WORK_GROUP_SIZE", -1001: "CL_PLATFORM_NOT_FOUND_KHR",
		-9999: "illegal memory access (NVIDIA -9999)", -12345: "unknown error -12345", missingFunction: "the library lacks the function",
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
		{runner.Building, -11, samples.BuildFailed, false},
		{runner.Building, -3, samples.BuildFailed, false},
		{runner.Preparing, -4, samples.OutOfMemory, false},
		{runner.Preparing, -51, samples.Refused, false},
		{runner.Launching, -5, samples.Refused, false},
		{runner.Launching, -54, samples.Refused, false},
		{runner.Launching, -36, samples.Crash, true},
		{runner.Running, -5, samples.Crash, true},
		{runner.Running, -9999, samples.Crash, true},
		{runner.Running, -4, samples.OutOfMemory, false},
	} {
		e := (*driver)(nil).Verdict(tt.phase, fmt.Errorf("wrapped: %w", &callError{Function: finish.name, Code: tt.code}))
		if e.Status != tt.status || e.Fatal != tt.fatal {
			t.Errorf("phase %d, %v: %s, fatal %v", tt.phase, tt.code, e.Status, e.Fatal)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	d := openFirst(b, Search{})
	job := axpy(1 << 16)
	for b.Loop() {
		if _, err := d.Run(context.Background(), job); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFinishWaits tells clFinish from its neighbour in the dispatch table, clFlush.
func TestFinishWaits(t *testing.T) {
	const source = `__kernel void busy(__global float *y, int n) {
  float v = y[0];
  for (int i = 0; i < n; i++) v = v * 0.5f + 1.0f;
  y[0] = v;
}`
	everyWay(t, func(t *testing.T, d *runner.Device) {
		drv := d.Driver.(*driver)
		prog, log, err := drv.Compile(runner.Source{Text: source})
		if err != nil {
			t.Fatal(err, log)
		}
		defer drv.Unload(prog)
		k, err := drv.Kernel(prog, "busy")
		if err != nil {
			t.Fatal(err)
		}
		defer k.Release()
		y, err := drv.Alloc(4)
		if err != nil {
			t.Fatal(err)
		}
		defer drv.Free(y)
		if err := errors.Join(drv.Write(y, 0, make([]byte, 4)), k.SetBuffer(0, y), k.SetScalar(1, binary.LittleEndian.AppendUint32(nil, 20e6))); err != nil {
			t.Fatal(err)
		}
		launched, err := k.Launch([]int64{1}, []int64{1})
		if err != nil {
			t.Fatal(err)
		}
		defer launched.Release()
		if err := drv.Finish(); err != nil {
			t.Fatal(err)
		}
		const executionStatus, complete = 0x11D3, 0
		if s, err := drv.query(getEventInfo, executionStatus, launched.(event).id); err != nil || le(s) != complete {
			t.Errorf("the kernel's status is %d after the queue was finished, %v", le(s), err)
		}
	})
}
