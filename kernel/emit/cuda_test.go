package emit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
)

// shim declares what CUDA C++ has beyond C++, so that a compiler for the host can check the syntax and the types of kernels.
const shim = `#include <cmath>
#include <cstdlib>
using namespace std;
#define __global__
#define __device__
#define __shared__ thread_local
#define __launch_bounds__(...)
#define __align__(N) alignas(N)
struct position { unsigned int x, y, z; };
extern position threadIdx, blockIdx, blockDim, gridDim;
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
void __syncthreads();
float __int_as_float(int);
int atomicAdd(int *, int);
int atomicMax(int *, int);
template<typename T> T rsqrt(T x) { return 1 / sqrt(x); }
template<typename T> T exp10(T x) { return pow((T) 10, x); }
#undef NAN
#undef INFINITY
`

// TestCUDACompiles writes every case in CUDA C and has a compiler check it. All cases are in one file, each in a namespace.
func TestCUDACompiles(t *testing.T) {
	cc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no C++ compiler to check CUDA C with")
	}
	var all, hidden strings.Builder // hidden are the functions of which a kernel declares overloads
	all.WriteString(shim)
	for _, f := range expr.Functions() {
		if !strings.HasPrefix(f, "is") && f != "mad" {
			hidden.WriteString("using ::" + f + ";\n")
		}
	}
	for _, c := range cases {
		for i, wide := range []bool{false, true} {
			s, err := emit.Write(c.nest(t), emit.Options{Language: emit.CUDAC, Index64: wide})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			all.WriteString("// " + c.name + "\nnamespace " + strings.Repeat("n", 1+i) + identifier(c.name) + " {\n" + hidden.String())
			all.WriteString(strings.ReplaceAll(s.Text, `extern "C" `, "") + "}\n#undef lid\n#undef gid\n#undef mad\n#undef NAN\n#undef INFINITY\n" +
				"#undef VEC_OPERATOR\n#undef VEC_FUNCTION1\n#undef VEC_FUNCTION2\n#undef HALF_OPERATOR\n#undef HALF_FUNCTION1\n#undef HALF_FUNCTION2\n")
		}
	}
	file := filepath.Join(t.TempDir(), "all.cpp")
	if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-std=c++17", "-fsyntax-only", "-w", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%.4000s", err, out)
	}
}

// identifier makes a name of a text.
func identifier(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, text)
}

// TestResident: CUDA's compiler is told how many work-groups a multiprocessor is to have, and OpenCL's, which cannot be, is not.
func TestResident(t *testing.T) {
	const told = "__launch_bounds__(16 * 16 * 1, 2)"
	for language, want := range map[emit.Language]bool{emit.CUDAC: true, emit.OpenCLC: false} {
		n := cases[3].nest(t)
		n.Kernel.Resident = 2
		s, err := emit.Write(n, emit.Options{Language: language})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(s.Text, told) != want {
			t.Errorf("%s: %s", language, s.Text)
		}
	}
}
