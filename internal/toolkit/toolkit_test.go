package toolkit_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gpuperf/internal/toolkit"
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
	if got := toolkit.Find("tool"); got != "" {
		t.Errorf("%s is nowhere", got)
	}
	want := put(filepath.Join(named, "bin", "tool"))
	if got := toolkit.Find("tool"); got != want {
		t.Errorf("%q, want %q of CUDA_HOME", got, want)
	}
	want = put(filepath.Join(onPath, "tool"))
	if got := toolkit.Find("tool"); got != want {
		t.Errorf("%q, want %q on the PATH", got, want)
	}
}

func TestLibraries(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		home  string
		first string
		loads bool // where the system looks
	}{
		{"", "lib.so", true},
		{home, filepath.Join(home, "lib64", "lib.so"), true},
		{filepath.Join(home, "none"), filepath.Join(home, "none", "lib64", "lib.so"), false},
	} {
		t.Setenv("CUDA_HOME", c.home)
		got := toolkit.Libraries("lib.so")
		if got[0] != c.first || slices.Contains(got, "lib.so") != c.loads {
			t.Errorf("CUDA_HOME=%q: %q", c.home, got)
		}
	}
}
