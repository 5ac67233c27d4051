package frontend

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestLoad: files of each kind, whole or one kernel of them.
func TestLoad(t *testing.T) {
	for path, want := range map[string][]string{
		"../../examples/launch/saxpy.star":      {"wide", "narrow"},
		"../../examples/launch/saxpy.star#wide": {"wide"},
		"../../examples/polybench/gemm.c":       {"gemm"},
		"../../examples/polybench/gemm.c#gemm":  {"gemm"},
	} {
		kernels, err := Options{}.Load(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range kernels {
			got = append(got, k.Name)
			if strings.Contains(k.File, "#") || !strings.HasPrefix(path, k.File) {
				t.Errorf("%s: file %s", path, k.File)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
}

// TestLoadErrors: what is wrong is named, whatever kind of file it is.
func TestLoadErrors(t *testing.T) {
	for path, want := range map[string]string{
		"../../examples/launch/saxpy.star#none": `saxpy.star has no kernel "none"`,
		"../../examples/polybench/gemm.c#none":  `gemm.c has no region "none"; it has gemm`,
		"nowhere.c":                             "no file nowhere.c here",
		"nowhere.star":                          "no file nowhere.star here",
		"../../examples/matmul/paper_2_2.yaml":  "no launch file, which names a source",
	} {
		if _, err := (Options{}).Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestAsked: an error that flags mend gives those too that would be asked for next; with all of them the kernel is read.
func TestAsked(t *testing.T) {
	const text = `#if LANES != 4 && LANES != 8
#error LANES
#endif
#include "sizes.h"
#if VARIANT == 2
__kernel void f(__global real *y, int n) { if (get_global_id(0) < n) y[get_global_id(0) * LANES] = STEP; }
#endif
`
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("inc", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.cl": text, "inc/sizes.h": "#define STEP 3\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Options{Kernel: "f"}.Load(t.Context(), "a.cl")
	want := "-D LANES=4 defines what it asks for; all that it asks for, with values that are proposals: -D LANES=4 --local 256 --global n -D VARIANT=2 -D real=float"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Fatalf("got %v, want %s", err, want)
	}
	o := Options{Kernel: "f", Local: "256", Global: "n"}
	o.Define, o.Include = []string{"LANES=4", "VARIANT=2", "real=float"}, []string{"inc"}
	if _, err := o.Load(t.Context(), "a.cl"); err != nil {
		t.Error(err)
	}
}

// TestAround: what files around a kernel define is proposed by their names, and with the line that is proposed the kernel is read.
func TestAround(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"a.cl":        "#define JOINED(t) convert_##t\n#define CONVERT(t) JOINED(t)\n__kernel void f(__global real *y, int w, int h) {\n  int x = get_global_id(0), z = get_global_id(1);\n  if (x + z * w < w * h) y[x + z * w] = twice(STEP * CONVERT(T4)((float4)(x)).x);\n}\n",
		"helpers.cl":  "real twice(real x) { return 2 * x; }\n",
		"types.cl":    "#ifndef NEVER\ntypedef float real;\n#endif\n",
		"misleads.cl": "#ifdef NEVER\nint twice2(int x) {}\n#endif\n",
		"host.cpp":    "int main() { build(\"-DSTEP=3 -DT4=\" + type); }\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Options{Kernel: "f"}.Load(t.Context(), "a.cl")
	for _, want := range []string{
		"real is defined in types.cl:2", "twice is defined in helpers.cl:1", "STEP=3 is that of host.cpp:1", "host.cpp:1 gives T4",
		"all that it asks for, with values that are proposals: -D STEP=3 --local 16,16 --global n,m -D T4=float4 --before types.cl --before helpers.cl -p w=256,h=256,n=256,m=256",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	o := Options{Kernel: "f", Local: "16,16", Global: "n,m"}
	o.Define, o.Before = []string{"STEP=3", "T4=float4"}, []string{"types.cl", "helpers.cl"}
	kernels, err := o.Load(t.Context(), "a.cl")
	if err != nil {
		t.Fatal(err)
	}
	if k, err := kernels[0].At(t.Context(), map[string]int64{"w": 16, "h": 16, "n": 16, "m": 16}); err != nil || len(k.Kernel.Opaque) > 0 {
		t.Error(k, err)
	}
	o.Before = []string{"absent.cl"}
	if _, err := o.Load(t.Context(), "a.cl"); err == nil || !strings.Contains(err.Error(), "absent.cl") {
		t.Errorf("got %v for a file that is not there", err)
	}
}

// TestPart: what a file lacks stands in the one that includes it, or under a condition; the line that is proposed has it read.
func TestPart(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("parts", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"all.cl":        "typedef struct { float a, b; } pair;\n#include \"parts/sums.cl\"\n",
		"parts/sums.cl": "__kernel void f(__global pair *y) { y[get_global_id(0)].a += 1; }\n",
		"lanes.cl":      "#define JOIN(a, b) a##b\n#define OF(t, n) JOIN(t, n)\n__kernel void f(__global OF(float, LANES) *y) { y[get_global_id(0)] *= 2; }\n",
		"types.h":       "#ifdef GPU\ntypedef struct { float x[3]; } point;\n#endif\n",
		"under.cu":      "#include \"types.h\"\n__global__ void f(point *p) { p[threadIdx.x].x[0] = 1; }\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"parts/sums.cl": "all.cl:2 includes the file, which does not define pair; all that it asks for, with values that are proposals: --local 256 --global n --before all.cl",
		"lanes.cl":      "-D LANES=4 defines it, where that is left to the build; all that it asks for, with values that are proposals: -D LANES=4 --local 256 --global n",
		"under.cu":      "all that it asks for, with values that are proposals: --local 256 --global n -D GPU",
	} {
		_, err := Options{Kernel: "f"}.Load(t.Context(), file)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
	o := Options{Kernel: "f", Local: "256", Global: "n"}
	o.Before = []string{"all.cl"}
	kernels, err := o.Load(t.Context(), "parts/sums.cl")
	if err != nil || len(kernels) != 1 || kernels[0].Kernel.Array("y") == nil {
		t.Error(kernels, err)
	}
}
