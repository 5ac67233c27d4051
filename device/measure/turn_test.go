//go:build unix

package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/samples"
)

// TakeTurns makes the fake device one that is shared.
func (d *fakeDevice) TakeTurns(take func(context.Context) (func(), error)) { d.turn = take }

// inTurn runs a job that takes so many milliseconds of the device.
func (d *fakeDevice) inTurn(ctx context.Context, ms float64) (*device.Result, error) {
	done, err := d.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	time.Sleep(time.Duration(ms * float64(time.Millisecond)))
	return &device.Result{Trials: []float64{ms}}, nil
}

// TestHolder: who has the turn says so in its file, and for how long; what else stands there is no holder.
func TestHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "turn")
	told := make(chan string, 1)
	done, err := takeTurn(t.Context(), path, func(string) func() { t.Error("it waits for nobody"); return func() {} })
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range told {
			done()
		}
	}()
	for _, others := range []string{"{", "{\"process\": 0}", strings.Repeat("x", 1<<16)} {
		f, err := os.Create(filepath.Join(t.TempDir(), "other"))
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(others)
		if got := holder(f, time.Now()); got != "another process has it" {
			t.Errorf("%.20s: %s", others, got)
		}
		f.Close()
	}
	var who string
	next, err := takeTurn(t.Context(), path, func(holder string) func() {
		who = holder
		told <- holder
		return func() {}
	})
	if err != nil {
		t.Fatal(err)
	}
	close(told)
	next()
	if want := fmt.Sprintf("process %d", os.Getppid()); !strings.HasPrefix(who, want) || !strings.Contains(who, " has had it for ") {
		t.Errorf("%q, want %s", who, want)
	}
}

// TestTurns: processes use a device one after the other. To wait is no part of the limit of a job, ends with the context, and ends when the process that has the turn is killed.
func TestTurns(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const limit = 2 * time.Second
	told := make(chan string, 1) // who has the turn that a job of "second" waits for
	first := openFake(t, Options{Deadline: limit})
	second := openFake(t, Options{Deadline: limit, Waiting: func(holder string) { told <- holder }})
	path := turnFile(second.Info())
	take := func() (done func()) {
		done, err := takeTurn(t.Context(), path, func(string) func() { t.Error("somebody else has the turn"); return func() {} })
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	run := func(r *Remote, ctx context.Context, ms int64) <-chan samples.Status {
		ended := make(chan samples.Status, 1)
		go func() {
			_, err := r.Run(ctx, task("in turn", ms).Job)
			if verdict, ok := device.AsError(err); ok {
				ended <- verdict.Status
				return
			} else if err != nil {
				t.Error(err)
			}
			ended <- samples.OK
		}()
		return ended
	}
	waits := func(job <-chan samples.Status, holder int) {
		t.Helper()
		select {
		case who := <-told:
			if !strings.HasPrefix(who, fmt.Sprintf("process %d ", holder)) || !strings.Contains(who, " has had it for ") {
				t.Errorf("it waits for %q", who)
			}
		case got := <-job:
			t.Fatalf("it has waited for nobody: %s", got)
		}
	}

	done := take()
	waiting := run(second, t.Context(), 1)
	waits(waiting, os.Getppid())
	time.Sleep(limit + limit/10)
	done()
	if got := <-waiting; got != samples.OK || second.Waited() < limit {
		t.Errorf("longer than a limit: %s after %v", got, second.Waited())
	}

	done = take()
	stopped, stop := context.WithCancelCause(t.Context())
	waiting = run(second, stopped, 1)
	waits(waiting, os.Getppid())
	stop(errors.New("Ctrl-C"))
	if got := <-waiting; got != samples.Interrupted || second.process == nil {
		t.Errorf("stopped while it waits: %s", got)
	}
	done()

	hung := run(first, t.Context(), 3600_000)
	for signed := ""; !strings.HasPrefix(signed, fmt.Sprintf(`{"process":%d,`, os.Getpid())); { // until it has the turn
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		signed = string(text)
	}
	waiting = run(second, t.Context(), 1)
	waits(waiting, os.Getpid())
	if x, y := <-hung, <-waiting; x != samples.Timeout || y != samples.OK {
		t.Errorf("a job that hangs: %s; the next one: %s", x, y)
	}
}
