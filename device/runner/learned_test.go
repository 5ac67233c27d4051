package runner

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/samples"
)

// compiledFake is a driver of kernels whose machine code is at hand, and which tells the registers only the first time.
type compiledFake struct {
	*fake
	cubin []byte
	told  int
}

func (f *compiledFake) MachineCode(Program, string) ([]byte, string) { return f.cubin, "saxpy" }
func (f *compiledFake) Kernel(Program, string) (Kernel, error) {
	f.told++
	return &compiledKernel{fakeKernel{fake: f.fake, values: map[int][]byte{}}, f.told == 1}, nil
}

type compiledKernel struct {
	fakeKernel
	tells bool
}

func (k *compiledKernel) Compiled(int64) samples.Compiled {
	if k.tells {
		return samples.Compiled{Registers: 10}
	}
	return samples.Compiled{}
}

// TestLearned: machine code is looked into once for a program, and kept with the registers for other processes.
func TestLearned(t *testing.T) {
	recorded, err := filepath.Abs("../../testdata/sass")
	if err != nil {
		t.Fatal(err)
	}
	bin, calls, folder := t.TempDir(), filepath.Join(t.TempDir(), "calls"), t.TempDir()
	script := "#!/bin/sh\necho >> " + calls + "\ncat " + filepath.Join(recorded, "saxpy.sass") + "\n"
	if err := os.WriteFile(filepath.Join(bin, "nvdisasm"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	cubin, err := os.ReadFile(filepath.Join(recorded, "saxpy.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	driver := &compiledFake{fake: newFake(), cubin: cubin}
	run := func(trials int) samples.Compiled {
		d := New(driver, device.Info{Fingerprint: samples.Fingerprint{GlobalMem: 1 << 20}})
		defer d.Close()
		d.KeepPrograms(folder)
		x := device.Arg{Name: "x", Kind: device.Buffer, DType: "float32", Count: 4, Read: true, Write: true}
		y := x
		y.Name = "y"
		result, err := d.Run(t.Context(), device.Job{
			Source: "saxpy", Entry: "saxpy", Global: []int64{4}, Policy: device.Policy{Trials: trials, MaxWarmUp: time.Millisecond},
			Args: []device.Arg{
				{Name: "n", Kind: device.Scalar, DType: "int32"},
				{Name: "a", Kind: device.Scalar, DType: "float32"},
				x, y,
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return result.Compiled
	}
	if got := run(fewTrials); got.Registers != 10 || got.Code != nil {
		t.Errorf("few trials: %+v", got)
	}
	for range 2 {
		got := run(10)
		if got.Registers != 10 || got.Code == nil || got.Code.Accesses[samples.CodeAccess{Space: "global", Action: "store", Bytes: 4, Array: "y"}] != 1 {
			t.Errorf("%+v", got)
		}
	}
	if text, err := os.ReadFile(calls); err != nil || string(text) != "\n" {
		t.Errorf("the disassembler was called %d times (%v)", len(text), err)
	}
}
