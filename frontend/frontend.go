// Package frontend loads kernels from files of all kinds, as the user names them: scripts, and C files, whose loop nests are kernels.
//
// [Options.Load] takes the way that the end of a file's name chooses from a table. FILE#NAME is one kernel of several.
package frontend

import (
	"context"
	"path/filepath"

	"gpuperf/cfront"
	"gpuperf/internal/source"
	"gpuperf/kernel/script"
)

// Options say how files are read that are no scripts.
type Options struct {
	cfront.Options // of C files
}

// Kernel is a kernel of a file.
type Kernel struct {
	script.Variant
	File string // without "#name"
	// AsRun: bounds and conditions are control, and only what runs counts.
	AsRun bool
}

// kinds are the ways to load files, by the ends of their names. All others are scripts.
var kinds = map[string]func(o Options, ctx context.Context, path string) ([]*Kernel, error){
	".c": Options.loopNests,
}

// IsKernel reports whether an argument names a file with kernels, with or without "#name".
func IsKernel(arg string) bool {
	file, _, _ := source.CutName(arg)
	ext := filepath.Ext(file)
	return ext == ".star" || kinds[ext] != nil
}

// Load loads the kernels of a file, of which there is at least one. Each has its File.
func (o Options) Load(ctx context.Context, path string) ([]*Kernel, error) {
	file, _, _ := source.CutName(path)
	load := kinds[filepath.Ext(file)]
	if load == nil {
		load = Options.script
	}
	kernels, err := load(o, ctx, path)
	for i := range kernels {
		kernels[i].File = file
	}
	return kernels, err
}

// script runs a kernel script.
func (Options) script(ctx context.Context, path string) ([]*Kernel, error) {
	file, only, one := source.CutName(path)
	variants, err := script.Options{}.Load(ctx, file)
	if err != nil {
		return nil, err
	}
	if one {
		v, err := script.Named(file, variants, only)
		if err != nil {
			return nil, err
		}
		variants = []script.Variant{v}
	}
	kernels := make([]*Kernel, len(variants))
	for i, v := range variants {
		kernels[i] = &Kernel{Variant: v}
	}
	return kernels, nil
}

// Takes names the sizes of the kernel.
func (k *Kernel) Takes() []string { return k.Kernel.Params() }
