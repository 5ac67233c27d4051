package campaign

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/frontend"
	"gpuperf/internal/parallel"
	"gpuperf/samples"
	"gpuperf/workload"
)

// file is a file with kernels that a command was given.
type file struct {
	short   string // as much of its path as tells it from the others
	label   string // goes before the names of its kernels: "" of the only file, else its name and "#"
	kernels []*frontend.Kernel
}

// loadFiles loads files for one command. A kernel that is given twice counts once.
func loadFiles(ctx context.Context, o frontend.Options, paths []string) (files []file, err error) {
	var names []string // absolute
	given := map[[2]string]bool{}
	for _, path := range paths {
		kernels, err := o.Load(ctx, path, paths...)
		if err != nil {
			return nil, err
		}
		absolute, err := filepath.Abs(kernels[0].File)
		if err != nil {
			return nil, err
		}
		kernels = slices.DeleteFunc(kernels, func(k *frontend.Kernel) bool {
			key := [2]string{absolute, k.Name}
			again := given[key]
			given[key] = true
			return again
		})
		files = append(files, file{kernels: kernels})
		names = append(names, absolute)
	}
	only := len(slices.Compact(slices.Sorted(slices.Values(names)))) == 1
	for i, name := range distinct(names) {
		if files[i].short = name; !only {
			files[i].label = name + "#"
		}
	}
	return files, nil
}

// Cases returns every kernel of the files at each of the sizes, once.
func Cases(ctx context.Context, o frontend.Options, paths []string, sizes []map[string]int64) ([]*workload.Case, error) {
	l, err := load(ctx, o, paths)
	if err != nil {
		return nil, err
	}
	return l.cases(ctx, sizes)
}

// loaded are the files of one command, and what is derived from their kernels.
type loaded struct {
	files   []file
	all     []*frontend.Kernel
	wrapped map[*frontend.Kernel]*workload.Kernel
}

// load loads files for one command, or several.
func load(ctx context.Context, o frontend.Options, paths []string) (*loaded, error) {
	files, err := loadFiles(ctx, o, paths)
	if err != nil {
		return nil, err
	}
	l := &loaded{files: files, wrapped: map[*frontend.Kernel]*workload.Kernel{}}
	for _, f := range files {
		l.all = append(l.all, f.kernels...)
	}
	return l, nil
}

// cases returns every kernel at each of the sizes, once.
func (l *loaded) cases(ctx context.Context, sizes []map[string]int64) ([]*workload.Case, error) {
	type point struct {
		file
		*frontend.Kernel
		at map[string]int64
	}
	var points []point
	var list []*workload.Kernel
	for _, f := range l.files {
		for _, k := range f.kernels {
			for _, at := range ownSizes(k, l.all, sizes) {
				here, err := k.At(ctx, at)
				if err != nil {
					return nil, err
				}
				if l.wrapped[here] == nil {
					l.wrapped[here] = wrap(here)
					list = append(list, l.wrapped[here])
				}
				points = append(points, point{f, here, at})
			}
		}
	}
	parallel.For(len(list), func(i int) { list[i].Nest() }) // most of the time; errors show below
	var cases []*workload.Case
	var lacking *workload.Lacking
	for _, p := range points {
		k := l.wrapped[p.Kernel]
		if _, err := k.Nest(); err != nil {
			for _, name := range slices.Sorted(maps.Keys(p.at)) {
				if p.at[name] < 1 { // which is why
					return nil, inputf("size %s is %d; sizes are at least 1", name, p.at[name])
				}
			}
			return nil, p.Error(err)
		}
		c := newCase(p.Kernel, k, p.at)
		c.Label = p.label + p.Name
		if p.Sizes != nil {
			c.Identity.Source = p.short
		}
		err := c.CheckSizes()
		if lacks := (*workload.Lacking)(nil); errors.As(err, &lacks) {
			lacking = lacking.And(lacks)
		} else if err != nil {
			return nil, &InputError{err}
		}
		cases = append(cases, c)
	}
	if lacking != nil {
		return nil, &InputError{lacking}
	}
	return cases, nil
}

// wrap is a kernel with what is derived from it.
func wrap(k *frontend.Kernel) *workload.Kernel {
	w := workload.NewKernel(k.Kernel)
	w.AsRun, w.Own = k.AsRun, k.Own
	return w
}

// newCase is a kernel at sizes. Of a launch file it has the identity that the file's launch has.
func newCase(k *frontend.Kernel, w *workload.Kernel, at map[string]int64) *workload.Case {
	c := &workload.Case{Kernel: w, Script: k.File, Name: k.Name, Label: k.Name, Sizes: at, Verify: k.Own == nil || k.Own.Unverified == ""}
	c.Identity = samples.Identity{Source: filepath.Base(k.File), Variant: k.Name, Args: k.Launch, Sizes: at}
	all := at
	if k.Sizes != nil {
		all = merge(k.Sizes, at)
		c.Identity = samples.Identity{Source: filepath.Base(k.File), Sizes: all}
		c.Sizes = maps.Clone(all)
		maps.DeleteFunc(c.Sizes, func(name string, _ int64) bool { return !slices.Contains(k.Kernel.Params(), name) })
	}
	for _, p := range k.Kernel.Params() {
		if n := k.Extent(w.OpenArray(p), all); n > 0 {
			c.Sizes = merge(c.Sizes, map[string]int64{p: n})
		}
	}
	if len(at) > 0 {
		c.Reached()
	}
	return c
}

// merge are sizes with others in addition, and in the place of those of the same name.
func merge(sizes, others map[string]int64) map[string]int64 {
	all := map[string]int64{}
	maps.Copy(all, sizes)
	maps.Copy(all, others)
	return all
}

// distinct shortens absolute paths to the last elements that tell different ones apart.
func distinct(paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		for n := 1; ; n++ {
			out[i] = lastElements(path, n)
			if out[i] == path || !slices.ContainsFunc(paths, func(o string) bool { return o != path && lastElements(o, n) == out[i] }) {
				break
			}
		}
	}
	return out
}

// lastElements is the end of a path, of at most n elements.
func lastElements(path string, n int) string {
	elements := strings.Split(path, string(filepath.Separator))
	return strings.Join(elements[max(0, len(elements)-n):], string(filepath.Separator))
}

// CaseOf is a kernel of a file at sizes.
func CaseOf(k *frontend.Kernel, at map[string]int64) (*workload.Case, error) {
	w := wrap(k)
	if _, err := w.Nest(); err != nil {
		return nil, k.Error(err)
	}
	c := newCase(k, w, at)
	if err := c.CheckSizes(); err != nil {
		return nil, &InputError{err}
	}
	return c, nil
}
