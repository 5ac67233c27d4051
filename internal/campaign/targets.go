package campaign

import (
	"context"
	"path/filepath"
	"slices"

	"gpuperf/internal/frontend"
	"gpuperf/internal/modelgen"
	"gpuperf/workload"
)

// Targets loads the kernels of files, each at those of the sizes that are about its parameters. Files are named as seen from a folder.
// Notes name the sizes that are left out.
func Targets(ctx context.Context, o frontend.Options, paths []string, sizes []map[string]int64, folder string) (out []modelgen.Target, notes []string, err error) {
	l := &loaded{}
	for _, path := range paths {
		one, err := load(ctx, o, []string{path})
		if err != nil {
			return nil, nil, err
		}
		l.all = append(l.all, one.all...)
		for _, k := range one.all {
			out = append(out, modelgen.Target{Script: relativeTo(folder, k.File), Variant: k.Variant, Fixed: k.Unsized != nil})
		}
	}
	scripts := slices.DeleteFunc(slices.Clone(l.all), func(k *frontend.Kernel) bool { return k.Own != nil })
	own, notes, err := completeSizes(scripts, l.all, sizes)
	if err != nil {
		return nil, nil, err
	}
	for i, k := range l.all {
		if k.Own == nil {
			out[i].Sizes, own = own[0], own[1:]
			continue
		}
		if err := wholeAt(ctx, &out[i], k, ownSizes(k, l.all, sizes)); err != nil {
			return nil, nil, err
		}
	}
	return out, notes, nil
}

// wholeAt gives a target the kernel as it runs, at sizes. Where its launch gives extents that follow from these, it has no other sizes.
func wholeAt(ctx context.Context, t *modelgen.Target, k *frontend.Kernel, sizes []map[string]int64) error {
	t.At = func(at map[string]int64) (*workload.Case, error) {
		here, err := k.At(ctx, at)
		if err != nil {
			return nil, err
		}
		c := newCase(here, wrap(here), at)
		for _, p := range here.Kernel.Params() {
			if _, ok := c.Sizes[p]; !ok {
				return nil, inputf("kernel %s needs a size for %s; give -p %s=VALUE", k.Name, p, p)
			}
		}
		t.Fixed = t.Fixed || slices.ContainsFunc(here.Kernel.Params(), func(p string) bool { return !slices.Contains(k.Takes(), p) })
		return c, nil
	}
	for _, at := range sizes {
		c, err := t.At(at)
		if err != nil {
			return err
		}
		t.Whole, t.Sizes = append(t.Whole, c), append(t.Sizes, c.Sizes)
	}
	return nil
}

// relativeTo is the path of a file as seen from a folder, or itself where there is none.
func relativeTo(folder, file string) string {
	from, err1 := filepath.Abs(folder)
	to, err2 := filepath.Abs(file)
	if err1 != nil || err2 != nil {
		return file
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return to
	}
	return filepath.ToSlash(rel)
}
