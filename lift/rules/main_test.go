package rules_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow further between collections than usual: the terms of random instances live as long as the process, and
// a collection looks at all of them.
func TestMain(m *testing.M) {
	debug.SetGCPercent(200)
	os.Exit(m.Run())
}
