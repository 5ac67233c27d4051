package samples

import (
	"errors"
	"fmt"
	"os"
	"time"

	"gpuperf/internal/filelock"
)

// Lock takes the lock file at path for this process until unlock is called, which removes the file. It waits a while for
// another process that has it.
func Lock(path string) (unlock func(), err error) { return LockWithin(path, 10*time.Second) }

// LockWithin is Lock with how long it waits.
func LockWithin(path string, patience time.Duration) (unlock func(), err error) {
	const pause = 10 * time.Millisecond // between two tries
	for deadline := time.Now().Add(patience); ; time.Sleep(pause) {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err = filelock.Try(f); err == nil && isAt(f, path) {
			return func() { os.Remove(path); f.Close() }, nil
		}
		if time.Now().After(deadline) {
			err = fmt.Errorf("waiting for the lock %s: %s", path, filelock.Holder(f))
			return nil, errors.Join(err, f.Close())
		}
		f.Close()
	}
}

// isAt reports whether the open file is still the one at path, and not one that its holder has removed.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}
