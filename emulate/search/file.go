package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/yamlfile"
	"gpuperf/kernel/expr"
	"gpuperf/sass"
)

// File is a space of configurations of a launch file. A parameter is a size of that file, which its grid, work-groups and arguments may depend
// on, or a macro of its source, or both.
type File struct {
	*Space
	Base   Configuration // that of the launch file; the least values of what it does not say
	launch string
	sizes  map[string]bool // parameters that are sizes
	macros map[string]string
}

// version of the format.
const version = 1

// axes are the names of the axes of a grid.
var axes = []string{"x", "y", "z"}

// Load reads a file with a space.
func Load(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	root, err := yamlfile.Parse(path, text)
	if err != nil {
		return nil, err
	}
	fields, err := root.Fields("version", "launch", "parameters", "constraints")
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"version", "launch", "parameters"} {
		if fields[key] == nil {
			return nil, root.Errorf("a space needs %s", key)
		}
	}
	if err := fields["version"].CheckVersion("space", version); err != nil {
		return nil, err
	}
	f := &File{Space: &Space{}, sizes: map[string]bool{}, macros: map[string]string{}}
	if f.launch, err = fields["launch"].String(); err != nil {
		return nil, err
	}
	f.launch = filepath.Join(filepath.Dir(path), f.launch)
	base, err := launches.Load(f.launch, nil)
	if err != nil {
		return nil, err
	}
	list, err := fields["parameters"].List()
	if err != nil {
		return nil, err
	}
	for _, n := range list {
		if err := f.parameter(n, base.Job.Identity.Sizes); err != nil {
			return nil, err
		}
	}
	if err := f.constraints(fields["constraints"]); err != nil {
		return nil, err
	}
	if !f.Has(f.Base) {
		return nil, fields["parameters"].Errorf("the space does not have what the launch file starts with: %s", f.Text(f.Base))
	}
	return f, nil
}

// parameter reads one of the list.
func (f *File) parameter(n *yamlfile.Node, sizes map[string]int64) error {
	fields, err := n.Fields("name", "values", "block", "thread", "places", "unroll", "define")
	if err != nil {
		return err
	}
	if fields["name"] == nil || fields["values"] == nil {
		return n.Errorf("a parameter needs name and values")
	}
	p := Parameter{}
	if p.Name, err = fields["name"].String(); err != nil {
		return err
	}
	values, err := fields["values"].List()
	if err != nil {
		return err
	}
	for _, v := range values {
		x, err := v.Int()
		if err != nil {
			return err
		}
		if len(p.Values) > 0 && int64(x) <= p.Values[len(p.Values)-1] || x < 1 {
			return v.Errorf("values go from the least to the greatest, from 1 on")
		}
		p.Values = append(p.Values, int64(x))
	}
	for _, r := range []Role{Reshape, Coarsen, Places, Unroll} {
		if fields[string(r)] == nil {
			continue
		}
		p.Role = r
		if axis, err := fields[string(r)].String(); r != Unroll && (err != nil || !slices.Contains(axes, axis)) {
			return fields[string(r)].Errorf("expected an axis: %s", strings.Join(axes, ", "))
		}
	}
	if p.Role == "" {
		return n.Errorf("a parameter is one of block, thread and places, of an axis, or unroll")
	}
	start, isSize := sizes[p.Name]
	if f.sizes[p.Name] = isSize; !isSize {
		start = p.Values[0]
	}
	if d := fields["define"]; d != nil {
		if f.macros[p.Name], err = d.String(); err != nil {
			return err
		}
		p.Compiled = true
	} else if !isSize {
		return fields["name"].Errorf("%s is no size of the launch file, and defines no macro", p.Name)
	}
	f.Parameters, f.Base = append(f.Parameters, p), append(f.Base, start)
	return nil
}

// constraints reads the conditions that values together must meet.
func (f *File) constraints(n *yamlfile.Node) error {
	if n == nil {
		return nil
	}
	list, err := n.Strings()
	if err != nil {
		return err
	}
	var all []func(at map[string]int64) (bool, error)
	for _, n := range list {
		e, err := expr.Parse(n.Text)
		if err != nil {
			return n.Errorf("%v", err)
		}
		op, ok := e.(*expr.Op)
		if !ok || compare[op.Kind] == nil {
			return n.Errorf("expected a comparison of integers such as bx * by <= 512, found %s", n.Text)
		}
		holds := func(at map[string]int64) (bool, error) {
			x, err := expr.EvalInt(op.Args[0], at)
			if err != nil {
				return false, err
			}
			y, err := expr.EvalInt(op.Args[1], at)
			return err == nil && compare[op.Kind](x.Cmp(y)), err
		}
		if _, err := holds(f.values(f.Base)); err != nil {
			return n.Errorf("%v", err)
		}
		all = append(all, holds)
	}
	f.Allowed = func(c Configuration) bool {
		at := f.values(c)
		return !slices.ContainsFunc(all, func(holds func(map[string]int64) (bool, error)) bool {
			ok, err := holds(at)
			return err != nil || !ok
		})
	}
	return nil
}

// compare are the operators of conditions, by how the sides compare.
var compare = map[expr.OpKind]func(int) bool{
	expr.Lt: func(c int) bool { return c < 0 }, expr.Le: func(c int) bool { return c <= 0 }, expr.Gt: func(c int) bool { return c > 0 },
	expr.Ge: func(c int) bool { return c >= 0 }, expr.Eq: func(c int) bool { return c == 0 }, expr.Ne: func(c int) bool { return c != 0 },
}

func (f *File) values(c Configuration) map[string]int64 {
	at := map[string]int64{}
	for i, p := range f.Parameters {
		at[p.Name] = c[i]
	}
	return at
}

// Launch is the launch of a configuration.
func (f *File) Launch(c Configuration) (*launches.Sequence, error) {
	at := f.values(c)
	maps.DeleteFunc(at, func(name string, _ int64) bool { return !f.sizes[name] })
	s, err := launches.Load(f.launch, at)
	if err != nil {
		return nil, err
	}
	for i, p := range f.Parameters {
		if macro := f.macros[p.Name]; macro != "" {
			s.Job.Options = strings.TrimSpace(fmt.Sprintf("%s -D%s=%d", s.Job.Options, macro, c[i]))
		}
	}
	return s, nil
}

// Emulator is the oracle of a file.
type Emulator struct {
	*File
	Device *facts.Device
	// Code is the machine code of a configuration and its launch.
	Code func(context.Context, Configuration, *launches.Sequence) (*sass.Listing, error)
}

// Emulate emulates the launch of a configuration.
func (e *Emulator) Emulate(ctx context.Context, c Configuration, sensitivity bool) (*emulate.Result, error) {
	s, err := e.Launch(c)
	if err != nil {
		return nil, err
	}
	l, err := e.Code(ctx, c, s)
	if err != nil {
		return nil, err
	}
	r, err := s.Run(ctx, l, launches.Options{Device: e.Device, Sensitivity: sensitivity})
	if room := (*emulate.NoRoom)(nil); errors.As(err, &room) {
		return nil, fmt.Errorf("%w: %v", ErrImpossible, err)
	}
	if err != nil {
		return nil, err
	}
	return r.Launches[0].Result, nil
}
