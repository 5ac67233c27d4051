package frontend

import (
	"context"
	"errors"

	"gpuperf/internal/source"
	"gpuperf/kernel/script"
	"gpuperf/scop"
)

// Nests loads the loop nests of a C file.
func (o Options) Nests(ctx context.Context, path string) ([]*scop.Nest, error) {
	nests, err := scop.Load(ctx, path, o.Options)
	if at := (*source.Error)(nil); err != nil && !errors.As(err, &at) && ctx.Err() == nil {
		return nil, source.At("", "", source.Pos{}, "%v", err)
	}
	return nests, err
}

// loopNests makes a kernel of each loop nest of a C file.
func (o Options) loopNests(ctx context.Context, path string) ([]*Kernel, error) {
	nests, err := o.Nests(ctx, path)
	if err != nil {
		return nil, err
	}
	var kernels []*Kernel
	for _, n := range nests {
		k, err := n.Kernel()
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, &Kernel{Variant: script.Variant{Name: n.Name, Kernel: k}, AsRun: true})
	}
	return kernels, nil
}
