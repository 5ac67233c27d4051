package launchfile

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
)

// at are the sizes of the file, where others are not given.
func (f *File) at(sizes map[string]int64) map[string]int64 {
	at := maps.Clone(f.Sizes)
	known := slices.Sorted(maps.Keys(f.Sizes))
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if _, ok := at[name]; !ok {
			e := cmp.Or(f.root.Get("sizes"), f.root)
			panic(throw.Of(e.Errorf("there is no size %q", name).WithHint("%s", source.Suggest(name, known))))
		}
		at[name] = sizes[name]
	}
	return at
}

// notAmong is the error about a word that is none of a list.
func notAmong(n *yamlfile.Node, what string, known []string) *source.Error {
	return n.Errorf("%q is no %s", n.Text, what).WithHint("%s", source.Suggest(n.Text, known))
}
