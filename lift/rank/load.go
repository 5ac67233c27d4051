package rank

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/launch"
	"gpuperf/samples"
)

// VectorsFile is the path of the file with the vectors of the samples of a file.
func VectorsFile(path string) string { return samples.Beside(path, "vectors") }

// Database has the points of samples files, each with a file of vectors next to it.
type Database struct {
	*Set
	Device   *facts.Device // of the first file with samples; nil without samples
	Warnings []error
}

// Load reads a database, without the points of one benchmark ("" keeps all). With own, the files may have other features than
// explorations have today, if all files have the same. Of the features that depend on the device, and of what walks with accesses tell, points
// have those that are in all files.
func Load(files []string, without string, own bool) (_ *Database, err error) {
	defer throw.Catch(&err)
	db := &Database{Set: &Set{}}
	always := launch.Names(nil)
	for _, f := range launch.Features() {
		db.Names = append(db.Names, f.Name)
	}
	db.Names = append(db.Names, launch.TrafficNames()...)
	sets := map[string]*Set{}
	for _, file := range files {
		set := db.read(file)
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

// read joins the samples of a file with their vectors.
func (db *Database) read(file string) *Set {
	list := throw.Get(samples.Load(file))
	defer list.Close()
	throw.If(list.Own())
	beside := VectorsFile(file)
	if _, err := os.Stat(beside); os.IsNotExist(err) {
		panic(throw.Of(&source.Error{
			Msg:  fmt.Sprintf("%s has no file of static features beside it, which would be %s: there is nothing to learn from", file, filepath.Base(beside)),
			Hint: "perf lift explore writes both; give a file of samples that it wrote",
		}))
	}
	v, warnings := throw.Get2(ReadVectors(beside))
	if d, ok := list.Device(); ok && db.Device == nil {
		db.Device = facts.Of(d)
	}
	set, joined := throw.Get2(Join(v, list.All()))
	db.Warnings = slices.Concat(db.Warnings, warnings, list.Warnings, joined)
	return set
}

// Replace writes the vectors to a file, replacing an old one; it is compressed if its name ends in .gz.
func (v *Vectors) Replace(path string) error { return replace.File(path, v.Write) }

// Compare evaluates rankers, by name, on points of a set, leaving out each family of it in turn; they also learn from the points of train, which
// has the same features, unless it is nil. Without names it takes all rankers that the points suffice for.
func Compare(s, train *Set, names []string, options OutcomeOptions) ([]*Outcomes, error) {
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
		o, err := LeaveFamiliesOut(s, train, r, options)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// Draw writes the figures and the chart of redundancy as SVG files to a folder, which it creates if necessary.
func (f *Figures) Draw(dir string, r *Redundancy) error {
	for _, figure := range []struct{ name, svg string }{
		{"curves.svg", f.Curves.SVG()},
		{"factors.svg", f.Factors.SVG()},
		{"runs.svg", f.Runs.SVG()},
		{"redundancy.svg", r.Chart().SVG()},
	} {
		if err := replace.Picture.Bytes(filepath.Join(dir, figure.name), []byte(figure.svg)); err != nil {
			return err
		}
	}
	return nil
}
