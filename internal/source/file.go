package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gpuperf/internal/lists"
)

// Open opens a file that the user named. A folder, and a file that cannot be opened, are errors as [Unreadable] words them.
func Open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errFolder
	}
	if err != nil {
		f.Close()
		return nil, Unreadable(path, err)
	}
	return f, nil
}

var errFolder = errors.New("a folder, not a file")

// Unreadable says in words why a file or folder that the user named cannot be read, with what may have been meant. The error wraps err.
func Unreadable(path string, err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) {
		at = &fs.PathError{Op: "open", Path: path, Err: err}
	}
	e := &Error{cause: at}
	switch {
	case path == "":
		e.Msg, e.Hint = "the name of the file is empty", "is a variable of the shell not set?"
	case errors.Is(err, fs.ErrNotExist):
		e.Msg, e.Hint = missing(path)
	case errors.Is(err, fs.ErrPermission):
		e.Msg = fmt.Sprintf("no permission to open %s", path)
	case errors.Is(err, errFolder), errors.Is(err, syscall.EISDIR):
		e.Msg, e.Hint = fmt.Sprintf("%s is %v", path, errFolder), listed(path, namesIn(path))
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Msg, e.Hint = fmt.Sprintf("%s is incomplete: it ends in the middle of what is compressed", path), "was it copied whole?"
	default:
		e.Msg = fmt.Sprintf("cannot read %s: %v", path, at.Err)
	}
	return e
}

// here is how package filepath names the current folder.
const here = "."

// CutName takes "#name" from a path, which asks for one of the things that a file defines. Folders and files may have a # in their names.
func CutName(path string) (file, name string, found bool) {
	i := strings.LastIndexByte(path, '#')
	if i < 0 || strings.ContainsAny(path[i:], `/\.`) {
		return path, "", false
	}
	return path[:i], path[i+1:], true
}

// Empty is the error of a file in which something must stand.
func Empty(path string) error {
	return &Error{Msg: path + " is empty", cause: &fs.PathError{Op: "read", Path: path, Err: errors.New("it is empty")}}
}

// missing says that there is no such file, or which of the folders on the way to it there is not.
func missing(path string) (msg, hint string) {
	folder, name := filepath.Dir(path), filepath.Base(path)
	kind := "file"
	for !isFolder(folder) && folder != filepath.Dir(folder) {
		kind, folder, name = "folder", filepath.Dir(folder), filepath.Base(folder)
	}
	where := "in " + folder
	if folder == here {
		where = "here"
	}
	names := namesIn(folder)
	if near := Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s?", filepath.Join(folder, near))
	} else if kind == "file" {
		hint = listed(folder, withExtension(names, filepath.Ext(name)))
	}
	return fmt.Sprintf("no %s %s %s", kind, name, where), hint
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// mostListed is how many names a hint gives, and mostRead how many of a folder are looked at.
const (
	mostListed = 5
	mostRead   = 10000
)

// namesIn lists what a folder holds; nothing where it cannot be read.
func namesIn(folder string) []string {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(mostRead)
	return names
}

func withExtension(names []string, ext string) (out []string) {
	return lists.Where(names, func(name string) bool { return ext != "" && filepath.Ext(name) == ext })
}

// listed names the first of some files in a folder.
func listed(folder string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	more := ""
	if n := len(names) - mostListed; n > 0 {
		names, more = names[:mostListed], fmt.Sprintf(" and %d more", n)
	}
	if folder == here {
		folder = "this folder"
	}
	return fmt.Sprintf("%s holds %s%s", folder, strings.Join(names, ", "), more)
}
