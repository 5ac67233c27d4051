package lift

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// show writes a value: [1, 2], and _ for what is not written.
func show(v Value) string {
	switch v := v.(type) {
	case Values:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = show(x)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case Unwritten:
		return "_"
	}
	return fmt.Sprint(v)
}

const ints = "generate(n, fun(i => i))"

// patternCases are terms with every pattern, and their values at n = 6, m = 2, where XS is ints.
var patternCases = []struct{ term, want string }{
	{"map(fun(x => x + x)) $ XS", "[0 2 4 6 8 10]"},
	{"mapSeq(neg) $ XS", "[0 -1 -2 -3 -4 -5]"},
	{"mapSeqUnroll(id) $ XS", "[0 1 2 3 4 5]"},
	{"mapGlb(1, fun(x => x * 3)) $ XS", "[0 3 6 9 12 15]"},
	{"join o mapWrg(0, mapLcl(0, abs)) o split(m) $ XS", "[0 1 2 3 4 5]"},
	{"reduce(+, 0) $ XS", "[15]"},
	{"reduce(max, 3) $ XS", "[5]"},
	{"reduceSeq(fun(a, x => 2 * a + x), 1) $ XS", "[121]"},
	{"reduceSeqUnroll(-, 0) $ XS", "[-15]"},
	{"scan(+, 10) $ XS", "[10 11 13 16 20 25]"},
	{"scanBefore(+, 0) $ XS", "[0 0 1 3 6 10]"},
	{"scanSeq(fun(a, x => 2 * a + x), 1) $ XS", "[2 5 12 27 58 121]"},
	{"scanBeforeSeq(-, 0) $ XS", "[0 0 -1 -3 -6 -10]"},
	{"filter(fun(x => x * (x - 3))) $ XS", "[[1 2 4 5 _ _] [4]]"},
	{"get(1) o filter(fun(x => 0)) $ XS", "[0]"},
	{"put(XS) $ zip(generate(3, fun(i => 4 - 5 * i)), generate(3, fun(i => 7)))", "[0 1 2 3 7 5]"},
	{"put(inset(0, n) $ generate(0, fun(i => 0))) $ zip(gather(reverse) $ XS, XS)", "[5 4 3 2 1 0]"},
	{"reduceSegments(+, 10, generate(4, fun(i => i * (i - 1)))) $ XS", "[10 11 24]"},
	{"reduceBetween(fun(a, x => 2 * a + x), 1, 1, 6, 2) $ XS", "[23]"},
	{"reduceBetween(+, 3, 6, 1, 1) $ XS", "[3]"},
	{"partRed(+, 0, 2) $ XS", "[3 12]"},
	{"partRed(+, 0, 6) $ XS", "[0 1 2 3 4 5]"},
	{"zip(XS, gather(reverse) $ XS)", "[[0 5] [1 4] [2 3] [3 2] [4 1] [5 0]]"},
	{"map(*) $ zip(XS, XS)", "[0 1 4 9 16 25]"},
	{"map(fun((x, y) => x - y)) $ zip(XS, XS)", "[0 0 0 0 0 0]"},
	{"get(1) o unzip $ zip(XS, map(neg) $ XS)", "[0 -1 -2 -3 -4 -5]"},
	{"tuple(1, 2.5)", "[1 5/2]"},
	{"split(m) $ XS", "[[0 1] [2 3] [4 5]]"},
	{"split(n/m) $ XS", "[[0 1 2] [3 4 5]]"},
	{"join o split(3) $ XS", "[0 1 2 3 4 5]"},
	{"transpose o split(2) $ XS", "[[0 2 4] [1 3 5]]"},
	{"iterate(2, map(fun(x => x * x))) $ XS", "[0 1 16 81 256 625]"},
	{"iterate(0, map(fun(x => x * x))) $ XS", "[0 1 2 3 4 5]"},
	{"iterate(3, fun(ys => join o map(reduce(+, 0)) o split(2) $ ys)) $ generate(8, fun(i => i))", "[28]"},
	{"reorder $ XS", "[0 1 2 3 4 5]"},
	{"gather(shift(1)) $ XS", "[1 2 3 4 5 0]"},
	{"scatter(shift(1)) $ XS", "[5 0 1 2 3 4]"},
	{`gather(index("i//2")) $ XS`, "[0 0 1 1 2 2]"},
	{`scatter(index("(5*i + 1) % n")) $ XS`, "[1 0 5 4 3 2]"},
	{"reorderStride(2) $ XS", "[0 2 4 1 3 5]"},
	{"gather(stride(n/m)) o gather(stride(m)) $ XS", "[0 1 2 3 4 5]"},
	{"scatter(stride(3)) o reorderStride(3) $ XS", "[0 1 2 3 4 5]"},
	{"slide(3, 1) $ XS", "[[0 1 2] [1 2 3] [2 3 4] [3 4 5]]"},
	{"slide(2, m) $ XS", "[[0 1] [2 3] [4 5]]"},
	{"mapSeqSlide(2, 1, reduceSeq(+, 0)) $ XS", "[[1] [3] [5] [7] [9]]"},
	{"pad(2, 1, clamp) $ XS", "[0 0 0 1 2 3 4 5 5]"},
	{"pad(2, 1, mirror) $ XS", "[1 0 0 1 2 3 4 5 5]"},
	{"pad(2, 1, wrap) $ XS", "[4 5 0 1 2 3 4 5 0]"},
	{"padConst(1, 2, 7) $ XS", "[7 0 1 2 3 4 5 7 7]"},
	{"pad(0, 2, any) $ XS", "[0 1 2 3 4 5 5 5]"},
	{"take(m) $ XS", "[0 1]"},
	{"drop(m) $ XS", "[2 3 4 5]"},
	{"append(generate(2, fun(i => 7))) $ XS", "[0 1 2 3 4 5 7 7]"},
	{"inset(1, m) $ XS", "[_ 0 1 2 3 4 5 _ _]"},
	{"transpose o inset(1, 0) o map(inset(0, 1)) o split(3) $ XS", "[[_ 0 3] [_ 1 4] [_ 2 5] [_ _ _]]"},
	{"at(4) $ XS", "4"},
	{"map(fun(i => at(i, gather(reverse) $ XS))) $ XS", "[5 4 3 2 1 0]"},
	{"at(nat(n/m)) $ XS", "3"},
	{"generate(3, fun(i => 1.5f))", "[3/2 3/2 3/2]"},
	{"nat(n + 1)", "7"},
	{"toGlobal(mapSeq(id)) o toLocal(mapSeq(id)) o toPrivate $ XS", "[0 1 2 3 4 5]"},
	{"asScalar o mapSeq(mapVec(neg)) o asVector(2) $ XS", "[0 -1 -2 -3 -4 -5]"},
	{"reduceSeq(mapVec(+), vec(2, 10)) o asVector(2) $ XS", "[[16 19]]"},
	{"mapSeq(fun(v => mapVec(+, v, v))) o asVector(2) $ XS", "[[0 2] [4 6] [8 10]]"},
	{"let(y = at(2) $ XS, y * y + y)", "6"},
	{"let(twice = fun(x => x + x), twice(twice(3)))", "12"},
	{"1.0f / 3 - 0.5f", "-1/6"},
	{"sqrt(2.25f)", "1.5"},
	{"2 * -3 + 1", "-5"},
}

// TestPatterns evaluates every pattern.
func TestPatterns(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range patternCases {
		term, err := parseTerm(strings.ReplaceAll(c.term, "XS", ints), "n", "m")
		if err != nil {
			t.Errorf("%s: %v", c.term, err)
			continue
		}
		Walk(term, AnyOp, func(t *Term) { seen[t.name()] = true })
		v, err := EvalTerm(term, map[string]int64{"n": 6, "m": 2}, EvalOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.term, err)
			continue
		}
		if got := show(v); got != c.want {
			t.Errorf("%s is %s, not %s", c.term, got, c.want)
		}
		again, err := parseTerm(term.String(), "n", "m")
		if err != nil || again != term {
			t.Errorf("%s prints as %s, which parses to %v, %v", c.term, term, again, err)
		}
		float, err := EvalTerm(term, map[string]int64{"n": 6, "m": 2}, EvalOptions{Float: true})
		if err == nil {
			err = Same(v, float, 1e-12)
		}
		if err != nil {
			t.Errorf("%s in floats: %v", c.term, err)
		}
	}
	for _, name := range Patterns() {
		if !seen[name] {
			t.Errorf("no case evaluates %s", name)
		}
	}
}

func TestEvalRefuses(t *testing.T) {
	for _, c := range []struct{ term, want string }{
		{"split(4) $ generate(n, fun(i => i))", "4 | n does not hold"},
		{"at(n2) $ generate(n, fun(i => i))", ""},
		{"map(neg) o inset(1, 1) $ generate(n, fun(i => i))", "not written"},
		{"map(fun(i => at(i + 1, generate(n, fun(i => i))))) $ generate(n, fun(i => i))", "index 6 is outside 0 .. 5"},
		{"slide(7, 1) $ generate(n, fun(i => i))", "n >= 7 does not hold"},
		{`scatter(index("i//2")) $ generate(n, fun(i => i))`, "not a permutation"},
		{`gather(index("i + 1")) $ generate(n, fun(i => i))`, "maps 5 to 6"},
		{"reorderStride(4) $ generate(n, fun(i => i))", "4 | n does not hold"},
	} {
		term, err := parseTerm(c.term, "n")
		if c.want == "" {
			if err == nil {
				t.Errorf("%s parses", c.term)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.term, err)
			continue
		}
		if v, err := EvalTerm(term, map[string]int64{"n": 6}, EvalOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.term, v, err)
		}
	}
}

// Reorder may be any permutation: only what does not depend on the order is determined.
func TestReorderIsAnyPermutation(t *testing.T) {
	term, err := parseTerm("reorder $ generate(20, fun(i => i))")
	if err != nil {
		t.Fatal(err)
	}
	v, err := EvalTerm(term, nil, EvalOptions{Reorder: rand.New(rand.NewSource(1))})
	if err != nil {
		t.Fatal(err)
	}
	id, _ := EvalTerm(term, nil, EvalOptions{})
	if Same(v, id, 0) == nil {
		t.Error("20 elements are in order after a random permutation")
	}
	seen := map[string]bool{}
	for _, x := range v.(Values) {
		seen[show(x)] = true
	}
	if len(seen) != 20 {
		t.Errorf("%s is not a permutation", show(v))
	}
}

// The linear algebra examples against their definitions.
func TestLinearAlgebra(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	num := func() Value { return rat(int64(r.Intn(19)-9), int64(1+r.Intn(4))) }
	vec := func(n int) Values { return build(n, func(int) Value { return num() }) }
	mat := func(m, n int) Values { return build(m, func(int) Value { return vec(n) }) }
	inner := func(a, b Values) Num {
		sum := rat(0, 1).(Num)
		for i := range a {
			sum = sum.plus(a[i].(Num).times(b[i].(Num)))
		}
		return sum
	}
	xs, ys, a, b := vec(5), vec(5), mat(4, 5), mat(5, 3)
	z, alpha, beta := vec(4), num().(Num), num().(Num)
	for _, c := range []struct {
		name   string
		sizes  map[string]int64
		inputs []Value
		want   Value
	}{
		{"scal", map[string]int64{"n": 5}, []Value{xs, alpha}, build(5, func(i int) Value { return alpha.times(xs[i].(Num)) })},
		{"dot", map[string]int64{"n": 5}, []Value{xs, ys}, Values{inner(xs, ys)}},
		{"gemv", map[string]int64{"n": 5, "m": 4}, []Value{a, xs, z, alpha, beta}, build(4, func(i int) Value {
			return alpha.times(inner(a[i].(Values), xs)).plus(beta.times(z[i].(Num)))
		})},
		{"matmul", map[string]int64{"n": 3, "m": 4, "k": 5}, []Value{a, b}, build(4, func(i int) Value {
			return build(3, func(j int) Value {
				return inner(a[i].(Values), build(5, func(k int) Value { return b[k].(Values)[j] }))
			})
		})},
	} {
		got, err := Eval(example(t, c.name), c.sizes, c.inputs, EvalOptions{})
		if err == nil {
			err = Same(got, c.want, 0)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func (x Num) plus(y Num) Num  { return two(ariths["+"], x, y) }
func (x Num) times(y Num) Num { return two(ariths["*"], x, y) }

// What a function of integers gives is an integer of its type, as the generated code has it.
func TestEvalIntegers(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"def f(x: float32): int32 = x\nfun(x: int32 => f(2.75f))", "2"},
		{"def f(x: float32): int32 = x\nfun(x: int32 => f(-2.75f))", "-2"},
		{"def f(x: int32): int32 = x/2\nfun(x: int32 => f(-7))", "-3"},
		{"def f(x: int32): int32 = max(x, min(x, 3)) + maximum(x, 3)\nfun(x: int32 => f(-7))", "-4"},
		{"def f(x: int32): int32 = x//2\nfun(x: int32 => f(-7))", "-4"},
		{"def f(x: int32): (float32, int32) = x/2, x/2\nfun(x: int32 => f(7))", "[7/2 3]"},
		{"fun(x: int32 => 2147483647 + 1)", "-2147483648"},
		{"fun(x: int32 => 65536 * 65537)", "65536"},
		{"fun(x: int32 => uint8(250) + uint8(7))", "1"},
		{"fun(x: int32 => uint8(3) - uint8(5))", "254"},
		{"fun(x: int32 => int64(4294967296) * int64(4294967295))", "-4294967296"},
	} {
		p, err := Parse(c.program)
		if err != nil {
			t.Fatalf("%v\n%s", err, c.program)
		}
		for _, float := range []bool{false, true} {
			v, err := Eval(p, nil, []Value{Exact(0, 1)}, EvalOptions{Float: float})
			if err != nil {
				t.Errorf("%s: %v", c.program, err)
				continue
			}
			if got := fmt.Sprint(v); got != c.want && !(float && got == "[3.5 3]") {
				t.Errorf("%s is %s, want %s (in floats: %v)", c.program, got, c.want, float)
			}
		}
	}
}
