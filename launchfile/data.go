package launchfile

import (
	"errors"
	"io/fs"

	"gpuperf/device/datafile"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
)

// data opens the file that a node names.
func (f *File) data(n *yamlfile.Node) datafile.Data {
	path := f.near(n.Text)
	if d, ok := f.opened[path]; ok {
		return d
	}
	d, err := datafile.Open(path)
	var failed *datafile.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
		panic(throw.Of(n.Errorf("there is no file %s", path)))
	case errors.As(err, &failed):
		panic(throw.Of(n.Errorf("%s: %v", path, err)))
	case err != nil:
		panic(throw.Of(err))
	}
	f.opened[path] = d
	return d
}
