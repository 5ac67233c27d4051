// Package parallel calls a function for many numbers at once.
package parallel

import (
	"cmp"
	"runtime"
	"sync"
)

// For calls f for 0 to n-1, on all processors, and returns when all calls have ended.
func For(n int, f func(i int)) {
	Try(n, runtime.GOMAXPROCS(0), func(i int) error {
		f(i)
		return nil
	})
}

// Try calls f for 0 to n-1, as many at once as jobs says and at least one, and returns when all calls have ended: with the error of
// the lowest number that has one.
func Try(n, jobs int, f func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(max(jobs, 1), n) {
		wg.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return cmp.Or(errs...)
}
