package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuperf/device/measure"
)

// Commands of sessions run in a few processes that stay, one command after the other in each: starting a process and reading the profile that
// comes with the program take longer than most commands. What belongs to a process (folder, environment) is set anew for each.

// sessionsArg makes the command "perf" of tests such a process.
const sessionsArg = "test-sessions"

// peakFile names a variable: the file to which a command writes at its end how much memory it has used, as Linux tells of its process. What the parent
// learns when a child has ended includes what the parent itself used when it started it.
const peakFile = "PERF_TEST_PEAK"

// call is a command line, without its first word, and what a process has beside it.
type call struct {
	Args  []string
	Dir   string
	Env   []string
	Stdin string
	Both  bool // what goes to standard error goes to standard output
}

// outcome is what came of a call.
type outcome struct {
	Stdout, Stderr string
	Status         int
	Busy           bool // something of the call runs on: the process is not to be used again
}

// TestMain runs the tests, or is the command "perf" that they start.
func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) != "perf":
		os.Exit(runTests(m))
	case slices.Equal(os.Args[1:], []string{sessionsArg}):
		if err := serveSessions(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "perf:", err)
			os.Exit(1)
		}
	default:
		status := runChecked(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		measure.CloseIdle()
		if path := os.Getenv(peakFile); path != "" {
			if text, err := os.ReadFile("/proc/self/status"); err != nil || os.WriteFile(path, text, 0o600) != nil {
				panic("the status of the process cannot be kept")
			}
		}
		os.Exit(status)
	}
}

// runTests runs the tests with "perf" in the path, which is this program.
func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "perf-sessions")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := install(filepath.Join(dir, "perf")); err != nil {
		panic(err)
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	defer endSessions()
	return m.Run()
}

// install makes a file that is this program. It is no symbolic link, as the program finds itself by its own name to start workers.
func install(path string) error {
	self, err := os.Executable()
	if err != nil || os.Link(self, path) == nil {
		return err
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o755)
}

// runChecked is a command of a session, which fails as well where its JSON does not keep to the rules.
func runChecked(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if !slices.Contains(args, "--json") {
		return run(context.Background(), args, stdin, stdout, stderr)
	}
	var out, said bytes.Buffer
	status := run(context.Background(), args, stdin, io.MultiWriter(stdout, &out), io.MultiWriter(stderr, &said))
	if err := checkJSON(out.Bytes(), said.String()); err != nil {
		fmt.Fprintln(stderr, "perf:", err)
		return 99
	}
	return status
}

// serveSessions runs commands until there are no more.
func serveSessions(in io.Reader, out io.Writer) error {
	calls, outcomes := gob.NewDecoder(in), gob.NewEncoder(out)
	for before := 0; ; {
		var c call
		if err := calls.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if before == 0 {
			before = goroutines()
		}
		if err := enter(c); err != nil {
			return err
		}
		var stdout, stderr text
		messages := &stderr
		if c.Both {
			messages = &stdout
		}
		o := outcome{Status: runChecked(append([]string{}, c.Args...), strings.NewReader(c.Stdin), &stdout, messages)}
		o.Busy = !settles(before)
		o.Stdout, o.Stderr = stdout.String(), stderr.String()
		if err := outcomes.Encode(o); err != nil {
			return err
		}
	}
}

// text is what a command prints, from any of its goroutines.
type text struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// enter sets what belongs to a process.
func enter(c call) error {
	os.Clearenv()
	for _, set := range c.Env {
		if name, value, ok := strings.Cut(set, "="); ok {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	return os.Chdir(c.Dir)
}

// goroutines is how many there are, but for those of the workers that stay: one reads what each says, one what it complains of, one waits for its end.
func goroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return runtime.NumGoroutine() - 3*bytes.Count(stacks, []byte("measure.(*process).read("))
}

// settles reports whether no more goroutines are left than before, after a moment.
func settles(before int) bool {
	for range 20 {
		if goroutines() <= before {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// sessions is a process that runs commands.
type sessions struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	calls    *gob.Encoder
	outcomes *gob.Decoder
	said     bytes.Buffer // on its own standard error: why it died
}

// idle are processes that wait for a call.
var idle struct {
	sync.Mutex
	list []*sessions
}

// do runs a command in a process that waits for one, or in a new one. That the process dies, as by a panic, is an error.
func (c call) do() (outcome, error) {
	s, err := waiting()
	if err != nil {
		return outcome{}, err
	}
	var o outcome
	err = s.calls.Encode(c)
	if err == nil {
		err = s.outcomes.Decode(&o)
	}
	if err != nil {
		s.end()
		return outcome{}, fmt.Errorf("perf %s: %v\n%s", strings.Join(c.Args, " "), s.cmd.ProcessState, &s.said)
	}
	if o.Busy {
		s.cmd.Process.Kill()
		s.end()
		return o, nil
	}
	idle.Lock()
	defer idle.Unlock()
	idle.list = append(idle.list, s)
	return o, nil
}

func waiting() (*sessions, error) {
	idle.Lock()
	defer idle.Unlock()
	if n := len(idle.list); n > 0 {
		s := idle.list[n-1]
		idle.list = idle.list[:n-1]
		return s, nil
	}
	s := &sessions{cmd: exec.Command("perf", sessionsArg)}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.in, s.calls, s.outcomes, s.cmd.Stderr = in, gob.NewEncoder(in), gob.NewDecoder(out), &s.said
	return s, s.cmd.Start()
}

func (s *sessions) end() {
	s.in.Close()
	s.cmd.Wait()
}

func endSessions() {
	for _, s := range idle.list {
		s.end()
	}
}
