package opencl

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// TestProgramsAreKept: what one process built, another one finds, in whatever way it reaches the driver; and what is broken is
// built anew.
func TestProgramsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "programs")
	builder := openFirst(t, Search{})
	builder.KeepPrograms(dir)
	job := axpy(8193)
	if err := builder.Build(job); err != nil {
		t.Fatal(err)
	}
	file := device.ProgramFile(dir, builder.Info().Fingerprint, job)
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, d *runner.Device) {
		t.Helper()
		d.KeepPrograms(dir)
		r, err := d.Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		checkAxpy(t, floats(r.Outputs["y"]))
	}
	everyWay(t, func(t *testing.T, d *runner.Device) {
		if d.Info().Fingerprint.Name != builder.Info().Fingerprint.Name {
			t.Skip("its first device is another one, whose programs are others")
		}
		// With the source spoilt under the same name only the kept program can be what runs.
		spoilt := job
		spoilt.Source = "no OpenCL C"
		other := device.ProgramFile(dir, d.Info().Fingerprint, spoilt)
		if err := os.WriteFile(other, kept, 0o644); err != nil {
			t.Fatal(err)
		}
		d.KeepPrograms(dir)
		r, err := d.Run(context.Background(), spoilt)
		if err != nil {
			t.Fatal(err)
		}
		checkAxpy(t, floats(r.Outputs["y"]))
	})
	for name, data := range map[string][]byte{
		"empty": {}, "short": kept[:20], "cut": kept[:len(kept)-5], "flipped": append(append([]byte{}, kept[:len(kept)-1]...), ^kept[len(kept)-1]),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
			run(t, openFirst(t, Search{}))
		})
	}
	if err := builder.Build(job); err != nil { // a broken file is replaced
		t.Fatal(err)
	}
	if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, kept) {
		t.Errorf("not kept again: %v", err)
	}

	wrong := job
	wrong.Source = "__kernel void axpy() { y = 1; }"
	err = builder.Build(wrong)
	if e, ok := device.AsError(err); !ok || e.Status != samples.BuildFailed || e.Log == "" {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(device.ProgramFile(dir, builder.Info().Fingerprint, wrong)); err == nil {
		t.Error("a program that cannot be built is kept")
	}
}

// TestUsage: NVIDIA's log tells the registers of each kernel.
func TestUsage(t *testing.T) {
	p := program{log: `(): Warning: Function spill is a kernel, so overriding noinline attribute. The function may be inlined when called.
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'saxpy' for 'sm_90a'
ptxas info    : Function properties for saxpy
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
ptxas info    : Compile time = 1.329 ms
ptxas info    : Compiling entry function 'spill' for 'sm_90a'
ptxas info    : Function properties for spill
ptxas         .     256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 80 registers, used 1 barriers, 516 bytes smem`}
	for entry, want := range map[string]int64{"saxpy": 10, "spill": 80, "other": 0} {
		if got := p.registers(entry); got != want {
			t.Errorf("%s: %d registers, not %d", entry, got, want)
		}
	}
}
