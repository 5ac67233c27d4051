package complete

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/frontend"
	"gpuperf/internal/source"
)

// files offers the files whose names end so, and folders.
func files(ends ...string) offer {
	return func(_ *call, begun string) (all []string) {
		dir, name := filepath.Split(begun)
		list, _ := os.ReadDir(filepath.Join(dir, "."))
		for _, e := range list {
			info, err := os.Stat(filepath.Join(dir, e.Name())) // of what a link leads to
			switch {
			case err != nil || strings.HasPrefix(e.Name(), ".") && name == "":
			case info.IsDir():
				all = append(all, dir+e.Name()+"/")
			case slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(e.Name(), end) }):
				all = append(all, dir+e.Name())
			}
		}
		return all
	}
}

// prefixed offers what another does for the rest of a word that begins so; the beginning alone until it has been typed.
func prefixed(prefix string, of offer) offer {
	return func(c *call, begun string) (all []string) {
		rest, ok := strings.CutPrefix(begun, prefix)
		if !ok {
			return []string{prefix}
		}
		for _, text := range of(c, rest) {
			all = append(all, prefix+text)
		}
		return all
	}
}

// kernels offers scripts, and after FILE.star# its kernels.
func kernels(c *call, begun string) (all []string) {
	file, _, ok := source.CutName(begun)
	if !ok {
		return files(".star")(c, begun)
	}
	variants, _ := frontend.Options{}.Load(c.cmd.Context(), file)
	for _, v := range variants {
		all = append(all, file+"#"+v.Name)
	}
	return all
}
