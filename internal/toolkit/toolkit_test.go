package toolkit

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	onPath, named := t.TempDir(), t.TempDir()
	put := func(path string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("PATH", onPath)
	t.Setenv("CUDA_HOME", named)
	if got := Find("tool"); got != "" {
		t.Errorf("%s is nowhere", got)
	}
	want := put(filepath.Join(named, "bin", "tool"))
	if got := Find("tool"); got != want {
		t.Errorf("%q, want %q of CUDA_HOME", got, want)
	}
	want = put(filepath.Join(onPath, "tool"))
	if got := Find("tool"); got != want {
		t.Errorf("%q, want %q on the PATH", got, want)
	}
}
