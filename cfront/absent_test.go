package cfront_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront"
)

// TestFolders: headers that lie below the top of a file's repository are found, the nearest of a name, also those that they include; from the working directory's
// folder, from below it and from elsewhere.
func TestFolders(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		"a/src/k.cu":           "#include \"lib/pair.h\"\n#include <vector>\n#include \"none.h\"\n__global__ void k(pair p, deep d, more m) {}",
		"a/include/lib/pair.h": "#include \"deep.h\"\n#include <other/more.cuh>\nstruct pair { int x; };",
		"a/include/lib/deep.h": "typedef int deep;",
		"b/include/lib/pair.h": "struct pair { int x, y; };",
		"third/other/more.cuh": "typedef int more;",
		".git/none.h":          "",
		"vector":               "",
	} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range map[string][]string{
		".": {"a/include", "third"}, "b": {filepath.Join(top, "a/include"), filepath.Join(top, "third")}, "a/src": {filepath.Join(top, "a/include"), filepath.Join(top, "third")},
	} {
		t.Chdir(filepath.Join(top, from))
		f, err := cfront.Read(t.Context(), filepath.Join(top, "a/src/k.cu"), cfront.Options{Instance: "k"})
		if err != nil {
			t.Fatalf("from %s: %v", from, err)
		}
		if !slices.Equal(f.Folders, want) || !strings.HasPrefix(f.Function("k").String(), "kernel k(struct pair p, int32 d, int32 m)") {
			t.Errorf("from %s: folders %v, want %v; %s", from, f.Folders, want, f.Function("k"))
		}
		if got := f.Passed(); !strings.HasPrefix(got, "not found, and passed over: none.h; -I gives their folders; headers are read from folders around the file, as by -I ") {
			t.Errorf("from %s: %s", from, got)
		}
	}
}

// TestDefined: a macro whose condition leaves out all kernels, or a macro that the file uses, is taken to be defined, and no other.
func TestDefined(t *testing.T) {
	for text, want := range map[string]string{
		"#ifdef USE_GPU\n__global__ void k() {}\n#endif":                                                                                                   "USE_GPU",
		"#if defined(A) && !defined(B)\n__global__ void k() {}\n#endif":                                                                                    "A",
		"#ifdef A\n__global__ void f() {}\n#endif\n__global__ void k() {}":                                                                                 "",
		"#define __location__(a) __attribute__((a))\n#define __global__ __location__(global)\n__global__ void k() {}":                                      "",
		"#ifndef __CUDACC__\n__global__ void k() {}\n#endif":                                                                                               "",
		"#if A == 2\n__global__ void k() {}\n#endif":                                                                                                       "",
		"#ifdef A\n#define B\n#endif\n#if 0\n#else\n#ifdef B\n__global__ void k() {}\n#endif\n#endif":                                                      "B",
		"#ifdef A\n#define EACH(i) for (int i = 0; i < 4; i++)\n#endif\n#ifdef B\n#define ALL(i)\n#endif\n__global__ void k(int *p) { EACH(j) p[j] = j; }": "A",
		"#if A > 3\n#define EACH(i) for (int i = 0; i < 4; i++)\n#endif\n__global__ void k(int *p) { EACH(j) p[j] = j; }":                                  "",
	} {
		f, err := cfront.Parse(t.Context(), "a.cu", text, cfront.Options{})
		if err != nil || strings.Join(f.Defined, " ") != want {
			t.Errorf("%s: %q, want %q, %v", text, f.Defined, want, err)
		}
	}
}

// TestResembling: a header of a program that lies elsewhere is found where its name begins as those of the toolkit do; the toolkit's own are known.
func TestResembling(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		"src/k.cu":               "#include \"cuda_helper.h\"\n#include \"cuda_runtime.h\"\n#include \"vector_tools.cuh\"\n__global__ void k(pair p, off_t *q, deep d) {}",
		"include/cuda_helper.h":  "struct pair { int x; };",
		"third/cuda_runtime.h":   "#error not this one",
		"tools/vector_tools.cuh": "typedef int deep;",
		".git/config":            "",
	} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cfront.Read(t.Context(), filepath.Join(top, "src/k.cu"), cfront.Options{Instance: "k"}); err != nil {
		t.Fatal(err)
	}
}
