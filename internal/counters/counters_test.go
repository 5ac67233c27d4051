package counters

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindNothing: without ncu, the error says what to install.
func TestFindNothing(t *testing.T) {
	if all, _ := filepath.Glob("/opt/nvidia/nsight-compute/*/ncu"); len(all) > 0 {
		t.Skipf("ncu is installed: %s", all[0])
	}
	t.Setenv("CUDA_HOME", "/none")
	t.Setenv("PATH", t.TempDir())
	path, err := Find()
	if !errors.Is(err, ErrNoNCU) || !strings.Contains(err.Error(), "install Nsight Compute") {
		t.Errorf("Find() = %q, %v; want an error that says what to install", path, err)
	}
}
