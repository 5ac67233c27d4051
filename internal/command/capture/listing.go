package capture

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/sass"
)

// list writes a listing beside each module, of the kernels that were launched alone, where a disassembler is at hand.
func (r *Result) list(ctx context.Context) (err error) {
	defer throw.Catch(&err)
	kernels := map[string][]string{}
	for _, k := range r.Kernels {
		if k.source != "" && k.File != "" && !slices.Contains(kernels[k.source], k.Name) {
			kernels[k.source] = append(kernels[k.source], k.Name)
		}
	}
	for _, source := range slices.Sorted(maps.Keys(kernels)) {
		path := filepath.Join(r.Folder, source)
		code := throw.Get(os.ReadFile(path))
		text, err := sass.Disassemble(ctx, path, code, kernels[source]...)
		if err != nil {
			r.Unlisted = err
			continue
		}
		throw.If(replace.Listing.Bytes(strings.TrimSuffix(path, filepath.Ext(path))+".sass", []byte(text)))
	}
	return nil
}
