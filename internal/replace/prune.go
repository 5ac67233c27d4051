package replace

import (
	"os"
	"path/filepath"
	"slices"
)

// Prune is for a folder of files that can be made again, each of which has the time of its last use as that of its change. If its files with one of
// some extensions have more bytes than the limit, it removes those that were used longest ago until half of the limit is left.
func Prune(folder string, limit int64, extensions ...string) {
	entries, _ := os.ReadDir(folder) // one that cannot be read has none
	var files []os.FileInfo
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && slices.Contains(extensions, filepath.Ext(e.Name())) {
			files, total = append(files, info), total+info.Size()
		}
	}
	if total <= limit {
		return
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if total <= limit/2 {
			return
		}
		if os.Remove(filepath.Join(folder, f.Name())) == nil {
			total -= f.Size()
		}
	}
}
