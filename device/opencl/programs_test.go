package opencl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/samples"
)

// TestProgramsAreKept: what one process built, another one finds, in whatever way it reaches the driver; and what is broken is
// built anew.
func TestProgramsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "programs")
	builder := openFirst(t, Search{})
	builder.KeepPrograms(dir)
	job := axpy(8193)
	if err := builder.Build(job); err != nil {
		t.Fatal(err)
	}
	file := device.ProgramFile(dir, builder.Info().Fingerprint, job)
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, d *Device) {
		t.Helper()
		d.KeepPrograms(dir)
		r, err := d.Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		checkAxpy(t, floats(r.Outputs["y"]))
	}
	everyWay(t, func(t *testing.T, d *Device) {
		// With the source spoilt under the same name only the kept program can be what runs.
		spoilt := job
		spoilt.Source = "no OpenCL C"
		other := device.ProgramFile(dir, d.Info().Fingerprint, spoilt)
		if err := os.WriteFile(other, kept, 0o644); err != nil {
			t.Fatal(err)
		}
		d.KeepPrograms(dir)
		r, err := d.Run(context.Background(), spoilt)
		if err != nil {
			t.Fatal(err)
		}
		checkAxpy(t, floats(r.Outputs["y"]))
	})
	for name, data := range map[string][]byte{
		"empty": {}, "short": kept[:20], "cut": kept[:len(kept)-5], "flipped": append(append([]byte{}, kept[:len(kept)-1]...), ^kept[len(kept)-1]),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
			run(t, openFirst(t, Search{}))
		})
	}
	if err := builder.Build(job); err != nil { // a broken file is replaced
		t.Fatal(err)
	}
	if id, ok := builder.load(file, ""); !ok {
		t.Error("not kept again")
	} else {
		builder.release(releaseProgram, id)
	}

	wrong := job
	wrong.Source = "__kernel void axpy() { y = 1; }"
	err = builder.Build(wrong)
	if e, ok := device.AsError(err); !ok || e.Status != samples.BuildFailed || e.Log == "" {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(device.ProgramFile(dir, builder.Info().Fingerprint, wrong)); err == nil {
		t.Error("a program that cannot be built is kept")
	}
}

func TestProgramFile(t *testing.T) {
	dev := samples.Fingerprint{Name: "d", Driver: "1"}
	job := axpy(64)
	seen := map[string]string{}
	add := func(what string, dev samples.Fingerprint, job device.Job) {
		file := device.ProgramFile("x", dev, job)
		if old := seen[file]; old != "" {
			t.Errorf("%s and %s have one file", what, old)
		}
		seen[file] = what
	}
	add("first", dev, job)
	add("driver", samples.Fingerprint{Name: "d", Driver: "2"}, job)
	add("parts", samples.Fingerprint{Name: "d1", Driver: ""}, job)
	options, source := job, job
	options.Options = "-cl-mad-enable"
	source.Source += "\n"
	add("options", dev, options)
	add("source", dev, source)
	sized := axpy(128)
	if !strings.HasPrefix(device.ProgramFile("x", dev, sized), "x"+string(filepath.Separator)) || device.ProgramFile("x", dev, sized) != device.ProgramFile("x", dev, job) {
		t.Error("the size changes the program's file")
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		file := filepath.Join(dir, fmt.Sprintf("%d.program", i))
		when := time.Unix(int64(1000+(i*7)%10), 0)
		if err := os.WriteFile(file, make([]byte, 100), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), make([]byte, 5000), 0o644); err != nil {
		t.Fatal(err)
	}
	count := func() int { all, _ := os.ReadDir(dir); return len(all) }
	if prune(dir, 1000); count() != 11 {
		t.Errorf("%d files are left of what does not exceed the limit", count())
	}
	if prune(dir, 800); count() != 5 {
		t.Errorf("%d files are left", count())
	}
	if _, err := os.Stat(filepath.Join(dir, "7.program")); err != nil { // the newest: 7*7 mod 10 = 9
		t.Error(err)
	}
}

func BenchmarkBuild(b *testing.B) {
	d := openFirst(b, Search{})
	d.KeepPrograms(b.TempDir())
	n := 0
	fresh := func() device.Job {
		n++
		job := axpy(64)
		job.Source = fmt.Sprintf("// %d %d\n%s", n, time.Now().UnixNano(), job.Source)
		return job
	}
	b.Run("source", func(b *testing.B) {
		for b.Loop() {
			p, err := d.buildOrExplain(fresh())
			if err != nil {
				b.Fatal(err)
			}
			d.release(releaseProgram, p.id)
		}
	})
	b.Run("keep", func(b *testing.B) {
		for b.Loop() {
			if err := d.Build(fresh()); err != nil {
				b.Fatal(err)
			}
		}
	})
	job := fresh()
	if err := d.Build(job); err != nil {
		b.Fatal(err)
	}
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			id, ok := d.load(device.ProgramFile(d.folder, d.info.Fingerprint, job), "")
			if !ok {
				b.Fatal("not kept")
			}
			d.release(releaseProgram, id)
		}
	})
}
