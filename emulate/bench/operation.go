package bench

import (
	"fmt"
	"iter"
	"strings"
)

// operation is PTX that a chain is made of: of %0, which is read and written, and %1 and %2, which nothing changes.
type operation struct {
	name  string
	kind  string // word or dword
	text  string
	holds string // the opcodes that it becomes
	each  int    // how many of them
	fact  bool   // facts follow from it: it is measured in loops of two lengths, so that the loop itself does not count
}

// operations are those that are measured alone.
var operations = []operation{
	{"fadd", "word", "add.f32 %0,%0,%1;", "FADD", 1, false},
	{"fmul", "word", "mul.f32 %0,%0,%1;", "FMUL", 1, false},
	{"ffma", "word", "fma.rn.f32 %0,%0,%1,%2;", "FFMA", 1, true},
	{"fmnmx", "word", "min.f32 %0,%0,%1; max.f32 %0,%0,%2;", "FMNMX", 2, false},
	{"lop3", "word", "lop3.b32 %0,%0,%1,%2,0x6a;", "LOP3", 1, true},
	{"imad", "word", "mad.lo.u32 %0,%0,%1,%2;", "IMAD", 1, true},
	{"imadhi", "word", "mad.hi.u32 %0,%0,%1,%2;", "IMAD.HI", 1, false},
	{"imadwide", "dword", "{.reg .u32 lo,hi,m,n; mov.b64 {lo,hi},%0; mov.b64 {m,n},%1; mad.wide.u32 %0,lo,m,%0;}", "IMAD.WIDE", 1, false},
	{"shf", "word", "shf.l.wrap.b32 %0,%0,%1,3;", "SHF", 1, false},
	{"prmt", "word", "prmt.b32 %0,%0,%1,%2;", "PRMT", 1, false},
	{"vimnmx", "word", "min.s32 %0,%0,%1; max.s32 %0,%0,%2;", "VIMNMX|IMNMX", 2, false},
	{"isetp_sel", "word", "{.reg .pred p; setp.gt.u32 p,%0,%1; selp.u32 %0,%1,%2,p;}", "ISETP|SEL", 2, false},
	{"isetp_guard", "word", "{.reg .pred p; setp.gt.u32 p,%0,%1; @p mad.lo.u32 %0,%0,%1,%2;}", "ISETP|IMAD", 2, false},
	{"fsetp_sel", "word", "{.reg .pred p; setp.gt.f32 p,%0,%1; selp.u32 %0,%1,%2,p;}", "FSETP|SEL|FSEL", 2, false},
	{"dp4a", "word", "dp4a.u32.u32 %0,%0,%1,%2;", "IDP", 1, false},
	{"dadd", "dword", "add.f64 %0,%0,%1;", "DADD", 1, false},
	{"dmul", "dword", "mul.f64 %0,%0,%1;", "DMUL", 1, false},
	{"dfma", "dword", "fma.rn.f64 %0,%0,%1,%2;", "DFMA", 1, true},
	{"hfma2", "word", "fma.rn.f16x2 %0,%0,%1,%2;", "HFMA2", 1, true},
	{"hadd2", "word", "add.f16x2 %0,%0,%1;", "HADD2|HFMA2", 1, false},
	{"ex2", "word", "ex2.approx.ftz.f32 %0,%0;", "MUFU", 1, true},
	{"lg2", "word", "lg2.approx.ftz.f32 %0,%0;", "MUFU", 1, false},
	{"rsq", "word", "rsqrt.approx.ftz.f32 %0,%0;", "MUFU", 1, false},
	{"tanh", "word", "tanh.approx.f32 %0,%0;", "MUFU", 1, false},
	{"popc", "word", "popc.b32 %0,%0;", "POPC", 1, false},
	{"flo", "word", "bfind.u32 %0,%0;", "FLO", 1, false},
	{"i2f_f2i", "word", "cvt.rn.f32.s32 %0,%0; cvt.rzi.s32.f32 %0,%0;", "I2F|I2FP|F2I", 2, false},
	{"f2i_fadd", "word", "cvt.rzi.s32.f32 %0,%0; add.f32 %0,%0,%1;", "F2I|FADD", 2, false},
	{"f2d_d2f", "word", "{.reg .f64 d; cvt.f64.f32 d,%0; cvt.rn.f32.f64 %0,d;}", "F2F", 2, true},
	{"i2d_d2i", "word", "{.reg .f64 d; cvt.rn.f64.s32 d,%0; cvt.rzi.s32.f64 %0,d;}", "I2F|F2I", 2, false},
	{"dsetp_sel", "dword", "{.reg .pred p; setp.gt.f64 p,%0,%1; selp.b64 %0,%1,%2,p;}", "DSETP", 1, false},
	{"shfl", "word", "shfl.sync.idx.b32 %0,%0,%1,31,-1;", "SHFL", 1, true},
	{"vote", "word", "{.reg .pred p; setp.gt.u32 p,%0,%1; vote.sync.ballot.b32 %0,p,-1;}", "VOTE", 1, true},
	{"match", "word", "match.any.sync.b32 %0,%0,-1;", "MATCH", 1, false},
	{"redux", "word", "redux.sync.add.u32 %0,%0,-1;", "REDUX", 1, true},
	{"smid", "word", "{.reg .u32 t; mov.u32 t,%%smid; xor.b32 %0,%0,t;}", "S2R|S2UR", 1, false},
}

// classes are operations of which each pair is measured.
var classes = []string{"ffma", "lop3", "imad", "dfma", "hfma2", "ex2", "popc", "f2d_d2f", "shfl"}

// unit is a source file of measurement kernels.
type unit struct {
	name, text string
}

// times is how often the body of a loop has an operation, and the longer one of a fact.
const (
	times     = 64
	timesLong = 128
)

const head = `typedef unsigned int word;
typedef unsigned long long dword;
#define KERNEL(NAME) extern "C" __global__ void NAME(dword *t, const dword *in, dword *a, int n, int m)
#define LANE (threadIdx.x % 32)
#define WARP ((blockIdx.x * blockDim.x + threadIdx.x) / 32)
#define TELL if (LANE == 0) t[2 * WARP] = t0, t[2 * WARP + 1] = t1;
#define KEEP(VALUE) if ((VALUE) == 0x1234567) t[0] = 1;
__device__ __forceinline__ dword now() {
  dword c;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c) :: "memory");
  return c;
}
`

// function is the operation as a function of CUDA C.
func (o *operation) function() string {
	letter := map[string]string{"word": "r", "dword": "l"}[o.kind]
	return fmt.Sprintf("__device__ __forceinline__ void do_%s(%s &x, %[2]s a, %[2]s b) { asm volatile(\"{%s}\" : \"+%s\"(x) : \"%[4]s\"(a), \"%[4]s\"(b)); }\n",
		o.name, o.kind, o.text, letter)
}

// chain is a kernel with so many operations, each of which waits for the one before; of two operations, which stand in turn, where they are
// of one kind.
func chain(name string, times int, one, other *operation) string {
	var b strings.Builder
	same := one.kind == other.kind
	fmt.Fprintf(&b, "KERNEL(%s) {\n  %s a0 = in[32 + LANE], b0 = in[64 + LANE], x = in[LANE];\n", name, one.kind)
	second := "x, a0, b0"
	if !same {
		fmt.Fprintf(&b, "  %s c0 = in[33 + LANE], d0 = in[65 + LANE], y = in[LANE + 1];\n", other.kind)
		second = "y, c0, d0"
	}
	b.WriteString("  __syncthreads();\n  dword t0 = now();\n#pragma unroll 1\n  for (int i = 0; i < n; i++) {\n")
	if one == other {
		fmt.Fprintf(&b, "#pragma unroll\n    for (int k = 0; k < %d; k++) do_%s(x, a0, b0);\n", times, one.name)
	} else {
		fmt.Fprintf(&b, "#pragma unroll\n    for (int k = 0; k < %d; k++) { do_%s(x, a0, b0); do_%s(%s); }\n", times/2, one.name, other.name, second)
	}
	b.WriteString("  }\n  dword t1 = now();\n  TELL\n  KEEP(x)\n")
	if !same {
		b.WriteString("  KEEP(y)\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// stream is a kernel whose operations do not wait for each other, eight by eight.
func stream(name string, times int, o *operation) string {
	return fmt.Sprintf(`KERNEL(%s) {
  %s a0 = in[32 + LANE], b0 = in[64 + LANE], x[8];
  for (int k = 0; k < 8; k++) x[k] = in[LANE + k];
  __syncthreads();
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < %d; k++) do_%s(x[k %% 8], a0, b0);
  }
  dword t1 = now();
  TELL
  KEEP(x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7])
}
`, name, o.kind, times, o.name)
}

func operationOf(name string) *operation {
	for i := range operations {
		if operations[i].name == name {
			return &operations[i]
		}
	}
	panic("no operation " + name)
}

// turns of the loops of operations.
const turns = 64

// ofOperations are chains of each operation and of each pair of classes, by one warp and by 32, and streams of those that facts follow from.
func ofOperations() (all []*Measurement) {
	add := func(u *unit, name string, count int64, holds []hold, warps ...int64) {
		for _, w := range warps {
			all = append(all, &Measurement{
				Name: name, Varies: map[string]int64{"warps": w}, unit: u, kernel: name, Blocks: 1, Items: 32 * w, numbers: []int64{turns},
				holds: holds, tell: cycles, operations: turns * count,
			})
		}
	}
	const perUnit = 10 // operations in a file: as many as compile in seconds
	for from := 0; from < len(operations); from += perUnit {
		u := &unit{name: fmt.Sprintf("operations %d", from/perUnit+1), text: head}
		for i := range operations[from:min(from+perUnit, len(operations))] {
			o := &operations[from+i]
			u.text += o.function()
			for name, times := range o.lengths("chain_") {
				u.text += chain(name, times, o, o)
				add(u, name, int64(times), []hold{{o.holds, times * o.each}}, 1, 32)
			}
		}
	}
	for i, one := range classes {
		u := &unit{name: "pairs with " + one}
		a := operationOf(one)
		text := head + a.function()
		for _, other := range classes[i+1:] {
			b := operationOf(other)
			name := "pair_" + one + "_" + other
			text += b.function() + chain(name, times, a, b)
			add(u, name, times/2, []hold{{a.holds, times / 2 * a.each}, {b.holds, times / 2 * b.each}}, 1, 32)
		}
		u.text = text
	}
	u := &unit{name: "streams", text: head}
	for i := range operations {
		o := &operations[i]
		if !o.fact {
			continue
		}
		u.text += o.function()
		warps := []int64{o.streaming()}
		if o.name == "ffma" {
			warps = []int64{1, 2, 3, 4, 5, 6, 8, 16, 32}
		}
		for name, times := range o.lengths("stream_") {
			u.text += stream(name, times, o)
			add(u, name, int64(times), []hold{{o.holds, times * o.each}}, warps...)
		}
	}
	return all
}

// lengths are the kernels of an operation, with how often their loops have it.
func (o *operation) lengths(what string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		if yield(what+o.name, times) && o.fact {
			yield(what+o.name+"_long", timesLong)
		}
	}
}
