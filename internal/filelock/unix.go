//go:build unix

// Package filelock takes locks of open files, which the system gives back when the process ends, however it ends. Where there is no advisory locking, everyone
// has every lock.
package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try takes the lock of a file for this process, or says why it cannot.
func Try(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// Held reports whether an error of Try says that another process has the lock.
func Held(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

// Wait takes the lock when no other process has it any more.
func Wait(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
