package native

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
)

// generator writes a random function: what it declares, statements, expressions. All indices are small, and none is below 0 but where memory
// is that of arguments; every loop ends.
type generator struct {
	*rand.Rand
	cuda   bool
	file   strings.Builder // functions and types before the kernel
	body   strings.Builder
	depth  int
	params []string // in the order of first use
	marks  map[string]bool
	names  int

	axes    int
	local   [3]int64
	indices []string // integers that are small and not negative
	floats  []string // variables in floating point
	fixed   []string // variables that must not be assigned to: counters, values of parameters
	wild    []string // integers from memory, of any value
	arrays  []string // private, of four floats
	tiles   []tile
	// What the innermost loop allows.
	loops     []string
	breaks    bool
	continues bool
	returns   bool // no barrier follows, and the function returns nothing
	budget    int
	// held: all conditions on data are taken to hold.
	held    bool
	helpers map[string]bool
	real    string // the type of most numbers
	width   string // the value of the parameter of a template, "" where the kernel is none
	shared  string
}

// tile is memory of the work-group.
type tile struct {
	name string
	rows int64 // 0 for one dimension
	cols int64
	int  bool
}

func (g *generator) line(format string, args ...any) {
	g.body.WriteString(strings.Repeat("\t", g.depth))
	fmt.Fprintf(&g.body, format+"\n", args...)
}

func (g *generator) pick(of ...string) string { return of[g.Intn(len(of))] }

// in is true once in n times.
func (g *generator) in(n int) bool { return g.Intn(n) == 0 }

func (g *generator) mark(feature string) { g.marks[feature] = true }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// param is an argument of the kernel, which is one once it is used.
func (g *generator) param(name string) string {
	if !slices.Contains(g.params, name) {
		g.params = append(g.params, name)
	}
	return name
}

// parameters are all there may be: types in CUDA C.
var parameterTypes = map[string]string{
	"y": "REAL *", "x": "const REAL *", "z": "const REAL *__restrict__ ", "d": "int *", "idx": "const int *", "w": "double *", "h": "half *", "b": "unsigned char *",
	"u": "unsigned int *", "s": "short *", "v": "float4 *", "q": "const float4 *", "p2": "const float2 *", "alpha": "float ", "n": "int ", "m": "int ", "un": "unsigned int ", "cp": "char ", "bp": "unsigned char ",
	"iv": "const int4 *", "ll": "long long *", "part": "__local float *", "h2": "half2 *", "uv": "const uchar4 *", "d2": "double2 *",
	"pr": "struct pair *", "mx": "struct mixed *", "pv": "struct pair ",
}

func (g *generator) signature() string {
	var list []string
	for _, p := range g.params {
		t := parameterTypes[p]
		if !g.cuda {
			t = strings.ReplaceAll(strings.ReplaceAll(t, "__restrict__ ", "restrict "), "long long", "long")
			if strings.Contains(t, "*") && !strings.Contains(t, "__local") {
				t = "__global " + t
			}
		}
		list = append(list, strings.ReplaceAll(t, "REAL", g.real)+p)
	}
	return strings.Join(list, ", ")
}

// random is the function of a seed.
func random(seed int64) *function {
	g := &generator{Rand: rand.New(rand.NewSource(seed)), marks: map[string]bool{}, helpers: map[string]bool{}, held: true, real: "float"}
	g.cuda = !g.in(3)
	g.axes = []int{1, 1, 1, 2, 2, 3}[g.Intn(6)]
	g.local = [3]int64{[]int64{4, 8, 16}[g.Intn(3)], 1, 1}
	if g.axes > 1 {
		g.local[1] = 1 + g.Int63n(4)
	}
	if g.axes > 2 {
		g.local[2] = 1 + g.Int63n(2)
	}
	g.param("n")
	if g.cuda && g.in(8) {
		g.width = fmt.Sprint(1 + g.Intn(4))
	}
	f := &function{kernel: "k", openCL: !g.cuda}
	if g.width != "" {
		g.mark("template of a kernel")
		f.kernel = fmt.Sprintf("k<%s>", g.width)
	}
	global := []string{"n", "m", "2"}
	switch g.Intn(5) {
	case 0:
		global[0] = fmt.Sprint(g.local[0] * (1 + g.Int63n(3)))
	case 1:
		global[0] = "2*n"
	}
	if g.axes > 1 {
		g.param("m")
	}
	f.global = global[:g.axes]
	f.local = slices.Clone(g.local[:g.axes])
	g.kernel()
	f.text = g.text()
	f.shared = g.shared
	f.held = g.held
	for s := range 3 {
		at := map[string]int64{}
		for _, p := range g.params {
			switch p {
			case "n":
				at[p] = []int64{1 + g.Int63n(6), 5 + g.Int63n(20), 2 * g.local[0] * (1 + g.Int63n(2))}[s]
			case "m":
				at[p] = 1 + g.Int63n(7)
			case "un", "cp", "bp":
				at[p] = g.Int63n(9)
			}
		}
		f.sizes = append(f.sizes, at)
	}
	if g.axes == 1 {
		g.mark("one axis")
	} else {
		g.mark(fmt.Sprintf("%d axes", g.axes))
	}
	for m := range g.marks {
		f.features = append(f.features, m)
	}
	slices.Sort(f.features)
	return f
}

func (g *generator) text() string {
	var b strings.Builder
	b.WriteString(g.file.String())
	words := "__global__ void"
	if !g.cuda {
		words = "__kernel void"
	}
	if g.width != "" {
		words = "template <int WIDTH> __global__ void"
	} else if g.cuda && g.in(12) {
		words = "extern \"C\" __global__ void"
	} else if g.cuda && g.in(12) {
		words = "__global__ void __launch_bounds__(256)"
	}
	fmt.Fprintf(&b, "%s k(%s)\n{\n%s}\n", words, g.signature(), g.body.String())
	text := b.String()
	if !g.cuda {
		text = openCLWords.Replace(text)
	}
	return text
}

// openCLWords makes OpenCL C of what is CUDA C.
var openCLWords = strings.NewReplacer(
	"blockIdx.x * blockDim.x + threadIdx.x", "get_global_id(0)", "blockIdx.y * blockDim.y + threadIdx.y", "get_global_id(1)", "blockIdx.z * blockDim.z + threadIdx.z", "get_global_id(2)",
	"threadIdx.x", "get_local_id(0)", "threadIdx.y", "get_local_id(1)", "threadIdx.z", "get_local_id(2)", "blockIdx.x", "get_group_id(0)", "blockIdx.y", "get_group_id(1)",
	"blockDim.x", "get_local_size(0)", "blockDim.y", "get_local_size(1)", "gridDim.x", "get_num_groups(0)", "__shared__", "__local", "__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE)",
	"__device__ ", "", "atomicAdd", "atomic_add", "atomicMax", "atomic_max", "atomicMin", "atomic_min", "atomicExch", "atomic_xchg", "atomicAnd", "atomic_and", "atomicOr", "atomic_or", "atomicXor", "atomic_xor", "atomicSub", "atomic_sub",
	"atomicCAS", "atomic_cmpxchg", "long long", "long",
	"sqrtf", "sqrt", "fabsf", "fabs", "expf", "exp", "fminf", "fmin", "fmaxf", "fmax", "fmaf", "fma", "sinf", "sin",
)

// kernel writes the body.
func (g *generator) kernel() {
	g.depth = 1
	if g.in(8) {
		g.alias()
	}
	g.line("int i = blockIdx.x * blockDim.x + threadIdx.x;")
	g.line("int l = threadIdx.x;")
	g.indices = []string{"i", "l"}
	g.fixed = []string{"i", "l"}
	inside := "i < n"
	if g.axes > 1 {
		g.line("int j = blockIdx.y * blockDim.y + threadIdx.y;")
		g.indices, g.fixed = append(g.indices, "j"), append(g.fixed, "j")
		inside = g.pick("i < n && j < m", "j < m && i < n")
	}
	if g.axes > 2 {
		g.line("int k0 = blockIdx.z * blockDim.z + threadIdx.z;")
		g.indices, g.fixed = append(g.indices, "k0"), append(g.fixed, "k0")
	}
	g.line("%s acc = 0;", g.real)
	g.floats = []string{"acc"}
	g.budget = 4 + g.Intn(7)
	barriers := g.in(3)
	if !barriers {
		switch g.Intn(3) {
		case 0:
			g.line("if (!(%s))", inside)
			g.line("\treturn;")
		case 1:
			g.line("if (i >= n)")
			g.line("\treturn;")
		}
		g.returns = true
	}
	if barriers {
		g.tileDeclaration()
	}
	for g.budget > 0 {
		if barriers && g.in(3) {
			g.phase()
			continue
		}
		g.statement()
	}
	if g.in(2) {
		g.line("if (%s)", inside)
		g.line("\t%s[%s] = acc;", g.param("y"), g.own())
	} else {
		g.line("%s[%s] %s acc;", g.param("y"), g.own(), g.pick("=", "=", "+=", "-=", "*="))
	}
}

// own is the subscript of the work-item.
func (g *generator) own() string {
	if g.axes > 1 {
		return g.pick("j * n + i", "i * m + j", "i")
	}
	return "i"
}

// alias declares another name for the type of numbers.
func (g *generator) alias() {
	name := "real"
	switch {
	case g.cuda && g.in(3):
		fmt.Fprintf(&g.file, "using real = float;\n")
		g.mark("alias")
	case g.in(2):
		fmt.Fprintf(&g.file, "typedef float real;\n")
		g.mark("alias")
	default:
		fmt.Fprintf(&g.file, "#define real %s\n", g.pick("float", "double"))
		g.mark("macro")
	}
	g.real = name
}

// scope writes statements whose declarations end with it.
func (g *generator) scope(write func()) {
	i, f, x, w, a := len(g.indices), len(g.floats), len(g.fixed), len(g.wild), len(g.arrays)
	g.depth++
	write()
	g.depth--
	g.indices, g.floats, g.fixed, g.wild, g.arrays = g.indices[:i], g.floats[:f], g.fixed[:x], g.wild[:w], g.arrays[:a]
}

// some writes one to three statements.
func (g *generator) some() {
	for range 1 + g.Intn(3) {
		g.statement()
	}
}
