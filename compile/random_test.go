package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	bits32 "math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/compile"
	"gpuperf/device"
	machine "gpuperf/emulate/exec"
)

const outputs = 4 // words of a work-item

// TestRandom: random functions of integers, compiled here and executed, leave what they leave where g++ compiles them. LONG=1 tries 2,000, SEEDS=100-200 those.
func TestRandom(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip(err)
	}
	first, end := seeds(30, 2000)
	const batch = 100
	refused, wrong := map[string]int{}, 0
	all := 0 // that are refused
	for from := first; from < end; from += batch {
		var texts []string
		for seed := from; seed < min(from+batch, end); seed++ {
			texts = append(texts, randomFunction(uint64(seed)))
		}
		in := randomInputs(uint64(from))
		for i, want := range onHost(t, texts, in) {
			got, err := executed(t, alone(texts[i]), in)
			switch {
			case err != nil && strings.Contains(err.Error(), "not compiled here"):
				_, why, _ := strings.Cut(strings.SplitN(err.Error(), "\n", 2)[0], ": ")
				refused[why]++
				all++
			case err != nil:
				t.Errorf("seed %d: %v\n%s", from+i, err, texts[i])
			default:
				if at := different(got, want); at >= 0 {
					wrong++
					t.Errorf("seed %d: output %d of work-item %d is %#x, want %#x\n%s", from+i, at/items, at%items, word(got, at), word(want, at), texts[i])
				}
			}
		}
	}
	t.Logf("%d functions tried, %d refused, %d wrong: %v", end-first, all, wrong, refused)
	if all > (end-first)/10 {
		t.Error("too many are refused")
	}
}

func word(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

func different(got, want []byte) int {
	for i := range outputs * items {
		if word(got, i) != word(want, i) {
			return i
		}
	}
	return -1
}

// randomInputs are three arrays, of numbers at the ends of ranges as of any.
func randomInputs(seed uint64) (in []byte) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range 3 * items {
		v := []uint32{0, 1, 3, 1<<31 - 1, 1 << 31, 1<<32 - 1, r.Uint32(), r.Uint32() >> 16, r.Uint32() >> 24, -(r.Uint32() >> 26)}[r.IntN(10)]
		in = binary.LittleEndian.AppendUint32(in, v)
	}
	return in
}

const parameters = "(int x, unsigned y, int z, int t, int n, unsigned *o)"

// TestPhases: the same of work-items that meet at barriers, and leave numbers for each other in local memory.
func TestPhases(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip(err)
	}
	first, end := seeds(10, 1000)
	var b strings.Builder
	b.WriteString("#include <cstdio>\n#define __device__\n" + intrinsics + helpers)
	calls := ""
	var all []phases
	for seed := first; seed < end; seed++ {
		p := randomPhases(uint64(seed))
		name := fmt.Sprint("f", seed)
		fmt.Fprintf(&b, "%sstatic %s a%d[%d]; static %s b%[3]d[%[4]d];\n", p.functions(name), p.types[0], seed, items, p.types[1])
		each := fmt.Sprintf("for (int t = 0; t < %d; t++) ", items)
		calls += fmt.Sprintf("%s{ g0[t] = in[0][t]; g1[t] = in[2][t]; a%d[t] = (int)in[0][t]; b%[2]d[t] = 0; }\n", each, seed)
		for i := range p.steps {
			calls += fmt.Sprintf("%s%s_%d(in[0][t], in[1][t], in[2][t], t, %d, g0[t], g1[t], %c%d, %c%[6]d);\n", each, name, i, items, "ab"[i%2], seed, "ba"[i%2])
		}
		calls += fmt.Sprintf("%s{ out[0][t] = g0[t]; out[1][t] = g1[t]; out[2][t] = a%d[t]; out[3][t] = b%[2]d[t]; }\nfwrite(out, 1, sizeof out, stdout);\n", each, seed)
		all = append(all, p)
	}
	fmt.Fprintf(&b, "static unsigned in[3][%d], out[%d][%[1]d]; static int g0[%[1]d], g1[%[1]d];\nint main() { fread(in, 1, sizeof in, stdin);\n%[3]s}\n", items, outputs, calls)
	in := randomInputs(uint64(first))
	for i, want := range ranOnHost(t, b.String(), in, len(all)) {
		p := all[i]
		source := helpers + p.functions("f") + fmt.Sprintf(`__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  __shared__ %s left[%d]; __shared__ %s right[%[2]d]; int t = threadIdx.x, g0 = a[t], g1 = c[t]; left[t] = a[t]; right[t] = 0; __syncthreads();
`, p.types[0], items, p.types[1])
		for i := range p.steps {
			source += fmt.Sprintf("  f_%d(a[t], b[t], c[t], t, n, g0, g1, %s); __syncthreads();\n", i, []string{"left, right", "right, left"}[i%2])
		}
		source += fmt.Sprintf("  out[t] = g0; out[t + %d] = g1; out[t + 2 * %[1]d] = left[t]; out[t + 3 * %[1]d] = right[t];\n}\n", items)
		if got, err := executed(t, source, in); err != nil && strings.Contains(err.Error(), "not compiled here") {
			t.Logf("seed %d: %v", first+i, err)
		} else if err != nil {
			t.Errorf("seed %d: %v\n%s", first+i, err, source)
		} else if at := different(got, want); at >= 0 {
			t.Errorf("seed %d: output %d of work-item %d is %#x, want %#x\n%s", first+i, at/items, at%items, word(got, at), word(want, at), source)
		}
	}
}

// seeds are those that the environment asks for, or so many.
func seeds(few, many int) (first, end int) {
	end = few
	if os.Getenv("LONG") != "" {
		end = many
	}
	if from, to, ok := strings.Cut(os.Getenv("SEEDS"), "-"); ok {
		first, _ = strconv.Atoi(from)
		end, _ = strconv.Atoi(to)
	}
	return first, end
}

// onHost is what functions leave for all work-items, one output after the other.
func onHost(t *testing.T, texts []string, in []byte) (all [][]byte) {
	t.Helper()
	var b strings.Builder
	b.WriteString("#include <cstdio>\n#define __device__\n" + intrinsics + helpers)
	names := ""
	for i, text := range texts {
		fmt.Fprintf(&b, "static void f%d%s {\n%s}\n", i, parameters, text)
		names += fmt.Sprintf("f%d, ", i)
	}
	fmt.Fprintf(&b, `typedef void F%s; static F *all[] = {%s}; static unsigned in[3][%d], out[%d][%d];
int main() { fread(in, 1, sizeof in, stdin); for (F *f : all) { for (int t = 0; t < %[3]d; t++) { unsigned o[%[4]d]; f(in[0][t], in[1][t], in[2][t], t, %[3]d, o);
for (int s = 0; s < %[4]d; s++) out[s][t] = o[s]; } fwrite(out, 1, sizeof out, stdout); } }
`, parameters, names, items, outputs, items)
	return ranOnHost(t, b.String(), in, len(texts))
}

// ranOnHost is what a program writes for so many functions.
func ranOnHost(t *testing.T, source string, in []byte, functions int) (all [][]byte) {
	t.Helper()
	dir := t.TempDir()
	file, binary := filepath.Join(dir, "host.cpp"), filepath.Join(dir, "host")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("g++", "-std=c++17", "-O0", "-w", "-fwrapv", "-o", binary, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	cmd := exec.Command(binary)
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if size := 4 * outputs * items; err != nil || len(out) != size*functions {
		t.Fatalf("%v: %d bytes of %d functions", err, len(out), functions)
	} else {
		for i := range functions {
			all = append(all, out[i*size:][:size])
		}
	}
	return all
}

// alone is a kernel that calls a function for each work-item.
func alone(text string) string {
	return helpers + fmt.Sprintf(`__device__ void f%s {
%s}
__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  int t = threadIdx.x; unsigned o[%d]; f(a[t], b[t], c[t], t, n, o); for (int s = 0; s < %[3]d; s++) out[s * %d + t] = o[s];
}
`, parameters, text, outputs, items)
}

// executed is what a kernel leaves in a work-group here.
func executed(t *testing.T, source string, in []byte) ([]byte, error) {
	t.Helper()
	o := compile.Options{Architecture: "sm_90", Name: "random.cu"}
	if strings.Contains(source, "__kernel") {
		o.Language = cfront.OpenCL
	}
	p, err := compile.Kernel(context.Background(), source, "k", o)
	if err != nil {
		return nil, err
	}
	job := device.Job{Global: []int64{items}, Local: []int64{items}}
	for i, name := range []string{"a", "b", "c"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, in[4*items*i:][:4*items], 0o600); err != nil {
			return nil, err
		}
		job.Args = append(job.Args, device.Arg{Name: name, Kind: device.Buffer, DType: "uint32", Count: items, File: &device.File{Path: path}})
	}
	job.Args = append(job.Args, device.Arg{Name: "out", Kind: device.Buffer, DType: "uint32", Count: items * outputs, Sequence: &device.Sequence{}},
		device.Arg{Kind: device.Scalar, DType: "int32", Int: items})
	launch, err := machine.New(p.Function, job, machine.Assumptions{})
	if err != nil {
		return nil, err
	}
	group := launch.Group([3]uint32{})
	group.Run(10_000_000)
	if !group.Ended() || len(launch.Doubts()) > 0 {
		return nil, fmt.Errorf("it does not end, or leaves doubts: %v", launch.Doubts())
	}
	out, _ := group.Read("out", 0, 4*items*outputs)
	return out, nil
}

// TestRotations: what one instruction rotates or combines of three words is what the text says, constants in it or not.
func TestRotations(t *testing.T) {
	const text = `unsigned u = x, w = z + 0x9e3779b9u;
  o[0] = ((w >> 7) | (w << 25)) ^ ((y << 11) ^ (y >> 21));
  o[1] = (u & y) ^ (u & w) ^ (y & w);
  o[2] = ((u & y) ^ (~u & w)) + ((w << 3) | (w >> 28)) + ((u >> 5) | (y << 27));
  o[3] = ~((u | y) & ~(w ^ u)) | (y & ~w);
`
	p, err := compile.Kernel(context.Background(), alone(text), "k", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(p.Listing, "SHF.L.W"); n != 2 {
		t.Errorf("%d rotations, want 2\n%s", n, p.Listing)
	}
	in := randomInputs(1)
	got, err := executed(t, alone(text), in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		u, y, w := word(in, i), word(in, items+i), word(in, 2*items+i)+0x9e3779b9
		for s, want := range []uint32{
			bits32.RotateLeft32(w, -7) ^ bits32.RotateLeft32(y, 11), u&y ^ u&w ^ y&w, (u&y ^ ^u&w) + (w<<3 | w>>28) + (u>>5 | y<<27), ^((u | y) & ^(w ^ u)) | y&^w,
		} {
			if v := word(got, s*items+i); v != want {
				t.Fatalf("o[%d] of %#x, %#x, %#x is %#x, want %#x", s, u, y, w, v, want)
			}
		}
	}
}
