// Package survey tells which launches of an application take its time, and why, from the launch files that perf capture has written of them.
//
// [Folder] emulates the launch files of a folder; what a file says of its number of launches counts, and of how long they took in the application.
// Launches that are alike are emulated once, and results are kept by a hash of all that they follow from (kept.go). A Survey is a table of the
// launches, those first that take most of the time (text.go), with how far emulation is off (errors.go).
package survey

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gpuperf/emulate/launches"
	"gpuperf/internal/source"
	"gpuperf/launchfile"
	"gpuperf/sass/compiled"
)

// Options say how launch files are emulated.
type Options struct {
	Sizes    map[string]int64 // where they differ from those of the files
	Each     launches.Options
	Compiler *compiled.Compiler    // for files with a source
	Kept     string                // the folder of results of earlier calls; "" keeps none
	Progress func(done, total int) // where it is not nil, told after each emulation of a launch file, from one goroutine at a time: a second pass adds to the total
}

// Survey is what emulation tells of the launch files of a folder.
type Survey struct {
	Folder, Device string
	Rows           []*Row // those with most time first
	Failed         []*Row
	Known          int // launch files whose results earlier calls have kept
	Alike          int // launch files whose launches are as those of another
}

// Row is the launches of a file, which are alike.
type Row struct {
	File        string
	Times       int64                   // how often the application launches it
	Application *launchfile.Application // how that went; nil where nobody has said
	Err         error
	*Outcome    // nil where there is an error

	unrecorded, unrecordedFull float64 // seconds that records of applications leave out, of launches of few work-groups and of those that fill the device
}

// Predicted is the time of a launch as it is measured: in an application without what its records leave out.
func (r *Row) Predicted() float64 { return r.recorded(r.Seconds()) }

// recorded is a time as records of the application have it.
func (r *Row) recorded(seconds float64) float64 {
	const least = 4 // a record has at least this part of what is emulated
	if r.Application == nil {
		return seconds
	}
	left := r.unrecorded + min(r.Waves, 1)*(r.unrecordedFull-r.unrecorded)
	return max(seconds-left, seconds/least)
}

// Finite reports whether the launches have a predicted time that can be added to others.
func (r *Row) Finite() bool { return r.Status.Finite() }

// Measured is the usual time of a launch in the application, in seconds; 0 where it is not known.
func (r *Row) Measured() float64 {
	if r.Application == nil {
		return 0
	}
	return r.Application.Median()
}

// All is the time of all launches: as measured, else as predicted.
func (r *Row) All() float64 {
	if a := r.Application; a != nil {
		return a.Total * max(1, float64(r.Times)/float64(a.Timed))
	}
	return float64(r.Times) * r.Predicted()
}

// counts reports whether the time of all launches is a finite one.
func (r *Row) counts() bool { return r.Application != nil || r.Finite() && !math.IsInf(r.All(), 0) }

// Seconds is the time of the application in kernels, of those that have a finite one.
func (s *Survey) Seconds() (sum float64) {
	for _, r := range s.Rows {
		if r.counts() {
			sum += r.All()
		}
	}
	return sum
}

// Unknown is how many launches have no finite time.
func (s *Survey) Unknown() (n int64) {
	for _, r := range s.Rows {
		if !r.counts() {
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
		for _, w := range r.Warnings {
			all = append(all, r.File+": "+w)
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
	e := newEmulator(o)
	rows, err := e.rows(ctx, paths)
	if err != nil {
		return nil, err
	}
	s.Known, s.Alike = e.known, e.alike
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
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(b.All(), a.All()))
	})
	return s, nil
}

// last is 1 for a row that has no finite time.
func last(r *Row) int {
	if r.counts() {
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
