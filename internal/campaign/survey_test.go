package campaign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/internal/frontend"
)

// TestSurvey: all kernel functions of a folder are tried, with what becomes of each.
func TestSurvey(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "inner"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.cu":       "__global__ void good(float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }\n__global__ void part(float *y) { y[0] = mystery(y[1]); }\n",
		"inner/b.cl": "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void small(__global float *y) { y[get_global_id(0)] = 1; }\n",
		"c.cuh":      "template <class T, int N> __global__ void t(T *y, const int *row) {\n  for (int i = row[0]; i < row[N]; i++) y[i] = N;\n}\n",
		"c2.cu":      "#include \"c.cuh\"\ntemplate <class T> __global__ void declared(T *y);\n", // whose kernel is that of the header
		"empty.py":   "",
		"host.cpp":   "#include <nothing.h>\nint main() { return kernel; }\n",
		"d.h":        "#define NOTHING 1\n",
		"e.cu":       "__global__ void jump(float *y) {\nagain:\n  y[1] = 2;\n  if (y[0] > 1) goto again;\n  if (y[0] > 2) goto again;\n}\n__global__ void jump2(float *y) {\nagain:\n  y[1] += 2;\n  goto again;\n}\n",
		"f.cl":       "__kernel void typed(__global REAL *y) { y[get_global_id(0)] = 1; }\n__kernel void next(__global REAL *y) { y[0] = 1; }\n",
		"h.cu": "typedef float (*step)(float);\n__device__ float half(float x) { return x / 2; }\n" +
			"template <step S> __global__ void each(float *y) { y[threadIdx.x] = S(y[threadIdx.x]); }\nvoid run(float *y) { each<half><<<1, 64>>>(y); }\n",
		"g.cu": "template <int N> __global__ void __launch_bounds__(N) few(float *y) { y[threadIdx.x] = N; }\n" +
			"template __global__ void few<32>(float *);\n" +
			"__global__ void scratch(float *y, int n) {\n  extern __shared__ float s[];\n  s[(int)y[threadIdx.x]] = 1;\n  __syncthreads();\n  y[threadIdx.x / n] = s[threadIdx.x];\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := NewSurvey(t.Context(), frontend.Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := s.Write(&got); err != nil {
		t.Fatal(err)
	}
	want := `11 kernel functions: 6 counted, 2 with proposals for what the build gives, 1 with parts that are not counted, 2 refused
3 files without kernel functions passed over
kernels  result   why                           for example
      2  refused  a goto that leads backwards or into a block has no place in a kernel      e.cu:4 jump
      2  proposed  … is no type that is known here  f.cl:1 typed
      1  opaque   … is no function that is known  a.cu:2 part
`
	squeeze := func(text string) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(text, dir+string(filepath.Separator), "")), " ")
	}
	if squeeze(got.String()) != squeeze(want) {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
