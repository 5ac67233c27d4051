package polycount

import (
	"context"
	"errors"
	"fmt"
	"gpuperf/polycount/internal/arith"
)

// budgetError is that of an operation that exceeded its work limit.
var budgetError = errors.New("work limit exceeded")

// usualLimit is the limit of work where none is given: two or three seconds of one core.
const usualLimit = 50_000_000

// work meters an operation. One unit is about one coefficient touched; memory in use is bounded by the limit as well,
// since whatever is stored was written once.
type work struct {
	ctx  context.Context
	left int64
	next int64 // ctx is looked at when left falls below it
}

func newWork(ctx context.Context, limit int64) *work {
	if limit <= 0 {
		limit = usualLimit
	}
	return &work{ctx: ctx, left: limit, next: limit}
}

func anyWork() *work { return newWork(context.Background(), 0) }

const checkEvery = 1 << 16

// spend takes n units, failing when none are left or the context is done.
func (w *work) spend(n int) {
	w.left -= int64(n)
	if w.left > w.next {
		return
	}
	if w.left <= 0 {
		arith.Throw(fmt.Errorf("polycount: %w: fewer parameters, smaller or common coefficients and moduli, or a larger limit may help", budgetError))
	}
	if err := w.ctx.Err(); err != nil {
		arith.Throw(fmt.Errorf("polycount: %w", err))
	}
	w.next = max(w.left-checkEvery, 0) // not below 0: nothing goes on without units, and within gives none back
}

// within runs f on at most units of w; false when those or the 64-bit range did not suffice. It is for what only
// shortens an answer.
func (w *work) within(units int64, f func(*work)) (done bool) {
	child := &work{ctx: w.ctx, left: min(units, w.left)}
	given := child.left
	child.next = child.left
	err := arith.Try(func() { f(child) })
	w.spend(int(given - max(child.left, 0)))
	if err != nil && !errors.Is(err, budgetError) && !errors.Is(err, arith.ErrOverflow) {
		arith.Throw(err)
	}
	return err == nil
}
