package capture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A module is listed once, beside it, of the kernels that were launched; where it cannot be, the result says why.
func TestListings(t *testing.T) {
	journals, o := recorded(t, "runtime")
	result, _, err := write(journals, o)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >> " + bin + "/calls\nprintf '\\n.section\\t.text.f\\n'\n"
	if err := os.WriteFile(filepath.Join(bin, "nvdisasm"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("CUDA_HOME", "/none")
	if err := result.list(t.Context(), func(int) {}); err != nil || result.Unlisted != nil {
		t.Fatal(err, result.Unlisted)
	}
	calls, _ := os.ReadFile(filepath.Join(bin, "calls"))
	if text := string(calls); strings.Count(text, "\n") != 1 || !strings.Contains(text, "-fun ") || strings.Count(text, ",") != len(result.Kernels)-1 {
		t.Errorf("%d kernels, listed by\n%s", len(result.Kernels), text)
	}
	if found, _ := filepath.Glob(filepath.Join(o.Folder, "module-*.sass")); len(found) != 1 {
		t.Error(found)
	}
	if err := os.WriteFile(filepath.Join(bin, "nvdisasm"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := result.list(t.Context(), func(int) {}); err != nil || result.Unlisted == nil {
		t.Error(err, result.Unlisted)
	}
}
