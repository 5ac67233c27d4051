package campaign

import (
	"context"
	"errors"
	"path/filepath"

	"gpuperf/cfront"
	"gpuperf/features"
	"gpuperf/internal/source"
	"gpuperf/kernel/script"
	"gpuperf/scop"
)

// IsC reports whether a path names a C file, with or without "#name".
func IsC(path string) bool {
	file, _, _ := source.CutName(path)
	return filepath.Ext(file) == ".c"
}

// LoadNests loads the loop nests of a C file.
func LoadNests(ctx context.Context, path string, c cfront.Options) ([]*scop.Nest, error) {
	nests, err := scop.Load(ctx, path, c)
	var at *source.Error
	if err != nil && !errors.As(err, &at) && ctx.Err() == nil {
		return nil, &InputError{Err: err}
	}
	return nests, err
}

// LoadKernels is LoadScript with the options of C files, whose loop nests are kernels.
func LoadKernels(ctx context.Context, path string, c cfront.Options) ([]script.Variant, error) {
	if !IsC(path) {
		return LoadScript(ctx, path)
	}
	nests, err := LoadNests(ctx, path, c)
	if err != nil {
		return nil, err
	}
	var out []script.Variant
	for _, n := range nests {
		k, err := n.Kernel()
		if err != nil {
			return nil, err
		}
		out = append(out, script.Variant{Name: n.Name, Kernel: k})
	}
	return out, nil
}

// AsRun are the options that count what a run of a kernel does: those that are given, and for C files only what runs, as there bounds and
// conditions are control.
func AsRun(path string, o features.Options) features.Options {
	if IsC(path) {
		o.ExactBranches, o.FreeControl = true, true
	}
	return o
}
