package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
)

func lgamma(x float64) float64     { y, _ := math.Lgamma(x); return y }
func sinpi(x float64) float64      { return math.Sin(math.Pi * x) }
func cospi(x float64) float64      { return math.Cos(math.Pi * x) }
func normcdfinv(x float64) float64 { return math.Sqrt2 * math.Erfinv(2*x-1) }
func erfcx(x float64) float64      { return math.Exp(x*x) * math.Erfc(x) }
func norm(x ...float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}
func normcdf(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// TestLibrary compares functions of mathematics with those of the standard library.
func TestLibrary(t *testing.T) {
	unary := map[string]struct {
		of          func(float64) float64
		least, most float64
	}{
		"tan": {math.Tan, -1.5, 9}, "atan": {math.Atan, -9, 9}, "asin": {math.Asin, -0.99, 0.99}, "acos": {math.Acos, -0.99, 0.99}, "expm1": {math.Expm1, -3, 3},
		"log1p": {math.Log1p, -0.5, 5}, "sinh": {math.Sinh, -4, 4}, "cosh": {math.Cosh, -4, 4}, "tanh": {math.Tanh, -4, 4}, "cbrt": {math.Cbrt, -30, 30}, "sin": {math.Sin, -9, 9},
		"cos": {math.Cos, -9, 9}, "log": {math.Log, 0.01, 90}, "log2": {math.Log2, 0.01, 90}, "log10": {math.Log10, 0.01, 90}, "exp2": {math.Exp2, -9, 9},
		"asinh": {math.Asinh, -4, 4}, "acosh": {math.Acosh, 1.1, 9}, "atanh": {math.Atanh, -0.9, 0.9}, "erf": {math.Erf, -4, 4}, "erfc": {math.Erfc, -4, 7},
		"lgamma": {lgamma, 0.2, 20}, "tgamma": {math.Gamma, 0.2, 6}, "normcdf": {normcdf, -4, 4},
		"sinpi": {sinpi, -3, 3}, "cospi": {cospi, -3, 3}, "erfinv": {math.Erfinv, -0.95, 0.999}, "erfcinv": {math.Erfcinv, 0.0001, 1.99}, "normcdfinv": {normcdfinv, 0.0001, 0.99},
		"logb": {math.Logb, 0.1, 90}, "erfcx": {erfcx, 0, 4},
	}
	double := map[string]func(float64) float64{"j0": math.J0, "j1": math.J1, "y0": math.Y0, "y1": math.Y1}
	text, n := "", 0
	var want []func(float64) float64
	add := func(call string, of func(float64) float64) {
		text, want = text+fmt.Sprintf("  out[%d * 64 + i] = %s;\n", n, call), append(want, of)
		n++
	}
	scaled := func(least, most float64) func(float64) float64 {
		return func(x float64) float64 { return least + (most-least)*x }
	}
	for name, f := range unary {
		at := scaled(f.least, f.most)
		of := func(x float64) float64 { return f.of(at(x)) }
		add(fmt.Sprintf("%s(%g + %g * x[i])", name, f.least, f.most-f.least), of)
		add(fmt.Sprintf("%sf((float) (%g + %g * x[i]))", name, f.least, f.most-f.least), of)
	}
	for name, f := range double {
		add(fmt.Sprintf("%s(0.3 + 20 * x[i])", name), func(x float64) float64 { return f(0.3 + 20*x) })
	}
	add("erfcinvf((float) x[i] * 1e-30f + 1e-36f) + norm3d(x[i], 3.0, 4.0)", func(x float64) float64 { return math.Erfcinv(x*1e-30+1e-36) + norm(x, 3, 4) })
	add("norm3df((float) x[i], 3.f, 4.f) + 1e30f * norm3df((float) x[i] * 1e-30f, 0.f, 1e-30f)", func(x float64) float64 { return norm(x, 3, 4) + norm(x, 1) })
	add("norm4df((float) x[i], 3.f, 4.f, 5.f) + rnorm3d(x[i], 1.0, 2.0)", func(x float64) float64 { return norm(x, 3, 4, 5) + 1/norm(x, 1, 2) })
	add("rnorm4df((float) x[i], 3.f, 4.f, 5.f) + norm4d(x[i], 1.0, 2.0, 3.0)", func(x float64) float64 { return 1/norm(x, 3, 4, 5) + norm(x, 1, 2, 3) })
	add("ldexp(x[i], (int) (9 * x[i]) - 5) + nextafter(x[i], 2.0)", func(x float64) float64 { return math.Ldexp(x, int(9*x)-5) + x })
	add("__hiloint2double(__double2hiint(x[i]) + 0x100000, __double2loint(x[i]))", func(x float64) float64 { return 2 * x })
	add("remainder(9 * x[i], 2.3)", func(x float64) float64 { return math.Remainder(9*x, 2.3) })
	add("atan2(x[i] - 0.5, 0.3 - x[i])", func(x float64) float64 { return math.Atan2(x-0.5, 0.3-x) })
	add("atan2f((float) (x[i] - 0.5), (float) (0.3 - x[i]))", func(x float64) float64 { return math.Atan2(x-0.5, 0.3-x) })
	add("fmodf((float) (70 * x[i] - 35), 2.25f)", func(x float64) float64 { return math.Mod(float64(float32(70*x-35)), 2.25) })
	add("remainderf((float) (70 * x[i] - 35), 2.25f)", func(x float64) float64 { return math.Remainder(float64(float32(70*x-35)), 2.25) })
	add("hypotf((float) (70 * x[i] - 35), 3.f)", func(x float64) float64 { return math.Hypot(70*x-35, 3) })
	add("ldexpf((float) x[i], (int) (9 * x[i]) - 5)", func(x float64) float64 { return math.Ldexp(x, int(9*x)-5) })
	add("exp10f((float) (4 * x[i] - 2))", func(x float64) float64 { return math.Pow(10, 4*x-2) })
	for _, y := range []float64{-3, -2, -0.5, 0, 0.5, 2.2, 3} {
		add(fmt.Sprintf("powf((float) (4 * x[i] - 2), (float) %g)", y), func(x float64) float64 { return math.Pow(4*x-2, y) })
		add(fmt.Sprintf("powf((float) (4 * x[i] + 0.03), (float) %g)", y), func(x float64) float64 { return math.Pow(4*x+0.03, y) })
	}
	for _, f := range []struct {
		call string
		of   func(float64) float64
	}{
		{"erfcxf(%s)", func(x float64) float64 { return math.Exp(x*x) * math.Erfc(x) }},
		{"logbf(%s)", math.Logb},
		{"ilogbf(%s)", math.Logb},
		{"round((double) %s)", math.Round},
		{"round(%s * 0.5)", func(x float64) float64 { return math.Round(x * 0.5) }},
		{"nextafterf(%s, 1.f) * 1048576.f", func(x float64) float64 { return float64(math.Nextafter32(float32(x), 1)) * 1048576 }},
		{"both_modf(%s)", func(x float64) float64 { w, r := math.Modf(x); return 10*w + r }},
		{"both_frexpf(%s)", func(x float64) float64 { r, e := math.Frexp(x); return 10*float64(e) + r }},
		{"both_frexpf(0x1p-130f * %s)", func(x float64) float64 { r, e := math.Frexp(0x1p-130 * x); return 10*float64(e) + r }},
	} {
		at := scaled(-4, 4)
		add(fmt.Sprintf(f.call, "(float) (8 * x[i] - 4)"), func(x float64) float64 { return f.of(at(x)) })
	}
	add("pow(x[i] + 0.1, 3.5)", func(x float64) float64 { return math.Pow(x+0.1, 3.5) })
	text = `__device__ float both_modf(float x) { float w; float r = modff(x, &w); return 10.f * w + r; }
__device__ float both_frexpf(float x) { int e; float r = frexpf(x, &e); return 10.f * e + r; }
` + "extern \"C\" __global__ void k(const double *x, double *out) {\n  int i = threadIdx.x;\n" + text + "}\n"
	p, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	const items = 64
	var data []byte
	for i := range items {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(float64(i)/items))
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	launch, err := exec.New(p.Function, device.Job{Global: []int64{items}, Local: []int64{items}, Args: []device.Arg{
		{Name: "x", Kind: device.Buffer, DType: "float64", Count: items, File: &device.File{Path: path}},
		{Name: "out", Kind: device.Buffer, DType: "float64", Count: items * int64(n), Sequence: &device.Sequence{}},
	}}, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := launch.Group([3]uint32{})
	g.Run(1_000_000)
	out := must(g.Read("out", 0, 8*items*int64(n)))
	lines := strings.Split(text, "\n")[4:]
	for k, of := range want {
		for i := range items {
			got, want := math.Float64frombits(binary.LittleEndian.Uint64(out[8*(k*items+i):])), of(float64(i)/items)
			if math.Abs(got-want) > 1e-5*max(math.Abs(want), 0.5) && math.Abs(want) < 1e3 {
				t.Errorf("of %g, %s: %g, want %g", float64(i)/items, strings.TrimSpace(lines[k]), got, want)
				break
			}
		}
	}
}
