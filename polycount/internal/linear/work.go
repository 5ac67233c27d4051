package linear

import (
	"context"
	"errors"
	"fmt"

	"gpuperf/polycount/internal/arith"
)

// ErrBudget is the error of an operation that exceeded its limit of work.
var ErrBudget = errors.New("work limit exceeded")

// DefaultLimit is the limit of work where none is given: two or three seconds on one core.
const DefaultLimit = 50_000_000

// Work meters an operation. One unit is roughly one coefficient touched. The limit bounds memory as well, since
// everything stored was written once.
type Work struct {
	ctx  context.Context
	Left int64
	next int64 // ctx is looked at when left falls below it
}

func NewWork(ctx context.Context, limit int64) *Work {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Work{ctx: ctx, Left: limit, next: limit}
}

func AnyWork() *Work { return NewWork(context.Background(), 0) }

const checkEvery = 1 << 16

// Spend takes n units. It throws an error if none are left or the context is done.
func (w *Work) Spend(n int) {
	w.Left -= int64(n)
	if w.Left > w.next {
		return
	}
	if w.Left <= 0 {
		arith.Throw(fmt.Errorf("polycount: %w: fewer parameters, smaller or common coefficients and moduli, or a larger limit may help", ErrBudget))
	}
	if err := w.ctx.Err(); err != nil {
		arith.Throw(fmt.Errorf("polycount: %w", err))
	}
	w.next = max(w.Left-checkEvery, 0) // not below 0: nothing goes on without units, and within gives none back
}

// Within runs f with at most that many units of w. It reports false if they, or 64 bits, did not suffice.
func (w *Work) Within(units int64, f func(*Work)) (done bool) {
	child := &Work{ctx: w.ctx, Left: min(units, w.Left)}
	given := child.Left
	child.next = child.Left
	err := arith.Try(func() { f(child) })
	w.Spend(int(given - max(child.Left, 0)))
	if err != nil && !errors.Is(err, ErrBudget) && !errors.Is(err, arith.ErrOverflow) {
		arith.Throw(err)
	}
	return err == nil
}
