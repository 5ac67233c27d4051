package compile_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// intrinsics are functions of CUDA C, for a host.
const intrinsics = `
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static int __ffs(int x) { return __builtin_ffs(x); }
static unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i); return r; }
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
static int __mulhi(int a, int b) { return (long long)a * b >> 32; }
static int min(int a, int b) { return a < b ? a : b; }

static int abs(int a) { return a < 0 ? (int)(0u - a) : a; }
`

// helpers are functions that random ones call.
const helpers = `
struct P { int a; unsigned b; __device__ int sum() const { return a + (int)b; } __device__ P swapped() const { P p; p.a = (int)b; p.b = (unsigned)a; return p; } };
__device__ int lesser(int a, int b) { return a < b ? a : b; }
__device__ unsigned larger(unsigned a, unsigned b) { if (a > b) return a; return b; }
__device__ long long mixed(long long a, int b) { a ^= a >> 7; for (int i = 0; i < 3; i++) { if (i == (b & 3)) break; a = a * 5 + b; } return a; }
__device__ unsigned turned(unsigned a, unsigned b) { b &= 31; return b ? a << b | a >> (32 - b) : a; }
__device__ void byReference(int &a, int b) { if (b & 1) { a += b; return; } a ^= b >> 1; }
__device__ void byPointer(int *a, unsigned b) { *a = *a * 3 + (int)b; }
template <int N> __device__ int shifted(int a) { int s = 0; for (int i = 0; i < N; i++) s += a >> i; return s; }
__device__ int bits(int a, int b) { int c = 0; unsigned v = (unsigned)a; while (v) { v &= v - 1; c++; if (c == (b & 15)) return -c; } return c; }
`

// drawer draws the statements of a function.
type drawer struct {
	*rand.Rand
	lines  []string
	vars   []string // numbers in scope
	fixed  []string // those of them that count loops
	arrays []array
	named  int
	depth  int // of blocks
	loops  int
}

type array struct {
	name  string
	size  int
	fixed bool // nothing is assigned to it
}

// randomFunction is the body of a function of x, y, z, t and n, which writes o.
func randomFunction(seed uint64) string {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 0)), vars: []string{"g0", "g1"}}
	d.put("int g0 = x, g1 = z;")
	for range 5 + d.IntN(8) {
		d.statement()
	}
	d.put("o[0] = (unsigned)g0; o[1] = (unsigned)g1; unsigned q = 0;")
	for _, v := range d.vars[2:] {
		d.put("q = q * 31 + (unsigned)(%[1]s) + (unsigned)((unsigned long long)(long long)(%[1]s) >> 32);", v)
	}
	d.put("o[2] = q; o[3] = q ^ (unsigned)g0;")
	return strings.Join(d.lines, "\n") + "\n"
}

func (d *drawer) put(format string, args ...any) {
	d.lines = append(d.lines, strings.Repeat("  ", d.depth+1)+fmt.Sprintf(format, args...))
}

func (d *drawer) of(list ...string) string { return list[d.IntN(len(list))] }

func (d *drawer) name() string {
	d.named++
	return fmt.Sprintf("v%d", d.named)
}

func (d *drawer) numberType() string {
	return d.of("int", "int", "int", "unsigned", "unsigned", "unsigned", "long long", "unsigned long long", "short", "unsigned char", "signed char", "unsigned short")
}

func (d *drawer) atom() string {
	switch k := d.IntN(20); {
	case k < 11:
		return d.of(d.vars...)
	case k < 13 && len(d.arrays) > 0:
		a := d.arrays[d.IntN(len(d.arrays))]
		return fmt.Sprintf("%s[(unsigned)(%s) & %d]", a.name, d.atom(), a.size-1)
	case k < 15:
		return d.of("x", "y", "z", "t", "n")
	}
	return d.of("0", "1", "2", "3", "5", "7", "-1", "31", "255", "0x80", "0x8000", "65535u", "0x7fffffff", "0xffffffffu", "-2147483647", "(1ll << 33)", "0x123456789ull", "17", "'a'")
}

func (d *drawer) binary(depth int, left string, ops []string, right string) string {
	return fmt.Sprintf("("+left+" %s "+right+")", d.draw(depth), d.of(ops...), d.draw(depth))
}

var (
	sums     = []string{"+", "-", "*"}
	orders   = []string{"<", ">", "<=", ">=", "==", "!="}
	quotient = []string{"/", "%"}
	shifts   = []string{"<<", ">>"}
)

// draw is an expression, which may assign to variables.
func (d *drawer) draw(depth int) string {
	if depth <= 0 || d.IntN(5) == 0 {
		return d.atom()
	}
	depth--
	switch d.IntN(24) {
	case 0, 1, 2, 3:
		return d.binary(depth, "%s", sums, "%s")
	case 4, 5:
		return d.binary(depth, "%s", []string{"&", "|", "^"}, "%s")
	case 6:
		return d.binary(depth, d.of("(int)(%s)", "(unsigned)(%s)"), shifts, "((%s) & 31)")
	case 7:
		return d.binary(depth, d.of("(long long)(%s)", "(unsigned long long)(%s)"), shifts, "((%s) & 63)")
	case 8:
		return d.binary(depth, "(unsigned)(%s)", quotient, "((unsigned)(%s) | 1u)")
	case 9:
		return d.binary(depth, "(int)(%s)", quotient, "((int)(%s) %% 100 * 2 + 301)")
	case 10:
		return d.binary(depth, "(unsigned long long)(%s)", quotient, "((unsigned long long)(%s) | 1ull)")
	case 11:
		return fmt.Sprintf("((%s)(%s) %s %s)", d.of("int", "unsigned", "long long"), d.draw(depth), d.of(quotient...), d.of("3", "7", "8", "10", "-5", "16", "1000", "-8", "641", "0x80000001u", "0xffffffffu"))
	case 12, 13:
		return fmt.Sprintf("(%s %s %s ? %s : %s)", d.draw(depth), d.of(orders...), d.draw(depth), d.draw(depth), d.draw(depth))
	case 14:
		return fmt.Sprintf("(%s)(%s)", d.of(d.numberType(), "bool"), d.draw(depth))
	case 15:
		return fmt.Sprintf("%s(%s)", d.of("~", "-", "!", "+"), d.draw(depth))
	case 16:
		return d.binary(depth, "%s", append([]string{"&&", "||"}, orders...), "%s")
	case 17:
		return fmt.Sprintf(d.of("lesser(%s, %s)", "larger(%s, %s)", "mixed(%s, %s)", "turned(%s, %s)", "bits(%s, %s)", "min((int)(%s), (int)(%s))", "__umulhi(%s, %s)", "__mulhi(%s, %s)"), d.draw(depth), d.draw(depth))
	case 18:
		return fmt.Sprintf(d.of("shifted<1>(%s)", "shifted<5>(%s)", "__popc(%s)", "__clz(%s)", "__ffs(%s)", "__brev(%s)", "abs((int)(%s))"), d.draw(depth))
	case 19:
		return d.binary(depth, "(int)((float)((%s) & 255)", sums, "(float)((%s) & 63))")
	case 20:
		return d.binary(depth, "(long long)((double)(int)(%s)", []string{"+", "-", "- 255.0 +"}, "(double)((%s) & 1023))")
	case 21:
		return fmt.Sprintf("(P{(int)(%s), (unsigned)(%s)}).%s", d.draw(depth), d.draw(depth), d.of("sum()", "a", "b", "swapped().a"))
	}
	return fmt.Sprintf("(%s %s %s)", d.changeable(), d.of("=", "+=", "^=", "-="), d.of("x", "y", "z", "t", "3", "-7", "0x55u"))
}

var assignment = regexp.MustCompile(`\(([vg]\d+) (?:=|\+=|\^=|-=) `)

// value is an expression that means the same in any order: what it assigns to stands in it once, and is not to.
func (d *drawer) value(to string) string {
	for range 50 {
		e := d.draw(3)
		changed := assignment.FindAllStringSubmatch(e, -1)
		if len(changed) == 0 {
			return e
		}
		if v := changed[0][1]; len(changed) == 1 && v != to && len(regexp.MustCompile(`\b`+v+`\b`).FindAllString(e, -1)) == 1 {
			return e
		}
	}
	return d.atom()
}

// changeable is a number that counts no loop.
func (d *drawer) changeable() string {
	for {
		if v := d.of(d.vars...); !slices.Contains(d.fixed, v) {
			return v
		}
	}
}

func (d *drawer) block(statements int) {
	vars, arrays := len(d.vars), len(d.arrays)
	d.depth++
	for range statements {
		d.statement()
	}
	d.depth--
	d.vars, d.arrays = d.vars[:vars], d.arrays[:arrays]
}

func (d *drawer) statement() {
	switch k := d.IntN(22); {
	case k < 4:
		v := d.name()
		d.put("%s %s = %s;", d.numberType(), v, d.value(""))
		d.vars = append(d.vars, v)
	case k < 9 || d.depth > 3:
		v := d.changeable()
		d.put("%s %s= %s;", v, d.of("", "+", "-", "*", "&", "|", "^"), d.value(v))
	case k < 10:
		d.put(d.of("++%s;", "%s++;", "--%s;", "%s--;"), d.changeable())
	case k < 12:
		d.put("if (%s) {", d.value(""))
		d.block(1 + d.IntN(3))
		if d.IntN(2) == 0 {
			d.put("} else {")
			d.block(1 + d.IntN(2))
		}
		d.put("}")
	case k < 15 && d.loops < 2:
		d.loops++
		d.loop()
		d.loops--
	case k < 17:
		a, of := array{d.name(), 4 << d.IntN(3), false}, d.of("int", "unsigned", "short", "unsigned char", "long long")
		d.put("%s %s[%d] = {(%[1]s)(%[4]s), (%[1]s)(%[5]s)};", of, a.name, a.size, d.atom(), d.atom())
		d.arrays = append(d.arrays, a)
	case k < 18 && len(d.arrays) > 0 && !d.arrays[len(d.arrays)-1].fixed:
		a := d.arrays[len(d.arrays)-1]
		d.put("%s[(unsigned)(%s) & %d] %s %s;", a.name, d.atom(), a.size-1, d.of("=", "+=", "^="), d.value(""))
	case k < 19:
		d.choice()
	case k < 20:
		g := d.of("g0", "g1")
		d.put(d.of("byReference(%s, (int)(%s));", "byPointer(&%s, (unsigned)(%s));"), g, d.value(g))
	case k < 21:
		d.put("if (%s) { int kept = g0; g0 = g1; g1 = kept; }", d.value(""))
	default:
		d.inMemory()
	}
}

// inMemory uses what has an address: rows of arrays, records, elements that a pointer goes along.
func (d *drawer) inMemory() {
	v := d.name()
	switch d.IntN(4) {
	case 0:
		of := d.of("int", "short", "unsigned char", "long long")
		d.put("%s %s[4][8] = {{(%[1]s)(%[3]s)}, {1, (%[1]s)(%[4]s)}};", of, v, d.atom(), d.atom())
		for range 2 {
			d.put("%s[(unsigned)(%s) & 3][(unsigned)(%s) & 7] %s= %s;", v, d.atom(), d.atom(), d.of("", "+", "^"), d.value(""))
		}
		d.put("%s += %s[(unsigned)(%s) & 3][(unsigned)(%s) & 7];", d.of("g0", "g1"), v, d.atom(), d.atom())
	case 1:
		d.put("P %s[4] = {{%s & 7, 3u}, {(int)(%s), (unsigned)(%s)}};", v, d.of("x", "z"), d.atom(), d.atom())
		d.put("%s[(unsigned)(%s) & 3].%s += %s;", v, d.atom(), d.of("a", "b"), d.value(""))
		d.put("%s ^= %s[(unsigned)(%s) & 3].%s;", d.of("g0", "g1"), v, d.atom(), d.of("sum()", "a", "b", "swapped().b"))
	case 2:
		d.put("int %s[8] = {x, z, 5}; { int *p = %[1]s + ((unsigned)(%s) & 3); *p++ += %s; p[1] ^= %s; byPointer(p, (unsigned)(%s)); g1 -= *--p + %[1]s[(unsigned)(%[6]s) & 7]; }",
			v, d.atom(), d.value(""), d.value(""), d.atom(), d.atom())
	case 3:
		to := d.changeable()
		d.put("%s %s %s;", to, d.of("<<=", ">>="), fmt.Sprintf("(%s) & 7", d.value(to)))
		d.put("%s %s= %s;", to, d.of("/", "%"), d.of("3", "7", "16", "-5", "100"))
	}
}

// choice is a switch, whose arms may run on.
func (d *drawer) choice() {
	d.put("switch ((unsigned)(%s) & 3) {", d.atom())
	for i, c := range d.Perm(3)[:1+d.IntN(3)] {
		d.put("case %d: {", c)
		d.block(1)
		d.put("} %s", d.of("break;", "", fmt.Sprint("g0 += ", i, ";")))
	}
	if d.IntN(2) == 0 {
		d.put("default: {")
		d.block(1)
		d.put("}")
	}
	d.put("}")
}

// loop is a loop of few iterations.
func (d *drawer) loop() {
	i := d.name()
	few := d.of("3", "5", fmt.Sprintf("(int)((unsigned)%s & 7)", d.of("x", "y", "z")), fmt.Sprintf("(int)((unsigned)%s & 3) + 1", d.of(d.vars...)))
	end, jumps := "}", []string{"break", "continue"}
	switch d.IntN(13) {
	case 0, 1:
		d.put("for (int %[1]s = 0; %[1]s < %[2]s; %[1]s++) {", i, few)
	case 2:
		d.put("for (int %[1]s = %[2]s - 1; %[1]s >= 0; %[1]s -= 2) {", i, few)
	case 3:
		d.put("for (unsigned %[1]s = 1; %[1]s < 1u + %[2]s * 4; %[1]s += %[1]s + 1) {", i, few)
	case 4:
		d.put("for (int %[1]s = 0; %[1]s < 6 - %[1]s; ++%[1]s) {", i)
	case 5:
		d.put("int %s = %s;", i, few)
		d.put("while (%s-- > 0) {", i)
	case 6:
		d.put("int %s = %s;", i, few)
		d.put("do {")
		end = fmt.Sprintf("} while (++%s < 6 && (%s));", i, d.value(""))
	case 7:
		d.put("int left%[1]s = 6; for (int %[1]s = 0; %[1]s < left%[1]s; %[1]s++, left%[1]s--) {", i)
	case 8:
		d.put("int %[1]s = 0, by%[1]s = 1;", i)
		d.put("while (%s < %s) {", i, few)
		end, jumps = fmt.Sprintf("%[1]s += %[2]s; by%[1]s *= 3; %[3]s ^= by%[1]s; }", i, d.of("1", "2"), d.vars[0]), jumps[:1]
	case 9:
		d.put("for (int %[1]s = 0; ; %[1]s++) {", i)
		d.put("  if (%s %s 5) break;", i, d.of(">=", "=="))
	case 11:
		d.put("for (long long of%[1]s = %[2]s; of%[1]s >= 0; of%[1]s--) {", i, few)
		d.put("  int %[1]s = (int)of%[1]s;", i)
	case 12:
		d.put("for (unsigned long long of%[1]s = 2; of%[1]s < 2ull + (unsigned)(%[2]s); ++of%[1]s) {", i, few)
		d.put("  int %[1]s = (int)of%[1]s;", i)
	case 10:
		d.put("int at%[1]s = 0; for (int %[1]s = 0; %[1]s < %[2]s; %[1]s++, at%[1]s += 3) {", i, few)
		end = fmt.Sprintf("%s += at%s; }", d.vars[0], i)
	}
	d.vars, d.fixed = append(d.vars, i), append(d.fixed, i)
	if d.IntN(3) == 0 {
		d.put("  if (%s) %s;", d.value(""), d.of(jumps...))
	}
	d.block(1 + d.IntN(3))
	d.vars = slices.DeleteFunc(d.vars, func(v string) bool { return v == i })
	d.put("%s", end)
}

// phases is a function as of a work-item in steps between barriers: each step reads elements that others have left in one array of local memory, and leaves
// one of its own in the other.
type phases struct {
	types [2]string
	steps []string
}

func randomPhases(seed uint64) (p phases) {
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range p.types {
		p.types[i] = []string{"int", "short", "unsigned char", "long long", "unsigned"}[r.IntN(5)]
	}
	for range 2 + r.IntN(2) {
		d := &drawer{Rand: r, vars: []string{"g0", "g1"}, arrays: []array{{"from", items, true}}}
		for range 2 + d.IntN(4) {
			d.statement()
		}
		d.put("to[(t * %d + %d) & %d] = %s;", 2*d.IntN(8)+1, d.IntN(items), items-1, d.value(""))
		p.steps = append(p.steps, strings.Join(d.lines, "\n")+"\n")
	}
	return p
}

const stepParameters = "int x, unsigned y, int z, int t, int n, int &g0, int &g1, const %s *from, %s *to"

// functions are the steps as functions with a name.
func (p *phases) functions(name string) string {
	var b strings.Builder
	for i, step := range p.steps {
		fmt.Fprintf(&b, "__device__ void %s_%d("+stepParameters+") {\n%s}\n", name, i, p.types[i%2], p.types[(i+1)%2], step)
	}
	return b.String()
}
