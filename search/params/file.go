// Package params describes spaces by parameters with values, and conditions on these.
//
// Conditions are those of all spaces. Load reads the parameters of a launch file: they are its sizes, on which its grid, work-groups and
// arguments depend, or macros of its source, or both. They stand in a file of their own that names the launch file, or in this as its section tune.
package params

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/launchfile"
	"gpuperf/search"
)

// Role is what a parameter changes. Those of an axis have a direction for each axis of the grid. The emulator's search asks for it.
type Role string

// The roles.
const (
	Reshape Role = "block"  // work-items of a work-group along an axis
	Coarsen Role = "thread" // results of a work-item along an axis
	Places  Role = "places" // tiles of a work-group along an axis, one after the other
	Unroll  Role = "unroll" // iterations that become one
)

var roles = []Role{Reshape, Coarsen, Places, Unroll}

// Parameter is a direction of a space.
type Parameter struct {
	Name     string
	Role     Role    // "" where none is said
	Values   []int64 // from the least to the greatest
	Compiled bool    // another value is other machine code, not only another launch

	macro string // that it defines; "" is none
	size  bool   // of the launch file
	node  *yamlfile.Node
}

// File is a space of configurations of a launch file. A configuration has a value for each parameter.
type File struct {
	Parameters []Parameter
	Conditions List
	Base       []int64 // that of the launch file; the least values of what it does not say
	Launch     *launchfile.File
}

// spaces is the format of spaces in files of their own.
var spaces = yamlfile.Format{Name: "space", Version: 1, Keys: []string{"version", "launch", "parameters", "constraints"}, Needed: []string{"launch"}}

// axes are the names of the axes of a grid.
var axes = []string{"x", "y", "z"}

// Load reads a space, or a launch file with a section tune.
func Load(path string) (_ *File, err error) {
	defer throw.Catch(&err)
	if !slices.Contains(launchfile.Extensions, filepath.Ext(path)) {
		return nil, source.At(path, "", source.Pos{}, "expected a launch file with a section tune, or a file with a space, whose names end in %s",
			strings.Join(launchfile.Extensions, " or "))
	}
	root := throw.Get(yamlfile.Load(path, yamlfile.Parse))
	f := &File{}
	var fields map[string]*yamlfile.Node
	if root.Get("source") != nil || root.Get("listing") != nil {
		f.Launch = throw.Get(launchfile.Load(path))
		tune := root.Get("tune")
		if tune == nil {
			return nil, root.Errorf("the launch file has no section tune, whose parameters could be searched").
				WithHint("add one, as tune: {parameters: [{name: bx, values: [32, 64, 128]}]}")
		}
		fields = throw.Get(tune.Fields("parameters", "constraints"))
		root = tune
	} else {
		fields = throw.Get(spaces.Fields(root))
		f.Launch = named(fields["launch"], path)
	}
	throw.If(root.Has("space", "parameters"))
	return f, f.read(fields)
}

// named is the launch file that a file with a space names.
func named(n *yamlfile.Node, path string) *launchfile.File {
	launch := throw.Get(n.String())
	return throw.Get(launchfile.Load(filepath.Join(filepath.Dir(path), launch)))
}

func (f *File) read(fields map[string]*yamlfile.Node) (err error) {
	defer throw.Catch(&err)
	list := throw.Get(fields["parameters"].List())
	for _, n := range list {
		p := throw.Get(f.parameter(n))
		start, ok := f.Launch.Sizes[p.Name]
		if !ok {
			start = p.Values[0]
		}
		f.Parameters, f.Base = append(f.Parameters, p), append(f.Base, start)
	}
	f.conditions(fields["constraints"])
	space := f.Space()
	if space == nil {
		return fields["constraints"].Errorf("the space is empty: no values of the parameters fit the constraints")
	}
	for i, p := range f.Parameters {
		if !slices.Contains(p.Values, f.Base[i]) {
			return fields["parameters"].Errorf("the space does not have what the launch file starts with: %s=%d", p.Name, f.Base[i])
		}
	}
	if !f.Has(f.Base) {
		f.Base = f.Configuration(search.Usual(space))
	}
	return nil
}

// parameter reads one of the list.
func (f *File) parameter(n *yamlfile.Node) (p Parameter, err error) {
	fields, err := n.Fields("name", "values", "block", "thread", "places", "unroll", "define")
	if err != nil {
		return p, err
	}
	if fields["name"] == nil || fields["values"] == nil {
		return p, n.Errorf("a parameter needs name and values")
	}
	p.node = n
	if p.Name, err = fields["name"].String(); err != nil {
		return p, err
	}
	for _, r := range roles {
		if fields[string(r)] == nil {
			continue
		}
		p.Role = r
		if axis, err := fields[string(r)].String(); r != Unroll && (err != nil || !slices.Contains(axes, axis)) {
			return p, fields[string(r)].Errorf("expected an axis: %s", strings.Join(axes, ", "))
		}
	}
	if p.Values, err = values(fields["values"], p.Role); err != nil {
		return p, err
	}
	_, p.size = f.Launch.Sizes[p.Name]
	if d := fields["define"]; d != nil {
		p.macro, err = d.String()
		p.Compiled = true
	} else if !p.size {
		return p, fields["name"].Errorf("%s is no size of the launch file, and defines no macro", p.Name)
	}
	return p, err
}

// values reads those of a parameter.
func values(n *yamlfile.Node, role Role) (all []int64, err error) {
	list, err := n.List()
	if err != nil {
		return nil, err
	}
	least := 0
	if role != "" {
		least = 1
	}
	for _, v := range list {
		x, err := v.Int()
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && int64(x) <= all[len(all)-1] || x < least {
			return nil, v.Errorf("values go from the least to the greatest, from %d on", least)
		}
		all = append(all, int64(x))
	}
	if len(all) == 0 {
		return nil, n.Errorf("a parameter has at least one value")
	}
	return all, nil
}

// conditions reads what values together must meet.
func (f *File) conditions(n *yamlfile.Node) {
	if n == nil {
		return
	}
	list := throw.Get(n.Strings())
	names := lists.Map(f.Parameters, func(p Parameter) string { return p.Name })
	for _, n := range list {
		c, err := ParseCondition(n.Text, names)
		if err != nil {
			panic(throw.Of(n.Within(err)))
		}
		if _, err := c.Holds(f.values(f.Base)); err != nil {
			panic(throw.Of(n.Errorf("%v", err)))
		}
		f.Conditions = append(f.Conditions, c)
	}
}

// CheckRoles refuses a parameter without a role.
func (f *File) CheckRoles() error {
	for _, p := range f.Parameters {
		if p.Role == "" {
			return p.node.Errorf("a parameter is one of block, thread and places, of an axis, or unroll")
		}
	}
	return nil
}

// Text is a configuration as users write it.
func (f *File) Text(c []int64) string { return f.Config(c).String() }

// Config is the path of a configuration.
func (f *File) Config(c []int64) (out search.Config) {
	for i, p := range f.Parameters {
		out = append(out, search.Pick{Choice: p.Name, Option: strconv.FormatInt(c[i], 10)})
	}
	return out
}

// Has reports whether the space has a configuration.
func (f *File) Has(c []int64) bool {
	for i, p := range f.Parameters {
		if !slices.Contains(p.Values, c[i]) {
			return false
		}
	}
	return f.Conditions.Hold(f.values(c))
}

func (f *File) values(c []int64) map[string]int64 {
	at := map[string]int64{}
	for i, p := range f.Parameters {
		at[p.Name] = c[i]
	}
	return at
}

// At is the launch file with the macros of a configuration, and the sizes that are parameters.
func (f *File) At(c []int64) (*launchfile.File, map[string]int64) {
	sizes := map[string]int64{}
	var macros []string
	for i, p := range f.Parameters {
		if p.size {
			sizes[p.Name] = c[i]
		}
		if p.macro != "" {
			macros = append(macros, fmt.Sprintf("%s=%d", p.macro, c[i]))
		}
	}
	return f.Launch.With(macros), sizes
}

// Space is the graph of the parameters, one after the other.
func (f *File) Space() search.Space {
	var all search.Product
	for _, p := range f.Parameters {
		c := search.Choice{Name: p.Name}
		for _, v := range p.Values {
			c.Options = append(c.Options, strconv.FormatInt(v, 10))
		}
		all = append(all, c)
	}
	return search.Prune(all, func(made search.Config) bool { return f.Conditions.Hold(Numbers(made)) })
}

// Configuration are the values of a path to the end of the space.
func (f *File) Configuration(c search.Config) []int64 {
	at, out := Numbers(c), make([]int64, len(f.Parameters))
	for i, p := range f.Parameters {
		out[i] = at[p.Name]
	}
	return out
}

// Numbers are the options of a path that are integers.
func Numbers(c search.Config) map[string]int64 {
	at := map[string]int64{}
	for _, p := range c {
		if n, err := strconv.ParseInt(p.Option, 10, 64); err == nil {
			at[p.Choice] = n
		}
	}
	return at
}
