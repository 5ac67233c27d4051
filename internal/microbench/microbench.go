// Package microbench makes measurement kernels: parameterized generators, selected by tags (Stevens and Klöckner,
// section 7.1).
//
// A generator is a Starlark file (generators/*.star, and those of the user's folders) with a doc string, its tags, its
// arguments with the values that they may take, and a function that builds a kernel with the lp module. A filter
// (filter.go) chooses generators by their tags and narrows arguments to values; Select (select.go) returns a variant
// for each combination that is left. Sizes are arguments in which the kernel stays symbolic, so that variants that
// differ in nothing else share their kernel and its counts.
package microbench

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel/script"
)

//go:embed generators/*.star
var embedded embed.FS

const preludeFile = "prelude.star"

// Generator makes the variants of one measurement kernel.
type Generator struct {
	Name string   `json:"name"` // of its file, without .star
	File string   `json:"file"`
	Doc  string   `json:"doc"` // what it measures, in a sentence or two
	Tags []string `json:"tags"`
	Args []Arg    `json:"args"` // in the order of the file
	// checked: the file has a function check, which tells impossible combinations.
	checked bool

	module  *script.Module
	kernels sync.Map // functions that make them once, by KernelID
}

// Arg is an argument of a generator.
type Arg struct {
	Name    string  `json:"name"`
	Allowed Allowed `json:"allowed"`
	Size    bool    `json:"size"` // a parameter of the kernel, which is symbolic in it
}

// Collection is a set of generators, by name.
type Collection struct{ generators []*Generator }

// Load reads the generators that come with the program, then those in the folders: files *.star, of which one replaces
// another of its name. A file prelude.star of a folder is predeclared in the folder's generators, after ours.
func Load(folders ...string) (_ *Collection, err error) {
	defer throw.Catch(&err)
	ours := throw.Get(own())
	l := loader{ours.prelude, maps.Clone(ours.byName)}
	for _, dir := range folders {
		if info, err := os.Stat(dir); err != nil {
			return nil, source.Unreadable(dir, err)
		} else if !info.IsDir() {
			return nil, &source.Error{Msg: fmt.Sprintf("%s is a file, not a folder of generators", dir)}
		}
		throw.If(l.folder(os.DirFS(dir), dir))
	}
	byName := func(a, b *Generator) int { return strings.Compare(a.Name, b.Name) }
	return &Collection{slices.SortedFunc(maps.Values(l.byName), byName)}, nil
}

// own reads the generators that come with the program, once.
var own = sync.OnceValues(func() (*loader, error) {
	l := &loader{byName: map[string]*Generator{}}
	dir, err := fs.Sub(embedded, "generators")
	if err != nil {
		return nil, err
	}
	return l, l.folder(dir, "generators")
})

// Generators lists the generators by name.
func (c *Collection) Generators() []*Generator { return slices.Clone(c.generators) }

type loader struct {
	prelude []*script.Module
	byName  map[string]*Generator
}

func (l *loader) folder(dir fs.FS, shown string) (err error) {
	defer throw.Catch(&err)
	files := throw.Get(fs.Glob(dir, "*.star"))
	read := func(name string) (*script.Module, error) {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("generators: %w", err)
		}
		o := script.Options{Predeclared: predeclared, Prelude: l.prelude}
		return o.Module(context.Background(), path.Join(filepath.ToSlash(shown), name), string(text))
	}
	if slices.Contains(files, preludeFile) {
		m := throw.Get(read(preludeFile))
		l.prelude = append(slices.Clone(l.prelude), m)
	}
	for _, name := range files {
		if name == preludeFile {
			continue
		}
		m := throw.Get(read(name))
		g := newGenerator(m, strings.TrimSuffix(name, ".star"))
		l.byName[g.Name] = g
	}
	return nil
}

// newGenerator reads the globals tags, args, sizes, check and kernel of a file.
func newGenerator(m *script.Module, name string) *Generator {
	g := &Generator{Name: name, File: m.File, Doc: strings.Join(strings.Fields(m.Doc), " "), module: m}
	fail := func(hint, format string, args ...any) any {
		return throw.Of((&source.Error{File: m.File, Msg: "generator " + name + ": " + fmt.Sprintf(format, args...)}).WithHint("%s", hint))
	}
	if !lex.IsName(name) {
		panic(fail("letters, digits and _ make a name", "the file's name is no tag"))
	}
	if g.Doc == "" {
		panic(fail(`start the file by """what it measures"""`, "no doc string"))
	}
	var err error
	if g.Tags, err = stringList(m.Globals["tags"]); err != nil || len(g.Tags) == 0 {
		panic(fail(fmt.Sprintf(`write tags = [%q]`, name), "tags must be a list of strings"))
	}
	for _, t := range g.Tags {
		if !lex.IsName(t) {
			panic(fail("letters, digits and _ make a tag", "tag %q", t))
		}
	}
	if !slices.Contains(g.Tags, name) { // a variant's identity is a filter that selects it
		panic(fail(fmt.Sprintf("add %q to tags", name), "its own name is not among its tags"))
	}
	sizes, err := stringList(m.Globals["sizes"])
	if err != nil {
		panic(fail(`write sizes = ["n"], the arguments that the kernel is symbolic in`, "sizes must be a list of strings"))
	}
	args, ok := m.Globals["args"].(*starlark.Dict)
	if !ok {
		panic(fail(`write args = {"n": integers([1024, 2048])}`, "args must be a dict from names to the values that they may take"))
	}
	for _, kv := range args.Items() {
		argName, ok := starlark.AsString(kv[0])
		if !ok || !lex.IsName(argName) {
			panic(fail("letters, digits and _ make a name", "%s names no argument", kv[0]))
		}
		allowed, err := allowedOf(kv[1])
		if err != nil {
			panic(fail(`use a list, choices([...], also=[...]) or integers([...], min=, max=, multiple_of=)`, "argument %s: %v", argName, err))
		}
		g.Args = append(g.Args, Arg{Name: argName, Allowed: allowed, Size: slices.Contains(sizes, argName)})
	}
	for _, s := range sizes {
		i := slices.IndexFunc(g.Args, func(a Arg) bool { return a.Name == s })
		if i < 0 {
			panic(fail("sizes are among the arguments", "size %s is no argument", s))
		}
		for _, v := range slices.Concat(g.Args[i].Allowed.Default, g.Args[i].Allowed.Also) {
			if v.Kind != IntValue {
				panic(fail("sizes are integers", "size %s may be %s", s, v))
			}
		}
	}
	if _, ok := m.Globals["kernel"].(starlark.Callable); !ok {
		panic(fail("its parameters are the arguments that are no sizes", "no function kernel"))
	}
	_, g.checked = m.Globals["check"].(starlark.Callable)
	return g
}

func stringList(v starlark.Value) ([]string, error) {
	if v == nil {
		return nil, nil
	}
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("%s is no list", v)
	}
	var out []string
	for x := range starlark.Elements(list) {
		s, ok := starlark.AsString(x)
		if !ok {
			return nil, fmt.Errorf("%s is no string", x)
		}
		out = append(out, s)
	}
	return out, nil
}
