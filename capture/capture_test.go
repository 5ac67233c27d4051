package capture

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestStopped: an application that does not end when perf is stopped is ended, so that what it has launched is still written.
func TestStopped(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	cache := t.TempDir()
	if _, err := libraries(t.Context(), cache); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	began := time.Now()
	result, err := Run(ctx, Options{
		Command: []string{"sh", "-c", "trap '' TERM; exec sleep 60"}, Cache: cache, Folder: filepath.Join(t.TempDir(), "captured"), Launch: 1,
	})
	var status *StatusError
	if took := time.Since(began); !errors.As(err, &status) || result.Status != 128+9 || took > 20*time.Second {
		t.Errorf("after %v: status %d, %v", took, result.Status, err)
	}
}
