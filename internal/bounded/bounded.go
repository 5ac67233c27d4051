// Package bounded runs work on untrusted input under limits of time and memory.
//
// The limits hold whatever the work does; neither the work nor the packages that it calls have to count anything. Go
// cannot stop a goroutine from outside, so Do asks the work to stop through its context, waits a moment, and then
// returns without it. An abandoned goroutine runs on until it ends by itself, and only the end of the process is sure to
// free its memory. A command that reports the error and exits is therefore bounded; a program that keeps running must
// decide what to do.
package bounded

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"gpuperf/internal/fault"
)

// Patience is the limit of time of work that counts what it does: it ends what hangs, also on a busy machine. No result depends on it.
const Patience = time.Minute

// Limits of one piece of work. A limit of 0 is none.
type Limits struct {
	Time   time.Duration
	Memory uint64 // bytes by which the heap and the stacks of the process may grow; n times as many while n pieces of work run
}

// ErrExceeded is wrapped by the reason where it is a limit. The whole text is a predicate: "takes more than 1s".
var ErrExceeded = errors.New("more than")

// Abandoned is the error of work that did not stop when it was asked to.
type Abandoned struct{ Cause error } // why it was asked to

func (e *Abandoned) Error() string { return e.Cause.Error() + ", and does not stop" }
func (e *Abandoned) Unwrap() error { return e.Cause }

// Stopped reports that err says how work was stopped, as a predicate: what it lacks is the name of the work before it.
func Stopped(err error) bool {
	var abandoned *Abandoned
	return errors.As(err, &abandoned) || errors.Is(err, ErrExceeded)
}

const (
	interval = 5 * time.Millisecond // between two checks of the memory
	grace    = 3 * time.Second      // for the work to stop by itself, also on a busy machine, while it takes no more memory
)

// Do calls work on a goroutine of its own and returns its error. When a limit is exceeded or ctx ends, the context of
// the work ends, with the reason as its cause. Work that does not return soon after that is abandoned: *Abandoned.
//
// A panic of the work is one of Do.
//
// Work may call check after a step that may have allocated a lot, so that the next step does not start beyond the limit. Check returns how many times what the work has
// allocated may double within the limit: after as many steps of which each at most doubles it, check is due again.
func Do(ctx context.Context, limits Limits, work func(ctx context.Context, check func() (doublings int)) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	most := new(atomic.Int64)
	defer begin(most)()
	before := memory()
	check := func() (doublings int) {
		if limits.Memory > 0 && exceeds(before, uint64(most.Load())*limits.Memory) {
			cancel(fmt.Errorf("needs %w %d MB of memory", ErrExceeded, limits.Memory>>20))
		}
		grown := max(memory(), before+1) - before
		return bits.Len64(limits.Memory/grown) - 1
	}
	start := time.Now()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	done := make(chan func() error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				failed := fault.Of(p)
				done <- func() error { panic(failed) } // where somebody recovers
			}
		}()
		err := work(ctx, check)
		done <- func() error { return err }
	}()
	for ctx.Err() == nil {
		select {
		case end := <-done:
			return end()
		case <-ctx.Done():
		case <-tick.C:
			if check(); limits.Time > 0 && time.Since(start) > limits.Time {
				cancel(fmt.Errorf("takes %w %v", ErrExceeded, limits.Time))
			}
		}
	}
	asked, late := memory(), time.After(grace)
	for {
		select {
		case end := <-done:
			return end()
		case <-late:
			return &Abandoned{context.Cause(ctx)}
		case <-tick.C:
			if limits.Memory > 0 && memory() > asked+limits.Memory {
				return &Abandoned{context.Cause(ctx)} // there is no memory to wait for it
			}
		}
	}
}

// running are the pieces of work under way, each with how many there have been at a time since it began: nobody tells whose the memory of the process is,
// and what one has allocated may be kept after its end.
var running = struct {
	sync.Mutex
	most map[*atomic.Int64]bool
}{most: map[*atomic.Int64]bool{}}

// begin adds a piece of work to those that run. End takes it out.
func begin(most *atomic.Int64) (end func()) {
	running.Lock()
	defer running.Unlock()
	running.most[most] = true
	for m := range running.most {
		m.Store(max(m.Load(), int64(len(running.most))))
	}
	return func() {
		running.Lock()
		defer running.Unlock()
		delete(running.most, most)
	}
}

var collecting sync.Mutex

// exceeds reports that memory has grown by more than the limit. Garbage is collected first: by the rate at which the process collects by itself a result
// would depend on what else it keeps. Work that needs over half of the limit exceeds it too, or it might collect without end for the other half.
func exceeds(before, limit uint64) bool {
	if memory() <= before+limit {
		return false
	}
	collecting.Lock()
	defer collecting.Unlock()
	if memory() <= before+limit {
		return false // another call has collected
	}
	runtime.GC()
	return memory() > before+limit/2
}

// memory is the current size of the heap and the stacks of the process, including garbage.
func memory() uint64 {
	read := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(read)
	return read[0].Value.Uint64() + read[1].Value.Uint64()
}
