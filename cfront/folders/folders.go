// Package folders finds what a C file needs in the folders around it: headers that it includes by names which -I would have to lead to, definitions, and values
// of macros.
package folders

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxEntries bounds the files and folders that are looked at for headers.
const maxEntries = 50_000

// Folders are those around a file. They are looked through once, when the first header is sought.
type Folders struct {
	file      string
	top, here string              // the folder that is looked through, and that of the file in it
	below     map[string][]string // files below top by their names without folders
	read      map[string]string   // what files hold that were looked through
	lists     map[string][]text   // what was looked through, by the endings of names
}

// Around are the folders around a file: of the repository that it lies in, else of the working directory if it lies in that.
func Around(file string) *Folders { return &Folders{file: file} }

// Of is a folder for -I in which a header of that name lies. Of several it is the one nearest to the file. It is "" where there is none, as of names that
// begin with ".." and of those without an ending, which are of the standard library.
func (f *Folders) Of(name string) string {
	name = path.Clean(name)
	if path.Ext(name) == "" || path.IsAbs(name) {
		return ""
	}
	if f.below == nil {
		f.look()
	}
	all := slices.DeleteFunc(slices.Clone(f.below[path.Base(name)]), func(p string) bool { return p != name && !strings.HasSuffix(p, "/"+name) })
	if len(all) == 0 {
		return ""
	}
	p := slices.MinFunc(all, func(a, b string) int { return apart(f.here, a) - apart(f.here, b) })
	return shown(filepath.Join(f.top, filepath.FromSlash(strings.TrimSuffix(p, name))))
}

// look finds the files that may be headers.
func (f *Folders) look() {
	f.below, f.read, f.lists = map[string][]string{}, map[string]string{}, map[string][]text{}
	at, err := filepath.Abs(f.file)
	if err != nil {
		return
	}
	if f.top = topOf(filepath.Dir(at)); f.top == "" {
		return
	}
	rel, _ := filepath.Rel(f.top, filepath.Dir(at))
	f.here = filepath.ToSlash(rel)
	n := 0
	_ = filepath.WalkDir(f.top, func(p string, d fs.DirEntry, err error) error {
		switch n++; {
		case n > maxEntries:
			return filepath.SkipAll
		case err != nil:
			return nil
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != f.top:
			return filepath.SkipDir
		case d.Type().IsRegular() && path.Ext(d.Name()) != "":
			rel, _ := filepath.Rel(f.top, p)
			f.below[d.Name()] = append(f.below[d.Name()], filepath.ToSlash(rel))
		}
		return nil
	})
}

// topOf is the folder of the repository that a folder lies in, else the working directory if it lies in that, else "".
func topOf(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if top, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(top, folder); err == nil && filepath.IsLocal(rel) {
			return top
		}
	}
	return ""
}

// shown is a folder as seen from the working directory, where it lies in that.
func shown(folder string) string {
	if top, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(top, folder); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return folder
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
