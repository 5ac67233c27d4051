package parallel_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"gpuperf/internal/parallel"
)

func TestTry(t *testing.T) {
	for _, jobs := range []int{-1, 0, 1, 3, 100} {
		var calls, now, most atomic.Int64
		err := parallel.Try(50, jobs, func(i int) error {
			calls.Add(1)
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer now.Add(-1)
			if i >= 7 {
				return fmt.Errorf("call %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "call 7" || calls.Load() != 50 || most.Load() > int64(max(jobs, 1)) {
			t.Errorf("%d jobs: %v after %d calls, %d at once", jobs, err, calls.Load(), most.Load())
		}
	}
	if err := parallel.Try(0, 2, nil); err != nil {
		t.Error(err)
	}
}
