package cfront

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// headers are declarations of what programs use of the system headers.
//
//go:embed include
var headers embed.FS

// files are those that a C file may include, under names that tell the parser nothing of the machine: "0/x.h" lies in the folder of the file,
// "1/x.h" in the first folder of -I, "sys/x.h" among the headers of the package.
type files struct {
	path    string   // of the main file
	main    string   // its name for the parser
	roots   []string // folders, the one of the main file first
	texts   map[string]string
	own     map[string]string // headers that lie in the folder of the main file or below, by their names in it
	names   map[string]string // by what the user knows a file by: its name here
	bytes   int
	refused error
}

func newFiles(file, text string, include []string) *files {
	f := &files{path: file, main: "0/" + filepath.Base(file), texts: map[string]string{file: text}, own: map[string]string{}, names: map[string]string{}}
	f.roots = append([]string{filepath.Dir(file)}, include...)
	return f
}

// folders lists the names of the folders that headers are looked for in.
func (f *files) folders() (out []string) {
	for i := range f.roots {
		out = append(out, fmt.Sprint(i))
	}
	return append(out, "sys")
}

// shown is the name that the user knows a file by.
func (f *files) shown(name string) string {
	if name == f.main {
		return f.path
	}
	first, rest, _ := strings.Cut(name, "/")
	for i, root := range f.roots {
		if first == fmt.Sprint(i) {
			return filepath.Join(root, rest)
		}
	}
	return name
}

// Open opens a file that is included. Names that lead out of the folders do not exist.
func (f *files) Open(name string) (fs.File, error) {
	clean := path.Clean(name)
	if rest, ok := strings.CutPrefix(clean, "sys/"); ok {
		text, err := headers.ReadFile("include/" + rest)
		if err != nil {
			return nil, err
		}
		return f.opened(clean, text)
	}
	shown := f.shown(clean)
	if shown == clean {
		return nil, fs.ErrNotExist
	}
	text, err := f.read(shown)
	if err != nil {
		return nil, err
	}
	if rest, ok := strings.CutPrefix(clean, "0/"); ok {
		f.own[rest] = string(text)
	}
	return f.opened(clean, text)
}

func (f *files) refuse(format string, args ...any) {
	if f.refused == nil {
		f.refused = fmt.Errorf("%s: %s", f.path, fmt.Sprintf(format, args...))
	}
}

// read reads a regular file of limited size. Links may lead anywhere: the user put them there.
func (f *files) read(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	if info.Size() > maxBytes {
		f.refuse("%s has more than %d bytes", name, maxBytes)
		return nil, fs.ErrPermission
	}
	return os.ReadFile(name)
}

// opened hands out the text of a file; all together are limited, as a header may be included again and again.
func (f *files) opened(name string, text []byte) (fs.File, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if f.bytes += len(text); f.bytes > 4*maxBytes {
		f.refuse("it includes more than %d bytes", 4*maxBytes)
		return nil, fs.ErrPermission
	}
	if err := directive(string(text)); err != nil {
		f.refuse("%s: %v", f.shown(name), err)
		return nil, fs.ErrPermission
	}
	f.texts[f.shown(name)] = string(text)
	return &memory{Reader: strings.NewReader(string(text)), text: string(text), name: path.Base(name), size: int64(len(text))}, nil
}

// memory is an open file in memory.
type memory struct {
	io.Reader
	text string
	name string
	size int64
}

func (m *memory) Stat() (fs.FileInfo, error) { return m, nil }
func (m *memory) Close() error               { return nil }
func (m *memory) Name() string               { return m.name }
func (m *memory) Size() int64                { return m.size }
func (m *memory) Mode() fs.FileMode          { return 0o444 }
func (m *memory) ModTime() time.Time         { return time.Time{} }
func (m *memory) IsDir() bool                { return false }
func (m *memory) Sys() any                   { return nil }
