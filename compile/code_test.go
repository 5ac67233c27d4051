package compile_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// TestCode looks for instructions in code: what it has, and what it lacks.
func TestCode(t *testing.T) {
	for _, c := range []struct{ statements, has, lacks string }{
		{"o[i] = __fdividef(x[i], x[i + 1]);", "MUFU.RCP", "FCHK"},
		{"o[i] = __expf(x[i]) + __exp10f(x[i]);", "MUFU.EX2", "CALL"},
		{"o[i] = __powf(x[i], x[i + 1]) + __logf(x[i]) + __log2f(x[i]) + __log10f(x[i]);", "MUFU.LG2", "CALL"},
		{"o[i] = __sinf(x[i]) + __cosf(x[i]) + __tanf(x[i]);", "MUFU.SIN", "CALL"},
		{"l[i] = __dp4a((int) l[i], n, 3) + __funnelshift_l(n, i, 3);", "IDP.4A", "CALL"},
		{"o[i] = x[i] / x[i + 1];", "FCHK", "F2F.F64"},
		{"l[i] = l[i] << 13 | l[i] >> 51;", "SHF.L.W.U32.HI", "LOP3|SHF.L.U64|SHF.R"},
		{"l[i] = l[i + 1] ^ l[i + 2] ^ l[i + 3];", "LOP3.LUT .*0x96", "0x3c"}, // sums of three
		{"o[i] = x[(size_t)i * n];", "IMAD.WIDE ", "IMAD.WIDE.U32"},
		{"if (i < n) o[i] = x[i]; if (i + 64 < n) o[i + 64] = x[i + 64];", `(?s)@!?P\d LDG.*@!?P\d STG.*@!?P\d LDG.*@!?P\d STG`, ""},
		{"if (i < n) { o[i] = x[i]; o[i + 64] = x[i + 64]; }", "(?s)LDG.*LDG.*STG.*STG", "(?s)STG.*LDG"},
		{"if (n > 3 && x[n] > 0.f) o[i] = x[i + n];", `@!P\d BRA`, ""},
		{"__shared__ float s[64]; s[i] = x[i]; __syncthreads(); float r = 0; for (int k = 0; k < n; k++) r += s[i ^ 1] * x[k]; o[i] = r;", `LDS R\d+, \[R\d+\] ;\n(.*(LDC|MOV).*\n)*\.L_\d+:\n.*IMAD`, "FFMA(.*\n)*?.*LDS.*\n.*FFMA"},
		{"unsigned long long r = l[i]; for (int k = 0; k < 4; k++) r = r << 1 | (x[i + k] < o[i]); l[i] = r;", "SEL", "SHF.R.S32"},
		{"if (x[i] > 0) { o[i * n + 5] = x[i * n]; __syncthreads(); } else { o[i * n] = x[i * n + 3]; __syncthreads(); }", "IMAD ", "(?s) IMAD .*\n.* IMAD R.* IMAD R"},
		// Atomic operations to one place are one of a sub-group; where their results are needed, sums of the same number are.
		{"__shared__ int m; atomicMax(&m, (int)x[i]); __syncthreads(); o[i] = m;", `(?s)REDUX.MAX.S32.*@P\d ATOMS.MAX`, "SHFL"},
		{"__shared__ int m; int at = atomicAdd(&m, 2); o[at] = x[i];", `(?s)POPC.*@P\d ATOMS.ADD R.*SHFL.IDX`, "REDUX"},
		{"__shared__ int m; int at = atomicAdd(&m, (int)x[i]); o[at] = x[i];", `ATOMS.ADD R`, "REDUX|SHFL"},
		{"for (int j = 0; j < 3; j++) atomicAdd(o + i + 32 * j, x[i]);", `(?s)RED.*RED.*RED`, "BRA"},
	} {
		p, err := compile.Kernel(context.Background(), "__global__ void k(const float *__restrict__ x, float *o, unsigned long long *l, int n) { int i = threadIdx.x; "+c.statements+" }", "k", compile.Options{Architecture: "sm_90"})
		if err != nil {
			t.Fatal(c.statements, err)
		}
		if !regexp.MustCompile(c.has).MatchString(p.Listing) || c.lacks != "" && regexp.MustCompile(c.lacks).MatchString(p.Listing) {
			t.Errorf("%s: want %q, not %q\n%s", c.statements, c.has, c.lacks, p.Listing)
		}
		met := regexp.MustCompile(`\.L_\d+:\n(.*//##.*\n)*.*/\*.*\*/(.*)`)
		for _, block := range met.FindAllString(p.Listing, -1) {
			if rest := p.Listing[strings.Index(p.Listing, block)+len(block):]; !strings.Contains(block, "BSYNC") && strings.Contains(strings.SplitN(rest, ".L_", 2)[0], "BSYNC") {
				t.Errorf("%s: work-items meet late\n%s", c.statements, p.Listing)
			}
		}
	}
}

// TestQuotients divides numbers of all ranges by each other: results are rounded correctly.
func TestQuotients(t *testing.T) {
	var numbers []float32
	for _, x := range []float64{0, 1e-45, 3e-45, 1.1e-39, 1.17549435e-38, 1e-30, 1e-20, 0.3, 1, 1.5, 3, 7.7e19, 1e30, 3.4e38, math.Inf(1), math.NaN(), 8388609, 1e-38 / 3} {
		numbers = append(numbers, float32(x), float32(-x))
	}
	n := len(numbers)
	path := filepath.Join(t.TempDir(), "x")
	var data []byte
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := compile.Kernel(context.Background(), "__global__ void k(const float *x, float *o) { o[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x] / x[threadIdx.x]; }", "k", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	launch, err := exec.New(p.Function, device.Job{Global: []int64{int64(n * n)}, Local: []int64{int64(n)}, Args: []device.Arg{
		{Name: "x", Kind: device.Buffer, DType: "float32", Count: int64(n), File: &device.File{Path: path}},
		{Name: "o", Kind: device.Buffer, DType: "float32", Count: int64(n * n), Sequence: &device.Sequence{}},
	}}, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range numbers {
		g := launch.Group([3]uint32{uint32(i)})
		g.Run(1_000_000)
		out := must(g.Read("o", int64(4*n*i), int64(4*n)))
		for j, y := range numbers {
			got, want := math.Float32frombits(binary.LittleEndian.Uint32(out[4*j:])), x/y
			if math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
				t.Errorf("%g / %g is %g, want %g", x, y, got, want)
			}
		}
	}
}

// TestTogether: what lanes that take part add, compare or join at one place together is what each of them alone would have.
func TestTogether(t *testing.T) {
	const text = `__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  int t = threadIdx.x;
  if (t < 4) out[t] = 0;
  __syncthreads();
  if (t % 3 == 1) { atomicAdd(out, t); atomicAdd(out + 1, 5); atomicMax((int *) out + 2, 7 - t); }
  else atomicXor(out + 3, t);
}`
	got, err := executed(t, text, randomInputs(1))
	if err != nil {
		t.Fatal(err)
	}
	var want [4]uint32
	for i := range uint32(items) {
		if i%3 == 1 {
			want[0] += i
			want[1] += 5
			want[2] = max(want[2], uint32(max(0, 7-int32(i))))
		} else {
			want[3] ^= i
		}
	}
	for k, w := range want {
		if x := word(got, k); x != w {
			t.Errorf("output %d is %d, want %d", k, x, w)
		}
	}
}
