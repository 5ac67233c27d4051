package compile_test

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

const (
	items = 256
	slots = 160
)

func archive(t *testing.T) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader("../emulate/exec/testdata/values/host.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string][]byte{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	return files
}

// TestValues compiles kernels that store every kind of intermediate result, executes them, and compares with what g++ made of the same source.
func TestValues(t *testing.T) {
	host := archive(t)
	text, err := os.ReadFile("../emulate/exec/testdata/values/values.cu")
	if err != nil {
		t.Fatal(err)
	}
	source := withoutAssembly(string(text))
	for _, name := range []string{"whole", "logic", "division", "longs", "lanes", "shared", "atomics", "floats", "doubles", "conversions", "control"} {
		t.Run(name, func(t *testing.T) {
			p, err := compile.Kernel(context.Background(), source, name, compile.Options{Architecture: "sm_90", Name: "values.cu"})
			if err != nil {
				t.Fatal(err)
			}
			out := run(t, p.Function, host["in.bin"])
			compare(t, name, out, host[name+".bin"], string(host[name+".kinds"]))
		})
	}
}

// poison is what stands in place of results of inline assembly, which is not compiled here.
const poison = 0x5eed5eed

var assembly = regexp.MustCompile(`asm(?: volatile)?\("[^"]*"\s*:\s*"=(\w)"\((\w+)\)[^;]*\);`)

// edits are what else is not compiled here: recursion, switches whose arms run on, barriers by number, matches of all lanes.
var edits = strings.NewReplacer(
	"r = __clz(y); // falls through", "r = __clz(y) + y; break;", "OUT(fibonacci(x & 7));", "OUT(0x5eed5eedu);",
	`if (t < 64) { asm volatile("bar.sync 1, 64;"); more[t] = y + t; asm volatile("bar.sync 1, 64;"); OUT(more[63 - t]); } else OUT(0u);`, "OUT(0x5eed5eedu);",
	`if (t < 64) { asm volatile("bar.sync 1, 64;"); more[t] = y + t; asm volatile("bar.sync 1, 64;"); OUT(more[63 - t]); }`, "OUT(0x5eed5eedu);",
	"OUT(__match_all_sync(all, y >> 31, &same)); OUT(same); OUT(__match_all_sync(all, 7u + n, &same)); OUT(same);",
	"OUT(0x5eed5eedu); OUT(0x5eed5eedu); OUT(0x5eed5eedu); OUT(0x5eed5eedu);",
)

// other are results that are others here, by kernel: of functions whose rounding the trees do not keep, and of products of 24 bits, which are taken
// for products of 32.
var other = map[string][][2]int{
	"whole": {{41, 43}}, "conversions": {{12, 24}, {31, 76}}, "shared": {{32, 33}},
	"floats": {{15, 31}, {59, 60}}, "doubles": {{34, 36}, {44, 46}},
}

func withoutAssembly(text string) string {
	text = edits.Replace(text)
	return assembly.ReplaceAllStringFunc(text, func(s string) string {
		m := assembly.FindStringSubmatch(s)
		switch m[1] {
		case "f":
			return m[2] + " = __uint_as_float(0x5eed5eedu);"
		case "d":
			return m[2] + " = __longlong_as_double(0x5eed5eed5eed5eedll);"
		case "l":
			return m[2] + " = 0x5eed5eed5eed5eedll;"
		}
		return m[2] + " = 0x5eed5eedu;"
	})
}

func run(t *testing.T, f *sass.Function, inputs []byte) []byte {
	t.Helper()
	job := device.Job{Global: []int64{items}, Local: []int64{items}}
	for i, name := range []string{"a", "b", "c"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, inputs[4*items*i:][:4*items], 0o600); err != nil {
			t.Fatal(err)
		}
		job.Args = append(job.Args, device.Arg{Name: name, Kind: device.Buffer, DType: "uint32", Count: items, File: &device.File{Path: path}})
	}
	job.Args = append(
		job.Args,
		device.Arg{Name: "out", Kind: device.Buffer, DType: "uint32", Count: items * slots, Sequence: &device.Sequence{}},
		device.Arg{Kind: device.Scalar, DType: "int32", Int: items},
	)
	launch, err := exec.New(f, job, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	group := launch.Group([3]uint32{})
	group.Run(1_000_000)
	if !group.Ended() {
		t.Errorf("it does not end")
	}
	for _, d := range launch.Doubts() {
		if d.Kind != exec.AssumedOrder {
			t.Errorf("%v %s", &f.Instructions[d.Index], d.Kind)
		}
	}
	out, _ := group.Read("out", 0, 4*items*slots)
	return out
}

func compare(t *testing.T, name string, got, want []byte, kinds string) {
	t.Helper()
	word := func(b []byte, slot, item int) uint32 { return binary.LittleEndian.Uint32(b[4*(slot*items+item):]) }
	for slot, kind := range kinds {
		if kind == '-' || slices.ContainsFunc(other[name], func(r [2]int) bool { return slot >= r[0] && slot < r[1] }) {
			continue
		}
		for item := range items {
			g, w := word(got, slot, item), word(want, slot, item)
			if g == poison || g == poison&0xffff {
				continue
			}
			low := slot
			if kind == 'D' {
				low--
			}
			double := func(b []byte) float64 {
				return math.Float64frombits(uint64(word(b, low, item)) | uint64(word(b, low+1, item))<<32)
			}
			same := g == w
			switch kind {
			case 'f':
				same = same || close(float64(math.Float32frombits(g)), float64(math.Float32frombits(w)))
			case 'd', 'D':
				same = same || close(double(got), double(want))
			}
			if !same {
				t.Errorf("%s: result %d of item %d is %08x and should be %08x (%c)", name, slot, item, g, w, kind)
				break
			}
		}
	}
}

// close reports whether two numbers are about the same, or one is out of the range in which quotients and roots are taken the usual way.
func close(a, b float64) bool {
	const most, least = 1e18, 1e-18
	if m := math.Abs(b); m > most || m < least || b != b {
		return true
	}
	return a == b || a != a && b != b || math.Abs(a-b) <= 1e-5*math.Abs(b)+1e-6
}

// TestStepsOfThemselves: what a counter steps by may follow from the counter.
func TestStepsOfThemselves(t *testing.T) {
	for _, step := range []string{"i += i", "i += i + 1", "i *= 2", "i += i & 12"} {
		text := "__global__ void k(int *y, int n) { __shared__ int t[256]; int s = 0; for (int i = 4; i < n; " + step + ") s += t[i] ^ t[i + 1]; y[threadIdx.x] = s; }"
		if _, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90"}); err != nil {
			t.Fatal(err)
		}
	}
}
