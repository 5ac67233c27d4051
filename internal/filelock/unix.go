//go:build unix

// Package filelock takes locks of open files, which the system gives back when the process ends, however it ends. Where there is no advisory locking, everyone
// has every lock.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Try takes the lock of a file for this process, or says why it cannot.
func Try(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// Held reports whether an error of Try says that another process has the lock.
func Held(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

// Wait takes the lock when no other process has it any more, or returns the cause of the end of ctx; then the file is closed once the system stops waiting,
// which it cannot be asked to do. Without an error, the lock is had, or there are no locks.
func Wait(ctx context.Context, f *os.File) error {
	locked := make(chan struct{})
	go func() {
		for unix.Flock(int(f.Fd()), unix.LOCK_EX) == unix.EINTR {
		}
		close(locked)
	}()
	select {
	case <-locked:
		return nil
	case <-ctx.Done():
		go func() {
			<-locked
			f.Close()
		}()
		return context.Cause(ctx)
	}
}

// Holder words who has the lock of a file, and since when that process runs, where the system tells.
func Holder(f *os.File) string {
	const unknown = "another process has it"
	var at unix.Stat_t
	locks, err := os.ReadFile("/proc/locks")
	if err != nil || unix.Fstat(int(f.Fd()), &at) != nil {
		return unknown
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(at.Dev)), unix.Minor(uint64(at.Dev)), at.Ino)
	for line := range strings.Lines(string(locks)) { // such as "1: FLOCK  ADVISORY  WRITE 708 08:01:4718 0 EOF"
		var number, kind, how, access, place string
		var process int
		if n, _ := fmt.Sscan(line, &number, &kind, &how, &access, &process, &place); n == 6 && kind == "FLOCK" && place == file && process > 0 {
			return Process(process) + since(process)
		}
	}
	return unknown
}

// Process words a process: its number and, where the system tells, its command.
func Process(number int) string {
	const longest = 80 // characters of a command in a message
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", number))
	command := []rune(strings.Join(strings.FieldsFunc(string(line), func(c rune) bool { return c == 0 }), " "))
	switch {
	case err != nil || len(command) == 0:
		return fmt.Sprintf("process %d", number)
	case len(command) > longest:
		return fmt.Sprintf("process %d (%s…)", number, string(command[:longest]))
	}
	return fmt.Sprintf("process %d (%s)", number, string(command))
}

// since is when a process began.
func since(process int) string {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", process))
	if err != nil {
		return " has it"
	}
	return fmt.Sprintf(", begun at %s, has it", info.ModTime().Format("15:04:05"))
}
