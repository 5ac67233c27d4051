package compiled_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/cuda"
	"gpuperf/samples"
	"gpuperf/sass"
	"gpuperf/sass/compiled"
)

// tools makes programs of shell scripts the only ones at hand.
func tools(t *testing.T, scripts map[string]string) {
	t.Helper()
	bin := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("CUDA_HOME", "/none")
}

func recorded(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../testdata/sass/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A source is compiled once, its lines get the name of its file, and what is saved can be read without a disassembler.
func TestProgram(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	tools(t, map[string]string{
		"nvcc":     "echo >> " + count + "; cp " + recorded(t, "saxpy.cubin") + " kernel.cubin",
		"nvdisasm": `sed 's|File "[^"]*"|File "/tmp/x/kernel.cu"|' ` + recorded(t, "saxpy.sass"),
	})
	job := device.Job{Identity: samples.Identity{Source: "dir/saxpy.cu"}, Entry: "saxpy", Source: "x", Compiler: device.NVCC}
	c := compiled.Compiler{Arch: "sm_90"}
	all, err := c.All(t.Context(), []device.Job{job, job})
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if runs, _ := os.ReadFile(count); len(runs) != 1 {
		t.Errorf("compiled %d times", len(runs))
	}
	at := filepath.Join(t.TempDir(), "code.cubin")
	files, err := all[0].Save(t.Context(), at)
	if err != nil || len(files) != 2 || !strings.HasSuffix(files[1], "code.sass") {
		t.Fatal(files, err)
	}
	tools(t, nil)
	l, err := sass.ReadFile(t.Context(), at)
	if err != nil {
		t.Skip("there is a disassembler beside PATH, which does not say what the test's does:", err)
	}
	for _, listing := range []*sass.Listing{l, compiled.Listing(all)} {
		f := listing.Functions[0]
		if f.Registers != 22 || len(f.Parameters) == 0 {
			t.Errorf("%s: %d registers, parameters %v", f.Name, f.Registers, f.Parameters)
		}
		for _, in := range f.Instructions {
			if in.Source.Line > 0 && in.Source.File != "saxpy.cu" {
				t.Fatal(in.Source)
			}
		}
	}
}

// Of a generated source, lines are of a file that is called as the kernel.
func TestSourceName(t *testing.T) {
	for source, want := range map[string]string{"a/b.cu#f": "b.cu", "m.star": "knl.cu", "p.lift#12": "knl.cu"} {
		if got := compiled.SourceName(device.Job{Identity: samples.Identity{Source: source}, Entry: "knl"}); got != want {
			t.Errorf("%s: %s", source, got)
		}
	}
}

// What does not compile says why; what has no compiler, what to do.
func TestErrors(t *testing.T) {
	job := device.Job{Entry: "f", Source: "x", Compiler: device.NVCC}
	tools(t, map[string]string{"nvcc": "echo wrong type; exit 1"})
	if _, err := (&compiled.Compiler{Arch: "sm_90"}).Program(t.Context(), job, ""); err == nil || !strings.Contains(err.Error(), "wrong type") {
		t.Error(err)
	}
	tools(t, nil)
	if _, err := cuda.Cubin(device.Job{Source: "x"}, "sm_90"); !errors.Is(err, cuda.ErrNoCompiler) {
		t.Skip("there is a compiler here")
	}
	if _, err := (&compiled.Compiler{Arch: "sm_90"}).Program(t.Context(), job, ""); err == nil || !strings.Contains(err.Error(), "perf sass KERNEL --arch sm_90 -o") {
		t.Error(err)
	}
}
