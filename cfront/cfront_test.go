package cfront_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// header is in the manner of benchmarks: macros for arrays that are fixed or of variable length, for literals of the data type, for bounds.
const header = `
#ifndef BENCH_H
# define BENCH_H
# include <stdlib.h>
# ifdef FIXED
#  define ARRAY_2D(a, d1, d2, n1, n2) a[RESTRICT d1 + 0][d2 + 0]
# else
#  define ARRAY_2D(a, d1, d2, n1, n2) a[RESTRICT n1 + 0][n2 + 0]
# endif
# ifdef RESTRICTED
#  define RESTRICT restrict
# else
#  define RESTRICT
# endif
# define ARRAY(a, n) a[n]
# ifdef BOUNDS
#  define BOUND(x, y) x
# else
#  define BOUND(x, y) y
# endif
# ifndef SMALL_N
#  define SMALL_N 20
# endif
# define N SMALL_N
# define _N BOUND(N, n)
# ifdef FLOAT
#  define DATA float
#  define LITERAL(x) x##f
#  define ROOT(x) sqrtf(x)
# else
#  define DATA double
#  define LITERAL(x) x
#  define ROOT(x) sqrt(x)
# endif
extern void *allocate(unsigned long, int);
# define DECLARE(a, n, m) DATA (*a)[n][m]; a = (DATA (*)[n][m])allocate((n) * (m), sizeof(DATA));
#endif
`

const program = `#include <stdio.h>
#include <unistd.h>
#include <math.h>
#include <bench.h>
static void print_all(int n, DATA ARRAY_2D(A, N, N, n, n))
{
  for (int i = 0; i < n; i++)
    fprintf(stderr, "%0.2lf\n", A[i][i]);
}
static void work(int n, DATA alpha, DATA ARRAY_2D(A, N, N, n, n), DATA ARRAY(x, N + 0))
{
  int i, j;
#pragma scop
  for (i = 0; i < _N; i++)
    {
      x[i] = LITERAL(0.0);
      for (j = 0; j <= i; j++)
        x[i] += A[i][j] * (DATA)alpha + ROOT(A[j][i]);
    }
#pragma endscop
}
int main(int argc, char **argv)
{
  int n = N;
  DECLARE(A, N, N)
  DATA x[N];
  work(n, LITERAL(1.5), *A, x);
  if (argc > 42) print_all(n, *A);
  free((void *)A);
  return 0;
}
`

// TestMacros: programs in the manner of benchmarks are read as they are, whatever their macros choose.
func TestMacros(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"include/bench.h": "\ufeff" + header, "program.c": "\ufeff" + program} { // with byte order marks
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		defines []string
		want    []string
	}{
		{nil, []string{"array float64 A[n][n]", "S0[i] : 0 <= i < n }", "sqrt(A[j, i])"}},
		{[]string{"FIXED"}, []string{"array float64 A[20][20]", "S0[i] : 0 <= i < n }"}},
		{[]string{"FIXED", "BOUNDS", "SMALL_N=7"}, []string{"array float64 A[7][7]", "S0[i] : 0 <= i <= 6 }", "array float64 x[7]"}},
		{[]string{"double=float"}, []string{"array float32 A[n][n]", "sqrt(A[j, i])"}},
		{[]string{"RESTRICTED", "FLOAT"}, []string{"array float32 A[n][n]", "x[i] = 0.0f", "sqrt(A[j, i])"}},
	} {
		nests, err := scop.Load(t.Context(), filepath.Join(dir, "program.c"), cfront.Options{Include: []string{filepath.Join(dir, "include")}, Define: c.defines})
		if err != nil || len(nests) != 1 {
			t.Errorf("%v: %d nests, %v", c.defines, len(nests), err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(nests[0].String(), want) {
				t.Errorf("%v: no %q in\n%s", c.defines, want, nests[0])
			}
		}
	}
}

// TestTree: what has no place in loop nests is a tree too.
func TestTree(t *testing.T) {
	f, err := cfront.Parse(t.Context(), "a.c", "struct s { int x; };\nint f(struct s s, int *p) {\n  while (p[1]) p++;\n  return *p = 1, s.x;\n}\n", cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fn := f.Function("f")
	if fn == nil || fn.Result != "int32" || len(fn.Body.Items) != 2 || f.Function("g") != nil {
		t.Fatalf("got %+v", fn)
	}
	if w, ok := fn.Body.Items[0].(*cfront.While); !ok || w.Do || w.Cond.Type() != "int32" {
		t.Errorf("got %#v", fn.Body.Items[0])
	}
	j, ok := fn.Body.Items[1].(*cfront.Jump)
	if !ok || j.What != "return" {
		t.Fatalf("got %#v", fn.Body.Items[1])
	}
	l, ok := j.Value.(*cfront.List)
	if !ok || len(l.Items) != 2 {
		t.Fatalf("got %#v", j.Value)
	}
	if m, ok := l.Items[1].(*cfront.Member); !ok || m.Name != "x" {
		t.Errorf("got %#v", l.Items[1])
	}
}

// TestErrors: errors of C name file, line and column, also in a header.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "bad.h"), []byte("int x;\nint y z;\n"), 0o644)
	os.WriteFile(filepath.Join(dir, "again.h"), []byte("#include \"again.h\"\n"), 0o644)
	for _, c := range []struct{ text, want string }{
		{"void f(void) {\n  int i = ;\n}\n", "main.c:2:11: "},
		{"#include \"bad.h\"\n", "bad.h:2:7: "},
		{"#include \"again.h\"\n", "as where a header includes itself without end"},
		{"#include \"/etc/passwd\"\n", "main.c:1:10: include file not found"},
		{"#include \"../../../../../../../../etc/passwd\"\n", "main.c:1:10: include file not found"},
		{"#include </etc/passwd>\n", "main.c:1:10: include file not found"},
		{"#include <sys/../../read.go>\n", "main.c:1:10: include file not found"},
		{"#error no\n", "main.c:1:2: #error no"},
		{"#ifndef A\n#error no A\n#endif\nA\n#if !defined B && !C\n#error\n#endif\n#ifndef A\n#error\n#endif\n", "main.c:2:2: #error no A\n    #error no A\n     ^\n    -D A=… defines what it asks for"},
		{"#if !defined(__GNUC__) && !defined(_WIN32)\n#error unknown\n#endif\n", "main.c:2:2: #error unknown\n    #error unknown\n     ^\n    -D __GNUC__ defines what it asks for"},
		{"void f(void) { undeclared = 1; }\n", "main.c:1:16: undeclared is not declared\n"},
		{"float f(void) {\n  return 1.0ff;\n}\n", "main.c:2:10: 1.0ff is no number\n"},
		{"int f(void) { return 08; }\n", "main.c:1:22: 08 is no number\n"},
		{"int f(void) { return 99999999999999999999; }\n", "main.c:1:22: 99999999999999999999 is no number\n"},
		{"#pragma scop\nvoid f(void) { }\n", "main.c:1:9: #pragma scop without #pragma endscop"},
		{"void f(void) {\n#pragma endscop\n}\n", "main.c:2:9: #pragma endscop without #pragma scop"},
		{"#pragma scop\n#pragma endscop\n", "main.c:1:9: #pragma scop is in no function"},
		{"void f(int n) {\n  for (int i = 0; i < n; i++) {\n#pragma scop\n  }\n#pragma endscop\n}\n", "main.c:3:9: #pragma scop and #pragma endscop are in different blocks"},
	} {
		f, err := cfront.Parse(t.Context(), filepath.Join(dir, "main.c"), c.text, cfront.Options{})
		if err == nil {
			_, err = f.Regions()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}

// hostile are texts that would take too much time, memory or stack. Each ends in an error.
var hostile = map[string]string{
	"macro bomb":         bomb(60),
	"parentheses":        "int x = " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + ";\n",
	"braces":             "void f(void) " + strings.Repeat("{", 100_000) + strings.Repeat("}", 100_000) + "\n",
	"signs":              "int x = " + strings.Repeat("- ", 200_000) + "1;\n",
	"a long sum":         "int x = 1" + strings.Repeat("+1", 200_000) + ";\n",
	"casts":              "int x = " + strings.Repeat("(int)", 100_000) + "1;\n",
	"selects":            "int x = 1" + strings.Repeat(" ? 1 : 1", 100_000) + ";\n",
	"pointers":           "int " + strings.Repeat("*", 200_000) + "p;\n",
	"conditions":         "#if " + strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000) + "\n#endif\n",
	"nested loops":       "void f(int n) { " + strings.Repeat("for (;;) ", 50_000) + "; }\n",
	"nested branches":    "void f(int n) { " + strings.Repeat("if (n) ", 100_000) + "; }\n",
	"many branches":      "void f(int n) { " + strings.Repeat("if (n) { } else ", 100_000) + "; }\n",
	"deep conditions":    deep(17),
	"labels":             "void f(int n) { " + strings.Repeat("case 1: ", 100_000) + "; }\n",
	"includes of itself": "#include __FILE__\n",
	"a long name":        "int " + strings.Repeat("x", 9<<20) + ";\n",
}

func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("#define x0 1\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "#define x%d x%d + x%d\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "int y = x%d;\n", levels)
	return b.String()
}

// deep is a condition of the preprocessor with 2^levels open parentheses, by macros.
func deep(levels int) string {
	var b strings.Builder
	b.WriteString("#define x0 (\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "#define x%d x%d x%d\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "#if x%d\n#endif\n", levels)
	return b.String()
}

func TestHostile(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "main.c")
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := scop.Load(t.Context(), path, cfront.Options{}); err == nil {
				t.Error("no error")
			} else if len(err.Error()) > 2000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}
