package script

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
)

// Limits of a run where Options leave them open, and of every text: a script, and those that it gives to a kernel.
const (
	defaultSteps   = 4 << 20
	defaultMemory  = 256 << 20
	defaultTimeout = 10 * time.Second
	maxText        = 1 << 18 // bytes; it bounds the recursion over what a text is parsed into
)

// run executes f on a new thread under the limits of the module's options. Of a run that does not stop the error names
// the last place that was seen; the caller decides whether the process goes on (see package bounded).
func (m *Module) run(ctx context.Context, f func(*starlark.Thread) error) error {
	limits := bounded.Limits{Time: m.opt.Timeout, Memory: m.opt.Memory}
	if limits.Time == 0 {
		limits.Time = defaultTimeout
	}
	if limits.Memory == 0 {
		limits.Memory = defaultMemory
	}
	trace := &trace{}
	err := bounded.Do(ctx, limits, func(ctx context.Context, check func()) error {
		thread := &starlark.Thread{Name: m.File, Print: func(*starlark.Thread, string) {}}
		thread.SetLocal(traceKey, trace)
		cancel := func() { thread.Cancel("the script " + context.Cause(ctx).Error()) }
		defer context.AfterFunc(ctx, cancel)()
		m.atEachStep(thread, func() {
			if trace.step(thread.CallFrame(0).Pos) > longStep {
				if check(); ctx.Err() != nil {
					cancel()
				}
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

// longStep is time in which an operation may allocate much.
const longStep = time.Millisecond

// atEachStep limits the steps of a thread and calls f at each.
func (m *Module) atEachStep(thread *starlark.Thread, f func()) {
	most := m.opt.Steps
	if most == 0 {
		most = defaultSteps
	}
	thread.OnMaxSteps = func(*starlark.Thread) { // each time the limit is the next step
		thread.SetMaxExecutionSteps(thread.Steps + 1)
		if thread.Steps > most {
			thread.Cancel(fmt.Sprintf("the script takes more than %d steps", most))
		}
		f()
	}
	thread.SetMaxExecutionSteps(1)
}

const traceKey = "trace"

// trace is how far a thread has come, for whoever waits for it.
type trace struct {
	mu sync.Mutex
	at syntax.Position
	// exact: the operation at this place is being executed. Else it has been, and Starlark is in the one after it.
	exact bool
	since time.Time
}

func (t *trace) set(at syntax.Position, exact bool) {
	t.mu.Lock()
	t.at, t.exact = at, exact
	t.mu.Unlock()
}

// step notes that the operation at a place has been executed, and returns how long it took.
func (t *trace) step(at syntax.Position) time.Duration {
	t.set(at, false)
	before := t.since
	t.since = time.Now()
	return t.since.Sub(before)
}

// enter notes that a function of lp was called.
func enter(thread *starlark.Thread) {
	if t, ok := thread.Local(traceKey).(*trace); ok {
		t.set(thread.CallFrame(1).Pos, true)
	}
}

// explain is the error of a thread that does not stop.
func (t *trace) explain(p *places, cause error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := p.of(t.at.Filename())
	if in == nil || t.at.Line < 1 {
		return &source.Error{File: p.file, Msg: "the script " + cause.Error()}
	}
	e := source.At(in.file, in.text, place(t.at), "the script %v", cause)
	if !t.exact {
		e.Hint = "in the operation that follows this place"
	}
	return e
}
