package compile

import (
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/ctest/scoptest"
)

// sets are the values of the sizes, in the order of the parameters of each function, that PolyBench/C 4.2.1 calls MINI and SMALL.
var sets = map[string][2]string{
	"2mm": {"16 18 22 24", "40 50 70 80"}, "3mm": {"16 18 20 22 24", "40 50 60 70 80"}, "adi": {"20 20", "40 60"}, "atax": {"38 42", "116 124"},
	"bicg": {"38 42", "116 124"}, "cholesky": {"40", "120"}, "correlation": {"28 32", "80 100"}, "covariance": {"28 32", "80 100"},
	"deriche": {"64 64", "192 128"}, "doitgen": {"8 10 12", "20 25 30"}, "durbin": {"40", "120"}, "fdtd-2d": {"20 20 30", "40 60 80"},
	"floyd-warshall": {"60", "180"}, "gemm": {"20 25 30", "60 70 80"}, "gemver": {"40", "120"}, "gesummv": {"30", "90"},
	"gramschmidt": {"20 30", "60 80"}, "heat-3d": {"20 10", "40 20"}, "jacobi-1d": {"20 30", "40 120"}, "jacobi-2d": {"20 30", "40 90"},
	"lu": {"40", "120"}, "ludcmp": {"40", "120"}, "mvt": {"40", "120"}, "nussinov": {"60", "180"}, "seidel-2d": {"20 40", "40 120"},
	"symm": {"20 30", "60 80"}, "syr2k": {"30 20", "80 60"}, "syrk": {"30 20", "80 60"}, "trisolv": {"40", "120"}, "trmm": {"20 30", "60 80"},
}

// sampled are the nests that every run of the tests compiles; LONG=1 takes all of them, at both sizes, in float and double.
var sampled = []string{"gramschmidt", "jacobi-1d"}

// TestPolybench: the programs of the examples print what they do as they are.
func TestPolybench(t *testing.T) {
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) != len(sets) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".c")
		if os.Getenv("LONG") == "" && !slices.Contains(sampled, name) {
			continue
		}
		text := read(t, file)
		variants := map[string]string{"": text}
		if strings.Contains(text, "double") && os.Getenv("LONG") != "" {
			variants = map[string]string{"double": text, "float": strings.ReplaceAll(text, "double", "float")}
		}
		for kind, text := range variants {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				p := newProgram(t, name, text)
				original, device := p.original(t), p.openCL(t)
				for i, sizes := range sets[name] {
					if i == 0 || os.Getenv("LONG") != "" {
						p.compare(t, original, device, strings.Fields(sizes))
					}
				}
			})
		}
	}
}

// compare compares what the programs print. An element may differ by the rounding of its array's largest ones, and by as much as it does where
// inputs change in their last bits: what amplifies that amplifies any other rounding too, as that of fused products.
func (p *program) compare(t *testing.T, original, device string, sizes []string) {
	t.Helper()
	unit := 0x1p-53
	for _, a := range p.nest.Arrays {
		if a.DType == "float32" {
			unit = 0x1p-24
		}
	}
	names, want := numbers(t, run(t, nil, original, sizes...))
	_, got := numbers(t, run(t, []string{"PERF_SCOP_TIME=1"}, device, sizes...))
	spread := map[string][]float64{}
	const runs = 4
	for k := range runs {
		_, moved := numbers(t, run(t, []string{fmt.Sprintf("PERTURB=%g", 8*unit*float64(1-2*(k%2))/float64(1+k/2))}, original, sizes...))
		for _, name := range names {
			if spread[name] == nil {
				spread[name] = make([]float64, len(want[name]))
			}
			for i, v := range moved[name] {
				spread[name][i] = max(spread[name][i], math.Abs(v-want[name][i]))
			}
		}
	}
	for _, name := range names {
		largest, judged, worst := 0.0, 0, 0.0
		usual := slices.Sorted(slices.Values(spread[name]))[len(spread[name])/2] // an element may stay by chance
		for _, v := range want[name] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Skipf("%s: the original prints %g", name, v)
			}
			largest = max(largest, math.Abs(v))
		}
		if len(got[name]) != len(want[name]) {
			t.Fatalf("%s has %d elements, want %d", name, len(got[name]), len(want[name]))
		}
		for i, w := range want[name] {
			tolerance := 64*unit*largest + 16*(spread[name][i]+usual)
			if tolerance <= 1e-3*largest {
				judged++
			}
			if d := math.Abs(got[name][i] - w); !(d <= tolerance) {
				t.Fatalf("%v %s[%d] is %.17g, want %.17g to %.2g", sizes, name, i, got[name][i], w, tolerance)
			} else if tolerance > 0 {
				worst = max(worst, d/tolerance)
			}
		}
		if judged < len(want[name])/2 {
			t.Errorf("%v %s: %d of %d elements are judged within 0.1%%", sizes, name, judged, len(want[name]))
		}
		t.Logf("%v %s: at most %.2g of the tolerance, %d of %d elements within 0.1%%", sizes, name, worst, judged, len(want[name]))
	}
}

// TestRandomPrograms is TestPolybench for random nests: one, or with LONG=1 many.
func TestRandomPrograms(t *testing.T) {
	programs := 1
	if os.Getenv("LONG") != "" {
		programs = 40
	}
	for seed := 1; seed <= programs; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, "random", "#include <math.h>\n"+rapid.Custom(func(t *rapid.T) string { return scoptest.Program(t, seed%4 > 0) }).Example(seed))
			original, device := p.original(t), p.openCL(t)
			p.compare(t, original, device, []string{"6", "5"})
		})
	}
}

// TestCUDAOnHost: what is written for CUDA does what the original does, on a runtime for the host: loops of launches are graphs, of which the later
// ones are the first with other kernels.
func TestCUDAOnHost(t *testing.T) {
	names := []string{"gramschmidt"}
	if os.Getenv("LONG") != "" {
		names = slices.Sorted(maps.Keys(sets))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, name, read(t, "../../examples/polybench/"+name+".c"))
			original, device := p.original(t), p.cudaOnHost(t)
			mini := strings.Fields(sets[name][0])
			p.compare(t, original, device, mini)
			if name != "gramschmidt" {
				return
			}
			for env, want := range map[string]string{
				"":                   "90 launches, 80 in graphs, 1 graphs made, 9 changed, 10 run",
				"PERF_SCOP_GRAPHS=0": "90 launches, 0 in graphs, 0 graphs made, 0 changed, 0 run",
			} {
				cmd := exec.Command(device, mini...)
				cmd.Env = append(os.Environ(), "TRACE=1", env)
				var trace strings.Builder
				cmd.Stderr = &trace
				if err := cmd.Run(); err != nil || !strings.Contains(trace.String(), want) {
					t.Errorf("%s: %v\n%s", env, err, trace.String())
				}
			}
		})
	}
}

// TestCUDA: CUDA's compiler takes the programs of the examples. NVCC names it; it runs with LONG=1 only.
func TestCUDA(t *testing.T) {
	nvcc := os.Getenv("NVCC")
	if nvcc == "" {
		nvcc = "nvcc"
	}
	if _, err := exec.LookPath(nvcc); err != nil || os.Getenv("LONG") == "" {
		t.Skip("there is no nvcc, or no time for it")
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, name, read(t, "../../examples/polybench/"+name+".c"))
			out := filepath.Join(p.dir, "out")
			if _, err := File(t.Context(), p.file, out, Options{Language: "cuda"}); err != nil {
				t.Fatal(err)
			}
			run(t, nil, nvcc, "-arch=sm_80", "-Werror", "all-warnings", filepath.Join(p.dir, "main.c"), filepath.Join(out, name+".c"), filepath.Join(out, name+"_scop.cu"),
				"-o", filepath.Join(p.dir, "device"), "-lm")
		})
	}
}

// BenchmarkPolybench takes the time of compiling each example, from reading the file to writing the new one.
func BenchmarkPolybench(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			for b.Loop() {
				if _, err := File(b.Context(), "../../examples/polybench/"+name+".c", dir, Options{Language: "opencl"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
