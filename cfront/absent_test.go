package cfront

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolders: where headers that are not found lie below the working directory, the flags give their folders, also those of what they include.
func TestFolders(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		"a/src/k.cu":           "#include \"lib/pair.h\"\n#include <vector>\n#include \"none.h\"\n__global__ void k(pair p) {}",
		"a/include/lib/pair.h": "#include \"deep.h\"\n#include <other/more.cuh>\n",
		"a/include/lib/deep.h": "",
		"b/include/lib/pair.h": "",
		"third/other/more.cuh": "",
		".git/none.h":          "",
		"vector":               "",
	} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(top)
	for _, path := range []string{"a/src/k.cu", filepath.Join(top, "a/src/k.cu")} {
		_, err := Read(t.Context(), path, Options{Instance: "k"})
		if err == nil || !strings.HasSuffix(err.Error(), "-I gives their folders: -I a/include -I third") {
			t.Errorf("%s: %v", path, err)
		}
	}
	t.Chdir(filepath.Join(top, "b")) // which the file does not lie in
	if _, err := Read(t.Context(), "../a/src/k.cu", Options{Instance: "k"}); err == nil || !strings.HasSuffix(err.Error(), "-I gives their folders") {
		t.Errorf("from elsewhere: %v", err)
	}
}
