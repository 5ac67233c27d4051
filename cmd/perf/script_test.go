package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gpuperf/device/opencl"
)

// perf runs a command in one of the processes of sessions; "exec perf" starts a process.
func perf(ts *testscript.TestScript, neg bool, args []string) {
	switch status := inSession(ts, args); {
	case status == 0 && neg:
		ts.Fatalf("unexpected command success")
	case status != 0 && !neg:
		ts.Fatalf("unexpected command failure: status %d", status)
	}
}

// exits runs a command that must end with the status given first: exits 2 perf show nowhere.star
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "perf" {
		ts.Fatalf("usage: exits STATUS perf ARGUMENTS")
	}
	if status := inSession(ts, args[2:]); fmt.Sprint(status) != args[0] {
		ts.Fatalf("status is %d, not %s", status, args[0])
	}
}

// inSession runs a command with what the script has set: its folder, its environment and the standard input, which testscript keeps to itself.
func inSession(ts *testscript.TestScript, args []string) int {
	set := reflect.ValueOf(ts).Elem()
	c := call{Args: args, Dir: ts.MkAbs("."), Stdin: set.FieldByName("stdin").String()}
	for i := range set.FieldByName("env").Len() {
		// Where a script works is no command's business, and workers are for all that have the same environment.
		if set := set.FieldByName("env").Index(i).String(); !strings.HasPrefix(set, "WORK=") {
			c.Env = append(c.Env, set)
		}
	}
	if c.Stdin != "" {
		ts.Check(ts.Exec("true")) // takes it, so that it is for one command
	}
	c.Env = append(c.Env, "PWD="+c.Dir)
	out, err := c.do()
	ts.Check(err)
	io.WriteString(ts.Stdout(), out.Stdout)
	io.WriteString(ts.Stderr(), out.Stderr)
	return out.Status
}

// TestScripts runs the sessions of testdata/script against the command. UPDATE=1 refreshes the outputs they compare with.
func TestScripts(t *testing.T) { testscript.Run(t, scripts(t, "testdata/script")) }

// withoutCUDA is a PATH without the folders of CUDA's programs.
func withoutCUDA(path string) string {
	folders := slices.DeleteFunc(filepath.SplitList(path), func(folder string) bool {
		return slices.ContainsFunc([]string{"nvcc", "nvdisasm", "cuobjdump", "ptxas", "ncu"}, func(name string) bool {
			_, err := os.Stat(filepath.Join(folder, name))
			return err == nil
		})
	})
	return strings.Join(folders, string(filepath.ListSeparator))
}

// scripts are the sessions in a folder.
func scripts(t *testing.T, dir string) testscript.Params {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
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
			// Sessions say what they say on a machine without a GPU and without CUDA's programs.
			env.Setenv("CUDA_VISIBLE_DEVICES", "")
			env.Setenv("CUDA_HOME", "/none")
			env.Setenv("PATH", withoutCUDA(env.Getenv("PATH")))
			// Sessions run at the same time: a CPU as a device takes one core for each (two names, of older and newer PoCL).
			env.Setenv("POCL_MAX_PTHREAD_COUNT", "1")
			env.Setenv("POCL_CPU_MAX_CU_COUNT", "1")
			// A kernel is compiled once for all sessions, and where nothing has changed not at all: this is PoCL's own place, which sessions, that have no home, lack.
			env.Setenv("POCL_CACHE_DIR", filepath.Join(cache, "pocl", "kcache"))
			// How rarely garbage is collected, and whether PoCL optimizes, is for all processes as it is for the tests.
			for _, name := range []string{"GOGC", "GOMEMLIMIT", "POCL_EXTRA_BUILD_FLAGS"} {
				if value, ok := os.LookupEnv(name); ok {
					env.Setenv(name, value)
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"perf": perf, "exits": exits},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "opencl":
				if deviceErr != nil {
					t.Logf("no OpenCL device here, the sessions that need one are skipped: %v", deviceErr)
				}
				return len(devices) > 0, nil
			case "long":
				return os.Getenv("LONG") != "", nil
			}
			return false, nil
		},
	}
}
