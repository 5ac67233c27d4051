// Package profiles holds the profiles that come with the program: of devices that not everyone has, so that kernels can be predicted,
// ranked and explained for them.
//
// The files are ordinary profiles, made from recorded samples. Load reads one by its name; All lists them.
package profiles

import (
	"embed"
	"slices"
	"sync"

	"gpuperf/calibrate"
	"gpuperf/internal/shipped"
)

//go:embed *.yaml
var files embed.FS

// All are the profiles.
var All = shipped.Files{Kind: "profile", FS: files, Entries: []shipped.Entry{
	{Name: "h200", Doc: "NVIDIA H200 by CUDA, 132 multiprocessors, caches warm"},
}}

// parsed are the profiles that this process has read, by name: a long text.
var parsed struct {
	sync.Mutex
	profiles map[string]*calibrate.Profile
}

// Load reads a profile; an unknown name is an error that lists those there are. Its lists are the caller's own, what the models in it
// refer to is not to be changed.
func Load(name string) (*calibrate.Profile, error) {
	parsed.Lock()
	defer parsed.Unlock()
	p := parsed.profiles[name]
	if p == nil {
		text, err := All.Text(name)
		if err != nil {
			return nil, err
		}
		if p, err = calibrate.ParseProfile("calibrate/profiles/"+name+".yaml", text); err != nil {
			return nil, err
		}
		if parsed.profiles == nil {
			parsed.profiles = map[string]*calibrate.Profile{}
		}
		parsed.profiles[name] = p
	}
	own := *p
	own.Roof, own.Models = slices.Clone(p.Roof), slices.Clone(p.Models)
	return &own, nil
}
