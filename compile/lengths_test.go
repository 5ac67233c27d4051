package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// lengths are the instructions that a sub-group executes for a function in a loop of the code that nvcc 13.0 makes for sm_90, beyond those of an absolute value, or for two arguments
// of a maximum: of numbers from 0.3 to 0.9, as our own emulation counts them.
var lengths = map[string]float64{
	"expf(a)": 9, "exp10f(a)": 9, "expm1f(a)": 30, "logf(a)": 26, "log2f(a)": 28, "log10f(a)": 27, "log1pf(a)": 26, "sinf(a)": 26, "cosf(a)": 27, "tanf(a)": 23,
	"sinpif(a)": 25, "asinf(a)": 25, "acosf(a)": 26, "atanf(a)": 19, "coshf(a)": 16, "tanhf(a)": 17, "acoshf(a)": 43, "atanhf(a)": 33,
	"erff(a)": 28, "erfcf(a)": 48, "normcdff(a)": 62, "sqrtf(a)": 12, "cbrtf(a)": 16, "rcbrtf(a)": 18, "1.f / a": 9, "a / b": 7, "powf(a, b)": 74, "atan2f(a, b)": 38, "hypotf(a, b)": 22, "fmodf(a, b)": 28, "remainderf(a, b)": 36,
}

// How far ours may be from that.
const (
	lengthFactor = 1.25
	lengthMore   = 2
)

// TestLengths: functions of mathematics take about as many instructions as in NVIDIA's library.
func TestLengths(t *testing.T) {
	const n = 2048
	var data []byte
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(0.3+float32(i%61)*0.01))
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	steps := func(call string) int {
		text := fmt.Sprintf("__global__ void k(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ o, int n) { int i = threadIdx.x; float s = 0, b = y[i];\n#pragma unroll 1\nfor (int k = 0; k < n; k++) { float a = x[i + k * 512]; s += %s; } o[i] = s; }", call)
		p, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90"})
		if err != nil {
			t.Fatal(err)
		}
		launch, err := exec.New(p.Function, device.Job{Global: []int64{32}, Local: []int64{32}, Args: []device.Arg{
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: n, File: &device.File{Path: path}},
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: n, File: &device.File{Path: path}},
			{Name: "o", Kind: device.Buffer, DType: "float32", Count: n, Sequence: &device.Sequence{}},
			{Name: "n", Kind: device.Scalar, DType: "int32", Int: 3},
		}}, exec.Assumptions{})
		if err != nil {
			t.Fatal(err)
		}
		return launch.Group([3]uint32{}).Run(100_000)
	}
	one, two := steps("fabsf(a)"), steps("fmaxf(a, b)")
	for i, call := range slices.Sorted(maps.Keys(lengths)) {
		if os.Getenv("LONG") == "" && i%3 != 0 {
			continue
		}
		want, base := lengths[call], one
		if call[len(call)-2] == 'b' || call == "a / b" {
			base = two
		}
		if got := float64(steps(call)-base) / 3; got > want*lengthFactor+lengthMore || got < want/lengthFactor-lengthMore {
			t.Errorf("%s: %.1f instructions, and %g in NVIDIA's code", call, got, want)
		}
	}
}
