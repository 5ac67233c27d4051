package compile_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	machine "gpuperf/emulate/exec"
	"gpuperf/features"
	"gpuperf/internal/round"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// product is a kernel script of a product of 32 rows and 16 columns by matrix instructions, with factors in local memory or not: %[1]s and %[2]s are the elements of these.
const product = `knl = lp.make_kernel(["{[lane,q,p]: 0<=lane<32 and 0<=q<32 and 0<=p<16}", "{[mi,ni,r,k]: 0<=mi<2 and 0<=ni<2 and 0<=r<4 and 0<=k<32}", "{[mz,nz,rz]: 0<=mz<2 and 0<=nz<2 and 0<=rz<4}",
    "{[mo,no,ro]: 0<=mo<2 and 0<=no<2 and 0<=ro<4}"],
    """
    sums[mz,nz,rz] = 0 {id=zero, inames=mz:nz:rz:lane}
    at[lane,q] = a[lane,q] {id=fa}
    across[q,lane] = a[lane,q] {id=fb}
    bt[lane,p] = b[lane,p] {id=fc}
    down[p,lane] = b[lane,p] {id=fd}
    sums[mi,ni,r] = sums[mi,ni,r] + cast(float32, %[1]s)*cast(float32, %[2]s) {id=mul, dep=zero:fa:fb:fc:fd, inames=mi:ni:r:k:lane}
    c[16*mo+lane//4+8*(ro//2),8*no+2*(lane%%4)+ro%%2] = sums[mo,no,ro] {id=out, dep=mul}
    """, [lp.GlobalArg("a","float16",shape="32,32"), lp.GlobalArg("b","float16",shape="32,16"), lp.GlobalArg("c","float32",shape="32,16"),
    lp.TemporaryVariable("sums","float32",shape="2,2,4",address_space=lp.AddressSpace.PRIVATE),
    lp.TemporaryVariable("at","float16",shape="32,40",address_space=lp.AddressSpace.LOCAL), lp.TemporaryVariable("across","float16",shape="32,32",address_space=lp.AddressSpace.LOCAL),
    lp.TemporaryVariable("bt","float16",shape="32,24",address_space=lp.AddressSpace.LOCAL), lp.TemporaryVariable("down","float16",shape="16,32",address_space=lp.AddressSpace.LOCAL)])
knl = lp.tag_inames(knl, "lane:l.0, mi:mma, ni:mma, r:mma, k:mma, mz:unr, nz:unr, rz:unr, mo:unr, no:unr, ro:unr")
`

// byShuffles is what the documentation of PTX says of instructions, for emulation, which does not follow their values: work-items get from others what they need.
const byShuffles = `static inline __device__ float element(uint w, int k) { ushort h = (ushort) (w >> 16 * (k % 2)); return (float) *(half *) &h; }
static inline __device__ uint of(uint w, int lane) { return __shfl_sync(0xffffffffu, w, lane); }
static inline __device__ void multiply_half(float &c0, float &c1, float &c2, float &c3, uint4 a, uint b0, uint b1) {
    float sums[4] = {c0, c1, c2, c3};
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 16; k++) {
            int row = threadIdx.x / 4, column = threadIdx.x % 4 * 2 + r % 2, x = 4 * row + k % 8 / 2, y = 4 * column + k % 8 / 2;
            uint first = r / 2 == 0 ? (k < 8 ? of(a.x, x) : of(a.z, x)) : (k < 8 ? of(a.y, x) : of(a.w, x));
            sums[r] += element(first, k) * element(k < 8 ? of(b0, y) : of(b1, y), k);
        }
    c0 = sums[0]; c1 = sums[1]; c2 = sums[2]; c3 = sums[3];
}
static inline __device__ uint at(const void *p, int lane, int k) { return ((const ushort *) p)[((int) of((uint) __cvta_generic_to_shared(p), lane) - (int) __cvta_generic_to_shared(p)) / 2 + k]; }
static inline __device__ uint line(const void *p, int lane) { int k = threadIdx.x % 4 * 2; return at(p, lane + threadIdx.x / 4, k) | at(p, lane + threadIdx.x / 4, k + 1) << 16; }
static inline __device__ uint across(const void *p, int lane) { int k = threadIdx.x % 4 * 2; return at(p, lane + k, threadIdx.x / 4) | at(p, lane + k + 1, threadIdx.x / 4) << 16; }
static inline __device__ uint4 matrices(const void *p) { uint4 m; m.x = line(p, 0); m.y = line(p, 8); m.z = line(p, 16); m.w = line(p, 24); return m; }
static inline __device__ uint4 matrices_across(const void *p) { uint4 m; m.x = across(p, 0); m.y = across(p, 8); m.z = across(p, 16); m.w = across(p, 24); return m; }
`

var instructions = regexp.MustCompile(`(?s)#define MULTIPLY.*?\n#define lid`)

// TestProducts: matrix instructions of CUDA C have the factors and sums that the statement in their place says, wherever the factors are.
func TestProducts(t *testing.T) {
	const row, column = "16*mi+lane//4+8*(r//2)", "8*ni+2*(lane%4)+r%2"
	for _, c := range []struct {
		first, second        string
		matrices, transposed int
	}{{"at[ROW,k]", "bt[k,COLUMN]", 4, 2}, {"across[k,ROW]", "down[COLUMN,k]", 2, 4}, {"a[ROW,k]", "b[k,COLUMN]", 0, 0}} {
		in := strings.NewReplacer("ROW", row, "COLUMN", column)
		s, err := script.Exec("p.star", fmt.Sprintf(product, in.Replace(c.first), in.Replace(c.second)))
		if err != nil {
			t.Fatal(err)
		}
		n, err := linear.New(s[0].Kernel)
		if err != nil {
			t.Fatal(err)
		}
		counts, err := features.Count(s[0].Kernel, features.Options{})
		if err != nil {
			t.Fatal(err)
		}
		id, err := features.ParseID("f_op_float16_mma")
		if err != nil {
			t.Fatal(err)
		}
		if v, err := counts.Value(id, nil); err != nil || v != 8 {
			t.Errorf("%g matrix instructions counted, want 8: %v", v, err)
		}
		source, err := emit.Write(n, emit.Options{Language: emit.CUDAC})
		if err != nil {
			t.Fatal(err)
		}
		made := func(text string) *compile.Program {
			p, err := compile.Kernel(t.Context(), text, source.Entry, compile.Options{Architecture: "sm_90", Name: "p.cu"})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := made(source.Text)
		for what, want := range map[string]int{"HMMA.16816": 8, "LDSM.16.M88.4": c.matrices, "LDSM.16.MT88.4": c.transposed} {
			if n := strings.Count(p.Listing, what); n != want {
				t.Errorf("%s and %s: %d %s, want %d", c.first, c.second, n, what, want)
			}
		}
		multiplied(t, made(instructions.ReplaceAllString(source.Text, byShuffles+"#define lid")))
	}
}

// multiplied executes a product.
func multiplied(t *testing.T, p *compile.Program) {
	t.Helper()
	const rows, columns, terms = 32, 16, 32
	r := rand.New(rand.NewPCG(1, 2))
	job := device.Job{Global: []int64{32}, Local: []int64{32}}
	numbers := func(name string, count int) []float64 {
		bytes, out := []byte{}, []float64{}
		for range count {
			x := float64(r.IntN(65)-32) / 16
			bytes, out = binary.LittleEndian.AppendUint16(bytes, round.ToHalf(x, round.Nearest)), append(out, x)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		job.Args = append(job.Args, device.Arg{Name: name, Kind: device.Buffer, DType: "uint16", Count: int64(count), File: &device.File{Path: path}})
		return out
	}
	a, b := numbers("a", rows*terms), numbers("b", terms*columns)
	job.Args = append(job.Args, device.Arg{Name: "c", Kind: device.Buffer, DType: "uint32", Count: rows * columns, Sequence: &device.Sequence{}})
	launch, err := machine.New(p.Function, job, machine.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	group := launch.Group([3]uint32{})
	group.Run(1_000_000)
	if !group.Ended() || len(launch.Doubts()) > 0 {
		t.Fatalf("it does not end, or leaves doubts: %v", launch.Doubts())
	}
	out, _ := group.Read("c", 0, 4*rows*columns)
	for i := range rows {
		for j := range columns {
			want := 0.0
			for k := range terms {
				want += a[i*terms+k] * b[k*columns+j]
			}
			if got := math.Float32frombits(word(out, i*columns+j)); float64(got) != want {
				t.Fatalf("c[%d,%d] is %g, want %g\n%s", i, j, got, want, p.Listing)
			}
		}
	}
}
