package campaign

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
	"gpuperf/internal/throw"
	"gpuperf/models"
	"gpuperf/samples"
)

// readProfile reads a profile. Models with features that this program does not know are left out too.
func readProfile(path string) (*calibrate.Profile, error) {
	p, err := calibrate.LoadProfile(path)
	if err != nil {
		return nil, err
	}
	p.LeaveOut(func(c calibrate.Calibration) error {
		model, err := models.Parse(c.Origin.ModelFile, []byte(c.Definition))
		if err == nil {
			_, err = featuresOf(model)
		}
		return err
	})
	return p, nil
}

// IsProfile reports whether there is a profile, a file or one that comes with the program.
func IsProfile(path string) bool {
	_, err := os.Stat(path)
	return err == nil || profiles.All.Has(path)
}

// CalibrationOf finds the calibration of a model in a profile. Why there is none is an error.
func CalibrationOf(p *calibrate.Profile, model string) (*calibrate.Calibration, error) {
	if c := p.Find(model); c != nil {
		return c, nil
	}
	for _, u := range p.Unread {
		if u.Fit.Model == model {
			return nil, inputf("model %s is %s", model, u.Reason())
		}
	}
	return nil, inputf("the profile has no model %q; it holds: %s", model, strings.Join(p.Names(), ", "))
}

// LoadProfile reads a profile, or one that comes with the program by its name. A file of that name goes first.
func LoadProfile(path string) (*calibrate.Profile, error) {
	p, err := readProfile(path)
	switch {
	case !errors.Is(err, fs.ErrNotExist) || !isName(path):
		return p, err
	case profiles.All.Has(path):
		return profiles.Load(path)
	}
	return nil, inputf("no file %s, and no profile of that name comes with the program, which has: %s", path, strings.Join(profiles.All.Names(), ", "))
}

// OpenProfile reads a profile to which calibrations on a device are added, or begins one. It must be of the device and of the state of
// the caches, and no profile that comes with the program.
func OpenProfile(path string, device samples.Fingerprint, mode samples.Mode) (*calibrate.Profile, error) {
	profile, err := readProfile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && profiles.All.Has(path):
		return nil, inputf("the profile %s comes with the program, nothing can be added to it; name a file: --profile %s.yaml", path, path)
	case errors.Is(err, fs.ErrNotExist):
		return &calibrate.Profile{Version: calibrate.ProfileVersion, Device: device}, nil
	case err != nil:
		return nil, err
	case !profile.Device.Same(device):
		return nil, inputf("profile %s is for %s, not for %s (%s); choose another with --profile", path, profile.Device, device, profile.Device.Difference(device))
	}
	for _, m := range profile.All() {
		if m.Origin.Cache != "" && m.Origin.Cache != string(mode) {
			return nil, inputf("the models of profile %s were calibrated with %s caches, and this calibration uses %s caches; choose another with --profile",
				path, m.Origin.Cache, mode)
		}
	}
	profile.Device = device
	return profile, nil
}

// AddTo adds the calibration, the one that it refines where the profile lacks that, and the rates that were reached to the profile at path.
func (c *Calibrated) AddTo(path string, device samples.Fingerprint) error {
	add := []calibrate.Calibration{*c.Calibration}
	if c.General != nil {
		add = append(add, *c.General)
	}
	if err := AddToProfile(path, device, add, c.Roof...); err != nil || c.Binary == nil {
		return err
	}
	return AddToProfile(path, device, []calibrate.Calibration{*c.Binary})
}

// AddToProfile adds calibrations, the first in place of an earlier one and others that are not there, and rates that the device has reached, to the profile at path. Several processes may add to one profile: none loses what another has added.
func AddToProfile(path string, device samples.Fingerprint, add []calibrate.Calibration, roof ...calibrate.Reached) (err error) {
	defer throw.Catch(&err)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir, name := filepath.Split(path)
	throw.If(os.MkdirAll(filepath.Clean(dir), 0o755))
	unlock := throw.Get(samples.Lock(filepath.Join(dir, "."+name+".lock")))
	defer unlock()
	profile := throw.Get(OpenProfile(path, device, samples.Mode(add[0].Origin.Cache)))
	profile.Put(add[0])
	for _, c := range add[1:] {
		if profile.Find(c.Fit.Model) == nil {
			profile.Put(c)
		}
	}
	for _, r := range roof {
		profile.Reach(r)
	}
	return profile.Save(path)
}
