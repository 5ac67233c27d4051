package cfront_test

import (
	"errors"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/source"
)

// TestMalformed: what no compiler accepts is an error at its place (^) and never left out, also where what is not read may be.
func TestMalformed(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"a[0] = ^;", `";" stands where an expression should stand`},
		{"a[0] = 1\n  ^a[1] = 2;", `"a" stands where ";" should stand`},
		{"a[0] = (1 + 2)^);", `")" closes no bracket`},
		{"a[0]^] = 1;", `"]" closes no bracket`},
		{"a[0] = ^(1 + 2;", "the bracket is not closed"},
		{"a^[0 = 2;", "the bracket is not closed"},
		{"a[0] = 1; } a[1] = 2; ^}\n__device__ void g() {", `"}" closes no bracket`},
		{"a[0] = 1 * ^/ 2;", `"/" stands where an expression should stand`},
		{"a[0] + ^= 1;", `"=" stands where an expression should stand`},
		{"a[0] = 1 ^# 2;", `"#" stands where ";" should stand`},
		{"for (int j = 0; j < n, j++^) a[j] = 1;", `")" stands where ";" should stand`},
		{"for (int j = 0 ^j < n; j++) a[j] = 1;", `"j" stands where ";" should stand`},
		{"if ^n a[0] = 1;", `"n" stands where "(" should stand`},
		{"if (^) a[0] = 1;", `")" stands where an expression should stand`},
		{"^else a[0] = 1;", `"else" stands where an expression should stand`},
		{"int ^3x = 1;", `"3x" stands where a name should stand`},
		{"a[0] = fmaxf(1.f,^);", `")" stands where an expression should stand`},
		{"a[0] = n ? 1^;", `";" stands where ":" should stand`},
		{"a[0] = s.^;", `";" stands where the name of a member should stand`},
		{"switch (n) { case 1 ^a[0] = 1; }", `"a" stands where ":" should stand`},
		{"do { a[0] = 1; } while (n)\n  ^a[1] = 1;", `"a" stands where ";" should stand`},
		{"return\n  ^a[0] = 1;", "k returns nothing"},
		{"}\n__global__ void g(float *p ^int n) {", `"int" stands where "," or ")" after a parameter should stand`},
		{"}\n__global__ void g(float *p, int n ^{", `"{" stands where "," or ")" after a parameter should stand`},
		{"}\n__global__ void g(float *p, int n^; int m) {", `";" stands where`},
	} {
		before, after, _ := strings.Cut(c.body, "^")
		head := "struct S { int x; };\n__global__ void k(float *a, int n) {\n  S s;\n  "
		text := head + before + after + "\n}\n"
		f, err := cfront.Parse(t.Context(), "a.cu", text, cfront.Options{Opaque: true})
		for i := 0; err == nil && i < len(f.Functions); i++ {
			err = f.Functions[i].Err
		}
		var at *source.Error
		if !errors.As(err, &at) || !strings.Contains(at.Msg, c.want) {
			t.Errorf("%s: got %v, want %s", c.body, err, c.want)
			continue
		}
		want := len(head + before)
		if line := 1 + strings.Count(text[:want], "\n"); at.Pos.Line != line || at.Pos.Column != want-strings.LastIndex(text[:want], "\n") {
			t.Errorf("%s: at %d:%d, want line %d", c.body, at.Pos.Line, at.Pos.Column, line)
		}
	}
}

// TestNotMalformed: what is only not read, or may be of a macro that a header has, is left out.
func TestNotMalformed(t *testing.T) {
	for _, body := range []string{
		"auto [x, y] = pair(n);", "if (int m = n; m > 0) a[0] = 1;", "float x[4] ALIGNED;", "a[0] = unknown<3>(n);", "a[0] = n ?: 2;",
		"g<<<1, 32>>>(a, n);", "a[0] = (n + ... + 1);", "a[0] = n and 1;", "for (;;) { break; }", "goto *(&&here);",
	} {
		text := "#include \"none.h\"\n__global__ void k(float *a, int n) {\n  " + body + "\n}\n"
		f, err := cfront.Parse(t.Context(), "a.cu", text, cfront.Options{Opaque: true})
		if err == nil {
			err = f.Functions[0].Err
		}
		if err != nil {
			t.Errorf("%s: %v", body, err)
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
		f, err := cfront.Parse(t.Context(), c.path, c.text, cfront.Options{Strings: c.strings})
		for i := 0; err == nil && i < len(f.Functions); i++ {
			err = f.Functions[i].Err
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q: got %v, want %s", c.path, c.text, err, c.want)
		}
	}
}
