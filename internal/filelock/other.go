//go:build !unix

package filelock

import "os"

// Try does nothing: two processes on one file are then the user's to avoid.
func Try(*os.File) error { return nil }

// Held is never so.
func Held(error) bool { return false }

// Wait does nothing.
func Wait(*os.File) error { return nil }
