// Package folders finds the folders of headers that a C file includes and that are not found.
package folders

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxEntries bounds the files and folders that are looked at for headers, maxSought the headers that are sought, and maxBytes those whose text is looked at.
const (
	maxEntries = 50_000
	maxSought  = 1_000
	maxBytes   = 1 << 20
)

// included finds the names of headers that a text includes.
var included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]([^<>"\n]+)[>"]`)

// Of proposes folders for -I in which headers lie that were not found, and those that these include in turn: folders of the working directory, where the
// file lies in it. Of several that have a header it is the one nearest to the file.
func Of(file string, headers []string) (folders []string) {
	at, err := filepath.Abs(file)
	top, err2 := os.Getwd()
	if err != nil || err2 != nil {
		return nil
	}
	rel, err := filepath.Rel(top, at)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	here := filepath.ToSlash(filepath.Dir(rel))
	by := headersBelow(top)
	sought := slices.Clone(headers)
	for i := 0; i < len(sought) && i < maxSought; i++ {
		name := path.Clean(sought[i])
		if path.Ext(name) == "" { // of the standard library
			continue
		}
		all := slices.DeleteFunc(slices.Clone(by[path.Base(name)]), func(p string) bool { return p != name && !strings.HasSuffix(p, "/"+name) })
		if len(all) == 0 {
			continue
		}
		p := slices.MinFunc(all, func(a, b string) int { return apart(here, a) - apart(here, b) })
		folder := path.Clean("./" + strings.TrimSuffix(p, name))
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		text, err := os.ReadFile(filepath.Join(top, p))
		if err != nil || len(text) > maxBytes {
			continue
		}
		for _, m := range included.FindAllStringSubmatch(string(text), -1) {
			if beside := path.Join(path.Dir(p), m[1]); !slices.Contains(by[path.Base(m[1])], beside) && !slices.Contains(sought, m[1]) {
				sought = append(sought, m[1])
			}
		}
	}
	return folders
}

// headersBelow are the files of a folder and of those below that may be headers, by their names without folders.
func headersBelow(top string) map[string][]string {
	by := map[string][]string{}
	n := 0
	_ = filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		switch n++; {
		case n > maxEntries:
			return filepath.SkipAll
		case err != nil:
			return nil
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != top:
			return filepath.SkipDir
		case d.Type().IsRegular() && path.Ext(d.Name()) != "":
			rel, _ := filepath.Rel(top, p)
			by[d.Name()] = append(by[d.Name()], filepath.ToSlash(rel))
		}
		return nil
	})
	return by
}

// apart is the number of steps between a folder and a file.
func apart(folder, file string) int {
	from, to := strings.Split(folder, "/"), strings.Split(path.Dir(file), "/")
	same := 0
	for same < len(from) && same < len(to) && from[same] == to[same] {
		same++
	}
	return len(from) + len(to) - 2*same
}
