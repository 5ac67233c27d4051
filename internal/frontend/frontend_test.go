package frontend

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestLoad: files of each kind, whole or one kernel of them.
func TestLoad(t *testing.T) {
	for path, want := range map[string][]string{
		"../../examples/launch/saxpy.star":      {"wide", "narrow"},
		"../../examples/launch/saxpy.star#wide": {"wide"},
		"../../examples/polybench/gemm.c":       {"gemm"},
		"../../examples/polybench/gemm.c#gemm":  {"gemm"},
	} {
		kernels, err := Options{}.Load(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range kernels {
			got = append(got, k.Name)
			if strings.Contains(k.File, "#") || !strings.HasPrefix(path, k.File) {
				t.Errorf("%s: file %s", path, k.File)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
}

// TestLoadErrors: what is wrong is named, whatever kind of file it is.
func TestLoadErrors(t *testing.T) {
	for path, want := range map[string]string{
		"../../examples/launch/saxpy.star#none": `saxpy.star has no kernel "none"`,
		"../../examples/polybench/gemm.c#none":  `gemm.c has no region "none"; it has gemm`,
		"nowhere.c":                             "no file nowhere.c here",
		"nowhere.star":                          "no file nowhere.star here",
		"../../examples/matmul/paper_2_2.yaml":  "no launch file, which names a source",
	} {
		if _, err := (Options{}).Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestAsked: an error that flags mend gives those too that would be asked for next; with all of them the kernel is read.
func TestAsked(t *testing.T) {
	const text = `#if LANES != 4 && LANES != 8
#error LANES
#endif
#include "sizes.h"
#if VARIANT == 2
__kernel void f(__global real *y, int n) { if (get_global_id(0) < n) y[get_global_id(0) * LANES] = STEP; }
#endif
`
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("inc", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.cl": text, "inc/sizes.h": "#define STEP 3\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Options{Kernel: "f"}.Load(t.Context(), "a.cl")
	want := "-D LANES=4 defines what it asks for; all that it asks for, with values that are proposals: -D LANES=4 --local 256 --global n -D VARIANT=2 -D real=float"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Fatalf("got %v, want %s", err, want)
	}
	o := Options{Kernel: "f", Local: "256", Global: "n"}
	o.Define, o.Include = []string{"LANES=4", "VARIANT=2", "real=float"}, []string{"inc"}
	if _, err := o.Load(t.Context(), "a.cl"); err != nil {
		t.Error(err)
	}
}
