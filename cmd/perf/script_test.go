package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gpuperf/device/opencl"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"perf": func() { os.Exit(runChecked(os.Args[1:])) },
	})
}

// runChecked is a command of a session, which fails as well where its JSON does not keep to the rules.
func runChecked(args []string) int {
	if !slices.Contains(args, "--json") {
		return run(context.Background(), args, os.Stdin, os.Stdout, os.Stderr)
	}
	var out bytes.Buffer
	status := run(context.Background(), args, os.Stdin, io.MultiWriter(os.Stdout, &out), os.Stderr)
	if err := checkJSON(out.Bytes()); err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		return 99
	}
	return status
}

// exits runs a command that must end with the status given first: exits 2 perf show nowhere.star
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	status := 0
	err := ts.Exec(args[1], args[2:]...)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		status = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(status) != args[0] {
		ts.Fatalf("status is %d, not %s", status, args[0])
	}
}

// TestScripts runs the sessions of testdata/script against the command. UPDATE=1 refreshes the outputs they compare with.
func TestScripts(t *testing.T) { testscript.Run(t, scripts(t, "testdata/script")) }

// scripts are the sessions in a folder.
func scripts(t *testing.T, dir string) testscript.Params {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	devices, deviceErr := new(opencl.Backend).Devices()
	return testscript.Params{
		Dir:           dir,
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv("EXAMPLES", filepath.Join(root, "examples"))
			env.Setenv("PERF_DATA", filepath.Join(env.WorkDir, "data"))
			// Sessions run at the same time: a CPU as a device takes one core for each (two names, of older and newer PoCL).
			env.Setenv("POCL_MAX_PTHREAD_COUNT", "1")
			env.Setenv("POCL_CPU_MAX_CU_COUNT", "1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition: func(cond string) (bool, error) {
			if cond == "opencl" {
				if deviceErr != nil {
					t.Logf("no OpenCL device here, the sessions that need one are skipped: %v", deviceErr)
				}
				return len(devices) > 0, nil
			}
			return false, nil
		},
	}
}
