package script

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
)

// The default limits of a run, and the limit of every text: the script itself, and the texts that it passes to lp.
const (
	defaultSteps  = 4 << 20
	defaultMemory = 256 << 20
	maxText       = 1 << 18 // bytes; this also bounds the depth of recursion over the parsed text
)

// run executes f on a new thread under the limits of the module's options. If the run
// does not stop, the error names its last known position, and the caller decides whether to end the process (see package
// bounded).
func (m *Module) run(ctx context.Context, f func(*starlark.Thread) error) error {
	limits := bounded.Limits{Time: m.opt.Timeout, Memory: m.opt.Memory}
	if limits.Time == 0 {
		limits.Time = bounded.Patience
	}
	if limits.Memory == 0 {
		limits.Memory = defaultMemory
	}
	trace := &trace{}
	err := bounded.Do(ctx, limits, func(ctx context.Context, check func() int) error {
		thread := &starlark.Thread{Name: m.File, Print: printer(ctx)}
		thread.SetLocal(traceKey, trace)
		thread.SetLocal(placesKey, m.place)
		thread.SetLocal(tuningKey, m.opt.startTuning())
		cancel := func() { thread.Cancel("the script " + context.Cause(ctx).Error()) }
		defer context.AfterFunc(ctx, cancel)()
		due := uint64(0) // the step before which memory is looked at again
		m.atEachStep(thread, func() {
			trace.set(thread.CallFrame(0).Pos, false)
			if thread.Steps < due {
				return
			}
			due = thread.Steps + uint64(max(1, min(check(), mostSteps)))
			if ctx.Err() != nil {
				cancel()
			}
		})
		return f(thread)
	})
	var left *bounded.Abandoned
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", m.File, context.Cause(ctx))
	case errors.As(err, &left):
		return trace.explain(m.place, left.Cause)
	}
	return m.place.explain(err)
}

// mostSteps bounds the steps between two looks at the memory, since one that repeats or joins does more than double it.
const mostSteps = 16

// atEachStep limits the number of steps of a thread and calls f before each of them.
func (m *Module) atEachStep(thread *starlark.Thread, f func()) {
	most := m.opt.Steps
	if most == 0 {
		most = defaultSteps
	}
	thread.OnMaxSteps = func(*starlark.Thread) { // called at every step, because the limit is always the next one
		thread.SetMaxExecutionSteps(thread.Steps + 1)
		if thread.Steps > most {
			thread.Cancel(fmt.Sprintf("the script takes more than %d steps", most))
		}
		f()
	}
	thread.SetMaxExecutionSteps(1)
}

const (
	traceKey  = "trace"
	placesKey = "places"
)

// trace records how far a thread has come. The goroutine that waits for the thread reads it.
type trace struct {
	mu sync.Mutex
	at syntax.Position
	// exact: the thread executes the operation at this position. Otherwise it executes the one after it.
	exact bool
}

func (t *trace) set(at syntax.Position, exact bool) {
	t.mu.Lock()
	t.at, t.exact = at, exact
	t.mu.Unlock()
}

// explain returns the error of a thread that did not stop.
func (t *trace) explain(p *places, cause error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := p.of(t.at.Filename())
	if in == nil || t.at.Line < 1 {
		return &source.Error{File: p.file, Msg: "the script " + cause.Error()}
	}
	e := source.At(in.file, in.text, place(t.at), "the script %v", cause)
	if !t.exact {
		e.Hint = "in the operation after this position"
	}
	return e
}
