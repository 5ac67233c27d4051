package capture

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"gpuperf/internal/parallel"
)

// anyway are bytes of a buffer that is kept where nothing tells whether it decides.
const anyway = 1 << 20

// place is where a kernel is passed memory: a parameter, and bytes in it.
type place struct{ parameter, offset int64 }

// decide keeps what memory held that decides how long launches take: addresses and conditions follow from it. Of each kernel one launch is looked
// into, and the same parameters of its other launches are kept.
func decide(ctx context.Context, o Options, files []*file, r *Result, done func(all int)) error {
	var kernels []string
	of := map[string][]*file{}
	for _, f := range files {
		key := fmt.Sprint(f.kernel.source, "\x00", f.kernel.Name)
		if of[key] == nil {
			kernels = append(kernels, key)
		}
		of[key] = append(of[key], f)
	}
	unknown := make([]bool, len(kernels))
	err := parallel.Try(len(kernels), runtime.GOMAXPROCS(0), func(i int) error {
		defer done(len(kernels))
		launches := of[kernels[i]]
		places, err := launches[0].decided(ctx, o)
		if unknown[i] = err != nil; unknown[i] {
			return keepSmall(launches, o)
		}
		for _, f := range launches[1:] {
			if err := f.keepAt(places, o); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	for _, u := range unknown {
		if u {
			r.Undecided++
		}
	}
	return err
}

// decided finds out what decides about a launch, and keeps that. What is loaded from an address that follows from contents may decide in turn.
func (f *file) decided(ctx context.Context, o Options) (places []place, err error) {
	for more := true; more; {
		names, err := o.Decides(ctx, f.kernel.File)
		if err != nil {
			return nil, err
		}
		more = false
		for i, name := range f.names {
			if slices.Contains(names, name) && !f.kept[i] && !f.Memory[i].Zeros {
				f.kept[i], more = true, more || f.Memory[i].File != ""
			}
		}
		if err := f.write(o); err != nil {
			return nil, err
		}
	}
	for i, p := range f.Params {
		for _, q := range p.Pointers {
			if f.kept[q.Memory] {
				places = append(places, place{int64(i), q.Offset})
			}
		}
	}
	return places, nil
}

// keepAt keeps the memory that is passed at places.
func (f *file) keepAt(places []place, o Options) error {
	for i, p := range f.Params {
		for _, q := range p.Pointers {
			if slices.Contains(places, place{int64(i), q.Offset}) {
				f.kept[q.Memory] = true
			}
		}
	}
	return f.write(o)
}

// keepSmall keeps what small memory held.
func keepSmall(files []*file, o Options) error {
	for _, f := range files {
		for i, m := range f.Memory {
			f.kept[i] = m.File != "" && m.Bytes <= anyway
		}
		if err := f.write(o); err != nil {
			return err
		}
	}
	return nil
}
