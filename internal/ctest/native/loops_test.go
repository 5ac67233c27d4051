package native

import (
	"fmt"
	"strings"
)

// loop writes a loop of one of many forms.
func (g *generator) loop() {
	k := g.name("k")
	breaks, continues := g.breaks, g.continues
	g.loops = append(g.loops, k)
	g.breaks, g.continues = true, true
	step := "" // of a while loop, before its end
	end := "}"
	t := g.pick("int", "int", "int", "unsigned int", "long")
	if t == "unsigned int" {
		g.mark("unsigned")
	}
	switch g.Intn(23) {
	case 20:
		g.mark("while")
		g.line("int %s = %s;", k, g.pick("0", "-1", g.index(0)))
		g.line("while (%s < %s) {", g.pick("++"+k, k+"++", "(int) ("+k+" += 2)"), g.bound())
	case 21:
		g.mark("do while")
		g.line("int %s = %s;", k, g.index(0))
		g.line("do {")
		g.line("\t%s++;", k)
		end = fmt.Sprintf("} while (%s < %s);", k, g.bound())
	case 22:
		g.mark("while")
		g.line("int %s = 0;", k)
		g.line("while (true) {")
		g.line("\tif (%s >= %s)", k, g.bound())
		g.line("\t\tbreak;")
		g.line("\t%s += %d;", k, 1+g.Intn(2))
	case 0:
		g.line("for (%[1]s %[2]s = %[3]s; %[2]s < %[4]s; %[2]s += %[5]d) {", t, k, g.index(0), g.bound(), 1+g.Intn(3))
	case 1:
		g.line("for (int %[1]s = %[2]s - 1; %[1]s >= 0; %[1]s%[3]s) {", k, g.bound(), g.pick("--", "--", " -= 2"))
	case 2:
		g.line("for (int %s = 1; %[1]s <= %s; ++%[1]s) {", k, g.bound())
	case 3:
		g.mark("written out")
		g.line("for (int %[1]s = %[2]d; %[1]s > 0; %[1]s %[3]s) {", k, []int{4, 8, 16}[g.Intn(3)], g.pick(">>= 1", "/= 2"))
	case 4:
		g.mark("written out")
		g.line("for (int %[1]s = 1; %[1]s < %[2]d; %[1]s %[3]s) {", k, 8+g.Intn(20), g.pick("*= 2", "<<= 1", "= "+k+" * 2 + 1"))
	case 5:
		g.mark("while")
		g.line("%s %s = 0;", t, k)
		g.line("while (%s < %s) {", k, g.bound())
		step = k + g.pick("++", " += 2")
		g.continues = false
	case 6:
		g.mark("while")
		g.line("int %s = %s;", k, g.bound())
		if g.in(2) {
			g.line("while (%s-- > 0) {", k)
			break
		}
		g.line("while (%s > 0) {", k)
		step = k + "--"
		g.continues = false
	case 7:
		g.mark("do while")
		g.line("int %s = %s;", k, g.pick("0", "1"))
		g.line("do {")
		step, end = k+"++", fmt.Sprintf("} while (%s < %s);", k, g.pick(g.bound(), "3", "4"))
		g.continues = false
	case 8:
		g.mark("for without a condition")
		g.line("for (int %s = 0;; %[1]s++) {", k)
		g.line("\tif (%s >= %s)", k, g.bound())
		g.line("\t\tbreak;")
	case 9:
		g.mark("unrolled")
		g.line("#pragma unroll")
		g.line("for (int %s = 0; %[1]s < %d; %[1]s++) {", k, 2+g.Intn(3))
	case 10:
		g.mark("unsigned")
		g.line("for (unsigned int %[1]s = %[2]s; %[1]s-- > 0;) {", k, g.bound())
	case 11:
		g.line("for (int %s = l; %[1]s < %s; %[1]s += blockDim.x) {", k, g.bound())
	case 12:
		g.mark("two counters")
		g.line("for (int %[1]s = 0, %[1]sb = %[2]s; %[1]s < %[3]s; %[1]s++, %[1]sb%[4]s) {", k, g.index(0), g.bound(), g.pick("++", " += 2"))
	case 13:
		if g.in(2) {
			g.mark("loop bounded by memory")
			g.line("for (int %[1]s = 0; %[1]s < %[2]s[%[3]s]; %[1]s++) {", k, g.param("idx"), g.index(0))
			break
		}
		fallthrough
	case 14:
		g.mark("triangular")
		g.line("for (int %[1]s = 0; %[1]s %[2]s %[3]s; %[1]s++) {", k, g.pick("<", "<="), g.indices[g.Intn(len(g.indices))])
	case 15:
		g.line("for (int %[1]s = 0; %[2]s; %[1]s++) {", k, fmt.Sprintf(g.pick("%[1]s < %[2]s && %[1]s < 5", "%[1]s * 2 < %[2]s", "%[1]s != %[2]s", "%[1]s < min(%[2]s, 4)", "%[2]s > %[1]s"), k, g.param("n")))
	default:
		g.line("for (%[1]s %[2]s = 0; %[2]s < %[3]s; %[2]s++) {", t, k, g.bound())
	}
	g.scope(func() {
		g.indices = append(g.indices, k)
		g.fixed = append(g.fixed, k)
		g.some()
		if step != "" {
			g.line("%s;", step)
		}
	})
	g.line("%s", end)
	g.loops = g.loops[:len(g.loops)-1]
	g.breaks, g.continues = breaks, continues
}

// call is one of a function of the file.
func (g *generator) call(a, b string) string {
	g.mark("helper function")
	one := func(name, text string) string {
		g.helper(name, "__device__ "+text)
		return name
	}
	switch g.Intn(11) {
	case 0:
		return fmt.Sprintf("%s(%s, %s)", one("blend", "float blend(float a, float b) { float t = a * b; return t + 2.0f * a; }"), a, b)
	case 1:
		g.mark("return in a helper function")
		g.held = false
		return fmt.Sprintf("%s(%s)", one("positive", "float positive(float v) {\n\tif (v < 0.0f)\n\t\treturn 0.0f;\n\treturn v * 0.5f;\n}"), a)
	case 2:
		g.mark("return in a helper function")
		return fmt.Sprintf("%s(%s, %s)", one("some", "float some(int k, float v) {\n\tif (k > 2)\n\t\treturn v;\n\tv = v * v;\n\treturn v + 1.0f;\n}"), "(int) ("+g.index(0)+")", b)
	case 3:
		g.mark("return in a helper function")
		p := one("sum", "float sum("+g.globalConst()+"float *a, int n) {\n\tfloat s = 0.0f;\n\tfor (int k = 0; k < n; k++)\n\t\ts += a[k];\n\treturn s;\n}")
		if g.real != "float" {
			return a
		}
		return fmt.Sprintf("%s(%s + %s, %s)", p, g.param("x"), g.index(0), g.pick("n", "3", g.param("m")))
	case 4:
		if g.real != "float" {
			return a
		}
		g.mark("return in a loop of a helper function")
		p := one("until", "float until("+g.globalConst()+"float *a, int n, int stop) {\n\tfloat s = 0.0f;\n\tfor (int k = 0; k < n; k++) {\n\t\tif (k == stop)\n\t\t\treturn s;\n\t\ts += a[k];\n\t}\n\treturn s * 2.0f;\n}")
		return fmt.Sprintf("%s(%s, %s, %s)", p, g.param("x"), g.pick("n", "5"), g.pick("2", g.indices[g.Intn(len(g.indices))]))
	case 5:
		if !g.cuda {
			return a
		}
		g.mark("template")
		g.helper("square", "template <typename T> __device__ T square(T v) { return v * v; }")
		return fmt.Sprintf("square%s((float) (%s))", g.pick("", "<float>"), a)
	case 6:
		if !g.cuda {
			return a
		}
		g.mark("template")
		g.helper("power", "template <int N> __device__ float power(float v) {\n\tfloat s = 1.0f;\n\tfor (int k = 0; k < N; k++)\n\t\ts *= v;\n\treturn s;\n}")
		return fmt.Sprintf("power<%d>(%s)", 2+g.Intn(3), a)
	case 7:
		return fmt.Sprintf("%s[%s(%s, %s, n)]", g.param("x"), one("place", "int place(int row, int col, int width) { return row * width + col; }"), "(int) ("+g.index(0)+")", "(int) ("+g.index(0)+")")
	case 8:
		if !g.cuda {
			return a
		}
		g.mark("reference")
		return fmt.Sprintf("%s(acc, %s)", one("bump", "float bump(float &v, float by) {\n\tv += by;\n\treturn v * 0.5f;\n}"), b)
	case 9:
		if !g.cuda || len(g.free()) == 0 || g.real != "float" {
			return a
		}
		g.mark("reference")
		p := one("walk", "float walk(const float *a, int &k, int by) {\n\tfloat v = a[k];\n\tk += by;\n\treturn v;\n}")
		free := []string{}
		for _, v := range g.free() {
			if strings.Contains(g.body.String(), "int "+v+" =") && !strings.Contains(g.body.String(), "unsigned int "+v+" =") {
				free = append(free, v)
			}
		}
		if len(free) == 0 {
			return a
		}
		return fmt.Sprintf("%s(%s, %s, %d)", p, g.param("x"), free[g.Intn(len(free))], 1+g.Intn(2))
	}
	g.mark("return in a loop of a helper function")
	return fmt.Sprintf("%s(%s, %s)", one("count", "int count(int n, int stop) {\n\tint c = 0;\n\tfor (int s = 16; s > 0; s >>= 1) {\n\t\tif (s <= stop)\n\t\t\tbreak;\n\t\tc += n;\n\t}\n\treturn c;\n}"), "n", g.pick("2", "(int) ("+g.index(0)+")"))
}

func (g *generator) globalConst() string {
	if g.cuda {
		return "const "
	}
	return "__global const "
}

// tileDeclaration is memory of the work-group: padded, of two dimensions, of a size that the launch gives.
func (g *generator) tileDeclaration() {
	g.mark("shared memory")
	n := g.local[0] * g.local[1] * g.local[2]
	t := tile{name: "tile"}
	switch g.Intn(6) {
	case 0:
		t.cols = g.local[0] + 1
		t.rows = g.local[1] * g.local[2]
		g.mark("padded shared memory")
		g.line("__shared__ float tile[%d][%d];", t.rows, t.cols)
	case 1:
		if g.cuda {
			g.mark("dynamic shared memory")
			t.cols = 2 * n
			g.shared = fmt.Sprint(4 * 2 * n)
			g.line("extern __shared__ float tile[];")
			break
		}
		g.mark("dynamic shared memory")
		t.cols = 2 * n
		g.param("part")
		g.shared = fmt.Sprintf("part=%d", 2*n)
		t.name = "part"
	case 2:
		t.cols, t.int = n, true
		g.line("__shared__ int tile[%d];", n)
	case 3:
		t.cols = g.local[0] + 1
		t.rows = g.local[1] * g.local[2]
		g.mark("padded shared memory")
		g.file.WriteString("#define PAD 1\n")
		g.line("__shared__ float tile[%d][%d + PAD];", t.rows, g.local[0])
	default:
		t.cols = 2 * n
		g.line("__shared__ float tile[%d];", t.cols)
	}
	g.tiles = append(g.tiles, t)
}

// item is the number of a work-item in its group.
func (g *generator) item() string {
	switch g.axes {
	case 1:
		return "threadIdx.x"
	case 2:
		return fmt.Sprintf("threadIdx.y * %d + threadIdx.x", g.local[0])
	}
	return fmt.Sprintf("(threadIdx.z * %d + threadIdx.y) * %d + threadIdx.x", g.local[1], g.local[0])
}

// row is that of a work-item.
func (g *generator) row() string {
	switch g.axes {
	case 1:
		return "0"
	case 2:
		return "threadIdx.y"
	}
	return fmt.Sprintf("threadIdx.z * %d + threadIdx.y", g.local[1])
}

func (g *generator) ownElement(t tile) string {
	if t.rows > 0 {
		return fmt.Sprintf("%s[%s][l]", t.name, g.row())
	}
	return fmt.Sprintf("%s[%s]", t.name, g.item())
}

func (g *generator) tileElement() string {
	t := g.tiles[g.Intn(len(g.tiles))]
	l := g.pick("l", fmt.Sprintf("%d - l", g.local[0]-1), fmt.Sprintf("(l + %d) %% %d", 1+g.Intn(3), g.local[0]), fmt.Sprintf("(l ^ %d)", 1), fmt.Sprint(g.Intn(4)),
		fmt.Sprintf("%s %% %d", g.indices[g.Intn(len(g.indices))], g.local[0]))
	if t.rows > 0 {
		return fmt.Sprintf("%s[%s][%s]", t.name, g.row(), l)
	}
	return fmt.Sprintf("%s[%s]", t.name, l)
}

// phase writes memory of the work-group, waits, and reads it; all work-items get there.
func (g *generator) phase() {
	g.budget--
	t := g.tiles[0]
	if g.in(4) {
		g.meeting()
		return
	}
	switch g.Intn(4) {
	case 0:
		g.line("if (l < %d)", 1+g.Intn(4))
		g.depth++
		g.line("%s = %s;", g.ownElement(t), g.tileValue(t))
		g.depth--
		g.line("__syncthreads();")
	case 1:
		g.line("%s = %s;", g.ownElement(t), g.tileValue(t))
		g.line("__syncthreads();")
		if t.rows == 0 && !t.int {
			g.mark("written out")
			s := g.name("s")
			g.line("for (int %[1]s = %[2]d; %[1]s > 0; %[1]s %[3]s) {", s, g.local[0]/2, g.pick(">>= 1", "/= 2"))
			g.line("\tif (l < %s)", s)
			g.line("\t\t%[1]s[l] += %[1]s[l + %[2]s];", t.name, s)
			g.line("\t__syncthreads();")
			g.line("}")
		}
	case 2:
		k := g.name("k")
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++) {", k, g.pick("n", g.param("m"), "3"))
		g.line("\t%s = %s;", g.ownElement(t), g.tileValue(t))
		g.line("\t__syncthreads();")
		g.line("\tacc += %s;", g.tileElement())
		g.line("\t__syncthreads();")
		g.line("}")
	default:
		g.line("%s %s %s;", g.ownElement(t), g.pick("=", "="), g.tileValue(t))
		g.line("__syncthreads();")
		g.line("acc += %s;", g.tileElement())
		g.line("__syncthreads();")
	}
}

// meeting has barriers that need not order anything, in loops and under conditions of whole work-groups.
func (g *generator) meeting() {
	g.mark("barriers under conditions")
	uniform := func() string {
		return g.pick("n > 7", g.param("m")+" > 3", "blockIdx.x < 1", g.param("m")+" % 2 == 0", "blockIdx.x % 2 == 0", "gridDim.x > 1")
	}
	k := g.name("k")
	switch g.Intn(7) {
	case 0:
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++)", k, g.pick("n", g.param("m"), "3", "(int) blockIdx.x"))
		g.line("\t__syncthreads();")
	case 1:
		g.line("if (%s) {", uniform())
		g.line("\t__syncthreads();")
		g.line("} else {")
		g.line("\tacc += 1.0f;")
		g.line("\t__syncthreads();")
		g.line("\t__syncthreads();")
		g.line("}")
	case 2:
		g.line("for (int %s = 0; %[1]s < %s; %[1]s++) {", k, g.param("m"))
		g.line("\tif (%s)", g.pick(k+" % 3 == 1", k+" > 1", uniform()))
		g.line("\t\t%s;", g.pick("continue", "break"))
		g.line("\t__syncthreads();")
		g.line("}")
	case 3:
		g.line("for (int %s = 8; %[1]s > 0; %[1]s >>= 1) {", k)
		g.line("\tif (%s < %s)", k, g.param("m"))
		g.line("\t\t__syncthreads();")
		g.line("}")
	case 4:
		g.mark("switch")
		g.line("switch (%s) {", g.pick("n", g.param("m"), "n % 3"))
		g.line("case 1:")
		g.line("\t__syncthreads();")
		g.line("\tbreak;")
		g.line("case 2:")
		g.line("\t__syncthreads();")
		if !g.in(4) {
			g.line("\tbreak;")
		}
		g.line("default:")
		g.line("\t__syncthreads();")
		g.line("}")
	case 5:
		g.mark("while")
		g.line("int %s = %s;", k, g.param("m"))
		g.line("while (%s > 0) {", k)
		g.line("\t%s -= 2;", k)
		g.line("\t__syncthreads();")
		g.line("}")
	default:
		if !g.cuda {
			g.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
			return
		}
		g.helper("rounds", "__device__ void rounds(int times) { for (int k = 0; k < times; k++) __syncthreads(); }")
		g.line("__syncwarp();")
		g.line("rounds(%s);", g.pick("2", g.param("m")))
	}
}

func (g *generator) tileValue(t tile) string {
	if t.int {
		return g.integer(1)
	}
	return g.value(1)
}
