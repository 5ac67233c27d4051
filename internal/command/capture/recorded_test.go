package capture

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gpuperf/device"
	"gpuperf/internal/golden"
	"gpuperf/launchfile"
)

// recorded copies a journal of testdata/h200, which runtime.cu or driver.cu there has left on an H200, as writing launch files takes it apart.
func recorded(t *testing.T, name string) (journals string, o Options) {
	folder := t.TempDir()
	journals = filepath.Join(folder, "journal")
	if err := os.CopyFS(journals, os.DirFS(filepath.Join("testdata/h200", name))); err != nil {
		t.Fatal(err)
	}
	return journals, Options{Command: []string{"./" + name}, Folder: folder, Launch: 1}
}

// compare holds launch files to a golden file, which UPDATE=1 writes, and to what can be launched.
func compare(t *testing.T, file string, kernels []*Kernel) {
	t.Helper()
	var all txtar.Archive
	for _, k := range kernels {
		text, err := os.ReadFile(k.File)
		if err != nil {
			t.Fatalf("%s: %v; %s", k.Plain, err, k.Why)
		}
		all.Files = append(all.Files, txtar.File{Name: filepath.Base(k.File), Data: text})
		f, err := launchfile.Load(k.File)
		if err != nil {
			t.Fatal(err)
		}
		job, err := f.Job(f.Sizes)
		if err != nil {
			t.Fatal(err)
		}
		if err := job.Check(device.Limits{}); err != nil {
			t.Errorf("%s: %v", k.File, err)
		}
	}
	golden.Check(t, file, string(txtar.Format(&all)))
}

// TestRecorded: the launch files of recorded applications are those of testdata/h200/*.txtar.
func TestRecorded(t *testing.T) {
	for name, contents := range map[string]int64{"runtime": 0, "driver": 100000} {
		journals, o := recorded(t, name)
		o.Contents = contents
		result, _, err := write(journals, o)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, filepath.Join("testdata/h200", name+".txtar"), result.Kernels)
	}
}

// TestReplaces: files of an earlier capture are replaced, others are left as they are, and told.
func TestReplaces(t *testing.T) {
	folder := t.TempDir()
	again := func() (map[string]*Kernel, error) {
		journals, o := recorded(t, "runtime")
		o.Folder = folder
		result, _, err := write(journals, o)
		files := map[string]*Kernel{}
		for _, k := range result.Kernels {
			files[k.Plain+fmt.Sprint(k.number)] = k
		}
		return files, err
	}
	first, err := again()
	if err != nil {
		t.Fatal(err)
	}
	bins, _ := filepath.Glob(filepath.Join(folder, "*.bin"))
	modules, _ := filepath.Glob(filepath.Join(folder, "module-*.cubin"))
	if len(bins) == 0 || len(modules) == 0 {
		t.Fatal(bins, modules)
	}
	const own = "version: 1 # by hand\n"
	edited, changed := "", bins[0]
	with := map[string]bool{} // launch files that name what is changed
	for _, k := range first {
		text, _ := os.ReadFile(k.File) // that of a kernel without a file is empty
		if with[k.File] = strings.Contains(string(text), filepath.Base(changed)); with[k.File] {
			edited = k.File
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(edited, own)
	write(changed, own)
	second, err := again()
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range second {
		mine := first[name].File == edited || with[first[name].File]
		if mine != (k.File == "" && strings.Contains(k.Why, "not replaced")) {
			t.Errorf("%s: %q, %s", k.Plain, k.File, k.Why)
		}
	}
	for _, path := range []string{edited, changed} {
		if text, err := os.ReadFile(path); err != nil || string(text) != own {
			t.Errorf("%s: %v: %s", path, err, text)
		}
	}
	for _, path := range modules {
		write(path, own)
	}
	if _, err := again(); err == nil || !strings.Contains(err.Error(), "not replaced") {
		t.Errorf("modules of others: %v", err)
	}
}

// TestCrash: of an application that has crashed, everything is written but the line that was not finished.
func TestCrash(t *testing.T) {
	journals, o := recorded(t, "runtime")
	paths, _ := filepath.Glob(filepath.Join(journals, "*.jsonl"))
	if len(paths) != 1 {
		t.Fatal(paths)
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(text, []byte(`{"event":"launch"`)) + 100
	if err := os.WriteFile(paths[0], text[:at], 0o644); err != nil {
		t.Fatal(err)
	}
	result, _, err := write(journals, o)
	if err != nil {
		t.Fatal(err)
	}
	last := len(result.Kernels) - 1
	for i, k := range result.Kernels {
		if written := k.File != ""; written != (i < last) || k.Launches != 0 {
			t.Errorf("%s: %+v", k.Plain, k)
		}
	}
}

// TestNothing: why nothing was captured.
func TestNothing(t *testing.T) {
	for line, want := range map[string]string{
		"": "./app has launched no kernel",
		`{"event":"problem","what":"no CUPTI","detail":"x.so: not found"}` + "\n":                              "CUPTI was not found",
		`{"event":"problem","what":"old driver","detail":"cuFuncGetParamInfo"}` + "\n":                         "older than CUDA 12.4 and lacks a function: cuFuncGetParamInfo",
		`{"event":"kernel","id":1,"interface":"cuda","kernel":"_Z1fi","plain":"f(int)","wanted":false}` + "\n": "no kernel matches --kernel gemm\n    there are: f",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "cuda-1.jsonl"), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := write(folder, Options{Command: []string{"./app"}, Folder: folder, Kernel: "gemm", Launch: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", line, err, want)
		}
	}
}
