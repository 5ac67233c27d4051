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
	shared := Options{Env: []string{envBackend + "=fake", "TMPDIR=" + t.TempDir()}, Deadline: 500 * time.Millisecond}
	a := openFake(t, shared)
	told := 0
	shared.Waiting = func(holder string) {
		if told++; !strings.HasPrefix(holder, fmt.Sprintf("process %d", os.Getpid())) {
			t.Errorf("it waits for %q", holder)
		}
	}
	b := openFake(t, shared)
	run := func(r *Remote, ctx context.Context, ms int64) <-chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := r.Run(ctx, task("in turn", ms).Job)
			ended <- err
		}()
		time.Sleep(100 * time.Millisecond) // until it has the turn, or waits
		return ended
	}
	status := func(ended <-chan error) samples.Status {
		err := <-ended
		if verdict, ok := device.AsError(err); ok {
			return verdict.Status
		} else if err != nil {
			t.Error(err)
		}
		return samples.OK
	}
	ctx := t.Context()

	begin := time.Now()
	first := run(a, ctx, 400)
	second := run(b, ctx, 400)
	if x, y := status(first), status(second); x != samples.OK || y != samples.OK || time.Since(begin) < 800*time.Millisecond {
		t.Errorf("%s and %s after %v", x, y, time.Since(begin))
	}
	if b.Waited() < 100*time.Millisecond || a.Waited() != 0 || told != 1 {
		t.Errorf("one has waited %v, the other %v, which was told %d times", a.Waited(), b.Waited(), told)
	}

	hung := run(a, ctx, 3600_000)
	waiting := run(b, ctx, 1)
	if x, y := status(hung), status(waiting); x != samples.Timeout || y != samples.OK {
		t.Errorf("a job that hangs: %s; the next one: %s", x, y)
	}

	hung = run(a, ctx, 3600_000)
	stopped, stop := context.WithCancelCause(ctx)
	waiting = run(b, stopped, 1)
	begin = time.Now()
	stop(errors.New("Ctrl-C"))
	if x := status(waiting); x != samples.Interrupted || time.Since(begin) > 300*time.Millisecond || b.process == nil {
		t.Errorf("stopped while it waits: %s after %v", x, time.Since(begin))
	}
	status(hung)
	if x := status(run(b, ctx, 1)); x != samples.OK {
		t.Errorf("after that: %s", x)
	}
}
