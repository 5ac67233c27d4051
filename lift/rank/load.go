package rank

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/launch"
	"gpuperf/samples"
)

// VectorsFile is where the vectors of the samples of a file are kept.
func VectorsFile(samples string) string {
	base, packed := strings.CutSuffix(samples, ".gz")
	path := strings.TrimSuffix(base, ".jsonl") + ".vectors.jsonl"
	if packed {
		path += ".gz"
	}
	return path
}

// Database is the points of samples files, each with its vectors beside it.
type Database struct {
	*Set
	Device   *facts.Device // of the first file; nil where it has no samples
	Warnings []error
}

// Load reads a database. Points of one benchmark, "" for none, are not in it. Where own is set, features that explorations do not have
// now may stand in the files, all of them alike. Points have the features that all files have, of those that depend on the device.
func Load(files []string, without string, own bool) (*Database, error) {
	db := &Database{Set: &Set{}}
	always := launch.Names(nil)
	for _, f := range launch.Features() {
		db.Names = append(db.Names, f.Name)
	}
	sets := map[string]*Set{}
	for _, file := range files {
		set, err := db.read(file)
		if err != nil {
			return nil, err
		}
		if len(set.Points) == 0 {
			continue
		}
		lacks := func(name string) bool { return !slices.Contains(set.Names, name) }
		if own && len(sets) == 0 && slices.ContainsFunc(always, lacks) {
			db.Names = set.Names
		}
		db.Names = slices.DeleteFunc(db.Names, func(name string) bool { return lacks(name) && !slices.Contains(always, name) })
		sets[file] = set
	}
	for _, file := range files {
		if sets[file] == nil {
			continue
		}
		part, err := sets[file].Where(func(p *Point) bool { return p.Benchmark != without }).Select(db.Names)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", VectorsFile(file), err)
		}
		db.Points = append(db.Points, part.Points...)
	}
	return db, nil
}

// read joins the samples of a file with the vectors beside it.
func (db *Database) read(file string) (*Set, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	v, warnings, err := ReadVectors(VectorsFile(file))
	if err != nil {
		return nil, err
	}
	list, more, err := samples.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if db.Device == nil && len(list) > 0 {
		db.Device = facts.Of(list[0].Device)
	}
	set, joined := Join(v, list)
	db.Warnings = slices.Concat(db.Warnings, warnings, more, joined)
	return set, nil
}

// Replace writes the vectors as a file, in place of an old one, packed where its name ends in .gz.
func (v *Vectors) Replace(path string) error {
	var out bytes.Buffer
	if err := v.Write(&out); err != nil {
		return err
	}
	if strings.HasSuffix(path, ".gz") {
		text := out.Bytes()
		out = bytes.Buffer{}
		z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(text); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	}
	next := path + ".new"
	if err := os.WriteFile(next, out.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// Compare tries rankers, by name, on every benchmark left out; without names, all that the points have what they need for.
func Compare(s *Set, names []string, options OutcomeOptions) ([]*Outcomes, error) {
	var chosen []Ranker
	for _, name := range names {
		r, err := Find(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, r)
	}
	if len(names) == 0 {
		chosen = slices.DeleteFunc(slices.Clone(Rankers()), func(r Ranker) bool { return r.Missing(s) != nil })
	}
	var all []*Outcomes
	for _, r := range chosen {
		o, err := LeaveOneOut(s, r, options)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// Draw writes the figures, and the chart of redundancy, as SVG files into a folder, which is made where there is none.
func (f *Figures) Draw(dir string, r *Redundancy) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, figure := range []struct{ name, svg string }{
		{"curves.svg", f.Curves.SVG()},
		{"factors.svg", f.Factors.SVG()},
		{"runs.svg", f.Runs.SVG()},
		{"redundancy.svg", r.Chart().SVG()},
	} {
		if err := os.WriteFile(filepath.Join(dir, figure.name), []byte(figure.svg), 0o644); err != nil {
			return err
		}
	}
	return nil
}
