package polycount

import (
	"context"
	"errors"
	"fmt"
)

// ErrBudget is wrapped by the error of an operation that exceeded its work limit.
var ErrBudget = errors.New("work limit exceeded")

// defaultLimit is some seconds of work on one core.
const defaultLimit = 200_000_000

// work meters an operation. One unit is about one coefficient touched; memory in use is bounded by the limit as well,
// since whatever is stored was written once.
type work struct {
	ctx  context.Context
	left int64
	next int64 // ctx is looked at when left falls below it
}

func newWork(ctx context.Context, limit int64) *work {
	if limit <= 0 {
		limit = defaultLimit
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
		panic(fault{fmt.Errorf("polycount: %w", ErrBudget)})
	}
	if err := w.ctx.Err(); err != nil {
		panic(fault{fmt.Errorf("polycount: %w", err)})
	}
	w.next = w.left - checkEvery
}
