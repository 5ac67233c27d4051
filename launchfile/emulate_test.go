package launchfile

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// halves are the lists of the kernels that the emulator is judged with.
var halves = []string{"choose", "report", "unseen"}

// TestEmulated makes the jobs of all launches of the lists: their sources, sizes and arguments are right, each file is used, and no kind and no
// kernel stands in two of them.
func TestEmulated(t *testing.T) {
	const folder = "../testdata/emulate"
	half := map[string]string{} // of kinds and kernels
	in := func(what, name string) {
		t.Helper()
		if before, ok := half[name]; ok && before != what {
			t.Errorf("%s stands in both halves", name)
		}
		half[name] = what
	}
	files, launches := map[string]*File{}, map[string]bool{}
	for _, h := range halves {
		text, err := os.ReadFile(filepath.Join(folder, h+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if kind, ok := strings.CutPrefix(line, "# "); ok {
				in(h, "kind "+kind)
				continue
			} else if line == "" {
				continue
			}
			path, sizes, _ := strings.Cut(line, " -p ")
			if launches[line] {
				t.Errorf("%s: twice", line)
			}
			launches[line] = true
			f := files[path]
			if f == nil {
				if f, err = Load(filepath.Join("..", path)); err != nil {
					t.Fatal(err)
				}
				files[path] = f
			}
			job, err := f.Job(listedSizes(t, sizes))
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			in(h, "kernel "+filepath.Base(f.program.path)+" "+job.Launches()[0].Entry)
		}
	}
	all, _ := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if len(all) != len(files) || len(files) < 60 {
		t.Errorf("%d launch files of %d are listed", len(files), len(all))
	}
}

// listedSizes reads sizes such as "n=1024,m=64".
func listedSizes(t *testing.T, text string) map[string]int64 {
	t.Helper()
	at := map[string]int64{}
	for _, one := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(one, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil {
			t.Fatalf("%q is no size", one)
		}
		at[name] = n
	}
	return at
}
