package fleet

import (
	"bufio"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuperf/calibrate"
	"gpuperf/internal/campaign"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// Merged is what was collected from the shards, of each device apart.
type Merged struct {
	Output   string         `json:"output"`
	Devices  []MergedDevice `json:"devices"`
	Rows     []Row          `json:"comparison"`
	Tables   []string       `json:"tables"`  // of the items that rank, the fastest first
	Missing  []string       `json:"missing"` // shards, and units that they have not done
	Warnings []string       `json:"warnings"`
}

// MergedDevice is a device with its files.
type MergedDevice struct {
	Device
	Label    string   `json:"label"`
	Key      string   `json:"key"`
	Shards   []string `json:"shards"`
	Count    int      `json:"samples"`
	Samples  []string `json:"sample_files"`
	Profiles []string `json:"profiles"`

	folders []string // of the shards
	done    []finished
}

// Merge collects what the shards have measured so far, in the folder merged of the output. It only reads from the shards, and replaces what an
// earlier merge has written: merging twice is merging once.
func (f *File) Merge(count int) (_ *Merged, err error) {
	defer throw.Catch(&err)
	all := throw.Get(readJournals(f.Output))
	out := &Merged{Output: filepath.Join(f.Output, "merged"), Devices: []MergedDevice{}, Missing: []string{}, Warnings: []string{}}
	done := f.finished(all)
	for _, d := range devicesOf(all, done, f.Output) {
		d.merge(out.Output)
		out.Devices = append(out.Devices, d)
	}
	status := throw.Get(f.Status(count, nil, time.Now()))
	for _, s := range status.Shards {
		if s.Done < s.Units {
			out.Missing = append(out.Missing, fmt.Sprintf("shard %s is %s with %d of %d units", s.Shard, s.State, s.Done, s.Units))
		}
	}
	out.Warnings = append(out.Warnings, differences(out.Devices)...)
	out.Tables = throw.Get(f.mergeTables(out.Output, done))
	out.Rows, err = f.compare(out.Devices)
	return out, err
}

// devicesOf are the devices that workers have had, each with its folders and what was done on it.
func devicesOf(all []history, done []finished, output string) (out []MergedDevice) {
	at := map[string]int{}
	for _, h := range all {
		for _, e := range h.events {
			if e.Event != Started || e.Device == nil {
				continue
			}
			key := e.Device.Key()
			i, known := at[key]
			if !known {
				i = len(out)
				at[key] = i
				out = append(out, MergedDevice{Device: *e.Device, Label: e.Device.Label(), Key: key, Samples: []string{}, Profiles: []string{}})
			}
			d := &out[i]
			if s := h.Shard.String(); !slices.Contains(d.Shards, s) {
				d.Shards = append(d.Shards, s)
				d.folders = append(d.folders, filepath.Join(h.folder(output), key))
			}
		}
	}
	for _, one := range done {
		d := &out[at[one.Device.Key()]]
		d.done = append(d.done, one)
	}
	return out
}

// merge writes the samples and profiles of a device.
func (d *MergedDevice) merge(output string) {
	for _, kind := range []struct {
		pattern string
		write   func(path string, from []string) error
		files   *[]string
	}{
		{"samples/*.jsonl", d.mergeSamples, &d.Samples},
		{"profiles/*.yaml", mergeProfiles, &d.Profiles},
	} {
		byName := map[string][]string{}
		var names []string
		for _, folder := range d.folders {
			found := throw.Get(filepath.Glob(filepath.Join(folder, kind.pattern)))
			for _, path := range found {
				name := filepath.Base(path)
				if byName[name] == nil {
					names = append(names, name)
				}
				byName[name] = append(byName[name], path)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			to := filepath.Join(output, d.Key, filepath.Dir(kind.pattern), name)
			throw.If(kind.write(to, byName[name]))
			*kind.files = append(*kind.files, to)
		}
	}
}

// mergeSamples writes of all samples of one kernel, size and source the latest; of files beside them each line once.
func (d *MergedDevice) mergeSamples(path string, from []string) error {
	if strings.HasSuffix(path, ".vectors.jsonl") {
		return distinctLines(path, from)
	}
	done, err := samples.Rewrite(context.Background(), path, from, nil, nil)
	d.Count += done.Kept
	return err
}

// mergeProfiles writes the models of several profiles of one device, of each model the latest.
func mergeProfiles(path string, from []string) (err error) {
	defer throw.Catch(&err)
	var all *calibrate.Profile
	for _, file := range from {
		p := throw.Get(campaign.LoadProfile(file))
		if all == nil {
			all = p
			continue
		}
		for _, c := range p.Models {
			if was := all.Find(c.Fit.Model); was == nil || was.Origin.Date.Before(c.Origin.Date) {
				all.Put(c)
			}
		}
		for _, r := range p.Roof {
			all.Reach(r)
		}
	}
	throw.If(os.MkdirAll(filepath.Dir(path), 0o755))
	return all.Save(path)
}

// distinctLines writes the lines of files, each once.
func distinctLines(path string, from []string) error {
	seen := map[uint64]bool{}
	return replace.File(path, func(w io.Writer) error {
		for _, name := range from {
			if err := distinct(w, name, seen); err != nil {
				return err
			}
		}
		return nil
	})
}

// distinct writes the lines of a file that are not among those seen before. What a killed worker has cut off is left out.
func distinct(w io.Writer, name string, seen map[uint64]bool) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		h := fnv.New64a()
		h.Write(line)
		sum := h.Sum64()
		if seen[sum] {
			continue
		}
		seen[sum] = true
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
}

// differences warns of devices of one name that differ in what bears on their times.
func differences(devices []MergedDevice) (warnings []string) {
	var names []string
	for _, d := range devices {
		if d.Name != "" && !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	for _, name := range names {
		for _, p := range []struct {
			what string
			of   func(MergedDevice) string
		}{
			{"drivers", func(d MergedDevice) string { return d.Driver }},
			{"highest clocks", func(d MergedDevice) string { return fmt.Sprintf("%d MHz", d.ClockMHz) }},
			{"compute units", func(d MergedDevice) string { return fmt.Sprint(d.ComputeUnits) }},
			{"memory", func(d MergedDevice) string { return fmt.Sprintf("%d bytes", d.GlobalMem) }},
		} {
			var values []string
			for _, d := range devices {
				if v := p.of(d); d.Name == name && !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
			if len(values) > 1 {
				warnings = append(warnings, fmt.Sprintf("devices named %s differ in %s: %s", name, p.what, strings.Join(values, ", ")))
			}
		}
	}
	return warnings
}
