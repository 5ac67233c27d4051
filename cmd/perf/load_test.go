package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// loaded are commands whose results are the same however busy the machine is. FOLDER is an empty folder, whose files are results too. Those that begin with ! run with LONG=1 only.
var loaded = []string{
	"scop compile ../../examples/polybench/trisolv.c -o FOLDER",
	"count ../../examples/matmul/matmul.star",
	"card [n,m]->{[i,j]:0<=i,j_and_3i+5j<=n_and_7i+2j<=m}",
	"!scop compile ../../examples/polybench/floyd-warshall.c -o FOLDER",
	"!scop compile ../../examples/polybench/deriche.c -o FOLDER",
	"!scop compile ../../examples/polybench/adi.c -o FOLDER --as cuda",
	"!scop schedule ../../examples/polybench/floyd-warshall.c",
	"!scop schedule ../../examples/polybench/heat-3d.c --strategy feautrier",
	"!scop schedule ../../examples/polybench/ludcmp.c --strategy bounded",
	"!scop deps ../../examples/polybench/nussinov.c",
	"!scop deps ../../examples/polybench/adi.c",
	"!scop show ../../examples/polybench/correlation.c",
	"!count ../../examples/polybench/lu.c",
	"!count ../../examples/polybench/deriche.c -p w=64,h=64",
	"!count ../../examples/matmul/matmul.star --footprint -p n=256",
	"!show ../../examples/matmul/matmul.star",
	"!predict ../../examples/matmul/matmul.star --profile h200 -p n=1024",
	"!rank ../../examples/matmul/matmul.star --profile h200 -p n=1024",
	"!explain ../../examples/matmul/matmul.star --profile h200 -p n=1024",
	"!feature ../../examples/matmul/matmul.star --static -p n=256",
	"!lift derive ../../examples/lift/md.lift",
}

// TestLoad: commands write the same on one processor, beside busy goroutines of other processes, as quiet.
func TestLoad(t *testing.T) {
	perf, err := exec.LookPath("perf")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range loaded {
		line, long := strings.CutPrefix(line, "!")
		if long && os.Getenv("LONG") == "" {
			continue
		}
		t.Run(line, func(t *testing.T) {
			quiet := writes(t, perf, line, "GOMAXPROCS=2")
			var stop atomic.Bool
			defer stop.Store(true)
			for range 6 {
				go func() {
					for !stop.Load() { //nolint:revive // it is to be busy
					}
				}()
			}
			for _, processors := range []string{"GOMAXPROCS=1", "GOMAXPROCS=2"} {
				if busy := writes(t, perf, line, processors); busy != quiet {
					t.Errorf("%s, beside others:\n%s\nquiet:\n%s", processors, busy, quiet)
				}
			}
		})
	}
}

// writes is what a command writes to its streams and into its folder.
func writes(t *testing.T, perf, line, env string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "out")
	args := strings.Fields(line)
	for i, a := range args {
		args[i] = strings.ReplaceAll(strings.ReplaceAll(a, "_", " "), "FOLDER", folder)
	}
	cmd := exec.Command(perf, args...)
	cmd.Env = append(os.Environ(), env)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	text := strings.ReplaceAll(string(out), folder, "FOLDER")
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += filepath.Base(file) + ":\n" + string(content)
	}
	return text
}
