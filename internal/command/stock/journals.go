package stock

import (
	"path/filepath"
	"slices"
	"time"

	"gpuperf/samples"
)

// Journal is a file of samples.
type Journal struct {
	Path     string         `json:"path"`
	Device   string         `json:"device,omitempty"`
	Origin   string         `json:"origin,omitempty"` // what measured them, where it was not this program
	Samples  int            `json:"samples"`
	Kernels  int            `json:"kernels"` // distinct, at any sizes
	Statuses map[string]int `json:"statuses"`
	First    time.Time      `json:"first,omitzero"`
	Last     time.Time      `json:"last,omitzero"`
	Error    string         `json:"error,omitempty"` // why it cannot be read
}

// Journals describes files of samples, or those of the data directory where none is named.
func Journals(data string, paths []string) (all []Journal, err error) {
	if len(paths) == 0 {
		for _, pattern := range []string{"*.jsonl", "*.jsonl.gz"} {
			found, err := filepath.Glob(filepath.Join(data, "samples", pattern))
			if err != nil {
				return nil, err
			}
			paths = append(paths, found...)
		}
		slices.Sort(paths)
	}
	for _, path := range paths {
		all = append(all, describe(path))
	}
	return all, nil
}

// describe reads a file of samples.
func describe(path string) Journal {
	j := Journal{Path: path, Statuses: map[string]int{}}
	set, err := samples.Load(path)
	if err != nil {
		j.Error = err.Error()
		return j
	}
	defer set.Close()
	if d, ok := set.Device(); ok {
		j.Device = d.String()
	}
	j.Origin = set.Origin()
	kernels := map[[2]string]bool{}
	for r, err := range set.All() {
		if err != nil {
			j.Error = err.Error()
			return j
		}
		j.Samples++
		j.Statuses[string(r.Status)]++
		kernels[[2]string{r.Kernel.Source, r.Kernel.Variant}] = true
		if j.First.IsZero() || r.Time.Before(j.First) {
			j.First = r.Time
		}
		if r.Time.After(j.Last) {
			j.Last = r.Time
		}
	}
	j.Kernels = len(kernels)
	return j
}
