package capture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"gpuperf/launchfile"
)

func needsCompiler(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
}

// lies is where a buffer lay.
var lies = regexp.MustCompile(`(\bb\d): \d+`)

var holdsAddresses = regexp.MustCompile(`data: (contents-\w+\.bin), memory: managed\}, \{hex: "000000000000e03f"`)

// withoutGPU makes an application of a driver without a GPU (testdata/gpu.c) and tells how to capture it.
func withoutGPU(t *testing.T) (folder string, o Options) {
	t.Helper()
	needsCompiler(t)
	folder = t.TempDir()
	cupti := filepath.Join(folder, "extras/CUPTI/lib64")
	if err := os.MkdirAll(cupti, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", filepath.Join(folder, "libcuda.so.1"), "testdata/gpu.c"},
		{"-DAPPLICATION", "-o", filepath.Join(folder, "app"), "testdata/gpu.c", "-ldl"},
	} {
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	if err := os.Symlink(filepath.Join(folder, "libcuda.so.1"), filepath.Join(cupti, "libcupti.so")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUDA_HOME", folder)
	t.Setenv("LD_LIBRARY_PATH", folder)
	cubins, _ := filepath.Glob("testdata/h200/runtime/*.cubin")
	if len(cubins) != 1 {
		t.Fatal(cubins)
	}
	return folder, Options{Command: []string{filepath.Join(folder, "app"), cubins[0]}, Cache: filepath.Join(folder, "cache"), Folder: filepath.Join(folder, "captured")}
}

// TestParts: of large memory the part is kept behind the places that are passed: 8 MiB of floats, and all of what looks like numbers of rows.
func TestParts(t *testing.T) {
	_, o := withoutGPU(t)
	o.Command = append(o.Command, "large")
	o.Contents, o.Decides = 1<<28, func(context.Context, string) ([]string, error) { return []string{"b0", "b1"}, nil }
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	f, err := launchfile.Load(result.Kernels[0].File)
	if err != nil {
		t.Fatal(err)
	}
	job, err := f.Job(f.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	pool, again, rows := job.Args[0], job.Args[1], job.Args[2]
	if pool.At != 5<<20 || again.At != 4<<20 || pool.File.At != 4<<20 || pool.File.Bytes != 9<<20 || rows.At != 1<<20 || rows.File.At != 1<<20 || rows.File.Bytes != 5<<20 {
		t.Errorf("%+v %+v; %+v %+v", pool, pool.File, rows, rows.File)
	}
	held := make([]byte, 4)
	if err := rows.Load(held, 2<<20); err != nil || word(held) != 2<<18 {
		t.Errorf("%x, %v", held, err)
	}
}

// TestWithoutGPU captures that application, and so runs the library that CUDA's driver loads.
func TestWithoutGPU(t *testing.T) {
	folder, o := withoutGPU(t)
	o.Contents = 100
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	launches := map[string]int64{}
	for _, k := range result.Kernels {
		launches[strings.TrimSuffix(filepath.Base(k.File), ".yaml")] = k.Launches
		text, err := os.ReadFile(k.File)
		if err != nil {
			t.Fatalf("%s: %v; %s", k.Plain, err, k.Why)
		}
		text = lies.ReplaceAll(text, []byte("$1: 4096"))
		if at := holdsAddresses.FindSubmatch(text); at != nil { // addresses differ from run to run
			text = bytes.ReplaceAll(text, at[1], []byte("addresses.bin"))
			if err := os.Rename(filepath.Join(o.Folder, string(at[1])), filepath.Join(o.Folder, "addresses.bin")); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(k.File, bytes.ReplaceAll(text, []byte(folder+"/"), nil), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]int64{
		"axpy-1": 2, "axpy-3": 2, "axpy_2-1": 2, "view-1": 1, "in_graph-1": 1, "together-1": 4, "nothing-1": 1, "ranks-1": 1, "reverse-1": 40,
	}
	if d := diff.Diff(want, launches); d != "" {
		t.Error(d)
	}
	compare(t, "testdata/gpu.txtar", result.Kernels)
	held, err := os.ReadFile(filepath.Join(o.Folder, "contents-c928c525.bin"))
	if err != nil || len(held) != 64 || word(held[4:8]) != uint64(math.Float32bits(2)) {
		t.Errorf("x: %x, %v", held, err)
	}
}

// TestDecides: contents are kept that decide about a launch, and what these lead to; the other launches of a kernel keep the same parameters.
func TestDecides(t *testing.T) {
	for _, c := range []struct {
		decides map[string]string // by what the launch file has, the buffer that decides
		fails   error
		want    []string // parameters of each launch with contents
	}{
		{map[string]string{"": "b0"}, nil, []string{"b0", "b0"}},
		{map[string]string{"": "b1", "b1, bytes: 16, data": "b0"}, nil, []string{"b0 b1", "b0 b1"}},
		{nil, nil, []string{"", ""}},
		{nil, errors.New("no listing"), []string{"b0 b1", "b0 b1"}},
	} {
		journals, folder := t.TempDir(), t.TempDir()
		lines := `{"event":"module","module":1,"file":"m.cubin"}
{"event":"kernel","id":1,"interface":"cuda","kernel":"f","plain":"f","wanted":true}
`
		for i := 1; i <= 2; i++ {
			lines += fmt.Sprintf(`{"event":"launch","id":1,"number":%d,"way":%[1]d,"grid":[%[1]d,1,1],"block":[32,1,1],"params":[{"offset":0,"size":8,"hex":"00"`+
				`,"pointers":[{"memory":0}]},{"offset":8,"size":8,"hex":"00","pointers":[{"memory":1}]}],"memory":[{"bytes":16,"file":"a.bin"},{"bytes":16,"file":"b.bin"}],"handle":5}`+"\n", i)
		}
		for name, text := range map[string]string{"cuda-1.jsonl": lines, "m.cubin": "\x7fELF.text.f\x00", "a.bin": "sixteen bytes ...", "b.bin": "16 other bytes .."} {
			if err := os.WriteFile(filepath.Join(journals, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		o := Options{Command: []string{"app"}, Folder: folder, Contents: 100, Decides: func(_ context.Context, path string) (names []string, err error) {
			text, err := os.ReadFile(path)
			for has, name := range c.decides {
				if strings.Contains(string(text), has) {
					names = append(names, name)
				}
			}
			return names, cmp.Or(err, c.fails)
		}}
		result, files, err := write(journals, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := decide(t.Context(), o, files, &result, func(int) {}); err != nil || (result.Undecided > 0) != (c.fails != nil) {
			t.Error(result.Undecided, err)
		}
		for i, k := range result.Kernels {
			text, err := os.ReadFile(k.File)
			if err != nil {
				t.Fatal(err)
			}
			var kept []string
			for _, name := range []string{"b0", "b1"} {
				if strings.Contains(string(text), name+", bytes: 16, data: contents-") {
					kept = append(kept, name)
				} else if !strings.Contains(string(text), name+", bytes: 16, fill: unknown") {
					t.Errorf("%s", text)
				}
			}
			if got := strings.Join(kept, " "); got != c.want[i] {
				t.Errorf("%v: launch %d keeps %s, want %s", c.decides, i+1, got, c.want[i])
			}
		}
	}
}

// TestStopped: an application that does not end when perf is stopped is ended, so that what it has launched is still written.
func TestStopped(t *testing.T) {
	needsCompiler(t)
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
