package progress

import (
	"strings"
	"testing"

	"gpuperf/internal/terminal"
	"gpuperf/internal/warning"
)

// That others have the device is told once.
func TestWaiting(t *testing.T) {
	var notes strings.Builder
	m := New(&notes, terminal.NewLive(&notes), &warning.Printer{})
	for range 3 {
		m.Waiting("the device", "process 7 has had it for 3s")
	}
	if got := notes.String(); got != "waiting for the device: process 7 has had it for 3s\n" {
		t.Errorf("%q", got)
	}
}
