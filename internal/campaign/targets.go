package campaign

import (
	"context"
	"path/filepath"

	"gpuperf/internal/frontend"
	"gpuperf/internal/modelgen"
)

// Targets loads the kernels of scripts, each at those of the sizes that are about its parameters. Scripts are named as seen from a folder.
// Notes name the sizes that are left out.
func Targets(ctx context.Context, scripts []string, sizes []map[string]int64, folder string) (out []modelgen.Target, notes []string, err error) {
	var all []*frontend.Kernel
	for _, path := range scripts {
		kernels, err := frontend.Options{}.Load(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		for _, k := range kernels {
			if k.Own != nil {
				return nil, nil, inputf("%s: models are made for kernels of scripts; kernel functions are predicted by the model for any kernel", path)
			}
			out = append(out, modelgen.Target{Script: relativeTo(folder, k.File), Variant: k.Variant})
		}
		all = append(all, kernels...)
	}
	own, notes, err := completeSizes(all, sizes)
	if err != nil {
		return nil, nil, err
	}
	for i := range out {
		out[i].Sizes = own[i]
	}
	return out, notes, nil
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
