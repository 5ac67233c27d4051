package fleet

import (
	_ "embed" // for Schema
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
)

// Version is the version of the format of campaign files.
const Version = 1

// Schema is the JSON schema of campaign files.
//
//go:embed schema.json
var Schema []byte

// Keys are the keys of each map in a campaign file.
var Keys = map[string][]string{
	"file":  {"version", "name", "shards", "devices", "output", "work", "slurm"},
	"work":  append(kindNames(), "sizes", "parts", "with"),
	"slurm": {"options", "setup"},
}

// Most shards of a campaign, devices of a shard and parts of an item.
const (
	MaxShards  = 10_000
	maxDevices = 64
)

// File is what a campaign file says.
type File struct {
	Path    string // absolute
	Name    string // of the campaign; by default that of the file
	Shards  int    // tasks that the work is given to
	Devices int    // of the host of a shard, each with a process of its own
	Output  string // folder with the shards and what is merged of them; absolute
	Work    []Work
	Slurm   Slurm
	Host    string // this machine, as workers on it name theirs; "" where Status is not to look at their locks

	name, text string // of the file, as it was given
}

// Work is an item of the list of what is to be done.
type Work struct {
	Kind  *Kind
	Of    []string // the arguments of the command: files, or names of models
	Flags []Flag
	Parts int

	places []source.Pos // of Of
}

// Flag is a flag of the item's command, with where it stands.
type Flag struct {
	Name, Value string
	Pos         source.Pos
}

// Slurm is what a batch script has beside what perf writes into it.
type Slurm struct {
	Options []Flag   // of sbatch, in its long form without the dashes; a flag without a value is true
	Setup   []string // lines of the shell before the worker starts
}

// ErrorAt is an error at a place of the campaign file.
func (f *File) ErrorAt(pos source.Pos, format string, args ...any) *source.Error {
	return source.At(f.name, f.text, pos, format, args...)
}

// Dir is the folder of the campaign file, to which its paths are relative.
func (f *File) Dir() string { return filepath.Dir(f.Path) }

// Logs is the folder of the logs of workers.
func (f *File) Logs() string { return filepath.Join(f.Output, "logs") }

// Load reads a campaign file. The files that it names must exist.
func Load(path string) (*File, error) {
	f, err := yamlfile.Load(path, Parse)
	if err != nil {
		return nil, err
	}
	return f, f.checkFiles()
}

// checkFiles is an error where a file that the work names is not there.
func (f *File) checkFiles() error {
	for _, w := range f.Work {
		for i, name := range w.Of {
			path, _, _ := source.CutName(name)
			if w.Kind.Names && filepath.Ext(path) == "" {
				continue
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(f.Dir(), path)
			}
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return f.ErrorAt(w.places[i], "there is no file %s", path).WithHint("paths are relative to the campaign file")
			} else if err != nil {
				return f.ErrorAt(w.places[i], "%v", err)
			}
		}
	}
	return nil
}

// Parse reads the text of a campaign file. Errors are *source.Error.
func Parse(path string, text []byte) (_ *File, err error) {
	defer throw.Catch(&err)
	root := throw.Get(yamlfile.Parse(path, text))
	fields := throw.Get(yamlfile.Format{Name: "campaign file", Version: Version, Keys: Keys["file"], Needed: []string{"work"}}.Fields(root))
	f := &File{Shards: 1, Devices: 1, name: path, text: string(text)}
	f.Path = throw.Get(filepath.Abs(path))
	f.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	f.Output = f.Name + ".fleet"
	throw.If(errors.Join(
		yamlfile.Optional(fields["name"], (*yamlfile.Node).String, &f.Name), yamlfile.Optional(fields["output"], (*yamlfile.Node).String, &f.Output),
		readCount(fields["shards"], &f.Shards, MaxShards), readCount(fields["devices"], &f.Devices, maxDevices),
	))
	if slug(f.Name) == "" {
		return nil, fields["name"].Errorf("the name has neither letters nor digits")
	}
	if !filepath.IsAbs(f.Output) {
		f.Output = filepath.Join(f.Dir(), f.Output)
	}
	f.Work = throw.Get(readWork(fields["work"]))
	return f, readSlurm(fields["slurm"], &f.Slurm)
}

// readCount reads a number from 1 to most where there is one.
func readCount(n *yamlfile.Node, into *int, most int) (err error) {
	if n == nil {
		return nil
	}
	if *into, err = n.Int(); err == nil && (*into < 1 || *into > most) {
		return n.Errorf("%d is not from 1 to %d", *into, most)
	}
	return err
}

func readWork(n *yamlfile.Node) (all []Work, err error) {
	items, err := n.List()
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, n.Errorf("the campaign has no work")
	}
	for _, item := range items {
		w, err := readItem(item)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

func readItem(n *yamlfile.Node) (w Work, err error) {
	fields, err := n.Fields(Keys["work"]...)
	if err != nil {
		return w, err
	}
	for i := range kinds {
		switch k := &kinds[i]; {
		case fields[k.Name] == nil:
		case w.Kind != nil:
			return w, n.Errorf("the item has both %s and %s", w.Kind.Name, k.Name).WithHint("make it two items of the list")
		default:
			w.Kind = k
		}
	}
	if w.Kind == nil {
		return w, n.Errorf("the item does not say what to do").WithHint("give one of %s, as in - calibrate: general", strings.Join(kindNames(), ", "))
	}
	of, err := values("", fields[w.Kind.Name])
	if err != nil {
		return w, err
	}
	if len(of) == 0 || w.Kind.One && len(of) > 1 {
		return w, fields[w.Kind.Name].Errorf("%s takes %s", w.Kind.Name, w.Kind.Takes)
	}
	for _, v := range of {
		w.Of, w.places = append(w.Of, v.Value), append(w.places, v.Pos)
	}
	w.Parts = 1
	if p := fields["parts"]; p != nil {
		if w.Kind.EachDevice {
			return w, p.Errorf("%s has no parts: each device does all of it", w.Kind.Name)
		}
		if err := readCount(p, &w.Parts, MaxShards); err != nil {
			return w, err
		}
	}
	if s := fields["sizes"]; s != nil {
		if !w.Kind.Sized {
			return w, s.Errorf("%s takes no sizes", w.Kind.Name)
		}
		if w.Flags, err = values("param", s); err != nil {
			return w, err
		}
	}
	return w, w.readFlags(fields["with"])
}

// readFlags reads the flags of the item's command.
func (w *Work) readFlags(n *yamlfile.Node) (err error) {
	defer throw.Catch(&err)
	if n == nil {
		return nil
	}
	pairs := throw.Get(n.Pairs())
	for _, p := range pairs {
		if own := append(slices.Clone(ownFlags), w.Kind.Own...); slices.Contains(own, p.Key.Text) {
			return p.Key.Errorf("--%s is set by the worker", p.Key.Text).WithHint("leave it out; the worker sets %s", strings.Join(own, ", "))
		}
		list := throw.Get(values(p.Key.Text, p.Value))
		for _, f := range list {
			f.Pos = p.Key.Pos
			w.Flags = append(w.Flags, f)
		}
	}
	return nil
}

// values reads a text or a list of texts as the values of a flag.
func values(name string, n *yamlfile.Node) (all []Flag, err error) {
	items := []*yamlfile.Node{n}
	if n.Kind == yamlfile.List {
		items = n.Items
	}
	for _, item := range items {
		text, err := item.String()
		if err != nil {
			return nil, err
		}
		all = append(all, Flag{name, text, item.Pos})
	}
	return all, nil
}

// setOptions are options of sbatch that the batch script sets itself.
var setOptions = []string{"array", "job-name", "open-mode", "output", "parsable", "requeue", "signal", "wait", "wrap"}

func readSlurm(n *yamlfile.Node, s *Slurm) (err error) {
	defer throw.Catch(&err)
	if n == nil {
		return nil
	}
	fields := throw.Get(n.Fields(Keys["slurm"]...))
	if o := fields["options"]; o != nil {
		pairs := throw.Get(o.Pairs())
		for _, p := range pairs {
			switch name := p.Key.Text; {
			case slices.Contains(setOptions, name):
				return p.Key.Errorf("--%s is set by perf fleet submit", name).WithHint("leave it out")
			case strings.HasPrefix(name, "-") || strings.ContainsAny(name, " =\t\n"):
				return p.Key.Errorf("%q is no long option of sbatch", name).WithHint("write partition: gpu for --partition=gpu")
			}
			list := throw.Get(values(p.Key.Text, p.Value))
			for _, f := range list {
				if strings.ContainsAny(f.Value, "\n\r") {
					return p.Value.Errorf("the value has more than one line")
				}
			}
			s.Options = append(s.Options, list...)
		}
	}
	if setup := fields["setup"]; setup != nil {
		list, err := values("", setup)
		for _, line := range list {
			s.Setup = append(s.Setup, line.Value)
		}
		return err
	}
	return nil
}
