// Package profiles holds the profiles that come with the program: of devices that not everyone has, so that kernels can be predicted,
// ranked and explained for them.
//
// The files are ordinary profiles, made from recorded samples. Load reads one by its name; All lists them.
package profiles

import (
	"embed"

	"gpuperf/calibrate"
	"gpuperf/internal/shipped"
)

//go:embed *.yaml
var files embed.FS

// All are the profiles.
var All = shipped.Files{Kind: "profile", FS: files, Entries: []shipped.Entry{
	{Name: "h200", Doc: "NVIDIA H200 by CUDA, 132 multiprocessors, caches warm"},
}}

// Load reads a profile; an unknown name is an error that lists those there are.
func Load(name string) (*calibrate.Profile, error) {
	text, err := All.Text(name)
	if err != nil {
		return nil, err
	}
	return calibrate.ParseProfile("calibrate/profiles/"+name+".yaml", text)
}
