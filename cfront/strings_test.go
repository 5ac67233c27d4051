package cfront

import (
	"strings"
	"testing"
)

// TestStringKernels: the kernels that programs have in strings are read where they stand.
func TestStringKernels(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"literals of lines", "#include \"x.h\"\nconst char *s =\n  \"kernel void f() {\\n\"\n  \"}\\n\";\nint main() { g(\"f\"); }", "\n\n   kernel void f() {\n   }\n"},
		{"lines in one literal", "s = \"#define N 4\\n#define M 5\\nkernel void f() {}\\n\";\n\nint x;", "     #define N 4\n#define M 5\nkernel void f() {}\n"},
		{"joined lines", "s = \"__kernel void f() {\\n\\\n  // x\\n\\\n}\";", "     __kernel void f() {\n  // x\n}"},
		{"joined lines without ends", "s = \"__kernel void f() \\\n {}\";", "     __kernel void f() \\\n {}"},
		{"a directive of several literals", "s = \"#define A \"\n  \"1\\n\"\n \"kernel void f() {}\";", "     #define A  \\\n   1\n  kernel void f() {}"},
		{"escapes", `s = "kernel void f() { printf(\"a\\n\"); }";`, `     kernel void f() { printf( "a \n "); }`},
		{"a raw string", "auto s = R\"(\nkernel void f() {}\n)\"; // kernel void g() {}", "\nkernel void f() {}\n"},
		{"given to a macro", "const char *s = SOURCE (\n  kernel void f(int n) { g(n); } // )\n);\n", "\n  kernel void f(int n) { g(n); } // )\n"},
		{"what is put in", "s = \"kernel void f(\" + type + \" x, \" << g<T>() << \" y) {}\";", "     kernel void f(  type       x,   TEXT_1         y) {}"},
		{"a list of lines", "char *s[] = { \"kernel void f() {\\n\",\n \"}\\n\" };", "               kernel void f() {\n  }"},
		{"a text that goes on", "s = \"kernel void f() {\";\ns += \" g();\";\nif (x) s.append(\"}\");", "     kernel void f() {  \\\n       g();  \\\n                 }"},
		{"macros beside it", "a = \"#define N 4\\n\"; b = \"text\";\nk = \"kernel void f() {}\";", "     #define N 4\n                    kernel void f() {}"},
		{"arguments of a call", "build(\"kernel void f() {}\", \"-w\");", "       kernel void f() {}"},
		{"none", "s = \"kernel\"; // kernel void f() {}", "none"},
		{"a kernel of the text", "kernel void f() { printf(\"kernel void g() {}\"); }", "none"},
		{"no end", "s = R\"(kernel void f() {}", "none"},
	} {
		got, ok := stringKernels(c.in, false)
		if !ok {
			got = "none"
		}
		lines := strings.Split(got, "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		want := strings.Split(c.want, "\n")
		for i := range want {
			want[i] = strings.TrimRight(want[i], " ")
		}
		if strings.TrimRight(strings.Join(lines, "\n"), "\n") != strings.TrimRight(strings.Join(want, "\n"), "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestProgramKernels: a program is read as the kernels in its strings, or the functions of CUDA C in it; one without is refused.
func TestProgramKernels(t *testing.T) {
	const text = "const char *s = \"kernel void f(global int *p) {\\n\"\n \"p[0] = q; }\";"
	for _, c := range []struct {
		path, text string
		strings    bool
		want       string
	}{
		{"a.cpp", text, false, "a.cpp:2:10: q is not declared"},
		{"a.c", text, true, "a.c:2:10: q is not declared"},
		{"a.hpp", text, false, "a.hpp:2:10: q is not declared"},
		{"a.py", "x = 'a'\np = \"\"\"kernel void f(global int *p) {\n p[0] = q; }\"\"\" # \"", false, "a.py:3:9: q is not declared"},
		{"a.cpp", "__global__ void f(int *p) { p[0] = q; }", false, "a.cpp:1:36: q is not declared"},
		{"a.cpp", "int main() {}", false, "a.cpp: it has no kernels"},
		{"a.c", "int main() {}", true, "a.c: it has no kernels"},
		{"a.cpp", "s = \"kernel void f(\" + g() + \" x) {}\";", false, "the program puts a text in at line 1: -D TEXT_1=float defines it"},
	} {
		f, err := Parse(t.Context(), c.path, c.text, Options{Strings: c.strings})
		for i := 0; err == nil && i < len(f.Functions); i++ {
			err = f.Functions[i].Err
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q: got %v, want %s", c.path, c.text, err, c.want)
		}
	}
}

// FuzzStringKernels: no text stops it.
func FuzzStringKernels(f *testing.F) {
	f.Add("s = \"kernel void f() {\\n\\\n\" + x + R\"(})\"; M(kernel void g('\"');", false)
	f.Add("a = r'''kernel void f() {}''' # '\n'", true)
	f.Fuzz(func(_ *testing.T, text string, python bool) { stringKernels(text, python) })
}
