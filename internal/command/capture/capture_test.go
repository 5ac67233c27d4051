package capture

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func needsCompiler(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
}

// TestWithoutGPU captures an application of a driver without a GPU (testdata/gpu.c), and so runs the library that CUDA's driver loads.
func TestWithoutGPU(t *testing.T) {
	needsCompiler(t)
	folder := t.TempDir()
	cupti := filepath.Join(folder, "extras/CUPTI/lib64")
	if err := os.MkdirAll(cupti, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", filepath.Join(folder, "libcuda.so.1"), "testdata/gpu.c"},
		{"-DAPPLICATION", "-o", filepath.Join(folder, "app"), "testdata/gpu.c", "-ldl"},
	} {
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	if err := os.Symlink(filepath.Join(folder, "libcuda.so.1"), filepath.Join(cupti, "libcupti.so")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUDA_HOME", folder)
	t.Setenv("LD_LIBRARY_PATH", folder)
	cubins, _ := filepath.Glob("testdata/h200/runtime/*.cubin")
	if len(cubins) != 1 {
		t.Fatal(cubins)
	}
	o := Options{
		Command: []string{filepath.Join(folder, "app"), cubins[0]}, Cache: filepath.Join(folder, "cache"), Folder: filepath.Join(folder, "captured"),
		Contents: 100,
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	launches := map[string]int64{}
	for _, k := range result.Kernels {
		launches[strings.TrimSuffix(filepath.Base(k.File), ".yaml")] = k.Launches
		text, err := os.ReadFile(k.File)
		if err != nil {
			t.Fatalf("%s: %v; %s", k.Plain, err, k.Why)
		}
		if err := os.WriteFile(k.File, bytes.ReplaceAll(text, []byte(folder+"/"), nil), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]int64{
		"axpy-1": 2, "axpy-3": 2, "axpy_2-1": 2, "view-1": 1, "in_graph-1": 1, "together-1": 1, "nothing-1": 1, "ranks-1": 1, "reverse-1": 40,
	}
	if diff := cmp.Diff(want, launches); diff != "" {
		t.Error(diff)
	}
	compare(t, "testdata/gpu.txtar", result.Kernels)
	held, err := os.ReadFile(filepath.Join(o.Folder, "axpy-1.b0.bin"))
	if err != nil || len(held) != 64 || word(held[4:8]) != uint64(math.Float32bits(2)) {
		t.Errorf("x: %x, %v", held, err)
	}
}

// TestStopped: an application that does not end when perf is stopped is ended, so that what it has launched is still written.
func TestStopped(t *testing.T) {
	needsCompiler(t)
	cache := t.TempDir()
	if _, err := libraries(t.Context(), cache); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	began := time.Now()
	result, err := Run(ctx, Options{
		Command: []string{"sh", "-c", "trap '' TERM; exec sleep 60"}, Cache: cache, Folder: filepath.Join(t.TempDir(), "captured"), Launch: 1,
	})
	var status *StatusError
	if took := time.Since(began); !errors.As(err, &status) || result.Status != 128+9 || took > 20*time.Second {
		t.Errorf("after %v: status %d, %v", took, result.Status, err)
	}
}
