package frontend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/internal/bounded"
	"gpuperf/launchfile"
	"gpuperf/workload"
)

// refusals are functions whose launch by 64 work-items in two work-groups is refused or not, with what is said.
var refusals = []struct{ name, text, want string }{
	{"shared", "__global__ void k(float *y) { __shared__ float t[64]; t[threadIdx.x] = 1; y[threadIdx.x] = t[63 - threadIdx.x]; }", ""},
	{"shared, short", "__global__ void k(float *y) {\n  __shared__ float t[63];\n  t[threadIdx.x] = 1;\n}", "k.cu:3:3: t[l0] is out of bounds: its indices are 0 to 63, and t has 63 elements"},
	{"shared, padded", "__global__ void k(float *y) { __shared__ float t[4][17]; t[threadIdx.x / 16][threadIdx.x % 16] = y[0]; }", ""},
	{"shared, rows", "__global__ void k(float *y) {\n  __shared__ float t[3][16];\n  t[threadIdx.x / 16][threadIdx.x % 16] = y[0];\n}", "k.cu:3:3: t["},
	{"shared, along rows", "__global__ void k(float *y) { __shared__ float t[4][16]; t[0][threadIdx.x] = y[0]; }", ""},
	{"shared, below", "__global__ void k(float *y) {\n  __shared__ float t[64];\n  y[threadIdx.x] = t[threadIdx.x - 1];\n}", "k.cu:3:20: t[l0 - 1] is out of bounds: its indices are -1 to 62"},
	{"shared, guarded", "__global__ void k(float *y) { __shared__ float t[16]; if (threadIdx.x < 16) t[threadIdx.x] = y[0]; }", ""},
	{"shared, by data", "__global__ void k(float *y, const int *p) { __shared__ float t[16]; if (p[threadIdx.x] < 16) t[threadIdx.x] = y[0]; }", ""},
	{"shared, data", "__global__ void k(float *y, const int *p) { __shared__ float t[16]; t[p[threadIdx.x]] = y[0]; }", ""},
	{"private", "__global__ void k(float *y) { float a[4]; for (int i = 0; i < 4; i++) a[i] = y[i]; y[threadIdx.x] = a[0] + a[3]; }", ""},
	{"private, long loop", "__global__ void k(float *y) {\n  float a[4];\n  for (int i = 0; i <= 4; i++)\n    a[i] = y[i];\n  y[threadIdx.x] = a[0];\n}", "k.cu:4:5: a["},
	{"loop by a size", "__global__ void k(float *y, int n) { __shared__ float t[128]; for (int i = threadIdx.x; i < n; i += 64) t[i] = y[i]; }", ""},
	{"loop by a size, long", "__global__ void k(float *y, int n) {\n  __shared__ float t[100];\n  for (int i = threadIdx.x; i < n; i += 64) t[i] = y[i];\n}", "k.cu:3:45: t["},
	{"stop by data", "__global__ void k(float *y, int n) { __shared__ float t[64]; float s = 0; for (int i = 0; i < 64; i++) { if (y[i] < 0) break; s += t[i]; } y[0] = s; }", ""},
	{"constant", "__constant__ float c[64];\n__global__ void k(float *y) { y[threadIdx.x] = c[threadIdx.x]; }", ""},
	{"constant, short", "__constant__ float c[9];\n__global__ void k(float *y) { y[threadIdx.x] = c[threadIdx.x]; }", "k.cu:2:48: c[l0] is out of bounds"},
	{"halo of a pointer", "__global__ void k(float *y, const float *x) { y[threadIdx.x] = x[(int)threadIdx.x - 1]; }", ""}, // the caller may pass the middle of an array
	{"launch bounds", "__global__ void __launch_bounds__(64) k(float *y) { y[threadIdx.x] = 1; }", ""},
	{"launch bounds, less", "#define T 16\n__global__ void __launch_bounds__(T * 2, 2) k(float *y) { y[threadIdx.x] = 1; }", "k.cu:2:45: k allows 32 work-items in a work-group (__launch_bounds__), and the launch has 64"},
	{"launch bounds before", "__launch_bounds__(32)\n__global__ void k(float *y) { y[threadIdx.x] = 1; }", "k allows 32 work-items"},
	{"more than is declared", "__global__ void k(float *y) { __shared__ float t[12289]; t[threadIdx.x] = 1; y[threadIdx.x] = t[12288 - threadIdx.x]; }", "declares 49156 bytes of local memory for a work-group, the device allows 49152"},
	{"all that is declared", "__global__ void k(float *y) { __shared__ float t[12288]; t[threadIdx.x] = 1; y[threadIdx.x] = t[12287 - threadIdx.x]; }", ""},
}

// hopper are limits such as data sheets give.
var hopper = device.Limits{GroupItems: 1024, Group: [3]int64{1024, 1024, 64}, Groups: [3]int64{1<<31 - 1, 65535, 65535}, Local: 227 << 10, Declared: 48 << 10}

// caseOf is the first kernel of a file at sizes.
func caseOf(t *testing.T, o Options, path string, sizes map[string]int64) (*workload.Case, error) {
	t.Helper()
	kernels, err := o.Load(t.Context(), path)
	if err != nil {
		return nil, err
	}
	w := workload.NewKernel(kernels[0].Kernel)
	w.AsRun, w.Own = true, kernels[0].Own
	c := &workload.Case{Kernel: w, Sizes: map[string]int64{}}
	for name, n := range sizes {
		if w.IR.IsParam(name) {
			c.Sizes[name] = n
		}
	}
	return c, nil
}

func TestRefused(t *testing.T) {
	for _, c := range refusals {
		path := filepath.Join(written(t, map[string]string{"k.cu": c.text}), "k.cu")
		text := ""
		one, err := caseOf(t, Options{Local: "64", Groups: "2"}, path, map[string]int64{"n": 128})
		if err == nil {
			verdict, failed := one.Refused(hopper, nil)
			if verdict != nil {
				text = verdict.Msg
			} else if failed != nil {
				text = failed.Error()
			}
		} else {
			text = err.Error()
		}
		if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

func TestDemandedGroup(t *testing.T) {
	const text = "__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(__global float *y) { y[get_global_id(0)] = get_local_id(1); }"
	path := filepath.Join(written(t, map[string]string{"k.cl": text}), "k.cl")
	for local, want := range map[string]string{
		"": "", "8,8": "", "8,8,1": "", "64": "demands work-groups of [8 8 1] (reqd_work_group_size), and the launch has [64]", "8": "give those, as in --local 8,8", "8,4": "the launch has [8 4]", "8,8,2": "the launch has [8 8 2]",
	} {
		_, err := Options{Local: local, Groups: "2,2"}.Load(t.Context(), path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("--local %s: %v, want %q", local, err, want)
		}
	}
}

// Grids and work-groups that devices refuse, of the same function.
func TestRefusedShapes(t *testing.T) {
	path := filepath.Join(written(t, map[string]string{"k.cu": "__global__ void k(float *y) { y[threadIdx.x + 1024*threadIdx.y + threadIdx.z] = 1; }"}), "k.cu")
	for _, c := range []struct{ local, groups, want string }{
		{"1024", "1", ""},
		{"1025", "1", "1025 work-items, the device allows 1024"},
		{"32,32", "1", ""},
		{"32,33", "1", "a work-group of 1056 work-items, the device allows 1024"},
		{"1,1,64", "1", ""},
		{"1,1,65", "1", "dimension 2 of the work-group has 65 work-items, the device allows 64"},
		{"2", "2147483647", ""},
		{"2", "2147483648", "dimension 0 of the launch has 2147483648 work-groups, the device allows 2147483647"},
		{"2", "1,65535", ""},
		{"2", "1,65536", "dimension 1 of the launch has 65536 work-groups, the device allows 65535"},
		{"2", "1,1,65536", "dimension 2 of the launch has 65536 work-groups"},
		{"2", "n - 128", "dimension 0 of the launch has 0 work-groups"},
		{"2", "n - 130", "dimension 0 of the launch has -2 work-groups"},
	} {
		one, err := caseOf(t, Options{Local: c.local, Groups: c.groups}, path, map[string]int64{"n": 128})
		text := ""
		if err != nil {
			text = err.Error()
		} else if verdict, err := one.Refused(hopper, nil); verdict != nil {
			text = verdict.Msg
		} else if err != nil {
			text = err.Error()
		}
		if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("--local %s --groups %s: %q, want %q", c.local, c.groups, text, c.want)
		}
	}
}

const passedTo = `
__global__ void k(const float *x, double *y, float a, int n, unsigned char *b, float4 *v) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i + 1] + b[i];
}
`

// Each line is a launch with an argument in another way.
func TestCheckLaunch(t *testing.T) {
	good := []string{
		"{buffer: x, dtype: float32, size: n + 1}", "{buffer: y, dtype: float64, size: n}", "{float32: 2}", "{int32: n}", "{buffer: b, dtype: uint8, size: n}",
		"{buffer: v, dtype: float32, size: 4}",
	}
	for _, c := range []struct {
		at         int
		text, want string
	}{
		{0, good[0], ""},
		{0, "{buffer: x, dtype: float32, size: n}", "x[64*g0 + l0 + 1] is out of bounds: its indices are 1 to 128, and x has 128 elements"},
		{0, "{buffer: x, dtype: float32, size: n + 4, at: 12}", ""},
		{0, "{buffer: x, dtype: float32, size: n + 4, at: 16}", "x[64*g0 + l0 + 1] is out of bounds: its indices are 1 to 128, and x has 128 elements"},
		{0, "{buffer: x, dtype: float64, size: n + 1}", "the parameter x of k is a pointer to float32, and the argument holds float64"},
		{0, "{buffer: x, dtype: int32, size: n + 1}", ""}, // the bits of integers, as floating-point numbers
		{0, "{buffer: x, dtype: int16, size: 2 * n + 2}", "the argument holds int16"},
		{0, "{buffer: x, dtype: uint8, size: 4 * n + 4}", ""},
		{0, "{float32: 1}", "the parameter x of k is a pointer"},
		{1, "{buffer: y, dtype: float32, size: 2 * n}", "the parameter y of k is a pointer to float64, and the argument holds float32"},
		{2, "{int32: 2}", "the parameter a of k is float32, and the argument is int32"},
		{2, "{float64: 2}", "the argument is float64"},
		{2, "{buffer: a, dtype: float32, size: 1}", "the parameter a of k is no pointer"},
		{3, "{uint32: n}", ""},
		{3, "{int64: n}", "the parameter n of k is int32, and the argument is int64"},
		{3, "{float32: n}", "the argument is float32"},
		{4, "{buffer: b, dtype: int32, size: n}", ""},
		{5, "{buffer: v, dtype: float64, size: 4}", "the parameter v of k is a pointer to float32x4, and the argument holds float64"},
		{5, "{int32: 1}, {int32: 2}", "k has 6 parameters, and args has 7"},
	} {
		args := append([]string{}, good...)
		args[c.at] = c.text
		text := "version: 1\nsource: k.cu\nkernel: k\nsizes: {n: 128}\ngrid: [n / 64]\nblock: [64]\nargs: [" + strings.Join(args, ", ") + "]\n"
		dir := written(t, map[string]string{"k.cu": passedTo, "k.yaml": text})
		file, err := launchfile.Load(filepath.Join(dir, "k.yaml"))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := ""
		verdict, _, err := CheckLaunch(t.Context(), file, nil)
		if verdict != nil {
			got = verdict.Msg
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

// Launch files of the project run on devices: nothing is said against them. A part is looked at, with LONG=1 all.
func TestNoLaunchIsRefused(t *testing.T) {
	files, every := 0, 16
	if os.Getenv("LONG") != "" {
		every = 1
	}
	for _, root := range []string{"../../examples", "../../testdata"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".yaml" {
				return err
			}
			file, failed := launchfile.Load(path)
			if failed != nil { // a file of another kind
				return nil
			}
			if files++; files%every != 0 {
				return nil
			}
			if verdict, _, err := CheckLaunch(t.Context(), file, nil); verdict != nil || err != nil {
				t.Errorf("%s: %v, %v", path, verdict, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 50 {
		t.Errorf("only %d launch files", files)
	}
}

// Of what keeps a function from being read, only what was stopped ends a command: it would have been read on another day.
func TestStopped(t *testing.T) {
	slow := fmt.Errorf("k.cu: reading it takes %w 1m0s", bounded.ErrExceeded)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want bool
	}{
		{t.Context(), slow, true},
		{t.Context(), errors.New("k.cu:1:1: no such type"), false},
		{t.Context(), nil, false},
		{over, context.Canceled, true},
	} {
		if err := stopped(c.ctx, c.err); (err != nil) != c.want {
			t.Errorf("%v: %v", c.err, err)
		}
	}
}
