package cpp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gpuperf/cfront/cpp"
)

func run(t testing.TB, text string, headers map[string]string) (string, []cpp.Token, error) {
	t.Helper()
	open := func(name string, _ bool, _ string) (string, string, bool) {
		h, ok := headers[name]
		return name, h, ok
	}
	tokens, err := cpp.Run(t.Context(), cpp.Config{Open: open, Define: "#define PRE 7\n"}, "a.c", text)
	var out []string
	for _, tok := range tokens {
		switch tok.Kind {
		case cpp.End:
		case cpp.Pragma:
			out = append(out, "["+tok.Text+"]")
		default:
			out = append(out, tok.Text)
		}
	}
	return strings.Join(out, " "), tokens, err
}

// TestRun: macros and directives do as C11, 6.10, says.
func TestRun(t *testing.T) {
	headers := map[string]string{"h.h": "#pragma once\nint h;\n", "twice.h": "t\n", "mark.h": "\ufeff#define M 1\n", "guard.h": "#ifndef G\n#define G 5\n#endif\n"}
	for _, c := range []struct{ text, want string }{
		{"a+++b /* c */ - // d\ne", "a ++ + b - e"},
		{"x\\\ny 1.5e-3f 0x1fe+1 .5 1'000", "xy 1.5e-3f 0x1fe + 1 .5 1'000"},
		{`"a\"b" 'c' L"d"`, `"a\"b" 'c' L"d"`},
		{"#define N 4\nN PRE", "4 7"},
		{"#define F(x, y) x+y\nF(1, (2, 3)) F", "1 + ( 2 , 3 ) F"},
		{"#define F(x) x\nF\n(\n1\n)", "1"},
		{"#define A B\n#define B A\nA B", "A B"},
		{"#define f(x) f(x + 1)\nf(f(0))", "f ( f ( 0 + 1 ) + 1 )"},
		{"#define CAT(a, b) a##b\n#define X CAT(x, 1)\n#define x1 yes\nX CAT(, z) CAT(z, )", "yes z z"},
		{"#define S(x) #x\n#define T(x) S(x)\n#define N 4\nS(a  b \"c\\n\") T(N) S(N)", `"a b \"c\\n\"" "4" "N"`},
		{"#define P(f, ...) p(f, ##__VA_ARGS__)\nP(1) P(1, (2), 3)", "p ( 1 ) p ( 1 , ( 2 ) , 3 )"},
		{"#define V(...) v(__VA_ARGS__)\nV() V(1, 2)", "v ( ) v ( 1 , 2 )"},
		{"#define E()\n#define G(x) <x>\nE() G()", "< >"},
		{"#define str(x) #x\n#define xstr(x) str(x)\n#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g"},
		{"#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\nf(y+1) + f(f(x))", "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( 2 ) ) ) )"},
		{"#define hash_hash # ## #\nhash_hash", "##"},
		{"#if 1 + 1 == 2 && !defined(X) && defined PRE\ny\n#else\nn\n#endif", "y"},
		{"#if 0\na 'quote\n#elif PRE > 6\nb\n#elif 1\nc\n#else\nd\n#endif", "b"},
		{"#ifdef X\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c"},
		{"#ifndef X\na\n#else\nb\n#endif", "a"},
		{"#if UNKNOWN || (1 ? 0 : 1 / 0) || 0xFFul < 'a' - 1u\na\n#endif", ""},
		{"#if -1 < 0 && ~0 == -1 && 7 % 4 == 3 && 1 << 3 >= 8 && (6 & 3 | 8 ^ 1) == 11\ny\n#endif", "y"},
		{"#if -1 > 0u && ~0u > 5 && -1 >> 1 == -1 && 0xffffffffffffffff >> 60 == 15 && (0 ? 0u : -1) > 0 && -1 < (0u < 1)\ny\n#endif", "y"},
		{"#include <h.h>\n#include \"h.h\"\n#include \"twice.h\"\n#include \"twice.h\"\n#define H <guard.h>\n#include H\nG", "int h ; t t 5"},
		{"\ufeff#include <mark.h>\nM", "1"}, // byte order marks
		{"#define N 4\n#pragma unroll N\n#pragma once\nx", "[unroll N] x"},
		{"#define A(x) x\nA(1\n#ifdef PRE\n+ 2\n#endif\n)", "1 + 2"},
		{"# 1 \"f\"\n#warning w\n#\nx", "x"},
		{"#if not defined(X) and PRE bitand 4 or 1 / 0\ny\n#endif", "y"},
		{"#define HAS (defined X || defined(PRE))\n#define NONE defined X\n#if HAS && !(NONE)\ny\n#endif", "y"},
	} {
		if got, _, err := run(t, c.text, headers); err != nil || got != c.want {
			t.Errorf("%q: got %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// TestLarge: what a macro makes too much of stays, as a call, where that is allowed; what stands around it is read.
func TestLarge(t *testing.T) {
	bomb := "#define x0(a) a a\n"
	for i := range 40 {
		bomb += fmt.Sprintf("#define x%d(a) x%d(a) x%d(a)\n", i+1, i, i)
	}
	tokens, err := cpp.Run(t.Context(), cpp.Config{Large: true}, "a.c", bomb+"a; x40(b) x0(c)\nd; x40(x0(e) f) g;")
	got := ""
	for _, tok := range tokens {
		got += tok.Text
	}
	if want := "a;x40();ccd;x40();g;"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// TestPlaces: a token stands where it is written, one of a macro where that is used, one of an argument where it is written.
func TestPlaces(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a b\n  c", "a 1:1, b 1:3, c 2:3"},
		{"#define F(x) x + y\n/* \n */ F(z)", "z 3:7, + 3:5, y 3:5"},
		{"a \\\n b c\\\nd\ne", "a 1:1, b 2:2, cd 2:4, e 4:1"},
		{"é é", "é"},
		{"/* é */ a", "a 1:9"},
		{"a\\\n\\\n\nb", "a 1:1, b 4:1"},
	} {
		_, tokens, err := run(t, c.text, nil)
		var got []string
		for _, tok := range tokens[:max(0, len(tokens)-1)] {
			got = append(got, fmt.Sprintf("%s %d:%d", tok.Text, tok.At.Line, tok.At.Column))
		}
		if err == nil && strings.Join(got, ", ") != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// TestErrors: faults have a place; what would take too much is refused.
func TestErrors(t *testing.T) {
	bomb := "#define x0 1 1\n"
	for i := range 60 {
		bomb += fmt.Sprintf("#define x%d x%d x%d\n", i+1, i, i)
	}
	nested := strings.Repeat("F(", 300) + strings.Repeat(")", 300)
	for _, c := range []struct{ text, want string }{
		{"#if 1\n", "a.c:1:2: #if without #endif"},
		{"#if 0\n#if 1\n#endif\n", "a.c:1:2: #if without #endif"},
		{"\n#endif", "a.c:2:2: #endif without #if"},
		{"#else", "a.c:1:2: #else without #if"},
		{"#if 1\n#else\n#else\n#endif", "a.c:3:2: #else after #else"},
		{"#if 0\n#else\n#else\n#endif", "a.c:3:2: #else without #if"},
		{"#error a  b", "a.c:1:2: #error a b"},
		{"#nonsense", "a.c:1:2: #nonsense is no directive"},
		{"#if 1 +\n#endif", "a.c:1:2: the condition of #if is no expression"},
		{"#if 1 2\n#endif", "a.c:1:7: the condition of #if is no expression of integers at \"2\""},
		{"#include \"no.h\"", "a.c:1:10: include file not found: no.h"},
		{"#include", "a.c:1:2: #include without"},
		{"#include \"again.h\"", "include each other 200 deep"},
		{"#define", "a.c:1:2: #define without a name"},
		{"#define F(x", "the parameters of the macro F have no end"},
		{"#define F(1) x", "a.c:1:11: the parameters of the macro F are no list of names"},
		{"#define F(x) x\nF(1, 2)", "a.c:2:1: the macro F has 1 parameters, and here are 2 arguments"},
		{"#define F(x) x\n F(1", "a.c:2:2: the arguments of the macro F have no end"},
		{"#define C(a, b) a##b\nC(+, x)", "a.c:2:3: + and x joined by ## are no token"},
		{"a `", "a.c:1:3: a character \"`\""},
		{"#define A `", "a.c:1:11: a character \"`\""},
		{bomb + "x60", "macros make more than"},
		{"#define F(x) x\n" + nested, "more than 200 deep"},
		{"#if " + strings.Repeat("(", 1000) + "1\n#endif", "more than 200 operations"},
		{"#if " + strings.Repeat("1+", 100_000) + "1\n#endif", "more than 10000 tokens"},
		{strings.Repeat("#if 1\n", 1000), "more than 200 deep"},
		{strings.Repeat("x ", 1_100_000), "more than 1000000 tokens"},
	} {
		_, _, err := run(t, c.text, map[string]string{"again.h": "#include \"again.h\"\n"})
		var fault *cpp.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: got %v, want %q", c.text, err, c.want)
		}
	}
}

// TestConditions: operators of conditions have the values of Go's, on both sides of where these change.
func TestConditions(t *testing.T) {
	is := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	for a := -2; a <= 2; a++ {
		for b := -2; b <= 2; b++ {
			for op, want := range map[string]int{
				"<": is(a < b), ">": is(a > b), "<=": is(a <= b), ">=": is(a >= b), "==": is(a == b), "!=": is(a != b),
				"&&": is(a != 0 && b != 0), "||": is(a != 0 || b != 0), "+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b,
			} {
				text := fmt.Sprintf("#if (%d %s %d) == %d\nas wanted\n#endif", a, op, b, want)
				if got, _, err := run(t, text, nil); err != nil || got != "as wanted" {
					t.Errorf("%d %s %d is not %d, %v", a, op, b, want, err)
				}
			}
		}
	}
}
