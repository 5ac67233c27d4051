package bounded_test

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"gpuperf/internal/bounded"
	"gpuperf/internal/fault"
)

func TestDo(t *testing.T) {
	failed := errors.New("failed")
	release := make(chan struct{})
	defer close(release)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	obey := func(ctx context.Context, _ func() int) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	ignore := func(context.Context, func() int) error {
		<-release
		return nil
	}
	var all [][]byte
	grow := func(ctx context.Context, _ func() int) error {
		for all = nil; ctx.Err() == nil; {
			all = append(all, make([]byte, 1<<20))
		}
		return context.Cause(ctx)
	}
	leap := func(ctx context.Context, check func() int) error {
		all = [][]byte{make([]byte, 1<<28)}
		check()
		return context.Cause(ctx)
	}
	for _, c := range []struct {
		name   string
		ctx    context.Context
		limits bounded.Limits
		work   func(context.Context, func() int) error
		is     []error
		text   string
		left   bool
	}{
		{name: "done", limits: bounded.Limits{Time: time.Minute, Memory: 1 << 40}, work: func(context.Context, func() int) error { return nil }},
		{name: "no limits", work: func(context.Context, func() int) error { return failed }, is: []error{failed}},
		{name: "time", limits: bounded.Limits{Time: time.Millisecond}, work: obey, is: []error{bounded.ErrExceeded}, text: "takes more than 1ms"},
		{name: "time ignored", limits: bounded.Limits{Time: time.Millisecond}, work: ignore, is: []error{bounded.ErrExceeded}, text: "takes more than 1ms, and does not stop", left: true},
		{name: "memory", limits: bounded.Limits{Memory: 64 << 20}, work: grow, is: []error{bounded.ErrExceeded}, text: "needs more than 64 MB of memory"},
		{name: "memory between checks", limits: bounded.Limits{Memory: 64 << 20}, work: leap, is: []error{bounded.ErrExceeded}, text: "needs more than 64 MB of memory"},
		{name: "cancelled", ctx: cancelled, work: obey, is: []error{context.Canceled}},
		{name: "cancelled and ignored", ctx: cancelled, work: ignore, is: []error{context.Canceled}, left: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.ctx == nil {
				c.ctx = context.Background()
			}
			all = nil
			runtime.GC()
			err := bounded.Do(c.ctx, c.limits, c.work)
			if (err == nil) != (c.is == nil) {
				t.Fatalf("error is %v", err)
			}
			for _, want := range c.is {
				if !errors.Is(err, want) {
					t.Errorf("error %v does not wrap %v", err, want)
				}
			}
			if err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v lacks %q", err, c.text)
			}
			var left *bounded.Abandoned
			if errors.As(err, &left) != c.left {
				t.Errorf("error %v is of a wrong type", err)
			}
		})
	}
}

func BenchmarkDo(b *testing.B) {
	for b.Loop() {
		if err := bounded.Do(context.Background(), bounded.Limits{Time: time.Minute, Memory: 1 << 30}, func(context.Context, func() int) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPanic(t *testing.T) {
	defer func() {
		if failed := fault.Of(recover()); failed == nil || !strings.Contains(failed.Place, "bounded_test.go") {
			t.Errorf("%v is not the panic of the work", failed)
		}
	}()
	list := []int{}
	bounded.Do(t.Context(), bounded.Limits{}, func(context.Context, func() int) error { list[len(list)-1] = 0; return nil })
	t.Error("it returns")
}

// TestBeside: work is not ended for what other work beside it has allocated.
func TestBeside(t *testing.T) {
	keep := func(ctx context.Context, size int) error {
		return bounded.Do(ctx, bounded.Limits{Memory: 64 << 20}, func(ctx context.Context, check func() int) error {
			kept := make([]byte, size)
			check()
			runtime.KeepAlive(kept)
			return context.Cause(ctx)
		})
	}
	var inner error
	runtime.GC()
	err := bounded.Do(t.Context(), bounded.Limits{Memory: 64 << 20}, func(ctx context.Context, check func() int) error {
		kept := make([]byte, 50<<20)
		inner = keep(t.Context(), 50<<20)
		check()
		runtime.KeepAlive(kept)
		return context.Cause(ctx)
	})
	if err != nil || inner != nil {
		t.Errorf("two pieces of work of 50 MB each: %v, %v", err, inner)
	}
	runtime.GC()
	if err := keep(t.Context(), 100<<20); err == nil {
		t.Error("one of 100 MB passes when nothing runs beside it")
	}
}

// TestGarbage: it does not count, however rarely the process collects it and whatever else the process keeps.
func TestGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	rest := make([]byte, 256<<20) // which the process keeps
	var kept []byte
	waste := func(ctx context.Context, check func() int) error {
		for range 400 {
			kept = make([]byte, 1<<20)
			check()
		}
		return context.Cause(ctx)
	}
	if err := bounded.Do(context.Background(), bounded.Limits{Memory: 64 << 20}, waste); err != nil || len(kept) == 0 {
		t.Error(err)
	}
	runtime.KeepAlive(rest)
}
