//go:build !unix

package filelock

import (
	"context"
	"fmt"
	"os"
)

// Try does nothing: two processes on one file are then the user's to avoid.
func Try(*os.File) error { return nil }

// Held is never so.
func Held(error) bool { return false }

// Wait does nothing.
func Wait(context.Context, *os.File) error { return nil }

// Holder knows nobody.
func Holder(*os.File) string { return "another process has it" }

// Process words a process.
func Process(number int) string { return fmt.Sprintf("process %d", number) }
