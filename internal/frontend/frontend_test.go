package frontend

import (
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
