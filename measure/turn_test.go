//go:build unix

package measure

import (
	"context"
	"errors"
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

// TestTurns: processes use a device one after the other. To wait is no part of the limit of a job, ends with the context, and ends when the process that has the turn is killed.
func TestTurns(t *testing.T) {
	shared := Options{Env: []string{envBackend + "=fake", "TMPDIR=" + t.TempDir()}, Deadline: 500 * time.Millisecond}
	a, b := openFake(t, shared), openFake(t, shared)
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
