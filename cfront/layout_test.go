package cfront_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
)

// records are structures of C++, named S.
var records = []string{
	"struct S { float a; double b; char c; };",
	"struct S { char a; short b; char c[3]; int d; long long e; bool f; };",
	"struct T { char a; double b; }; struct S { char a; T b[2]; float c; };",
	"struct __attribute__((packed)) S { char a; double b; short c; };",
	"struct alignas(16) S { float x, y, z; };",
	"struct alignas(32) T { int a; }; struct S { char a; T b; char c; };",
	"union S { char a; double b; int c[3]; };",
	"struct S { char a; union { int b; double c; }; char d; };",
	"struct B { double a; int b; }; struct S : B { char c; };",
	"struct B {}; struct S : B { char a; int b; };",
	"struct S {};",
	"struct S { float *a; char b; int *c[2]; };",
	"enum E { X, Y }; struct S { char a; E b; int c; };",
	"template <class T, int N> struct V { T v[N]; char c; }; typedef V<double, 3> S;",
	"struct S { static const int n = 3; char a; int f() const { return n; } float b[n]; };",
	"struct S { int a; typedef double R; R b; S(int x) : a(x), b(0) {} S operator+(const S &o) const { return *this; } char c; };",
	"struct N { struct I { char a; short b; }; I c; int d; }; struct S { N::I a[3]; N b; };",
	"struct S { long double *p; unsigned char a; unsigned long long b; unsigned short c; };",
}

// TestLayouts: sizes, alignments and the places of members are those that g++ gives them.
func TestLayouts(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip(err)
	}
	var program, want strings.Builder
	program.WriteString("#include <cstdio>\n#include <cstddef>\n")
	var body strings.Builder
	for i, text := range records {
		f, err := cfront.Parse(t.Context(), "a.cu", text+"\n__global__ void k(S *p) {}", cfront.Options{Instance: "k"})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		r := f.Functions[0].Params[0].Record
		if r == nil || r.Unknown != "" {
			t.Fatalf("%s: no layout: %+v", text, r)
		}
		fmt.Fprintf(&want, "%d: %d %d\n", i, r.Size, r.Align)
		fmt.Fprintf(&program, "namespace n%d { %s }\n", i, text)
		fmt.Fprintf(&body, "printf(\"%d: %%zu %%zu\\n\", sizeof(n%d::S), alignof(n%d::S));\n", i, i, i)
		for _, m := range r.Fields {
			fmt.Fprintf(&want, "%s %d\n", m.Name, m.Offset)
			fmt.Fprintf(&body, "{ alignas(n%d::S) char s[sizeof(n%d::S)]; printf(\"%s %%td\\n\", (char *)&((n%d::S *)s)->%s - s); }\n", i, i, m.Name, i, m.Name)
		}
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "a.cpp"), filepath.Join(dir, "a")
	if err := os.WriteFile(source, []byte(program.String()+"int main() {\n"+body.String()+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), compiler, "-std=c++17", "-w", "-O0", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := exec.CommandContext(t.Context(), binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("g++ says\n%swant, as read here,\n%s", got, want.String())
	}
}
