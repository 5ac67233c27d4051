package tune

import (
	"context"
	"path/filepath"
	"slices"

	"gpuperf/device"
	"gpuperf/internal/frontend"
	"gpuperf/internal/source"
	"gpuperf/launchfile"
	"gpuperf/samples"
	"gpuperf/scop/offload"
	"gpuperf/search/params"
)

// Options are how files are read.
type Options struct {
	Files     frontend.Options
	Schedules offload.Schedules // of C files; "" is ByStrategy
	Lift      Functional
	Device    *device.Info // that runs what is tuned; nil is the usual one for C files, and any for others
}

// Open is the target of a file, by its name: a kernel script, a launch file with parameters or a file of these, a C file with a loop nest, or a functional program.
func Open(ctx context.Context, path string, sizes map[string]int64, o Options) (Target, error) {
	file, _, _ := source.CutName(path)
	switch ext := filepath.Ext(file); {
	case ext == ".star":
		return openScript(ctx, path, sizes)
	case slices.Contains(launchfile.Extensions, ext):
		return openLaunch(path, sizes)
	case ext == ".lift":
		return openLift(ctx, path, sizes, o.Device, o.Lift)
	case ext == ".c":
		return openNest(ctx, path, sizes, o)
	}
	return nil, source.At(path, "", source.Pos{}, "not what can be tuned").
		WithHint("a kernel script (.star) with tunables, a launch file (.yaml) with a section tune, a file of its parameters, a C file (.c) with a loop nest, or a functional program (.lift)")
}

// Interface is what a launch file runs under; ok is false for other files, and for one that cannot be read, as Open will say.
func Interface(path string) (on samples.Interface, ok bool) {
	if !slices.Contains(launchfile.Extensions, filepath.Ext(path)) {
		return on, false
	}
	f, err := params.Load(path)
	if err != nil {
		return on, false
	}
	file, _ := f.At(f.Base)
	return file.Interface, true
}
