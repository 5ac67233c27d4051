package capture

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gpuperf/internal/parallel"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/sass"
)

// list writes a listing beside each module, of the kernels that were launched alone, where a disassembler is at hand.
func (r *Result) list(ctx context.Context, done func(all int)) error {
	kernels := map[string][]string{}
	for _, k := range r.Kernels {
		if k.source != "" && k.File != "" && !slices.Contains(kernels[k.source], k.Name) {
			kernels[k.source] = append(kernels[k.source], k.Name)
		}
	}
	sources := slices.Sorted(maps.Keys(kernels))
	unlisted := make([]error, len(sources))
	err := parallel.Try(len(sources), runtime.GOMAXPROCS(0), func(i int) (err error) {
		defer throw.Catch(&err)
		defer done(len(sources))
		path := filepath.Join(r.Folder, sources[i])
		code := throw.Get(os.ReadFile(path))
		text, failed := sass.Disassemble(ctx, path, code, kernels[sources[i]]...)
		if unlisted[i] = failed; failed == nil {
			err = replace.Listing.Bytes(strings.TrimSuffix(path, filepath.Ext(path))+".sass", []byte(text))
		}
		return cmp.Or(err, ctx.Err())
	})
	r.Unlisted = cmp.Or(unlisted...)
	return err
}
