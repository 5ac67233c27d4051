package cfront_test

import (
	"strings"
	"testing"

	"gpuperf/cfront"
)

// programs have declarations, statements and expressions that kernels have not.
var programs = []struct{ name, text, want string }{ // or the error
	{
		"parameters", "void f(int n, double a[n][n + 1], float (*restrict q)[n], int b[restrict static 3]) {}",
		"function f(int32 n, float64 a[n][(n + 1):int32], restrict float32 q[*][n], int32 b[3])",
	},
	{
		"old parameters", "double f(n, a) int n; double a[10]; { return a[n]; }\nmain() { return f(1, 0); }",
		"function f(int32 n, float64 a[10]) float64; return a[n]; function main() int32; return f(1, 0):float64",
	},
	{
		"redeclared", "void f(int); void f(int n) { n = 1; } void f(int); extern int a[]; int a[4]; int g(void) { return sizeof a + a[1]; }",
		"function f(int32 n); n = 1; function g() int32; return (16 + a[1]):uint64",
	},
	{
		"function pointers", "typedef int op(int); int one(int x) { return x; }\nint (*table[2])(int) = { one, one }; int (*get(int k))(int) { return table[k]; }\n" +
			"int f(op *g, int (*h)(int)) { return g(1) + (*h)(2) + (one)(3) + get(0)(4) + table[1](5); }",
		"function one(int32 x) int32; return x; function get(int32 k); return table[k]; function f(g[*], h[*]) int32; return ((((unknown(a call through a pointer) + unknown(a call through a pointer)):int32 + one(3):int32):int32 + unknown(a call through a pointer)):int32 + unknown(a call through a pointer)):int32",
	},
	{
		"records", "struct list { struct list *next; union { float x; int bits; }; unsigned low : 3, : 5; } *all; const struct list first;\n" +
			"float f(void) { return all->next->x + first.bits; }",
		"function f() float32; return (all[0].next[0].x + first.bits):float32",
	},
	{"a member that is none", "struct s { int x; } s; int f(void) { return s.y; }", "a:1:47: struct s has no member y"},
	{
		"constants are no literals", "static const int K = 3; void f(double a[K]) { const int n = 4; a[0] = K * n; }",
		"function f(float64 a[K]); const int32 n = 4; a[0] = (K * n):int32",
	},
	{"statics", "void f(void) { static int n = 2; extern double a[9]; a[n] = 1; }", "function f(); int32 n = 2; float64 a[9]; a[n] = 1"},
	{
		"values in places", "struct s { int x, y; }; void f(void) { struct s a = { .y = 1, .x = 2 }; int b[] = { [3] = 1 }, c[] = { 1, 2 }, d[][2] = { 1, 2, 3, 4 }; char t[] = \"ab\"; }",
		"function f(); struct s a = unknown(designated values); int32 b[] = unknown(designated values), int32 c[2] = {1, 2}, int32 d[][2] = {1, 2, 3, 4}; int8 t[3] = unknown(a string)",
	},
	{
		"what compilers know", "typedef unsigned long size_t; int f(int n, ...) { __builtin_va_list l; int k = __builtin_va_arg(l, int);\n" +
			"return __builtin_offsetof(struct s { int x; }, x) + _Generic(n, int: 1, default: 2) + sizeof __func__; }",
		"function f(int32 n) int32; l; int32 k = unknown(an argument of a function that takes any number); return ((unknown(the place of a member) + unknown(a choice by type)) + 8)",
	},
	{
		"undeclared functions", "double f(double x) { return sqrt(x) + sqrtf(x) + g(x); }",
		"function f(float64 x) float64; return ((sqrt(x):float64 + sqrtf(x):float32):float64 + g(x):int32):float64",
	},
	{"an undeclared name", "int f(void) {\n  return nothing;\n}", "a:2:10: nothing is not declared"},
	{
		"GNU", "__extension__ typedef long long wide; static inline __attribute__((always_inline)) wide f(int n) __asm__(\"g\");\n_Static_assert(sizeof(int) == 4, \"\");\n" +
			"wide f(int n) { __label__ end; __typeof__(n) k = n ?: 3; if (k) goto end; k = ({ int z = 3; z; }); goto *&&end; end: asm(\"nop\"); return (struct { int x; }){ k }.x; }",
		"function f(int32 n) int64; int32 k = unknown(?: without a middle operand); if k; goto; k = unknown(statements in expressions); goto unknown(the address of a label)[0]; other: a label; other: inline assembly nop; return unknown(a compound literal).x",
	},
	{
		"long double", "long double f(long double x) { return x * 2.0L + 1.0; }",
		"function f(long double x); return ((x * unknown(a long double)) + 1:float64)",
	},
	{
		"large numbers", "unsigned long f(void) { return 18446744073709551615UL + ~0UL + (1UL << 63) + (1UL << 62); }",
		"function f() uint64; return (((unknown(a number above the largest long) + (~0)):uint64 + (1 << 63):uint64):uint64 + 4611686018427387904):uint64",
	},
	{"characters", `int f(void) { return '\'' + '\377' + '\x41' + L'\u00e9' + 'ab'; }`, "function f() int32; return 25266"},
	{
		"complex numbers", "#include <complex.h>\n#include <ctype.h>\n#include <malloc.h>\ndouble f(double complex z) { return creal(z * 2.0 + I) + toupper('a'); }",
		"function f(_Complex z) float64; return (creal(((z * 2:float64) + unknown(an imaginary number))):float64 + toupper(97):int32):float64",
	},
	{
		"a switch", "void f(int n, int *p) { switch (n) { case 1: case 2: p[0] = 1; break; default: p[1] = 2; } }",
		"function f(int32 n, int32 p[*]); block; if ((n == 1):int32 || (n == 2):int32):int32; p[0] = 1; else; p[1] = 2",
	},
	{
		"a switch on arithmetic", "int g(int); void f(int n, int *p) { switch (n / 2) { case 1: p[0] = 1; } switch (g(n)) { case 1: p[0] = 1; } }",
		"function f(int32 n, int32 p[*]); block; if ((n / 2):int32 == 1):int32; p[0] = 1; else; nothing; " +
			"block; int32 chosen = g(n):int32; if (chosen == 1):int32; p[0] = 1; else; nothing",
	},
	{
		"pragmas", "void f(int n) {\n#pragma omp parallel for\nfor (int i = 0;\n#pragma nothing\ni < n; i++) n = i; _Pragma(\"scop\") n = __LINE__; }",
		"function f(int32 n); for int32 i = 0; (i < n):int32; i +after=; n = i; n = 5",
	},
	{"enumerators", "struct s { enum { A, B = 4 } x; }; enum e { C = B + 1 }; enum e f(enum e x) { return x == C ? A : x; }", "function f(int32 x) int32; return ((x == 5):int32 ? 0 : x)"},
	{
		"choices", "char f(char a, char b, int *p) { int *q = a ? p : 0; return a ? a : b; }",
		"function f(int8 a, int8 b, int32 p[*]) int8; int32 q[*] = (a ? p : 0); return (a ? a : b)",
	},
}

// TestPrograms: programs of C as trees.
func TestPrograms(t *testing.T) {
	for _, c := range programs {
		got, err := functions(t, cfront.C, "", c.text)
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestMarkedInSwitch: regions may stand in an arm of a switch, whether it is a chain of branches or not.
func TestMarkedInSwitch(t *testing.T) {
	for _, end := range []string{"break;", ""} {
		f, err := cfront.Parse(t.Context(), "a.c", "void f(int n, int a[n]) {\n  switch (n) {\n  case 1:\n    n = 3;\n#pragma scop\n    a[0] = 1;\n#pragma endscop\n"+end+"\n  case 2:\n    a[1] = 2;\n  }\n}\n", cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := f.Regions(); err != nil || len(r) != 1 || len(r[0].Items) != 1 {
			t.Errorf("%q: got %v, %v", end, r, err)
		}
	}
}
