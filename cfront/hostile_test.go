package cfront_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/cfront"
)

// hostileKernels are texts of kernel languages that would take too much time, memory or stack, with what the error says.
var hostileKernels = []struct{ name, text, want string }{
	{"a brace before everything", "{\nvoid f() {}\n", ""},
	{"macro bomb", bomb(60), "macros make more than"},
	{"parentheses", "int x = " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + ";", "brackets are open at once"},
	{"nested brackets", "int x = " + strings.Repeat("(", 390) + "1" + strings.Repeat(")", 390) + ";", ""},
	{"signs", "void f(void) { int x = " + strings.Repeat("- ", 40_000) + "1; }", "constructs are in each other"},
	{"a long sum", "void f(int n) { n = 1" + strings.Repeat("+n", 200_000) + "; }", "more than 50000 tokens"},
	{"a sum", "void f(int n) { n = 1" + strings.Repeat("+n", 20_000) + "; }", ""},
	{"casts", "void f(void) { int x = " + strings.Repeat("(int)", 15_000) + "1; }", "constructs are in each other"},
	{"selects", "void f(int n) { n = n" + strings.Repeat(" ? n : n", 10_000) + "; }", "constructs are in each other"},
	{"assignments", "void f(int n) { " + strings.Repeat("n = ", 20_000) + "1; }", "constructs are in each other"},
	{"pointers", "int " + strings.Repeat("*", 40_000) + "p;", "more than 16 pointers"},
	{"dimensions", "int a" + strings.Repeat("[2]", 15_000) + ";", "more than 16 dimensions"},
	{"declarators", "int " + strings.Repeat("(*", 390) + "p" + strings.Repeat(")", 390) + ";", ""},
	{"subscripts", "void f(int *p) { p" + strings.Repeat("[0]", 15_000) + "; }", "has no elements"},
	{"nested loops", "void f(int n) { " + strings.Repeat("for (;;) ", 10_000) + "; }", "constructs are in each other"},
	{"branches", "void f(int n) { " + strings.Repeat("if (n) { } else ", 4_000) + "; }", ""},
	{"branches in braces", "void f(int n) { " + strings.Repeat("if (n) { } else { ", 390) + strings.Repeat("}", 390) + " }", ""},
	{"labels", "void f(int n) { " + strings.Repeat("x: ", 20_000) + "; }", "constructs are in each other"},
	{"structs", strings.Repeat("struct { ", 390) + "int x;" + strings.Repeat("} x;", 390), ""},
	{"braces", "int x[] = " + strings.Repeat("{", 390) + strings.Repeat("}", 390) + ";", ""},
	{"huge array", "int a[1 << 30][1 << 30][1 << 30], b = sizeof a;", ""},
	{"includes of itself", "#include __FILE__\n", ""},
	{"a long name", "int " + strings.Repeat("x", 9<<20) + ";", "more than 8388608 bytes"},
	{"many declarations", strings.Repeat("int x;", 100_000), ""},
	{"a template of itself", "template <int N> __device__ int f() { return f<N + 1>(); }\n__global__ void k() { f<0>(); }", "templates have more than 2000 instances"},
	{"a template of two of itself", "template <int N> __device__ int f() { return f<2 * N>() + f<2 * N + 1>(); }\n__global__ void k() { f<1>(); }", "templates have more than 2000 instances"},
	{"types of itself", "template <class T> struct S { T x; };\ntemplate <class T> __device__ int f(T x) { S<T> y; return f(y); }\n__global__ void k() { f(1); }", "templates have more than 2000 instances"},
	{"a class of itself", "template <int N> struct S { S<N + 1> x; };\n__global__ void k() { S<0> x; }", ""},
	{"a large template", "template <int N> __device__ int f() { " + strings.Repeat("int x;", 10_000) + " return f<N + 1>(); }\n__global__ void k() { f<0>(); }", "takes more than"},
	{"template arguments", "template <int N> struct S { };\n__global__ void k() { " + strings.Repeat("S<sizeof(", 300) + "int" + strings.Repeat(")> x", 300) + "; }", ""},
	{"the result is that of itself", "__device__ auto f(int n) { return f(n); }\n__global__ void k() { f(1); }", ""},
	{"results of each other", functionsOfEachOther(3_000), ""},
	{"quotes", strings.Repeat("'", 100_000), ""},
	{"comments", strings.Repeat("/*", 100_000), ""},
	{"joints", "int" + strings.Repeat("\\\n", 500_000) + " x;", ""},
}

// functionsOfEachOther are functions whose result is that of the next.
func functionsOfEachOther(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "__device__ auto f%d();\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "__device__ auto f%d() { return f%d(); }\n", i, i+1)
	}
	return b.String() + "__global__ void k() { f0(); }\n"
}

// TestHostileKernels: each text ends, with the error that is expected or without.
func TestHostileKernels(t *testing.T) {
	for _, c := range hostileKernels {
		for _, language := range []cfront.Language{cfront.OpenCL, cfront.CUDA} {
			if language == cfront.OpenCL && strings.Contains(c.text, "__global__") {
				continue
			}
			t.Run(c.name+" in "+string(language), func(t *testing.T) {
				text := c.text
				if language == cfront.CUDA {
					text = strings.ReplaceAll(text, "void f(", "__global__ void f(")
				}
				f, err := cfront.Parse(t.Context(), "a", text, cfront.Options{Language: language})
				if err == nil {
					for _, fn := range f.Functions {
						if fn.Err != nil {
							err = fn.Err
						}
					}
				}
				switch {
				case c.want != "" && language == cfront.CUDA && err == nil && !strings.Contains(text, "__global__"): // code for the host
				case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("got %v, want %q", err, c.want)
				case err != nil && len(err.Error()) > 2500:
					t.Errorf("an error of %d bytes", len(err.Error()))
				}
			})
		}
	}
}
