package bench

import (
	_ "embed"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"gpuperf/internal/rows"
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

//go:embed operations.txt
var operationText string

// operations are those that are measured alone.
var operations = func() (list []operation) {
	for r := range rows.Of(operationText) {
		each, err := strconv.Atoi(r.At(4))
		if err != nil {
			panic("operations.txt: " + err.Error())
		}
		list = append(list, operation{r[0], r.At(1), r.At(2), strings.ReplaceAll(r.At(3), " ", "|"), each, r.At(5) == "fact"})
	}
	return list
}()

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

//go:embed head.cu
var head string

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
