// Package survey tells which launches of an application take its time, and why, from the launch files that perf capture has written of them.
//
// [Folder] emulates each launch file of a folder; what a file says of its number of launches counts. A Survey is a table of them, those first that
// take most of the time (text.go).
package survey

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"gpuperf/emulate/launches"
	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
	"gpuperf/launchfile"
	"gpuperf/sass/compiled"
)

// Options say how launch files are emulated.
type Options struct {
	Sizes    map[string]int64 // where they differ from those of the files
	Each     launches.Options
	Compiler *compiled.Compiler    // for files with a source
	Progress func(done, total int) // where it is not nil, told after each launch file, from one goroutine at a time
}

// Survey is what emulation tells of the launch files of a folder.
type Survey struct {
	Folder, Device string
	Rows           []*Row // those with most time first
	Failed         []*Row
}

// Row is launches that are alike.
type Row struct {
	File   string
	Times  int64 // how often the application launches it
	Report *launches.Report
	Err    error
}

// Finite reports whether the launches have a time that can be added to others.
func (r *Row) Finite() bool { return r.Report.Status().Finite() }

// Seconds is the time of all launches.
func (r *Row) Seconds() float64 { return float64(r.Times) * r.Report.Seconds() }

// Seconds is the time of the application in kernels, of those that have a finite one.
func (s *Survey) Seconds() (sum float64) {
	for _, r := range s.Rows {
		if r.Finite() {
			sum += r.Seconds()
		}
	}
	return sum
}

// Unknown is how many launches have no finite time.
func (s *Survey) Unknown() (n int64) {
	for _, r := range s.Rows {
		if !r.Finite() {
			n += r.Times
		}
	}
	return n
}

// Times is how many launches the application makes.
func (s *Survey) Times() (sum int64) {
	for _, r := range s.Rows {
		sum += r.Times
	}
	return sum
}

// All are the warnings of all launches, with their files.
func (s *Survey) All() (all []string) {
	for _, r := range s.Failed {
		all = append(all, r.File+" is left out: "+source.Message(r.Err))
	}
	for _, r := range s.Rows {
		for _, w := range r.Report.All() {
			all = append(all, r.File+": "+w)
		}
		if why := r.Report.Launches[0].Why(); r.Report.One() && len(why) > 0 {
			all = append(all, r.File+": "+why[0])
		}
	}
	return all
}

// Folder emulates the launch files of a folder. One that cannot be emulated is left out, unless none can.
func Folder(ctx context.Context, folder string, o Options) (*Survey, error) {
	paths := launchFiles(folder)
	if len(paths) == 0 {
		return nil, source.At("", "", source.Pos{}, "%s has no launch files", folder).WithHint("perf capture -o %s -- APP writes those of an application", folder)
	}
	s := &Survey{Folder: folder, Device: o.Each.Device.Name()}
	rows := make([]*Row, len(paths))
	var compiling, counting sync.Mutex
	done := 0
	parallel.Try(len(paths), runtime.GOMAXPROCS(0), func(i int) error {
		rows[i] = emulated(ctx, paths[i], o, &compiling)
		counting.Lock()
		defer counting.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, len(paths))
		}
		return ctx.Err()
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, r := range rows {
		if r.Err != nil {
			s.Failed = append(s.Failed, r)
		} else {
			s.Rows = append(s.Rows, r)
		}
	}
	if len(s.Rows) == 0 {
		return nil, s.Failed[0].Err
	}
	slices.SortStableFunc(s.Rows, func(a, b *Row) int { // those without a finite time last
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(b.Seconds(), a.Seconds()))
	})
	return s, nil
}

// last is 1 for a row that has no finite time.
func last(r *Row) int {
	if r.Finite() {
		return 0
	}
	return 1
}

// launchFiles are the files of a folder that may be launch files.
func launchFiles(folder string) (paths []string) {
	files, _ := os.ReadDir(folder) // a folder that cannot be read has none
	for _, f := range files {
		if slices.Contains(launchfile.Extensions, filepath.Ext(f.Name())) {
			paths = append(paths, filepath.Join(folder, f.Name()))
		}
	}
	return paths
}

// emulated is the row of a launch file.
func emulated(ctx context.Context, path string, o Options, compiling *sync.Mutex) *Row {
	r := &Row{File: filepath.Base(path), Times: 1}
	f, err := launchfile.Load(path)
	if err == nil {
		r.Times = max(f.Launches, 1)
		r.Report, err = report(ctx, path, o, compiling)
	}
	r.Err = err
	return r
}

func report(ctx context.Context, path string, o Options, compiling *sync.Mutex) (*launches.Report, error) {
	s, err := launches.Load(path, o.Sizes)
	if err != nil {
		return nil, err
	}
	compiling.Lock()
	l, err := s.Listing(ctx, "", o.Compiler)
	compiling.Unlock()
	if err != nil {
		return nil, err
	}
	return s.Run(ctx, l, o.Each)
}
