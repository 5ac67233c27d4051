package measure

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gpuperf/device"
)

// waiting is how many workers wait.
func waiting() int {
	idle.Lock()
	defer idle.Unlock()
	return len(idle.list)
}

// TestIdle: a worker that is no longer needed is the next one's, if it has the same environment; it has closed its device, works where its process does, and
// ends when it is told to.
func TestIdle(t *testing.T) {
	CloseIdle() // of other tests
	pids := filepath.Join(t.TempDir(), "pid")
	t.Setenv(envBackend, "fake")
	t.Setenv(envPID, pids)
	open := func() *Remote {
		t.Helper()
		r, err := Open(t.Context(), "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	said := func() string {
		text, err := os.ReadFile(pids)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := open()
	pid := said()
	first.Close()
	if s := said(); s != pid+" closed" || waiting() != 1 {
		t.Fatalf("after the end %s, %d wait", s, waiting())
	}
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("TMPDIR", filepath.Join(folder, "tmp"))
	if all, err := Devices(t.Context(), Options{}); err != nil || len(all) == 0 || waiting() != 1 {
		t.Fatalf("%v, %v; %d wait", all, err, waiting())
	}
	second, beside := open(), open()
	if other := said(); other == pid {
		t.Error("one worker for two at a time")
	}
	beside.Close()
	got, err := second.Run(t.Context(), device.Job{Entry: "where"})
	if want := folder + " " + os.TempDir() + " " + pid; err != nil || string(got.Outputs["a"]) != want {
		t.Errorf("works in %+v, %v, want %s", got, err, want)
	}
	second.Close()

	t.Setenv("POCL_DEBUG", "1")
	third := open()
	if other := said(); other == pid {
		t.Error("the worker of another environment")
	}
	third.Close()
	if waiting() != mostIdle {
		t.Errorf("%d wait", waiting())
	}
	dead, err := strconv.Atoi(strings.Fields(said())[0])
	if err != nil {
		t.Fatal(err)
	}
	syscall.Kill(dead, syscall.SIGKILL)
	fourth := open() // whether or not the system has told of its death by now
	fourth.Close()
	live, _ := strconv.Atoi(strings.Fields(said())[0])
	CloseIdle()
	if err := syscall.Kill(live, 0); live == dead || err != syscall.ESRCH || waiting() != 0 {
		t.Errorf("worker %d after the end: %v; %d wait", live, err, waiting())
	}
}
