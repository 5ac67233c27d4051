package ckerneltest

import (
	"context"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"gpuperf/cfront"
)

// Random is a random kernel function f, with a launch of it.
type Random struct {
	Text   string
	CUDA   bool
	Local  []int64
	Global []string
	Sizes  []map[string]int64
	// SubGroup is the number of work-items of a sub-group.
	SubGroup int
}

// Read parses the text.
func (r Random) Read() (*cfront.File, error) {
	file := "random.cl"
	if r.CUDA {
		file = "random.cu"
	}
	return cfront.Parse(context.Background(), file, r.Text, cfront.Options{})
}

// Launch is the launch at sizes.
func (r Random) Launch(f *cfront.File, at map[string]int64) (Launch, error) {
	l, err := Example{Kernel: "f", Local: r.Local, Global: r.Global}.Launch(f, at)
	l.SubGroup = r.SubGroup
	return l, err
}

// Program makes a random kernel function of one or two axes: guards, index variables, loops with strides, tiles in local memory with
// barriers, vectors, pointers that advance, helper functions, conditions within conditions and on data. Each work-item stores to elements
// of its own, no subscript is negative, and every loop ends.
func Program(t *rapid.T) Random {
	g := &generator{t: t, words: openCL}
	r := Random{CUDA: rapid.Bool().Draw(t, "cuda")}
	if r.CUDA {
		g.words = cuda
	}
	g.axes = rapid.IntRange(1, 2).Draw(t, "axes")
	g.local = rapid.SampledFrom([]int64{4, 8, 16}).Draw(t, "local")
	r.Local, r.Global = []int64{g.local}, []string{"n"}
	if g.axes == 2 {
		r.Local, r.Global = append(r.Local, 2), append(r.Global, "m")
	}
	r.SubGroup = rapid.SampledFrom([]int{4, 8, 32}).Draw(t, "subgroup")
	g.barriers = g.chance("barriers", 2)
	g.even = g.chance("even", 3)
	r.Sizes = []map[string]int64{{"n": 2 * g.local, "m": 4}, {"n": 3 * g.local, "m": 2}}
	if !g.even {
		r.Sizes = append(r.Sizes, map[string]int64{"n": g.local + 3, "m": 5}, map[string]int64{"n": 1, "m": 1})
	}
	g.program()
	r.Text = g.text.String()
	return r
}

// words are what the languages say differently.
type words struct {
	kernel, global, local, barrier string
	id, group, item, size          [2]string
	load4, vector                  string // a load of vector %[2]s of an array, and of four scalars
	helper, atomic, shuffle        string
	constant                       [2]string // memory: a variable of the file, a parameter
}

var openCL = words{
	"__kernel", "__global ", "__local ", "barrier(CLK_LOCAL_MEM_FENCE)",
	[2]string{"get_global_id(0)", "get_global_id(1)"},
	[2]string{"get_group_id(0)", "get_group_id(1)"},
	[2]string{"get_local_id(0)", "get_local_id(1)"},
	[2]string{"get_local_size(0)", "get_local_size(1)"},
	"vload4(%[2]s, %[1]s)", "(float4)(%s, %s, %s, %s)", "", "atomic_add", "",
	[2]string{"", ", __constant float *mask"},
}

var cuda = words{
	"__global__", "", "__shared__ ", "__syncthreads()",
	[2]string{"blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.y * blockDim.y + threadIdx.y"},
	[2]string{"blockIdx.x", "blockIdx.y"},
	[2]string{"threadIdx.x", "threadIdx.y"},
	[2]string{"blockDim.x", "blockDim.y"},
	"reinterpret_cast<const float4 *>(%[1]s)[%[2]s]", "make_float4(%s, %s, %s, %s)", "__device__ ", "atomicAdd", "__shfl_down_sync(0xffffffff, %s, 1)",
	[2]string{"__constant__ float mask[16];\n", ""},
}

type generator struct {
	t        *rapid.T
	words    words
	text     strings.Builder
	depth    int
	axes     int
	local    int64
	barriers bool // the kernel has them: no work-item may leave before
	even     bool // work-groups are full
	loops    []string
	names    int
	// continues: the innermost loop may go to its next iteration early.
	continues bool
	indices   []string // integer variables, none negative
	linear    []string // those that are linear in sizes and work-items
	floats    []string
	vectors   []string
	most      int
}

func (g *generator) line(format string, args ...any) {
	g.text.WriteString(strings.Repeat("    ", g.depth))
	fmt.Fprintf(&g.text, format+"\n", args...)
}

func (g *generator) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(g.t, label)
}

// chance is true once in about so many cases.
func (g *generator) chance(label string, of int) bool {
	return rapid.IntRange(1, of).Draw(g.t, label) == 1
}

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) program() {
	w := g.words
	g.helpers()
	g.line("%s void f(int n, int m, float alpha, %[2]sconst float *A, %[2]sconst float *B, %[2]sconst int *D, %[2]sfloat *out, %[2]sint *marks, %[2]sint *counts%[3]s)", w.kernel, w.global, w.constant[1])
	g.line("{")
	g.depth++
	if g.barriers {
		g.line("%sfloat tile[%d];", w.local, 2*g.local)
		g.line("%sfloat plane[2][%d];", w.local, g.local+1)
	}
	g.line("int x = %s;", w.id[0])
	g.line("int l = %s;", w.item[0])
	g.line("int b = %s;", w.group[0])
	g.linear = []string{"x", "l", "b"}
	inside, at := "x < n", "x"
	if g.axes == 2 {
		g.line("int y = %s;", w.id[1])
		g.linear = append(g.linear, "y")
		inside, at = "x < n && y < m", "y * n + x"
	}
	g.indices = append(g.indices, g.linear...)
	g.line("float acc = 0.0f;")
	g.floats = []string{"acc", "alpha"}
	guarded := g.even && g.chance("unguarded", 2)
	if !g.barriers && !guarded && g.chance("return", 2) {
		if g.axes == 2 && g.chance("negated", 2) {
			g.line("if (x >= n || y >= m)")
		} else {
			g.line("if (!(%s))", inside)
		}
		g.line("    return;")
		guarded = true
	}
	g.most = rapid.IntRange(2, 8).Draw(g.t, "statements")
	g.body(guarded)
	if g.barriers {
		if g.axes == 1 {
			g.tile()
		} else {
			g.plane()
		}
		g.body(guarded)
	}
	if guarded {
		g.store(at)
	} else {
		g.line("if (%s) {", inside)
		g.depth++
		g.store(at)
		g.depth--
		g.line("}")
	}
	g.depth--
	g.line("}")
}

// store writes the results of a work-item.
func (g *generator) store(at string) {
	g.line("out[%s] = %s;", at, g.value(0))
	if g.chance("update", 3) {
		g.line("out[%s] %s= %s;", at, g.pick("op", "+", "-", "*"), g.value(1))
	}
	if g.chance("marks", 3) {
		g.line("marks[%s] = %s;", at, g.integer())
	}
}

// helpers are the functions that kernel functions call.
func (g *generator) helpers() {
	w := g.words
	g.line("%s", w.constant[0])
	g.line("%sfloat blend(float a, float b)", w.helper)
	g.line("{\n    float t = a * b;\n    return t + 2.0f * a;\n}\n")
	g.line("%sfloat positive(float v)", w.helper)
	g.line("{\n    if (v < 0.0f)\n        return 0.0f;\n    return v * 0.5f;\n}\n")
	g.line("%sint place(int row, int col, int width) { return row * width + col; }\n", w.helper)
}

// body writes statements that change private variables.
func (g *generator) body(guarded bool) {
	for range rapid.IntRange(1, 3).Draw(g.t, "body") {
		g.statement(guarded)
	}
}

// block writes statements within braces; what they declare ends there.
func (g *generator) block(guarded bool) {
	i, j, f, v := len(g.indices), len(g.linear), len(g.floats), len(g.vectors)
	g.depth++
	g.body(guarded)
	g.depth--
	g.indices, g.linear, g.floats, g.vectors = g.indices[:i], g.linear[:j], g.floats[:f], g.vectors[:v]
}

func (g *generator) statement(guarded bool) {
	g.most--
	kind := rapid.IntRange(0, 15).Draw(g.t, "kind")
	switch {
	case g.most < 0 || kind < 3:
		g.line("acc %s= %s;", g.pick("op", "+", "+", "-", "*", ""), g.value(0))
	case kind < 5 && len(g.loops) < 2:
		g.loop(guarded)
	case kind == 5 && g.depth < 4:
		g.line("if (%s) {", g.condition())
		g.block(guarded)
		if g.chance("else", 2) {
			g.line("} else {")
			g.block(guarded)
		}
		g.line("}")
	case kind == 6:
		name := g.name("i")
		if i, j := g.pick("i", g.linear...), g.pick("j", g.linear...); g.chance("linear", 2) {
			g.line("%s %s = %s;", g.integers(), name, g.pick("linear", "2 * "+i+" + "+j, i+" + n", i+" + 1", i+" / 2", "("+i+" + "+j+") % 4"))
			g.linear = append(g.linear, name)
		} else {
			g.line("%s %s = %s;", g.integers(), name, g.index())
			g.reassign(name)
		}
		g.indices = append(g.indices, name)
	case kind == 7:
		name := g.name("s")
		g.line("%s %s = %s;", g.pick("type", "float", "float", "double"), name, g.value(0))
		g.floats = append(g.floats, name)
	case kind == 8:
		g.vector()
	case kind == 9 && len(g.loops) < 2:
		g.pointer()
	case kind == 10 && g.depth < 4:
		g.line("if (%s > %s) {", g.value(1), g.value(1))
		g.depth++
		g.line("acc %s= %s;", g.pick("op", "+", "*"), g.value(0))
		g.depth--
		g.line("}")
	case kind == 11 && len(g.loops) < 2:
		g.advancing()
	case kind == 12:
		g.array()
	case kind == 13:
		g.line("%s(&counts[%s], %s);", g.words.atomic, g.pick("bin", g.index(), "D["+g.index()+"] % 4"), g.pick("by", "1", "n", g.integer()))
	case kind == 14 && len(g.loops) > 0 && g.continues:
		g.line("if (%s)", g.condition())
		g.line("    continue;")
	case kind == 15 && g.words.shuffle != "":
		g.line("acc += %s;", fmt.Sprintf(g.words.shuffle, g.value(1)))
	default:
		g.line("acc += blend(%s, positive(%s));", g.value(1), g.value(1))
	}
}

// integers is a type of integers.
func (g *generator) integers() string {
	return g.pick("integers", "int", "int", "int", "unsigned int", "long")
}

// reassign gives an integer variable another value, perhaps not everywhere.
func (g *generator) reassign(name string) {
	switch rapid.IntRange(0, 7).Draw(g.t, "reassign") {
	case 0:
		g.line("%s += %s;", name, g.pick("by", "1", "n", "l"))
	case 1:
		g.line("%s = 2 * %[1]s + l;", name)
	case 2:
		g.line("if (%s)", g.condition())
		g.line("    %s = %s;", name, g.index())
	}
}

// advancing is a loop with a variable that advances beside it, or a while loop.
func (g *generator) advancing() {
	at, k := g.name("at"), []string{"k", "q"}[len(g.loops)]
	g.line("int %s = %s;", at, g.index())
	by, ends := g.pick("by", "1", "3", "n", "m"), []string{"3"}
	if by == "1" || by == "3" { // or the variable is a product of sizes, whose sign need not be known
		ends = []string{"m", "3", "n"}
	}
	if g.chance("while", 2) {
		g.line("int %s = 0;", k+at)
		end := g.pick("trips", ends...)
		do := end == "3" && g.chance("do", 2)
		if do {
			g.line("do {")
		} else {
			g.line("while (%s < %s) {", k+at, end)
		}
		g.line("    acc += %s[%s + %s];", g.pick("array", "A", "B"), at, k+at)
		g.line("    %s += %s;", at, by)
		g.line("    %s++;", k+at)
		if do {
			g.line("} while (%s < %s);", k+at, end)
			g.indices = append(g.indices, at)
			return
		}
	} else {
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++, %[3]s += %[4]s) {", k, g.pick("trips", ends...), at, by)
		g.line("    acc += %s[%s] * alpha;", g.pick("array", "A", "B"), at)
	}
	g.line("}")
	g.indices = append(g.indices, at)
}

// array fills a private array, and reads it.
func (g *generator) array() {
	r, t := g.name("r"), g.name("t")
	g.line("float %s[4];", r)
	g.line("for (int %s = 0; %[1]s < 4; %[1]s++)", t)
	g.line("    %s[%s] = %s;", r, t, g.value(1))
	g.line("acc += %s[%s] * %[1]s[%s];", r, g.pick("i", "0", "1", g.pick("j", g.indices...)+" % 4"), g.pick("k", "2", "3"))
}

func (g *generator) loop(guarded bool) {
	k := []string{"k", "q"}[len(g.loops)]
	bounds := []string{"m", "n", "4", "m + 2", "3"}
	for _, i := range append(append([]string{}, g.loops...), "l") {
		bounds = append(bounds, i+" + 1", i)
	}
	bound := g.pick("bound", bounds...)
	switch rapid.IntRange(0, 7).Draw(g.t, "form") {
	case 0:
		g.line("for (int %s = l; %[1]s < %s; %[1]s += %s) {", k, g.pick("end", "n", "m", "20"), g.words.size[0])
	case 1:
		g.line("for (int %s = 0; %[1]s < %s; %[1]s += %s) {", k, bound, g.pick("step", "2", "3", "4"))
	case 2:
		g.line("for (int %s = %s - 1; %[1]s >= 0; %[1]s--) {", k, bound)
	case 3:
		g.line("for (int %s = 1; %[1]s <= %s; ++%[1]s) {", k, bound)
	case 4:
		g.line("#pragma unroll")
		g.line("for (int %s = 0; %[1]s < 3; %[1]s++) {", k)
	case 5:
		g.line("for (int %s = %d; %[1]s > 0; %[1]s %[3]s) {", k, g.local, g.pick("halve", ">>= 1", "/= 2"))
	case 6:
		g.line("for (unsigned int %s = 0; %[1]s < %s; %[1]s++) {", k, bound)
	default:
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++) {", k, bound)
	}
	g.loops = append(g.loops, k)
	g.indices, g.linear = append(g.indices, k), append(g.linear, k)
	g.continues = true
	g.block(guarded)
	g.continues = false
	g.loops = g.loops[:len(g.loops)-1]
	g.indices, g.linear = g.indices[:len(g.indices)-1], g.linear[:len(g.linear)-1]
	g.line("}")
}

// tile writes to local memory, and reads what others have written.
func (g *generator) tile() {
	g.line("tile[l] = %s;", g.value(0))
	if g.chance("second", 2) {
		g.line("tile[l + %d] = acc;", g.local)
	} else {
		g.line("if (l < %d)", g.local/2)
		g.line("    tile[l + %d] = %s;", g.local, g.value(1))
	}
	g.line("%s;", g.words.barrier)
	switch rapid.IntRange(0, 2).Draw(g.t, "reads") {
	case 0:
		g.line("acc += tile[%d - l];", g.local-1)
	case 1:
		g.line("for (int t = 0; t < %d; t++)", g.local)
		g.line("    acc += tile[t] * %s;", g.value(1))
	default:
		g.line("for (int s = %d; s > 0; s >>= 1) {", g.local/2)
		g.line("    if (l < s)")
		g.line("        tile[l] += tile[l + s];")
		g.line("    %s;", g.words.barrier)
		g.line("}")
		g.line("acc += tile[0];")
	}
	g.line("%s;", g.words.barrier)
}

// plane is a tile of two rows in local memory.
func (g *generator) plane() {
	g.line("plane[%s][l] = %s;", g.words.item[1], g.value(0))
	g.line("%s;", g.words.barrier)
	if g.chance("loop", 2) {
		g.line("for (int t = 0; t < %d; t++)", g.local)
		g.line("    acc += plane[%s][t] * plane[t %% 2][l];", g.words.item[1])
	} else {
		g.line("acc += plane[1 - %s][%d - l];", g.words.item[1], g.local-1)
	}
	g.line("%s;", g.words.barrier)
}

// vector works on four floats at a time.
func (g *generator) vector() {
	name := g.name("v")
	load := fmt.Sprintf(g.words.load4, g.pick("array", "A", "B"), g.pick("index", g.indices...))
	switch rapid.IntRange(0, 2).Draw(g.t, "vector") {
	case 0:
		g.line("float4 %s = %s;", name, load)
	case 1:
		g.line("float4 %s = %s;", name, fmt.Sprintf(g.words.vector, g.value(2), "acc", "1.0f", "alpha"))
	default:
		g.line("float4 %s = %s;", name, load)
		g.line("%s.y = %s;", name, g.value(1))
	}
	g.vectors = append(g.vectors, name)
	g.line("acc += %s.x * %[1]s.w;", name)
}

// pointer goes through an array by a pointer that advances.
func (g *generator) pointer() {
	p, k := g.name("p"), []string{"k", "q"}[len(g.loops)]
	g.line("%sconst float *%s = %s + %s;", g.words.global, p, g.pick("array", "A", "B"), g.index())
	g.line("for (int %s = 0; %[1]s < %s; %[1]s++) {", k, g.pick("trips", "m", "3", "n"))
	g.line("    acc += %s[%s] * alpha;", p, g.pick("offset", "0", "l", "1", k))
	g.line("    %s += %s;", p, g.pick("advance", "1", "2", "n", "m"))
	g.line("}")
}
