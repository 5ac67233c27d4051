package frontend

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFromHost takes the launch from the host code of a file.
func TestFromHost(t *testing.T) {
	const kernel = "__global__ void k(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 0; }\n"
	const tiled = "template <class T, int B> __global__ void t(T *y, int n) { int i = blockIdx.x * B + threadIdx.x; if (i < n) y[i] = 0; }\n"
	const each = "template <class F> __global__ void t(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }\n"
	for _, c := range []struct {
		name, text string
		opt        Options
		want       string // the kernel, its launch, and the sizes that are given
	}{
		{"sizes have the names of parameters", kernel + "int main() { int N = 1000; k<<<(N + 127) / 128, 128>>>(d, N); }", Options{}, "k groups=((n + 127) // 128) local=128; n=1000"},
		{"what is passed is computed", kernel + "int main() { int m = 64; k<<<m, 32>>>(d, 32 * m); }", Options{}, "k groups=m local=32; m=64"},
		{"a name that is another parameter's", kernel + "int main() { int n = 64; k<<<n, 32>>>(d, 2 * n); }", Options{}, "k groups=n_host local=32; n_host=64"},
		{"a size in conditions of loops", kernel + "int main() { const size_t n = 1 << 10; for (size_t i = 0; i < n; i++) h[i] = 0; k<<<n / 32, 32>>>(d, n); }", Options{}, "k groups=(n // 32) local=32; n=1024"},
		{"a number is a value", kernel + "int main() { k<<<4, 256>>>(d, 1000); }", Options{}, "k groups=4 local=256; n=1000"},
		{"a size that is not known", kernel + "int main(int c, char **v) { int n = atoi(v[1]); k<<<n / 32, 32>>>(d, n); }", Options{}, "k groups=(n // 32) local=32;"},
		{"a grid that is not known", kernel + "int main() { k<<<v.size() / 32, 32>>>(d, 5); }", Options{}, "k groups=grid_x local=32; n=5"},
		{"a grid that is a product", kernel + "int main() { int a = 4, b = 8; k<<<a * b, 32>>>(d, a); }", Options{}, "k groups=32 local=32; n=4"},
		{"a grid that is bounded", kernel + "int main() { int n = 640; k<<<min(n / 32, 8), 32>>>(d, n); }", Options{}, "k groups=grid_x local=32; grid_x=8 n=640"},
		{"shared memory that is not known", kernel + "int main() { k<<<1, 32, f()>>>(d, 5); }", Options{}, "k groups=1 local=32; n=5"},
		{"a truth in a template", "template <bool B> __global__ void t(float *y) { y[threadIdx.x] = B; }\ntemplate <bool B> void f() { t<B><<<1, 32>>>(y); }", Options{}, "t<true> groups=1 local=32;"},
		{"the work-group is given", kernel + "int main() { int n = 64; k<<<n / t, t>>>(d, n); }", Options{Local: "16"}, "k groups=grid_x local=16; n=64"},
		{"a size of the work-group is a number", kernel + "int main() { int n = 100, t = 64; k<<<(n + t - 1) / t, t>>>(d, n); }", Options{}, "k groups=(((n + 64) - 1) // 64) local=64; n=100"},
		{"also where it is passed", kernel + "int main() { int t = 64; k<<<1, t>>>(d, t); }", Options{}, "k groups=1 local=64; n=64"},
		{"a template", tiled + "int main() { const int B = 64; int n = 640; t<float, B><<<n / B, B>>>(d, n); }", Options{}, "t<float, 64> groups=(n // 64) local=64; n=640"},
		{"a template of which types follow", "template <class T> __global__ void t(T *y, int n) { y[threadIdx.x] = n; }\nint main() { double *d; t<<<1, 64>>>(d, 3); }", Options{}, "t groups=1 local=64; n=3"},
		{"arguments of a template that only their surroundings know", tiled + "void f() { DISPATCH([&] { t<scalar_t, PER_ITEM><<<1, 64>>>(d, 3); }); }", Options{}, "t<float, 16> groups=1 local=64; n=3"},
		{"one of several", kernel + tiled + "int main() { k<<<1, 64>>>(d, 3); t<float, 2><<<1, 2>>>(d, 4); }", Options{Kernel: "t"}, "t<float, 2> groups=1 local=2; n=4"},
		{"several", kernel + tiled + "int main() { k<<<1, 64>>>(d, 3); t<float, 2><<<1, 2>>>(d, 4); }", Options{}, "k groups=1 local=64; n=3 | t<float, 2> groups=1 local=2; n=4"},
		{"none", kernel, Options{}, "error: does not say how its kernels are launched"},
		{"a work-group that is not known", kernel + "int main() { k<<<4, f()>>>(d, 3); }", Options{}, "error: the work-group of the launch <<<4, ?>>> in line 2 is not known: as in --local 256"},
		{"a work-group that is known along an axis", kernel + "int main() { k<<<4, dim3(8, f(), 1)>>>(d, 3); }", Options{}, "error: is not known: as in --local 256"},
		{"an axis of a work-group that is not known", kernel + "int main(int t, char **v) { k<<<4, dim3(8, t, 1)>>>(d, 3); }", Options{}, "error: is not known: as in --local 8,16"},
		{"a template that nothing launches", tiled, Options{Kernel: "t"}, "error: launched: as in --kernel 't<float, 16>' --local 256 --global n, or"},
		{"work-groups that are demanded", "__global__ __attribute__((reqd_work_group_size(8, 8, 1))) void k(float *y) { y[threadIdx.x] = 0; }", Options{}, "error: launched: as in --global n,m, or"},
		{"work-groups that are bounded", "__global__ __launch_bounds__(128) void k(float *y) { y[threadIdx.x] = 0; }", Options{}, "error: launched: as in --local 128 --global n, or"},
		{"work-groups that are too large", "__global__ __launch_bounds__(128) void k(float *y) { y[threadIdx.x] = 0; }", Options{Local: "256", Global: "n"}, "error: allows 128 work-items: as in --local 128"},
		{"a macro of a header that is not found", "#include \"loops.h\"\n__global__ void k(float *y, int n) {\n  LOOP(i, n) {\n    y[i] = 1;\n  }\n}", Options{Local: "32", Groups: "4"}, "error: LOOP is no macro that is known: may declare it: loops.h"},
		{"a third axis of 1", kernel, Options{Local: "64,1,1", Global: "n"}, "k global=n local=64,1,1;"},
		{"a kernel that a function is given, and one of another file", kernel + "void go(void (*f)(float *)) { f<<<8, 8>>>(d); other<<<2, 2>>>(d); k<<<4, 64>>>(d, 3); }", Options{}, "k groups=4 local=64; n=3"},
		{"a.hip: a call of HIP", kernel + "int main() { int n = 640; hipLaunchKernelGGL(k, dim3(n / 64), dim3(64), 0, 0, d, n); }", Options{}, "k groups=(n // 64) local=64; n=640"},
		{"a.cpp: a kernel in a string", "const char *s = R\"(\n__kernel void k(__global float *y, int n) { int i = get_global_id(0); if (i < n) y[i] = 0; }\n)\";\nint main() { int n = 640; cl::Kernel f(p, \"k\"); " +
			"f.setArg(0, d); f.setArg(1, n); q.enqueueNDRangeKernel(f, cl::NullRange, cl::NDRange(n), cl::NDRange(64)); }", Options{}, "k global=n local=64; n=640"},
		{
			"a.cpp: work-items in all whose arguments are set elsewhere", "const char *s = \"__kernel void k(__global float *y, int n) { y[get_global_id(0)] = n; }\";\nvoid f() { k = clCreateKernel(p, \"k\", 0); size_t all = 64, part = 32; clEnqueueNDRangeKernel(q, k, 1, 0, &all, &part, 0, 0, 0); }",
			Options{},
			"k global=all local=32; all=64",
		},
		{"a.cpp: a kernel whose words stand in comments", "// no __kernel\n" + kernel + "int main() { k<<<4, 64>>>(d, 3); }", Options{}, "k groups=4 local=64; n=3"},
		{"a closure of the host", each + "void f(float *y, float a, int m) { t<<<m / 64, 64>>>(m, [=] __device__(int i) { y[i] *= a; }); }", Options{}, "t groups=(n // 64) local=64;"},
		{
			"a closure that a variable holds, and one that a function is given", each + "template <class F> void g(int n, F &&f) { t<<<4, 32>>>(n, f); }\nvoid f(double *y) { auto h = [=] __host__ __device__(int i) { y[i] += 1; }; g(64, h); }",
			Options{},
			"t groups=4 local=32; n=64",
		},
		{"another number of arguments", kernel + "int main() { k<<<4, 64>>>(d); }", Options{}, "error: has 1 arguments, and k 2 parameters"},
	} {
		file, _, is := strings.Cut(c.name, ": ")
		if !is {
			file = "a.cu"
		}
		path := filepath.Join(t.TempDir(), file)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		kernels, err := c.opt.Load(t.Context(), path)
		if want, fails := strings.CutPrefix(c.want, "error: "); fails {
			message, hint, _ := strings.Cut(want, ": ")
			if err == nil || !strings.Contains(err.Error(), message) || !strings.Contains(err.Error(), hint) {
				t.Errorf("%s: %v, want %s", c.name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var all []string
		for _, k := range kernels {
			one := k.Name
			for _, name := range slices.Sorted(maps.Keys(k.Launch)) {
				one += fmt.Sprintf(" %s=%s", name, k.Launch[name])
			}
			one += ";"
			for _, name := range slices.Sorted(maps.Keys(k.Given)) {
				one += fmt.Sprintf(" %s=%d", name, k.Given[name])
			}
			all = append(all, one)
		}
		got := strings.Join(all, " | ")
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestAllocated takes how large an array is whose index is data from where the host code allocates it, unless a size says it.
func TestAllocated(t *testing.T) {
	const kernel = "__global__ void k(float *y, const int *at, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[at[i]] = 0; }\n"
	for text, want := range map[string]int64{
		"int main() { int n = 1000; float *y; int *at; cudaMalloc((void **)&y, 3 * n * sizeof(float)); k<<<n / 32, 32>>>(y, at, n); }":          6000,
		"int main() { int n = 1000; float *y; CHECK(cudaMallocManaged(&y, 256 * sizeof(unsigned int))); k<<<n / 32, 32>>>(y, at, n); }":         256,
		"void run(float *out, int n) { k<<<n / 32, 32>>>(out, at, n); }\nint main() { float *y; cudaMalloc(&y, 4096); run(y, 1000); }":          1024,
		"int main(int c, char **v) { int n = 1000, m = atoi(v[1]); float *y; cudaMalloc(&y, m * sizeof(float)); k<<<n / 32, 32>>>(y, at, n); }": 0,
		"int main() { int n = 1000; float *y; k<<<n / 32, 32>>>(y, at, n); cudaMalloc(&y, 4 * n); }":                                            0,
	} {
		path := filepath.Join(t.TempDir(), "a.cu")
		if err := os.WriteFile(path, []byte(kernel+text), 0o644); err != nil {
			t.Fatal(err)
		}
		kernels, err := Options{}.Load(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		k := kernels[0]
		if got := k.Extent(k.Kernel.Array("y"), map[string]int64{"n": 2000}); got != want {
			t.Errorf("%s: y has %d elements, want %d", text, got, want)
		}
		if got := k.Extent(k.Kernel.Array("y"), map[string]int64{"n": 2000, "y_size": 7}); got != 0 {
			t.Errorf("%s: y has %d elements where a size says it", text, got)
		}
	}
}

// TestEmulated names the calls that emulate a kernel that is refused, where there is a compiler.
func TestEmulated(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.cu")
	t.Setenv("CUDA_HOME", "/none") // as the machine may have a toolkit
	if err := os.WriteFile(path, []byte("__global__ void k(float *y) {\nagain:\n  y[0] += 1;\n  if (y[0] < 9) goto again;\n  if (y[0] < 7) goto again;\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, compiler := range []bool{false, true} {
		bin := t.TempDir()
		if compiler {
			if err := os.WriteFile(filepath.Join(bin, "nvcc"), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", bin)
		_, err := Options{Local: "32", Groups: "4"}.Load(t.Context(), path)
		if err == nil || strings.Contains(err.Error(), "perf init launch --from "+path+" -k k, then perf emulate k.yaml") != compiler {
			t.Errorf("with a compiler %t: %v", compiler, err)
		}
	}
}
