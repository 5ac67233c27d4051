package launchfile

import (
	"errors"
	"io/fs"

	"gpuperf/device/datafile"
	"gpuperf/internal/yamlfile"
)

// data opens the file that a node names.
func (f *File) data(n *yamlfile.Node) (datafile.Data, error) {
	path := f.near(n.Text)
	if d, ok := f.opened[path]; ok {
		return d, nil
	}
	d, err := datafile.Open(path)
	var failed *datafile.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, n.Errorf("there is no file %s", path)
	case errors.As(err, &failed):
		return d, n.Errorf("%s: %v", path, err)
	case err != nil:
		return d, err
	}
	f.opened[path] = d
	return d, nil
}
