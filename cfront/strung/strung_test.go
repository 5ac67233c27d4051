package strung_test

import (
	"strings"
	"testing"

	"gpuperf/cfront/strung"
)

// TestKernels: the kernels that programs have in strings are read where they stand.
func TestKernels(t *testing.T) {
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
		{"a text that goes on", "s = \"kernel void f() {\";\ns += \" g();\";\ns.append(\"}\");", "     kernel void f() {  \\\n       g();  \\\n          }"},
		{"a text that goes on by choice", "s = \"kernel void f() {\";\nif (x) s += \" g();\"; else s += \" h();\";\ns += \"}\";", "     kernel void f() {  TEXT_1  \\\n              g();  TEXT_2       h();  \\\n      }"},
		{"macros beside it", "a = \"#define N 4\\n\"; b = \"text\";\nk = \"kernel void f() {}\";", "     #define N 4\n                    kernel void f() {}"},
		{"arguments of a call", "build(\"kernel void f() {}\", \"-w\");", "       kernel void f() {}"},
		{"texts of a macro", "#define R(...) string(\" \"#__VA_ARGS__)\ns = R(\n\\n#define N 4\nkernel void f() {}\n)+\"#ifdef X\"+R(\nint g() { return 1; }\n)+\"#endif\";", "\n\n  #define N 4\nkernel void f() {}\n   #ifdef X\nint g() { return 1; }\n   #endif"},
		{"a macro that makes no string", "#define K(x) x;\nK(kernel void f() {})", "none"},
		{"a literal of lines that a tool takes", "char *s = \"\n#define A \\\n 1\nkernel void f() {}\n\";", "\n#define A \\\n 1\nkernel void f() {}\n"},
		{"texts that define one function", "s = \"kernel void f() {}\";\nt = \"kernel void g() {} kernel void f() {}\";", "     kernel void f() {}"},
		{"conditions of the program", "#ifndef H\n#define H\n/*\n#if 0\n*/\ns = \"kernel void f() {\\n\"\n#ifdef D // d\n  \"a; \"\n#else\n  \"b;\\n\"\n#endif\n  \"}\";\n#endif", "#ifndef H\n\n\n\n\n     kernel void f() {\n#ifdef D\n   a;\n#else\n   b;\n#endif\n   }\n#endif"},
		{"none", "s = \"kernel\"; // kernel void f() {}", "none"},
		{"a kernel of the text", "kernel void f() { printf(\"kernel void g() {}\"); }", "none"},
		{"no end", "s = R\"(kernel void f() {}", "none"},
	} {
		got, ok := strung.Kernels(c.in, false, "")
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

// FuzzKernels: no text stops it.
func FuzzKernels(f *testing.F) {
	f.Add("s = \"kernel void f() {\\n\\\n\" + x + R\"(})\"; M(kernel void g('\"');", false)
	f.Add("a = r'''kernel void f() {}''' # '\n'", true)
	f.Fuzz(func(_ *testing.T, text string, python bool) { strung.Kernels(text, python, "f") })
}

// TestWantedText: of texts that define one function the one with the wanted kernel is read.
func TestWantedText(t *testing.T) {
	const text = "a = \"kernel void f() {}\"; b = \"kernel void f() {} kernel void g() {}\"; c = \"kernel void h() {}\";"
	for wanted, want := range map[string][]string{"": {"f", "h"}, "h": {"h", "f"}, "g": {"f", "g", "h"}} {
		got, _ := strung.Kernels(text, false, wanted)
		for _, name := range []string{"f", "g", "h"} {
			n := strings.Count(got, " "+name+"()")
			if has := strings.Contains(strings.Join(want, ""), name); has != (n == 1) {
				t.Errorf("%q: %d of %s in %q", wanted, n, name, got)
			}
		}
	}
}
