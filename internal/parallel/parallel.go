// Package parallel calls a function for many numbers at once.
package parallel

import (
	"cmp"
	"runtime"
	"sync"

	"gpuperf/internal/fault"
)

// For calls f for 0 to n-1, on all processors, and returns when all calls have ended.
func For(n int, f func(i int)) {
	Try(n, runtime.GOMAXPROCS(0), func(i int) error {
		f(i)
		return nil
	})
}

// Try calls f for 0 to n-1, as many at once as jobs says and at least one, and returns when all calls have ended: with the error of
// the lowest number that has one. A panic of a call is one of Try, as a *fault.Error.
func Try(n, jobs int, f func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	panics := make([]*fault.Error, n)
	call := func(i int) {
		defer func() {
			if p := recover(); p != nil {
				panics[i] = fault.Of(p)
			}
		}()
		errs[i] = f(i)
	}
	if n == 1 {
		call(0)
		n = 0
	}
	for range min(max(jobs, 1), n) {
		wg.Go(func() {
			for i := range next {
				call(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	if p := cmp.Or(panics...); p != nil {
		panic(p)
	}
	return cmp.Or(errs...)
}
