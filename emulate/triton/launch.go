package triton

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
	"gpuperf/launchfile"
	"gpuperf/sass"
)

// kinds are the keys by which an argument of a launch file says what it is.
var kinds = append([]string{"buffer", "pointer", "hex", "struct"}, launchfile.Scalars...)

// file is the launch file of a configuration, made of the nodes of the description.
func (d *Description) file(p *pair, f *sass.Function) (*launchfile.File, error) {
	grid, err := d.gridOf(p)
	if err != nil {
		return nil, err
	}
	args, err := d.arguments(p.entry, f, grid)
	if err != nil {
		return nil, err
	}
	at := p.node
	var entries []yamlfile.Entry
	put := func(key string, value *yamlfile.Node) {
		if value != nil {
			entries = append(entries, yamlfile.Entry{Key: at.Put(key), Value: value})
		}
	}
	put("version", at.Put("1"))
	put("listing", at.Put(p.entry.code()))
	put("kernel", at.Put(f.Name))
	put("sizes", d.sizes)
	put("block", at.PutList(at.Put(fmt.Sprint(warp*p.entry.NumWarps))))
	put("shared", at.Put(fmt.Sprint(p.entry.Shared)))
	if n := p.entry.NumCTAs; n > 1 {
		grid[0] = grid[0].Put(fmt.Sprintf("(%s) * %d", grid[0].Text, n))
		cluster := at.PutList(at.Put(fmt.Sprint(n)), at.Put("1"), at.Put("1"))
		put("attributes", at.PutMap(yamlfile.Entry{Key: at.Put("cluster"), Value: cluster}))
	}
	put("grid", grid[0].PutList(grid...))
	put("args", d.args.PutList(args...))
	put("assume", d.assume)
	file, err := launchfile.FromNode(d.Path, at.PutMap(entries...), p.constants())
	if e := new(source.Error); !d.own && errors.As(err, &e) && strings.HasPrefix(e.Msg, "there is no size") {
		return nil, e.WithHint("a cache does not hold constexprs: write their values, as configurations: [{BLOCK: 128, num_warps: 4}], " +
			"or let perf_triton.py write the description")
	}
	return file, err
}

// warp is the number of work-items of a warp.
const warp = exec.WarpSize

// gridOf is the grid of a configuration, in programs.
func (d *Description) gridOf(p *pair) ([]*yamlfile.Node, error) {
	n := d.grid
	if p.grid != nil {
		n = p.grid
	}
	if n == nil {
		return nil, p.node.Errorf("there is no grid").WithHint(`write grid: ["cdiv(n, BLOCK)"], for all configurations or in each`)
	}
	items, err := n.List()
	if err == nil && (len(items) < 1 || len(items) > 3) {
		err = n.Errorf("expected one to three numbers, found %d", len(items))
	}
	for _, item := range items {
		if err == nil {
			_, err = item.String()
		}
	}
	return slices.Clone(items), err
}

// arguments are those that the machine code takes, as a launch file has them.
func (d *Description) arguments(e *Entry, f *sass.Function, grid []*yamlfile.Node) (list []*yamlfile.Node, err error) {
	entries, err := d.taken(e, f)
	if err != nil {
		return nil, err
	}
	for i, given := range entries {
		node, err := argument(given, e.parameter(i, f))
		if err != nil {
			return nil, err
		}
		list = append(list, node)
	}
	// Behind the arguments stand pointers to memory of Triton's own.
	for i := len(list); i < len(f.Parameters); i++ {
		at := d.args
		put := func(key, text string) yamlfile.Entry { return yamlfile.Entry{Key: at.Put(key), Value: at.Put(text)} }
		if i == len(entries) && e.Scratch > 0 {
			programs := make([]string, len(grid))
			for k, n := range grid {
				programs[k] = "(" + n.Text + ")"
			}
			bytes := fmt.Sprintf("%d * %s", e.Scratch, strings.Join(programs, " * "))
			list = append(list, at.PutMap(put("buffer", "scratch memory"), put("bytes", bytes), put("fill", "zeros")))
			continue
		}
		list = append(list, at.PutMap(put("hex", strings.Repeat("00", f.Parameters[i].Bytes))))
	}
	return list, nil
}

// taken are the entries of args that the machine code takes, in its order: by name, or else by place.
func (d *Description) taken(e *Entry, f *sass.Function) (list []yamlfile.Entry, err error) {
	all, err := d.args.Pairs()
	if err != nil {
		return nil, err
	}
	if e.Arguments == nil || slices.ContainsFunc(e.Arguments, func(a Argument) bool { return a.Name == "" }) {
		return d.byPlace(all, e, f)
	}
	names := lists.Map(all, func(given yamlfile.Entry) string { return given.Key.Text })
	for _, a := range e.Arguments {
		i := slices.Index(names, a.Name)
		if i < 0 {
			return nil, d.args.Errorf("the kernel takes %s, and args do not have it", a.Name).WithHint("%s", source.Suggest(a.Name, names))
		}
		list = append(list, all[i])
	}
	for i, given := range all {
		known := slices.ContainsFunc(e.Arguments, func(a Argument) bool { return a.Name == names[i] })
		if given.Value.Kind == yamlfile.Map && !known && given.Value.Get("hex") == nil {
			return nil, given.Key.Errorf("the kernel does not take %s", names[i]).WithHint("%s", source.Suggest(names[i], e.names()))
		}
	}
	return list, nil
}

// byPlace takes args in their order. Integers that are 1 are left out where there are too many, as Triton makes constants of them.
func (d *Description) byPlace(all []yamlfile.Entry, e *Entry, f *sass.Function) ([]yamlfile.Entry, error) {
	want := len(e.Arguments)
	if e.Arguments == nil {
		want = len(all)
		if n := len(f.Parameters); n > 0 {
			want = min(want, n)
		}
	}
	list := slices.Clone(all)
	if len(list) > want {
		list = slices.DeleteFunc(list, func(given yamlfile.Entry) bool { return given.Value.Kind == yamlfile.Scalar && given.Value.Text == "1" })
	}
	if len(list) != want {
		return nil, d.args.Errorf("the machine code takes %d arguments, and %d are given", want, len(all)).
			WithHint("constexprs, and integers that were 1 when the kernel was compiled, are no arguments of the machine code")
	}
	return list, nil
}

func (e *Entry) names() (list []string) {
	return lists.Map(e.Arguments, func(a Argument) string { return a.Name })
}

// parameter is an argument of the machine code. Where the cache does not say what it is, its size does.
func (e *Entry) parameter(i int, f *sass.Function) Argument {
	if i < len(e.Arguments) {
		return e.Arguments[i]
	}
	a := Argument{Type: "int32"}
	if i < len(f.Parameters) && f.Parameters[i].Bytes == 8 {
		a.Type = "int64"
	}
	return a
}

// argument is an argument as a launch file has it: of a pointer to a buffer, the name and the type of elements are added, of a number its type.
func argument(given yamlfile.Entry, a Argument) (*yamlfile.Node, error) {
	v := given.Value
	add := func(key, text string) yamlfile.Entry { return yamlfile.Entry{Key: v.Put(key), Value: v.Put(text)} }
	switch {
	case v.Kind == yamlfile.Scalar && a.Pointer:
		return nil, v.Errorf("%s is a pointer", given.Key.Text).WithHint("write the size of its buffer: {size: %s}", v.Text)
	case v.Kind == yamlfile.Scalar && device.DTypeSize(a.Type) == 0:
		return nil, v.Errorf("%s is of type %s, which descriptions do not have", given.Key.Text, a.ir)
	case v.Kind == yamlfile.Scalar:
		if a.ir == "" && strings.ContainsAny(v.Text, ".") {
			a.Type = "float32"
		}
		value := v
		if text := truth(v.Text); text != v.Text {
			value = v.Put(text)
		}
		return v.PutMap(yamlfile.Entry{Key: v.Put(a.Type), Value: value}), nil
	case v.Kind != yamlfile.Map:
		return nil, v.Errorf("expected a number or a buffer for %s", given.Key.Text).WithHint("write {size: n}, in elements, or a number")
	}
	if slices.ContainsFunc(kinds, func(key string) bool { return key != "buffer" && v.Get(key) != nil }) {
		return v, nil
	}
	entries := slices.Clone(v.Entries)
	if v.Get("buffer") == nil {
		entries = append([]yamlfile.Entry{add("buffer", given.Key.Text)}, entries...)
	}
	if v.Get("dtype") == nil && v.Get("size") != nil && a.Pointer {
		entries = append(entries, add("dtype", a.Type))
	}
	return v.PutMap(entries...), nil
}
