// Package reference holds the references of the languages and file formats: pages of entries, as text and as Markdown.
//
// What exists, and how it is called, comes from the tables that the code reads (tables.go). What it means stands in the pages
// (NAME.yaml), with an example of each entry. Load joins the two, and refuses a page that lacks a row of its tables or
// has one that they do not have. Run runs the examples, so that the results beside them are true.
package reference

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
)

//go:embed *.yaml
var files embed.FS

// Page is the reference of one language or file format.
type Page struct {
	Name     string     `yaml:"-"`
	Title    string     `yaml:"title"`
	Intro    string     `yaml:"intro"`
	Runner   string     `yaml:"run"` // what runs the code in the introduction; "" where there is none
	Sections []*Section `yaml:"sections"`

	// Args say what an argument is that several entries take, by its name.
	Args map[string]string `yaml:"args"`
}

// Section is a part of a page about things of one kind.
type Section struct {
	Title   string   `yaml:"title"`
	Intro   string   `yaml:"intro"`
	Table   string   `yaml:"table"`   // the table whose rows are the entries, of all sections that name it; "" where the page alone says what there is
	Runner  string   `yaml:"run"`     // what runs the examples; "" where there are none
	Context string   `yaml:"context"` // what the examples are run with, such as a kernel
	Entries []*Entry `yaml:"entries"`
}

// Entry is about one function, key, class or pattern.
type Entry struct {
	Name    string            `yaml:"name"`
	Usage   string            `yaml:"usage"` // from the table, where the section has one
	Does    string            `yaml:"does"`
	Says    map[string]string `yaml:"args"` // of its arguments, by name
	Refuses string            `yaml:"refuses"`
	Example string            `yaml:"example"`

	Args   []Arg  `yaml:"-"`
	Result string `yaml:"-"` // of the example, once it has run
}

// Arg is an argument of an entry.
type Arg struct {
	Name  string
	Alias string // another name of it, "" for none
	Does  string
}

// Names lists the pages.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Load reads a page, without results of its examples.
func Load(name string) (*Page, error) {
	text, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no reference %q; %s", name, source.Suggest(name, Names()))
	}
	p := &Page{Name: name}
	if err := yamlfile.Decode(name+".yaml", text, p); err != nil {
		return nil, err
	}
	for _, s := range p.Sections {
		if err := p.join(s); err != nil {
			return nil, fmt.Errorf("%s, %q: %w", name, s.Title, err)
		}
	}
	return p, nil
}

// join gives the entries of a section what its table knows of them.
func (p *Page) join(s *Section) error {
	table, ok := tables[s.Table]
	if s.Table != "" && !ok {
		return fmt.Errorf("there is no table %q", s.Table)
	}
	var rows []row
	if ok {
		rows = table()
	}
	for _, r := range rows {
		described := slices.ContainsFunc(p.of(s.Table), func(e *Entry) bool { return e.Name == r.name })
		switch {
		case !described && r.does == "":
			return fmt.Errorf("%s is not described", r.name)
		case !described:
			s.Entries = append(s.Entries, &Entry{Name: r.name, Does: r.does})
		}
	}
	for _, e := range s.Entries {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == e.Name })
		switch {
		case ok && i < 0:
			return fmt.Errorf("%s does not exist", e.Name)
		case ok:
			e.Usage = rows[i].usage
			if err := p.arguments(e, rows[i]); err != nil {
				return err
			}
		}
		if e.Does == "" || e.Usage == "" {
			return fmt.Errorf("%s lacks its meaning or its usage", e.Name)
		}
	}
	return nil
}

// of lists the entries of the sections of a table, of which there may be several.
func (p *Page) of(table string) (all []*Entry) {
	for _, s := range p.Sections {
		if s.Table == table {
			all = append(all, s.Entries...)
		}
	}
	return all
}

func (p *Page) arguments(e *Entry, r row) error {
	for _, a := range r.args {
		does := e.Says[a.Name]
		if does == "" {
			does = p.Args[a.Name]
		}
		if does == "" {
			return fmt.Errorf("argument %s of %s is not described", a.Name, e.Name)
		}
		a.Does = does
		e.Args = append(e.Args, a)
	}
	for name := range e.Says {
		if !slices.ContainsFunc(r.args, func(a Arg) bool { return a.Name == name }) {
			return fmt.Errorf("%s has no argument %s", e.Name, name)
		}
	}
	return nil
}

// Entries lists the names of the entries.
func (p *Page) Entries() []string {
	var all []string
	for _, s := range p.Sections {
		for _, e := range s.Entries {
			all = append(all, e.Name)
		}
	}
	return all
}

// names are those of the entries, in order.
func (s *Section) names() (list []string) {
	return lists.Map(s.Entries, func(e *Entry) string { return e.Name })
}

// Select keeps the entries of these names, and whole sections by their titles, in letters of any case. An unknown name is an error that
// suggests the nearest.
func (p *Page) Select(names ...string) error {
	all := p.Entries()
	for _, s := range p.Sections {
		all = append(all, s.Title)
	}
	for _, name := range names {
		if !slices.Contains(all, name) && !slices.ContainsFunc(p.Sections, func(s *Section) bool { return strings.EqualFold(s.Title, name) }) {
			return fmt.Errorf("%s has no %q; %s", p.Title, name, source.Suggest(name, all))
		}
	}
	p.Intro = ""
	for _, s := range p.Sections {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(s.Title, name) }) {
			continue
		}
		s.Intro = ""
		s.Entries = slices.DeleteFunc(s.Entries, func(e *Entry) bool { return !slices.Contains(names, e.Name) })
	}
	p.Sections = slices.DeleteFunc(p.Sections, func(s *Section) bool { return len(s.Entries) == 0 })
	return nil
}

// Run runs the examples of the page.
func (p *Page) Run(ctx context.Context) error {
	if err := p.runIntro(ctx); err != nil {
		return fmt.Errorf("the introduction of %s: %w", p.Name, err)
	}
	for _, s := range p.Sections {
		for _, e := range s.Entries {
			if e.Example == "" {
				continue
			}
			r, ok := runners[s.Runner]
			if !ok {
				return fmt.Errorf("%s, %q: there is nothing that runs %q", p.Name, s.Title, s.Runner)
			}
			result, err := r.run(ctx, s.Context, e.Example)
			if err != nil {
				return fmt.Errorf("the example of %s: %w", e.Name, err)
			}
			e.Result = result
		}
	}
	return nil
}

// runIntro runs the code in the introduction.
func (p *Page) runIntro(ctx context.Context) error {
	for _, paragraph := range strings.Split(p.Intro, "\n\n") {
		if r, ok := runners[p.Runner]; ok && strings.HasPrefix(paragraph, " ") {
			if _, err := r.run(ctx, "", dedent(paragraph)); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe says what the argument is, and how it may be called too.
func (a Arg) describe() string {
	text := strings.TrimSpace(a.Does)
	if a.Alias != "" {
		text += " (or " + a.Alias + "=)"
	}
	return text
}

// short reports whether the example and its result fit on one line.
func (e *Entry) short() bool {
	return e.Result != "" && len(e.Example)+len(e.Result) < 60 && !strings.Contains(e.Example+strings.TrimSpace(e.Result), "\n")
}
