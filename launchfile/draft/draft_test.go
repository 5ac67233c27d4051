package draft

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/launchfile"
)

const ncu = `"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum"
"","","","","","","","","","","","us"
"0","1","app","host","void tile<double, 32>(double *, const double *, unsigned int)","1","7","(32, 8, 1)","(16, 64, 1)","0","9.0","5.5"
"1","1","app","host","app::<unnamed>::copy(float *)","1","7","(128, 1, 1)","(10, 1, 1)","0","9.0","2.5"
`

// compiled is where programs are; a file of a case that begins with it is one of them.
const compiled = "../testdata/cuda/"

// cases are files, and what is drafted from them.
var cases = []struct {
	name  string
	files map[string]string
	pick  string
	want  []string // lines, without their comments and with single blanks
}{
	{
		name: "OpenCL C", files: map[string]string{"k.cl": `
// __kernel void commented(int n) {}
__kernel __attribute__((reqd_work_group_size(16, 8, 1)))
void t(__global const float4 *restrict in, /* out */ __global uchar *out, __constant half *h, __local double2 *tile,
       const uint rows, size_t cols, int incx, float3 shift, struct pair q) {
  out[get_global_id(1) * cols + get_global_id(0)] = 0;
}
kernel void declared(int n);
`},
		want: []string{
			"kernel: t", "sizes: {rows: 1024, cols: 1024}", "grid: [(cols + 15) / 16, (rows + 7) / 8]", "block: [16, 8]",
			"- {buffer: in, dtype: float32, size: 4 * rows * cols, restore: false}", "- {buffer: out, dtype: uint8, size: rows * cols}",
			"- {buffer: h, dtype: float16, size: rows * cols, restore: false}", "- {local: float64, size: 2 * 128}", "- {uint32: rows}", "- {uint64: cols}",
			"- {int32: 1}", "- {struct: [{int32: 0}]}", `- {hex: "00000000000000000000000000000000"}`,
		},
	},
	{
		name: "CUDA C", files: map[string]string{"k.cu": `
template <typename T, int ITEMS = 4, bool FAST> __global__ void __launch_bounds__(128, 2)
fold(T *__restrict__ out, const T in[], long long count, unsigned long int step, bool flag2, double scale) {
  extern __shared__ T all[];
  out[blockIdx.x] = in[threadIdx.x];
}
int main() { fold<float, 4, true><<<dim3(10), 128>>>(0, 0, 0, 0, 0, 0); }
extern "C" __global__ void empty(void) {}
`}, pick: "fold",
		want: []string{
			"kernel: fold<float, 4, true>", "sizes: {count: 32}", "grid: [10]", "block: [128]", "shared: 4 * 128",
			"- {buffer: out, dtype: float32, size: 10 * 128}", "- {buffer: in, dtype: float32, size: 10 * 128, restore: false}", "- {int64: count}",
			"- {uint64: 1}", "- {uint8: 0}", "- {float64: 1.5}",
		},
	},
	{
		name: "namespaces, and a launch of a template", files: map[string]string{"k.cu": `
namespace a { struct s { int x; }; namespace b::c {
template <class T, class U, int N> __global__ void k(T *x, U y) {}
} }
__global__ void outside(int n) { a::b::c::k<double, float, 3><<<1, 2>>>(0, 0); }
`}, pick: "k",
		want: []string{"kernel: a::b::c::k<double, float, 3>", "- {buffer: x, dtype: float64, size: n}", "- {float32: 1.5}"},
	},
	{
		name: "what the host code says", files: map[string]string{"k.cu": `
#define T 64
__global__ void k(float *y, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = m; }
int main() { int count = 1000; float *d; k<<<(count + T - 1) / T, T>>>(d, count, 2 * count); }
`},
		want: []string{"sizes: {n: 1000}", "grid: [(((n + 64) - 1) / 64)]", "block: [64]", "- {int32: n}", "- {int32: (2 * n)}"},
	},
	{
		name: "axes by what guards compare", files: map[string]string{"k.cu": `
__global__ void k(float *y, int h, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, z = 0;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || row >= h) return;
  y[row * w + x] = z;
}
`},
		want: []string{"grid: [(w + 15) / 16, (h + 15) / 16]"},
	},
	{
		name: "a kernel without parameters, in a file of an odd name", files: map[string]string{"it's: a #1 \"k\".cu": `extern "C" __global__ void empty() {}`},
		want: []string{`source: "it's: a #1 \"k\".cu"`, "kernel: empty", "sizes: {n: 1048576}", "grid: [(n + 255) / 256]", "block: [256]"},
	},
	{
		name: "names that stand for others, and structures", files: map[string]string{"k.cl": `
#define REAL real
#ifdef WIDE
typedef double real;
#else
typedef float real;
#endif
#define ITEMS 64
#define KERNEL(T) kernel void of_##T(global T *p) { \
  p[0] = 1; }
struct point { real x, y, z; };
typedef struct { REAL a, b; int shift; uint count; } coefficients;
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void k(global const REAL *in, global struct point *points, coefficients c
#ifdef WIDE
  , float weight
#endif
) {}
`},
		want: []string{
			"sizes: {count: 1048576}", "block: [64]", "- {buffer: in, dtype: float32, size: count, restore: false}", "- {buffer: points, dtype: float32, size: 3 * count}",
			"- {struct: [{float32: 1.5}, {float32: 1.5}, {int32: 0}, {uint32: count}]}", "- {float32: 1.5}",
		},
	},
	{
		name: "a structure with pointers, and the work-group of a launch", files: map[string]string{"k.cu": `
namespace a { struct view { double *x; const int *of; size_t n; float w; }; template <class T> __global__ void k(view v, T t) {} }
int main() { a::k<int><<<dim3(64, 2), dim3(32, 4), 0>>>({}, 3); }
`}, pick: "a::k",
		want: []string{
			"kernel: a::k<int>", "block: [32, 4]", "grid: [64, 2]",
			"- {struct: [{buffer: x, dtype: float64, size: 64 * 2 * 128}, {buffer: of, dtype: int32, size: 64 * 2 * 128, restore: false}, {uint64: 1}, {float32: 1.5}]}",
		},
	},
	{
		name: "two of three sizes", files: map[string]string{
			"k.cu": `__global__ void product(const float *a, float *c, int m, int n, int k) { c[threadIdx.y * n + threadIdx.x] = a[0]; }`,
		},
		want: []string{"sizes: {m: 128, n: 128, k: 128}", "grid: [(n + 15) / 16, (m + 15) / 16]", "- {buffer: c, dtype: float32, size: m * n * k}"},
	},
	{
		name: "a source and its launch as recorded", files: map[string]string{
			"a.csv": ncu, "k.cu": "template <class T, int W> __global__ void tile(T *y, const T *x, unsigned n) { y[threadIdx.y] = x[0]; }",
		},
		want: []string{
			"source: k.cu", "kernel: tile<double, 32>", "sizes: {n: 1024}", "grid: [16, 64]", "block: [32, 8]",
			"- {buffer: y, dtype: float64, size: n * n}", "- {buffer: x, dtype: float64, size: n * n, restore: false}", "- {uint32: n}",
		},
	},
	{
		name: "a recording alone", files: map[string]string{"a.csv": ncu}, pick: "copy",
		want: []string{"source: copy.cu", "kernel: app::copy", "sizes: {n: 1280}", "grid: [10]", "block: [128]", "- {buffer: x, dtype: float32, size: n}"},
	},
	{
		name: "PTX", files: map[string]string{"k.ptx": `
.version 8.0
.target sm_90
.visible .entry _Z5saxpyPKfPffi( // demangled
	.param .u64 .ptr .global .align 4 _Z5saxpyPKfPffi_param_0,
	.param .u64 _Z5saxpyPKfPffi_param_1,
	.param .f32 _Z5saxpyPKfPffi_param_2,
	.param .u32 _Z5saxpyPKfPffi_param_3
)
.maxntid 64, 1, 1
{ ret; }
.entry plain(.param .u64 a, .param .align 8 .b8 pair[24], .param .f64 scale) { ret; }
`}, pick: "saxpy",
		want: []string{
			"kernel: _Z5saxpyPKfPffi", "sizes: {n: 1048576}", "block: [64]", "- {buffer: x, dtype: float32, size: n, restore: false}",
			"- {buffer: y, dtype: float32, size: n}", "- {float32: 1.5}", "- {int32: n}",
		},
	},
	{
		name: "PTX whose names tell nothing", files: map[string]string{"k.ptx": ".entry plain(.param .u64 a, .param .align 8 .b8 pair[24], .param .f64 scale) { ret; }"},
		want: []string{"- {buffer: x, dtype: float32, size: 16 * n}", `- {hex: "` + strings.Repeat("00", 24) + `"}`, "- {float64: 1.5}"},
	},
	{
		name: "machine code", files: map[string]string{"k.cubin": compiled + "instances.cubin"}, pick: "instance",
		want: []string{"kernel: _ZN2ns8instanceIfLi3EEEvPT_i", "sizes: {n: 1048576}", "- {buffer: x, dtype: float32, size: n}", "- {int32: n}"},
	},
	{
		name: "PTX as nvcc writes it", files: map[string]string{"k.ptx": compiled + "instances.ptx"}, pick: "instance_ref",
		want: []string{"kernel: _Z12instance_refPfi", "sizes: {n: 1048576}", "- {buffer: x, dtype: float32, size: n}", "- {int32: n}"},
	},
	{
		name: "a structure alone", files: map[string]string{"k.cu": "__global__ void k(struct pair p) {}"},
		want: []string{"- {struct: [{int32: 0}]}"},
	},
}

// TestDrafts: what is drafted says what the file does, is a launch file, and has a launch at its sizes.
func TestDrafts(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			var paths []string
			for name, text := range c.files {
				if strings.HasPrefix(text, compiled) {
					image, err := os.ReadFile(text)
					if err != nil {
						t.Fatal(err)
					}
					text = string(image)
				}
				paths = append(paths, filepath.Join(folder, name))
				if err := os.WriteFile(paths[len(paths)-1], []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(paths)
			k, err := Read(paths, c.pick)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, "l.yaml")
			if err := k.Create(path); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(string(text)) {
				code, _, _ := strings.Cut(line, "  # ")
				got = append(got, strings.TrimSpace(code))
			}
			for _, line := range c.want {
				if !slices.Contains(got, line) {
					t.Errorf("no line %s in\n%s", line, text)
				}
			}
			f, err := launchfile.Load(path)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if strings.Contains(string(text), "fill in the file") || strings.Contains(string(text), "<<<") {
				return
			}
			if _, err := f.Job(nil); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			if err := k.Create(path); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

// TestExamples: of simple kernels the draft launches what the launch file does that somebody has written.
func TestExamples(t *testing.T) {
	const examples = "../../examples/launch"
	for source, written := range map[string]string{"saxpy.cu": "saxpy-cuda.yaml", "saxpy.cl": "saxpy.yaml"} {
		k, err := Read([]string{filepath.Join(examples, source)}, "saxpy")
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := k.Write(&text, examples); err != nil {
			t.Fatal(err)
		}
		drafted, err := launchfile.Parse(filepath.Join(examples, written), []byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		want, err := launchfile.Load(filepath.Join(examples, written))
		if err != nil {
			t.Fatal(err)
		}
		a, err := drafted.Job(nil)
		b, failed := want.Job(nil)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		b.Expect, b.Content = nil, a.Content // the draft has no reference
		if diff := cmp.Diff(b, a); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
	}
}

func TestRefused(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	two := write("two.cl", "kernel void a(global int *x) {} kernel void b(global int *x) {}")
	for _, c := range []struct{ path, name, want string }{
		{two, "", "there are several kernels in " + two + "\n    choose one: -k a | b"},
		{two, "c", "there is no kernel c in " + two},
		{write("image.cl", "kernel void a(global int *x, read_only image2d_t y) {}"), "", "the kernel a takes read_only image2d_t y, which no launch file can pass"},
		{write("none.cl", "void f(int n) {}"), "", "there is no kernel in "},
		{write("k.cubin", "\x7fELF"), "", "k.cubin: this is no cubin"},
		{write("k.csv", "a,b\n1,2\n"), "", "k.csv"},
		{write("k.py", ""), "", "launch files are drafted from .cl, .csv, .cu, .cubin, .ptx"},
		{filepath.Join(folder, "missing.cl"), "", "no file missing.cl"},
	} {
		if _, err := Read([]string{c.path}, c.name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", filepath.Base(c.path), c.name, err, c.want)
		}
	}
}

func TestDemangled(t *testing.T) {
	for name, want := range map[string]string{
		"_Z5saxpyPKfPffi":              "saxpy(float const*, float*, float, int)",
		"_Z4nonev":                     "none()",
		"_Z5saxpyIfEvPKT_PS0_S0_i":     "saxpy<float>(float const*, float*, float, int)",
		"_Z3addPfS_PKfS1_":             "add(float*, float*, float const*, float const*)",
		"_Z4foldILi16EdLb1EEvPT0_":     "fold<16, double, true>(double*)",
		"_ZN2ns5inner1kEP6float4mjPKv": "ns::inner::k(float4*, unsigned long, unsigned int, void const*)",
		"_Z1kN2ns1sES0_P5point":        "k(ns::s, ns::s, point*)",
		"plain":                        "", "_Z": "", "_Z9": "", "_Z1kS5_": "", "_Z1kIfEvT3_": "", "_Z99k": "", "_Z1kP": "",
	} {
		plain, params, ok := demangled(name)
		if got := plain + "(" + strings.Join(params, ", ") + ")"; ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s %v, want %s", name, got, ok, want)
		}
	}
}

// TestTorn: whatever is missing of a file, it is read to no harm, and what is drafted is a launch file.
func TestTorn(t *testing.T) {
	for _, c := range cases {
		for name, text := range c.files {
			if strings.HasPrefix(text, compiled) || strings.HasSuffix(name, ".csv") {
				continue
			}
			read := readers[filepath.Ext(name)]
			for end := range len(text) {
				for _, part := range []string{text[:end], text[end:]} {
					kernels, err := read(name, part)
					if err != nil {
						t.Fatal(err)
					}
					for _, k := range kernels {
						var out strings.Builder
						if err := k.Write(&out, "."); err != nil {
							t.Fatal(err)
						}
						if _, err := launchfile.Parse("l.yaml", []byte(out.String())); err != nil {
							t.Fatalf("%v\n%s\nfrom\n%s", err, &out, part)
						}
					}
				}
			}
		}
	}
}
