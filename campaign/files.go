package campaign

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/frontend"
	"gpuperf/internal/parallel"
	"gpuperf/samples"
	"gpuperf/workload"
)

// file is a file with kernels that a command was given.
type file struct {
	label   string // goes before the names of its kernels: "" of the only file, else its name and "#"
	kernels []*frontend.Kernel
}

// loadFiles loads files for one command. A kernel that is given twice counts once.
func loadFiles(ctx context.Context, o frontend.Options, paths []string) (files []file, err error) {
	var names []string // absolute
	given := map[[2]string]bool{}
	for _, path := range paths {
		kernels, err := o.Load(ctx, path)
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
	if only := slices.Compact(slices.Sorted(slices.Values(names))); len(only) == 1 {
		return files, nil
	}
	for i, name := range distinct(names) {
		files[i].label = name + "#"
	}
	return files, nil
}

// Cases returns every kernel of the files at each of the sizes, once.
func Cases(ctx context.Context, o frontend.Options, paths []string, sizes []map[string]int64) ([]*workload.Case, error) {
	files, err := loadFiles(ctx, o, paths)
	if err != nil {
		return nil, err
	}
	var all []*frontend.Kernel
	for _, f := range files {
		all = append(all, f.kernels...)
	}
	wrapped := make([]*workload.Kernel, len(all))
	parallel.For(len(all), func(i int) {
		wrapped[i] = wrap(all[i])
		wrapped[i].Nest() // most of the time; errors show below
	})
	var cases []*workload.Case
	for _, f := range files {
		for _, k := range f.kernels {
			whole := wrapped[0]
			wrapped = wrapped[1:]
			if _, err := whole.Nest(); err != nil {
				return nil, k.Error(err)
			}
			for _, at := range ownSizes(k, all, sizes) {
				c := &workload.Case{
					Kernel:   whole,
					Script:   k.File,
					Name:     k.Name,
					Label:    f.label + k.Name,
					Identity: samples.Identity{Source: filepath.Base(k.File), Variant: k.Name, Sizes: at},
					Sizes:    at,
					Verify:   true,
				}
				if err := c.CheckSizes(); err != nil {
					return nil, &InputError{err}
				}
				cases = append(cases, c)
			}
		}
	}
	return cases, nil
}

// wrap is a kernel with what is derived from it.
func wrap(k *frontend.Kernel) *workload.Kernel {
	w := workload.NewKernel(k.Kernel)
	w.AsRun = k.AsRun
	return w
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
