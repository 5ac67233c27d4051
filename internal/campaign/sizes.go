package campaign

import (
	"maps"
	"slices"

	"gpuperf/internal/frontend"
	"gpuperf/internal/warning"
	"gpuperf/workload"
)

// ownSizes returns the distinct sizes of a kernel, without those that only others take, so that one list can give the sizes of them all. A size
// that none takes stays, for the check of the case to name it.
func ownSizes(k *frontend.Kernel, all []*frontend.Kernel, sizes []map[string]int64) (out []map[string]int64) {
	for _, at := range sizes {
		own := given(k, at)
		maps.DeleteFunc(own, func(name string, _ int64) bool {
			return !slices.Contains(k.Takes(), name) &&
				slices.ContainsFunc(all, func(o *frontend.Kernel) bool { return slices.Contains(o.Takes(), name) })
		})
		if !slices.ContainsFunc(out, func(o map[string]int64) bool { return maps.Equal(o, own) }) {
			out = append(out, own)
		}
	}
	return out
}

// given are sizes with those that the host code of the file gives, unless none are given and some have no value there: then counts are formulas.
func given(k *frontend.Kernel, at map[string]int64) map[string]int64 {
	lacks := slices.ContainsFunc(k.Kernel.Params(), func(p string) bool {
		_, ok := k.Given[p]
		return !ok && k.Extent((&workload.Kernel{IR: k.Kernel}).OpenArray(p), k.Given) == 0
	})
	if k.Given == nil || at == nil && lacks {
		return maps.Clone(at)
	}
	own := maps.Clone(k.Given)
	maps.DeleteFunc(own, func(name string, _ int64) bool { return !slices.Contains(k.Takes(), name) })
	maps.Copy(own, at)
	return own
}

// completeSizes returns for each kernel its own sizes as far as they have a value for each of its parameters. Notes name those left
// out. Each kernel must have some, and each size a kernel that has a parameter for it.
func completeSizes(kernels, all []*frontend.Kernel, sizes []map[string]int64) (own [][]map[string]int64, notes []string, err error) {
	for _, at := range sizes {
		for _, name := range slices.Sorted(maps.Keys(at)) {
			if !slices.ContainsFunc(all, func(k *frontend.Kernel) bool { return slices.Contains(k.Takes(), name) }) {
				return nil, nil, inputf("no kernel has a parameter %s", name)
			}
		}
	}
	for _, k := range kernels {
		var complete []map[string]int64
		var lacking []string
		var missing string
		for _, at := range ownSizes(k, all, sizes) {
			given := func(p string) bool { _, ok := at[p]; return ok }
			if i := slices.IndexFunc(k.Kernel.Params(), func(p string) bool { return !given(p) }); i >= 0 {
				missing = k.Kernel.Params()[i]
				lacking = append(lacking, warning.LeftOut.About("kernel "+k.Name+" at "+workload.FormatSizes(at), "left out, no size is given for %s", missing))
			} else {
				complete = append(complete, at)
			}
		}
		if len(complete) == 0 {
			return nil, nil, inputf("kernel %s needs a size for %s; give -p %s=VALUE", k.Name, missing, missing)
		}
		own, notes = append(own, complete), append(notes, lacking...)
	}
	return own, notes, nil
}
