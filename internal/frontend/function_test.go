package frontend

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/workload"
)

const sum = `#ifdef WIDE
#define T float4
#else
#define T float
#endif
__kernel void sum(__global const T *x, __global float *y, __local float *part, float a, uint n, uint m) {
  uint i = get_global_id(0), lid = get_local_id(0);
  part[lid] = i < n ? ((__global const float *)x)[i * 3] : a * m;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0) y[get_group_id(0)] = part[0] + part[get_local_size(0) - 1];
}
`

// written writes files into a folder of their own.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func only(t *testing.T, o Options, path string) *Kernel {
	t.Helper()
	kernels, err := o.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if len(kernels) != 1 {
		t.Fatalf("%d kernels", len(kernels))
	}
	return kernels[0]
}

// passed are the arguments of a job as text.
func passed(job device.Job) (text []string) {
	for _, a := range job.Args {
		switch a.Kind {
		case device.Scalar:
			text = append(text, fmt.Sprintf("%s %s=%v", a.DType, a.Name, float64(a.Int)+a.Float))
		case device.Local:
			text = append(text, fmt.Sprintf("local %s %s[%d]", a.DType, a.Name, a.Count))
		default:
			text = append(text, fmt.Sprintf("%s %s[%d] restored %t", a.DType, a.Name, a.Count, a.Read))
		}
	}
	return text
}

// TestJob: the launch that options describe has buffers of what the kernel accesses, and the source as it is.
func TestJob(t *testing.T) {
	path := filepath.Join(written(t, map[string]string{"sum.cl": sum}), "sum.cl")
	o := Options{Local: "64", Global: "n", Shared: "part=64"}
	o.Define = []string{"WIDE=1"}
	k := only(t, o, path)
	job, err := k.Own.Job(map[string]int64{"n": 1000, "m": 3})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"float32 x[2998] restored false", "float32 y[16] restored true", "local float32 part[64]", "float32 a=1.5", "uint32 n=1000", "uint32 m=3",
	}
	if diff := cmp.Diff(want, passed(job)); diff != "" {
		t.Error(diff)
	}
	if job.Source != sum || job.Entry != "sum" || !strings.Contains(job.Options, "-DWIDE=1") || !slices.Equal(job.Global, []int64{1024}) || !slices.Equal(job.Local, []int64{64}) {
		t.Errorf("%q %q %v %v", job.Entry, job.Options, job.Global, job.Local)
	}
	if err := job.Check(device.Limits{}); err != nil {
		t.Error(err)
	}
	if k.Own.Interface != samples.OpenCL || !k.AsRun || k.Launch["local"] != "64" || k.Own.Unverified != "" {
		t.Errorf("%+v %v", k.Own, k.Launch)
	}
}

// TestLaunchFile: the kernel of a launch file is that of its arguments and of its sizes, and its job is that of the file.
func TestLaunchFile(t *testing.T) {
	const launch = `version: 1
source: sum.cl
kernel: sum
sizes: {size: 1000, items: 64}
grid: [(size + items - 1) / items]
block: [items]
args:
  - {buffer: a, dtype: float32, size: 4 * size}
  - {buffer: b, dtype: float32, size: (size + items - 1) / items}
  - {local: float32, size: items}
  - {float32: 0.25}
  - {uint32: size}
  - {uint32: 2}
`
	dir := written(t, map[string]string{
		"sum.cl": sum, "sum.yaml": launch, "twice.yaml": strings.ReplaceAll(launch, "{buffer: b, dtype: float32, size: (size + items - 1) / items}", "{buffer: a}"),
		"expect.yaml": launch + "expect: {kernel: sum, results: [b]}\n",
	})
	k := only(t, Options{}, filepath.Join(dir, "sum.yaml"))
	if params := k.Kernel.Params(); !slices.Equal(params, []string{"size"}) || !slices.Equal(k.Takes(), []string{"items", "size"}) {
		t.Errorf("%q, takes %q", params, k.Takes())
	}
	wider, err := k.At(t.Context(), map[string]int64{"items": 128})
	if err != nil {
		t.Fatal(err)
	}
	if same, err := k.At(t.Context(), map[string]int64{"size": 5}); err != nil || same != k || wider == k || wider.Sizes["items"] != 128 {
		t.Errorf("sizes that the work-group does not depend on make another kernel, or others do not (%v)", err)
	}
	job, err := wider.Own.Job(map[string]int64{"size": 500})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"float32 x[2000] restored true", "float32 y[4] restored true", "local float32 part[128]", "float32 a=0.25", "uint32 n=500", "uint32 m=2",
	}
	if diff := cmp.Diff(want, passed(job)); diff != "" {
		t.Error(diff)
	}
	for name, why := range map[string]string{"twice.yaml": "no expect", "expect.yaml": "compares them"} {
		if k := only(t, Options{}, filepath.Join(dir, name)); !strings.Contains(k.Own.Unverified, why) {
			t.Errorf("%s: %q", name, k.Own.Unverified)
		}
	}
	if _, err := k.At(t.Context(), map[string]int64{"n": 5}); err == nil || !strings.Contains(err.Error(), `there is no size "n"`) {
		t.Errorf("%v", err)
	}
}

func TestExtents(t *testing.T) {
	for text, want := range map[string][]string{
		"":                  nil,
		"n":                 {"n"},
		"n, min(m, 64),64k": {"n", "min(m, 64)", "64000"},
		"n,":                {"n", ""},
	} {
		if got := extents(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// BenchmarkLoad is what a command takes before it counts.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := (Options{Kernel: "saxpy<float>", Local: "256", Global: "n"}).Load(b.Context(), "../../examples/launch/saxpy.cu"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOpen: how large an array is may show at given sizes alone.
func TestOpen(t *testing.T) {
	dir := written(t, map[string]string{
		"plane.cu": "__global__ void k(float *x, int w, int h) { x[(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x] = 1; }\n",
	})
	k := only(t, Options{Local: "32,8", Global: "w,h"}, filepath.Join(dir, "plane.cu"))
	for _, c := range []struct {
		sizes map[string]int64
		want  int64
	}{{map[string]int64{"w": 64, "h": 16}, 64 * 16}, {map[string]int64{"w": 33, "h": 3}, 33*7 + 64}, {map[string]int64{"w": 64, "h": 16, "x_size": 5000}, 5000}} {
		at, err := k.At(t.Context(), c.sizes)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := at.Kernel.Array("x").Elements(c.sizes); err != nil || n != c.want {
			t.Errorf("%v: %d elements, %v, want %d", c.sizes, n, err, c.want)
		}
	}
	if at, err := k.At(t.Context(), map[string]int64{"w": 64}); err != nil || at != k {
		t.Errorf("without h: %v, %v", at, err)
	}
}

// TestDivided: a size that an index is divided by has its value in the kernel that is read for it, and only there.
func TestDivided(t *testing.T) {
	dir := written(t, map[string]string{
		"bias.cu":   "__global__ void k(const float *x, const float *b, float *y, int n, int cols) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] = x[i] + b[i % cols] + b[i / cols]; }\n",
		"bias.yaml": "version: 1\nsource: bias.cu\nkernel: k\nsizes: {n: 640, c: 32}\ngrid: [n/64]\nblock: [64]\nargs:\n  - {buffer: x, dtype: float32, size: n}\n  - {buffer: b, dtype: float32, size: n}\n  - {buffer: y, dtype: float32, size: n}\n  - {int32: n}\n  - {int32: c}\n",
	})
	for _, c := range []struct {
		path, size string
		o          Options
		at         func(n, cols int64) map[string]int64
	}{
		{"bias.cu", "cols", Options{Local: "64", Global: "n"}, func(n, cols int64) map[string]int64 { return map[string]int64{"n": n, "cols": cols, "b_size": 640} }},
		{"bias.yaml", "c", Options{}, func(n, cols int64) map[string]int64 { return map[string]int64{"n": n, "c": cols} }},
	} {
		k := only(t, c.o, filepath.Join(dir, c.path))
		for _, cols := range []int64{32, 48} {
			at, err := k.At(t.Context(), c.at(640, cols))
			if err != nil {
				t.Fatal(err)
			}
			text := at.Kernel.String()
			if !strings.Contains(text, fmt.Sprintf("b[%d] ", cols)) && !strings.Contains(text, fmt.Sprintf("// %d", cols)) || strings.Contains(text, "c_mod") {
				t.Errorf("%s at %d:\n%s", c.path, cols, text)
			}
			again, err := k.At(t.Context(), c.at(64, cols))
			if err != nil || again != at {
				t.Errorf("%s: another kernel for the same %s, %v", c.path, c.size, err)
			}
		}
	}
}

// TestWhole: a kernel that is read in part says at which sizes it is read whole.
func TestWhole(t *testing.T) {
	dir := written(t, map[string]string{
		"flat.cu":  "__global__ void k(float *x, int n, int m) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n * m) x[i] = 1; }\n",
		"trips.cu": "__global__ void k(float *x, const int *c, int n, int m) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n * m) for (int j = 0; j < c[i]; j++) x[i] += j; }\n",
		"odd.cu":   "__global__ void k(float *x, int n, int m) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n * m) x[i] = 1; asm(\"st.async.f32 [%0], %1;\" :: \"l\"(x), \"f\"(1.0f)); }\n",
	})
	for file, want := range map[string]string{"flat.cu": "n m groups", "odd.cu": "", "trips.cu": "n m groups trips_1"} {
		at, err := only(t, Options{Local: "64", Groups: "groups"}, filepath.Join(dir, file)).At(t.Context(), nil)
		if err != nil || len(at.Kernel.Opaque) == 0 || strings.Join(at.Own.Whole, " ") != want {
			t.Errorf("%s: %v, %q, want %q", file, err, at.Own.Whole, want)
		}
	}
}

// TestFixed: a kernel that is read for a value of a size, as bits are combined with it, is verified at that value.
func TestFixed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cl")
	text := "__kernel void k(__global float *y, int j, int n) { uint i = get_global_id(0); if (i < n) y[i ^ j] = i; }"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	kernels, err := Options{Local: "64", Global: "n"}.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int64{"j": 512, "n": 1 << 20}
	k, err := kernels[0].At(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	w := workload.NewKernel(k.Kernel)
	w.AsRun, w.Own = k.AsRun, k.Own
	small, err := (&workload.Case{Kernel: w, Sizes: at}).Small()
	if err != nil || small.Sizes["j"] != 512 {
		t.Errorf("verified at %v (%v)", small, err)
	}
}

// TestDividedAtRunTime: what an argument divides is divided while the kernel runs, though its value is known where it is predicted; what a number divides is not.
func TestDividedAtRunTime(t *testing.T) {
	text := `__kernel void k(__global float *y, __global const float *x, int w, int n) {
  int i = get_global_id(0), half = w / 2, eight = 8;
  if (i < n) y[i] = x[i / half] + x[i % eight] + x[i / 4];
}`
	path := filepath.Join(written(t, map[string]string{"a.cl": text}), "a.cl")
	k, err := only(t, Options{Local: "64", Global: "n"}, path).At(t.Context(), map[string]int64{"w": 32, "n": 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if got := k.Kernel.Fixed; !slices.Equal(got, []int64{16}) {
		t.Errorf("divided by %v, want 16", got)
	}
}

// TestTemplateWithoutArguments: a template that is named alone is the instance that the host code launches, or else one that is proposed: of float and 16, and of a
// record that has what the kernel uses of a type.
func TestTemplateWithoutArguments(t *testing.T) {
	const two = "template <class T, int N> __global__ void f(T *y) { y[N * threadIdx.x] = 0; }\n"
	const records = "struct less { __device__ bool operator()(float a, float b) { return a < b; } };\nstruct twice { __device__ float operator()(float a) { return 2 * a; } };\n" +
		"struct shape { static constexpr int tile = 8; typedef double real; };\n"
	dir := written(t, map[string]string{
		"a.cu": two, "b.cu": two + "void g(double *y) { f<double, 4><<<1, 64>>>(y); }\n",
		"c.cu": records + "template <class F> __global__ void f(float *y) { y[0] = F()(y[1]); }\n",
		"d.cu": records + "template <class F> __global__ void f(float *y, F op) { if (op(y[0], y[1])) y[0] = 0; }\n",
		"e.cu": records + "template <class S> __global__ void f(typename S::real *y) { y[S::tile] = 0; }\n",
		"f.cu": records + "template <class F> __global__ void f(float *y) { y[0] = F()(y[1]); }\ntemplate <class F> void g(float *y) { f<F><<<1, 64>>>(y); }\n" +
			"struct half_of { __device__ float operator()(float a) { return a / 2; } };\ntemplate void g<half_of>(float *);\n",
		"g.cu": "template <class I, class A, class B> __global__ void f(const A *x, A *y, const B *map, I n) { I i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[map[i]]; }\n",
		"h.cu": "template <class T> __global__ void f(T *y) { y[0] = y[0] % 3; }\n",
		"i.cu": "template <class T> struct sum { __device__ T operator()(T a, T b) const { return a + b; } };\n" +
			"template <class T, template <class> class Op> __global__ void f(T *y) { y[0] = Op<T>()(y[0], y[1]); }\n",
		"j.cu": "template <class T> struct sum { __device__ T operator()(T a, T b) const { return a + b; } };\n" +
			"template <class T, class F, int N> __global__ void f(T *y, F op) { y[0] = op(y[0], y[N]); }\ntemplate <class T, class F> void g(T *y, F op) { f<T, F, 3><<<1, 64>>>(y, op); }\n",
	})
	for file, want := range map[string]string{
		"g.cu": "f<int, float, int>", "h.cu": "f<int>", "i.cu": "f<float, sum>", "j.cu": "f<float, sum<float>, 3>",
		"a.cu": "f<float, 16>", "b.cu": "f<double, 4>", "c.cu": "f<twice>", "d.cu": "f<less>", "e.cu": "f<shape>", "f.cu": "f<half_of>",
	} {
		for _, name := range []string{"", "f"} {
			if k := only(t, Options{Kernel: name, Local: "32", Global: "64"}, filepath.Join(dir, file)); k.Variant.Name != want {
				t.Errorf("%s: %s, want %s", file, k.Variant.Name, want)
			}
		}
	}
}
