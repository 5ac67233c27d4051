package linear

import (
	"context"
	"errors"
	"sync/atomic"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
)

// ErrBudget is the error of an operation that exceeded its limit of work.
var ErrBudget = errors.New("work limit exceeded")

// DefaultLimit is the limit of work where none is given: two or three seconds on one core.
const DefaultLimit = 50_000_000

// Work meters an operation. One unit is roughly one coefficient touched. The limit bounds memory as well, since
// everything stored was written once.
type Work struct {
	ctx   context.Context
	Left  int64
	next  int64  // ctx is looked at when left falls below it
	meter *Meter // nil for an operation on its own
}

// Meter is the work that is left to several operations together.
type Meter struct {
	left  atomic.Int64
	ended atomic.Bool
}

// NewMeter is a meter with so many units.
func NewMeter(units int64) *Meter {
	m := &Meter{}
	m.left.Store(units)
	return m
}

// End ends the limit: operations take no more work of the meter.
func (m *Meter) End() { m.ended.Store(true) }

// Ended reports that End was called.
func (m *Meter) Ended() bool { return m.ended.Load() }

// Left is how many units are left, or less than 0.
func (m *Meter) Left() int64 { return m.left.Load() }

func (m *Meter) take(n int64) (enough bool) { return m.ended.Load() || m.left.Add(-n) > 0 }

// On lets an operation take its work of a meter as well; nil is none.
func (w *Work) On(m *Meter) *Work {
	w.meter = m
	return w
}

func NewWork(ctx context.Context, limit int64) *Work {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Work{ctx: ctx, Left: limit, next: limit}
}

func AnyWork() *Work { return NewWork(context.Background(), 0) }

const checkEvery = 1 << 16 // units between two looks at the context: some milliseconds

// Spend takes n units. It throws an error if none are left or the context is done.
func (w *Work) Spend(n int) {
	if w.meter != nil && !w.meter.take(int64(n)) {
		panic(throw.Errorf("polycount: %w", ErrBudget))
	}
	w.spend(n)
}

func (w *Work) spend(n int) {
	w.Left -= int64(n)
	if w.Left > w.next {
		return
	}
	if w.Left <= 0 {
		panic(throw.Errorf("polycount: %w: fewer parameters, smaller or common coefficients and moduli, or a larger limit may help", ErrBudget))
	}
	if err := w.ctx.Err(); err != nil {
		panic(throw.Errorf("polycount: %w", err))
	}
	w.next = max(w.Left-checkEvery, 0) // not below 0: nothing goes on without units, and within gives none back
}

// Within runs f with at most that many units of w. It reports false if they, or 64 bits, did not suffice.
func (w *Work) Within(units int64, f func(*Work)) (done bool) {
	child := &Work{ctx: w.ctx, Left: min(units, w.Left), meter: w.meter}
	given := child.Left
	child.next = child.Left
	err := throw.Try(func() { f(child) })
	w.spend(int(given - max(child.Left, 0))) // the meter has it already
	if err != nil && !errors.Is(err, ErrBudget) && !errors.Is(err, arith.ErrOverflow) {
		panic(throw.Of(err))
	}
	return err == nil
}
