package ckernel

import (
	"fmt"
	"maps"

	"gpuperf/cfront"
)

// fault is an error on its way out of the recursion.
type fault struct {
	err   error
	final bool // it is no part of the text that can be left out
}

// elsewhere is what can still be done with a kernel that is refused.
const elsewhere = "a launch file takes the kernel as it is, for perf measure, emulate and counters (perf init launch drafts one)"

// faults refuse a function, at places of its file. Operations on sets that take too much are faults too (where.go).
type faults struct {
	file *cfront.File
	fn   *cfront.Function
}

func (b *faults) fail(at cfront.Expr, hint, format string, args ...any) {
	b.failAt(at.Place(), hint, format, args...)
}

func (b *faults) failAt(at cfront.Pos, hint, format string, args ...any) {
	if hint != "" {
		hint += "; "
	}
	panic(fault{err: b.file.Errorf(at, format, args...).WithHint("%s%s", hint, elsewhere)})
}

// failFinal refuses the whole function.
func (b *faults) failFinal(at cfront.Pos, hint, format string, args ...any) {
	panic(fault{&LimitError{b.file.Errorf(at, format, args...).WithHint("%s; %s", hint, elsewhere)}, true})
}

// LimitError says that reading a function takes too much, whatever is left out of it.
type LimitError struct{ Err error }

func (e *LimitError) Error() string { return e.Err.Error() }

// Unwrap is the error at its place.
func (e *LimitError) Unwrap() error { return e.Err }

// failLaunch refuses what the launch says.
func (b *faults) failLaunch(hint, format string, args ...any) {
	e := b.file.Errorf(b.fn.Pos, "%s", b.fn.Name+": "+fmt.Sprintf(format, args...))
	if hint != "" {
		e = e.WithHint("%s", hint)
	}
	panic(fault{e, true})
}

// try makes errors of sets faults.
func (b *faults) try(err error) {
	if err != nil {
		panic(fault{final: true, err: b.file.Errorf(b.fn.Pos, "%s takes too much to analyse: %v", b.fn.Name, err).WithHint("%s", elsewhere)})
	}
}

// attempt runs a reading that may end in a fault, and returns the fault. Then nothing has changed.
func (b *builder) attempt(read func()) (err error) {
	undo := b.snapshot()
	b.trial++
	defer func() {
		b.trial--
		if e := recover(); e != nil {
			f, isFault := e.(fault)
			if !isFault {
				panic(e)
			}
			undo()
			err = f.err
		}
	}()
	read()
	return nil
}

// snapshot returns a function that undoes what is read after it.
func (b *builder) snapshot() (undo func()) {
	old := *b
	env, results, frames := maps.Clone(b.env), maps.Clone(b.results), len(b.frames)
	var exits, broke []int
	for _, f := range b.frames {
		exits, broke = append(exits, len(f.exits)), append(broke, len(f.broke))
	}
	return func() {
		b.env, b.results, b.live = env, results, old.live
		b.gone, b.doubts, b.opaques, b.ranges = old.gone, old.doubts, old.opaques, old.ranges
		b.open, b.loops, b.records, b.averages = old.open, old.loops, old.records, old.averages
		b.frames, b.path, b.depth, b.accesses = b.frames[:frames], old.path, old.depth, old.accesses
		for i, f := range b.frames {
			f.exits, f.broke = f.exits[:exits[i]], f.broke[:broke[i]]
		}
	}
}
