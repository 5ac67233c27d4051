package exec_test

import (
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// BenchmarkRun executes a tiled product of matrices by one group of 256: 64 tiles, from and to global memory.
func BenchmarkRun(b *testing.B) {
	f, err := function("../../testdata/sass/matmul.sass", "matmul")
	if err != nil {
		b.Fatal(err)
	}
	const n = 1024
	array := func(name string) device.Arg {
		return device.Arg{Name: name, Kind: device.Buffer, DType: "float32", Count: n * n, Seed: 1}
	}
	job := device.Job{
		Global: []int64{n, n}, Local: []int64{16, 16},
		Args: []device.Arg{{Kind: device.Scalar, DType: "int32", Int: n}, array("a"), array("b"), array("c")},
	}
	launch, err := exec.New(f, job, exec.Assumptions{})
	if err != nil {
		b.Fatal(err)
	}
	lanes := 0
	for b.Loop() {
		group := launch.Group([3]uint32{3, 2, 0})
		lanes += exec.WarpSize * group.Run(1<<30)
		if !group.Ended() {
			b.Fatal("the group does not end")
		}
	}
	b.ReportMetric(float64(lanes)/b.Elapsed().Seconds(), "lanes/s")
}
