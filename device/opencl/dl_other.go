//go:build !linux

package opencl

// resident is of no use where no driver is opened without a loader.
func resident(string) bool { return false }
