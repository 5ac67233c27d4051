// Package stock keeps house among what the user has measured: profiles and journals of samples in the data directory, how large they are,
// whether they still hold, and how two profiles differ.
package stock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/device"
	"gpuperf/internal/campaign"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/samples"
)

// Profile is a profile with the file that it is in.
type Profile struct {
	Name   string             `json:"name"` // of the file without its ending
	Path   string             `json:"path,omitempty"`
	Device string             `json:"device,omitempty"`
	Cache  string             `json:"cache,omitempty"`
	Models []string           `json:"models"`
	Date   time.Time          `json:"date,omitzero"` // of the latest calibration
	Doubts []Doubt            `json:"doubts,omitempty"`
	Error  string             `json:"error,omitempty"` // why it cannot be read
	Read   *calibrate.Profile `json:"-"`
}

// Folder is where profiles are in a data directory.
func Folder(data string) string { return filepath.Join(data, "profiles") }

// Profiles lists the profiles of a data directory, and those that come with the program.
func Profiles(data string, here []device.Info) (all []Profile, err error) {
	paths, err := filepath.Glob(filepath.Join(Folder(data), "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Concat(paths, profiles.All.Names()) {
		read, err := campaign.LoadProfile(path)
		p := Profile{Name: strings.TrimSuffix(filepath.Base(path), ".yaml"), Models: []string{}}
		if filepath.IsAbs(path) {
			p.Path = path
		}
		if err != nil {
			p.Error = err.Error()
		} else {
			p.describe(read, here)
		}
		all = append(all, p)
	}
	return all, nil
}

// describe fills in what a profile says of itself.
func (p *Profile) describe(read *calibrate.Profile, here []device.Info) {
	p.Read, p.Device, p.Models, p.Doubts = read, read.Device.String(), read.Names(), Stale(read, here)
	for _, m := range read.Models {
		p.Cache = m.Origin.Cache
		if m.Origin.Date.After(p.Date) {
			p.Date = m.Origin.Date
		}
	}
}

// Find is the path of a profile of the data directory that the user names by its name or by its path.
func Find(data, name string) (string, error) {
	for _, path := range []string{name, filepath.Join(Folder(data), name+".yaml")} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	if profiles.All.Has(name) {
		return name, nil
	}
	paths, _ := filepath.Glob(filepath.Join(Folder(data), "*.yaml"))
	names := profiles.All.Names()
	for _, p := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(p), ".yaml"))
	}
	return "", &source.Error{Msg: fmt.Sprintf("there is no profile %s", name), Hint: source.Suggest(name, names)}
}

// ErrExists is wrapped by the error of an import that would replace a profile.
var ErrExists = errors.New("there is a profile of this device already")

// Import checks the profile at path and copies it to where the data directory has that of its device.
func Import(data, path string, replace bool) (string, error) {
	p, err := campaign.LoadProfile(path)
	if err != nil {
		return "", err
	}
	ending := ".yaml"
	if all := p.All(); len(all) > 0 && all[0].Origin.Cache == string(samples.Cold) {
		ending = "-cold.yaml"
	}
	to := campaign.DeviceFile(data, "profiles", p.Device, ending)
	if _, err := os.Stat(to); err == nil && !replace {
		return "", fmt.Errorf("%w: %s", ErrExists, to)
	}
	return to, Copy(path, to)
}

// Copy copies a profile, one that comes with the program too, as it is. It replaces no other file.
func Copy(from, to string) error {
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) && profiles.All.Has(from) {
		text, err = profiles.All.Text(from)
	}
	if err != nil {
		return err
	}
	return replace.Copy.Bytes(to, text)
}

// Size is the number of bytes and of files below a folder, none where there is no such folder.
func Size(folder string) (bytes int64, files int) {
	filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			bytes, files = bytes+info.Size(), files+1
		}
		return nil
	})
	return bytes, files
}
