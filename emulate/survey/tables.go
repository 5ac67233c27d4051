package survey

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/emulate/triton"
	"gpuperf/internal/source"
	"gpuperf/sass/compiled"
)

// Table is what stands for many launches: a survey, or the ranking of a kernel of Triton's.
type Table interface {
	Write(w io.Writer) error
	All() []string // warnings
}

// Request says what tables are asked for.
type Request struct {
	Paths []string // folders of launch files, or descriptions
	On    []string // devices, as facts.Sheet takes them
	Cache string   // of Triton's; "" is what descriptions say
	Sizes map[string]int64
	Arch  string // that sources are compiled for
	// Times asks for times alone, which takes half as long: not for what they are sensitive to.
	Times bool
	Kept  string // the folder of results of earlier calls; "" keeps none
	// Progress is told how many emulations of a folder are done, where it is not nil.
	Progress func(done, total int)
	// Options are those of each launch, but for the device.
	Options launches.Options
}

// Asked reports whether the first of the paths asks for a table.
func (r Request) Asked() bool { return r.Cache != "" || isFolder(r.Paths[0]) || triton.Is(r.Paths[0]) }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Tables are those of each path on each device, with what is to be warned of.
func (r Request) Tables(ctx context.Context) (all []Table, warnings []string, err error) {
	if caches, left, err := r.caches(); caches != nil || err != nil {
		return caches, left, err
	}
	compiler := &compiled.Compiler{Arch: r.Arch}
	for _, path := range r.Paths {
		for _, on := range r.On {
			d, err := facts.Sheet(on)
			if err != nil {
				return nil, nil, err
			}
			each := r.Options
			each.Device, each.Binds = d, !r.Times
			var t Table
			if isFolder(path) {
				t, err = Folder(ctx, path, Options{Sizes: r.Sizes, Each: each, Compiler: compiler, Kept: r.Kept, Progress: r.Progress})
			} else {
				t, err = triton.Rank(ctx, path, triton.Options{Cache: r.Cache, Sizes: r.Sizes, Each: each})
			}
			if err != nil {
				return nil, nil, err
			}
			all, warnings = append(all, t), append(append(warnings, t.All()...), d.Unread()...)
		}
	}
	return all, warnings, nil
}

// caches lists what Triton's caches hold, where the paths are none of launch files.
func (r Request) caches() (all []Table, warnings []string, err error) {
	for _, path := range r.Paths {
		if !isFolder(path) || len(launchFiles(path)) > 0 {
			return nil, nil, nil
		}
		k, err := triton.List(path)
		if err != nil && r.Cache != "" {
			return nil, nil, err
		}
		if err != nil {
			return nil, nil, source.At("", "", source.Pos{}, "%s has no launch files, and is no cache of Triton's", path).
				WithHint("perf capture -o %s -- APP writes the launch files of an application", path)
		}
		all, warnings = append(all, k), append(warnings, k.All()...)
	}
	return all, warnings, nil
}

// Write prints tables, one below the other.
func Write(w io.Writer, all []Table) (err error) {
	for i, t := range all {
		fmt.Fprint(w, strings.Repeat("\n", min(i, 1)))
		err = cmp.Or(err, t.Write(w))
	}
	return err
}
