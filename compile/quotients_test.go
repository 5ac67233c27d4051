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

// magnitude is a number, or without a sign one that is negative and odd.
func magnitude(d int64) uint64 {
	if d < -1<<40 {
		return uint64(d)
	}
	return uint64(max(d, -d))
}

// TestLongQuotients divides numbers of 64 bits at the ends of ranges by constants: there are no divisions in the code, but for products.
func TestLongQuotients(t *testing.T) {
	numbers := []int64{0, 1, 2, 6, 7, 9, 10, 99, 641, 1 << 31, 1<<32 - 1, 1 << 32, 1<<40 + 12345, 1<<62 + 7, math.MaxInt64, -1, -7, -10, -1 << 33, math.MinInt64, math.MinInt64 + 1, -1<<63 + 640}
	divisors := []int64{3, 5, 7, 10, 11, 60, 641, 1000, 12345678901, 1<<32 + 1, 1<<61 - 1, -3, -10, -(1<<33 + 9)}
	var data []byte
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint64(data, uint64(x))
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	n := int64(len(numbers))
	divisors = append(divisors, -1, math.MinInt64+641) // without a sign too great for products
	text := "__global__ void k(const long long *x, long long *o, unsigned long long *u) { int i = threadIdx.x;"
	for k, d := range divisors {
		text += fmt.Sprintf("o[%d + i] = x[i] / %dll; u[%[1]d + i] = (unsigned long long) x[i] / %[3]dull;", k*len(numbers), d, magnitude(d))
	}
	p, err := compile.Kernel(context.Background(), text+"}", "k", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(p.Listing, "MUFU") {
		t.Error("a reciprocal of what is constant is computed")
	}
	all := n * int64(len(divisors))
	launch, err := exec.New(p.Function, device.Job{Global: []int64{n}, Local: []int64{n}, Args: []device.Arg{
		{Name: "x", Kind: device.Buffer, DType: "int64", Count: n, File: &device.File{Path: path}},
		{Name: "o", Kind: device.Buffer, DType: "int64", Count: all, Sequence: &device.Sequence{}},
		{Name: "u", Kind: device.Buffer, DType: "uint64", Count: all, Sequence: &device.Sequence{}},
	}}, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := launch.Group([3]uint32{})
	g.Run(1_000_000)
	signed, unsigned := must(g.Read("o", 0, 8*all)), must(g.Read("u", 0, 8*all))
	for k, d := range divisors {
		for i, x := range numbers {
			at := 8 * (k*len(numbers) + i)
			if got, want := int64(binary.LittleEndian.Uint64(signed[at:])), x/d; got != want {
				t.Errorf("%d / %d is %d, want %d", x, d, got, want)
			}
			if got, want := binary.LittleEndian.Uint64(unsigned[at:]), uint64(x)/magnitude(d); got != want {
				t.Errorf("%d / %d without a sign is %d, want %d", uint64(x), magnitude(d), got, want)
			}
		}
	}
}

// TestOutside: what a loop divides by what does not change in it is divided once, before it, also where only some iterations need it.
func TestOutside(t *testing.T) {
	const text = `__global__ void k(const float *x, float *y, float a, float b, int n, int m) {
  float s = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += x[j] > 1.f ? x[j] * (a / b) : sqrtf(b);
  y[0] = s;
}`
	p, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	before, loop, _ := strings.Cut(p.Listing, "LDG")
	if strings.Count(before, "MUFU") < 2 || strings.Contains(loop, "MUFU") {
		t.Errorf("there are quotients in the loop:\n%s", p.Listing)
	}
}
