package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkPredictProcess times `perf predict` as a user meets it: a process that reads the profile and the script, counts
// the kernel and evaluates the model.
func BenchmarkPredictProcess(b *testing.B) {
	dir := b.TempDir()
	perf := filepath.Join(dir, "perf")
	command := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = "../.."
		cmd.Env = append(cmd.Environ(), "PERF_DATA="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	command("go", "build", "-o", perf, "./cmd/perf")
	command(perf, "calibrate", "examples/matmul/own_kernel.yaml", "--device", "replay:testdata/h200/matmul_2_2.jsonl")
	for b.Loop() {
		command(perf, "predict", "examples/matmul/matmul_prefetch.star", "-p", "n=4096")
	}
}
