package fault_test

import (
	"strings"
	"testing"

	"gpuperf/internal/fault"
)

// recovered is what becomes of a panic.
func recovered(f func()) (err *fault.Error) {
	defer func() { err = fault.Of(recover()) }()
	f()
	return nil
}

// An error tells the line that panicked, also where it has been recovered before, and whether that is one of a library.
func TestOf(t *testing.T) {
	var list []int
	inner := recovered(func() { _ = list[3] })
	if !strings.HasPrefix(inner.Place, "internal/fault_test/fault_test.go:") || inner.Library || !strings.Contains(inner.Error(), "index out of range [3]") {
		t.Errorf("%+v: %v", inner, inner)
	}
	if outer := recovered(func() { panic(inner) }); outer != inner {
		t.Errorf("%v, want %v", outer, inner)
	}
	if library := recovered(func() { _ = strings.Repeat("x", -1) }); !library.Library || !strings.HasPrefix(library.Place, "strings/") {
		t.Errorf("%+v", library)
	}
}
