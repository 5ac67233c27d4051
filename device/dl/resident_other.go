//go:build !linux

package dl

// Resident is of no use where no driver is opened without a loader.
func Resident(string) bool { return false }
