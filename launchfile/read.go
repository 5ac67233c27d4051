package launchfile

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/device/datafile"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/kernel/expr"
	"gpuperf/samples"
)

// reader holds what reading the parts of a file share.
type reader struct {
	file     *File
	restore  bool // unless a buffer says otherwise
	repeated bool // whether a launch is repeated, and has a step
	depth    int  // of structures
	// constants have values in expressions, and are no sizes that another value could be given.
	constants map[string]int64
}

// unsupported are keys that stand for what cannot be launched, and what they are, by the map that they stand in.
var unsupported = map[string]map[string]string{
	"argument": {"texture": "a texture", "surface": "a surface", "tensor_map": "a tensor map"},
}

// fields returns the values of a map of the format by key.
func fields(n *yamlfile.Node, part string) map[string]*yamlfile.Node {
	supported(n, part)
	return throw.Get(n.Fields(Keys[part]...))
}

func supported(n *yamlfile.Node, part string) {
	for _, e := range n.Entries {
		if what, ok := unsupported[part][e.Key.Text]; ok {
			panic(throw.Of(e.Key.Errorf("%s is not supported yet", what)))
		}
	}
}

// Parse reads the text of a launch file. Errors are *source.Error.
func Parse(path string, text []byte) (*File, error) {
	root, err := yamlfile.Parse(path, text)
	if err != nil {
		return nil, err
	}
	return FromNode(path, root, nil)
}

// FromNode reads a launch file that was taken apart already. Constants have values in its expressions, beside its sizes.
func FromNode(path string, root *yamlfile.Node, constants map[string]int64) (_ *File, err error) {
	defer throw.Catch(&err)
	if root.Get("source") == nil && root.Get("listing") == nil && !slices.ContainsFunc(root.Entries, func(e yamlfile.Entry) bool { return source.Nearest(e.Key.Text, []string{"source"}) != "" }) {
		return nil, (&source.Error{File: path, Msg: "no launch file, which names a source"}).WithHint("perf calibrate takes models, and perf evaluate suites")
	}
	supported(root, "file")
	f := throw.Get(yamlfile.Format{Name: "launch file", Version: Version, Keys: Keys["file"]}.Fields(root))
	if f["source"] == nil && f["listing"] == nil {
		return nil, root.Errorf("the launch file has no source")
	}
	r := &reader{file: &File{Path: path, root: root, opened: map[string]datafile.Data{}}, restore: true, constants: constants}
	var common launch
	for _, read := range []func() error{
		func() error { return r.program(f) },
		func() error { return r.code(f) },
		func() error { return r.sizes(f["sizes"]) },
		func() error { return yamlfile.Optional(f["restore"], (*yamlfile.Node).Bool, &r.restore) },
		func() (err error) { common, err = r.launch(f, launch{}); return err },
		func() error { return r.sequence(root, f["sequence"], common) },
		func() error { return r.expect(f["expect"], common) },
		func() error { return yamlfile.Optional(f["assume"], r.assume, &r.file.Assume) },
		func() error { return yamlfile.Optional(f["launches"], amount, &r.file.Launches) },
		func() error { return yamlfile.Optional(f["application"], r.application, &r.file.Application) },
		r.allDescribed,
	} {
		throw.If(read())
	}
	return r.file, nil
}

func (r *reader) sizes(n *yamlfile.Node) error {
	r.file.Sizes = map[string]int64{}
	maps.Copy(r.file.Sizes, r.constants)
	if n == nil {
		return nil
	}
	entries, err := n.Pairs()
	if err != nil {
		return err
	}
	for _, e := range entries {
		v, err := e.Value.Int()
		_, taken := r.constants[e.Key.Text]
		switch {
		case err != nil:
			return err
		case !expr.IsName(e.Key.Text):
			return e.Key.Errorf("%q cannot be the name of a size", e.Key.Text)
		case e.Key.Text == step:
			return e.Key.Errorf("a size cannot be called %s", step).WithHint("%s counts the launches that repeat makes", step)
		case taken:
			return e.Key.Errorf("%s has a value already", e.Key.Text)
		case v < 1:
			return e.Value.Errorf("size %s is %d; sizes are at least 1", e.Key.Text, v)
		}
		r.file.Sizes[e.Key.Text] = int64(v)
	}
	return nil
}

// launch reads the keys of a launch. What it does not say is as in another.
func (r *reader) launch(f map[string]*yamlfile.Node, like launch) (launch, error) {
	l := like
	err := cmp.Or(
		yamlfile.Optional(f["kernel"], (*yamlfile.Node).String, &l.kernel),
		yamlfile.Optional(f["grid"], r.dimensions, &l.grid),
		yamlfile.Optional(f["block"], r.dimensions, &l.block),
		yamlfile.Optional(f["shared"], r.shared, &l.shared),
		yamlfile.Optional(f["attributes"], r.attributes, &l.attributes),
		yamlfile.Optional(f["globals"], r.globals, &l.globals),
		yamlfile.Optional(f["args"], r.args, &l.args),
	)
	return l, err
}

// complete refuses a launch that lacks something.
func (l launch) complete(n *yamlfile.Node) error {
	for key, has := range map[string]bool{"kernel": l.kernel != "", "grid": l.grid != nil, "block": l.block != nil} {
		if !has {
			return n.Errorf("the launch has no %s", key)
		}
	}
	return nil
}

func (r *reader) dimensions(n *yamlfile.Node) (_ []number, err error) {
	defer throw.Catch(&err)
	items := throw.Get(n.List())
	if len(items) < 1 || len(items) > 3 {
		return nil, n.Errorf("expected one to three numbers, found %d", len(items))
	}
	return lists.Map(items, r.number), nil
}

func (r *reader) shared(n *yamlfile.Node) (_ *number, err error) {
	defer throw.Catch(&err)
	if !r.file.cuda() {
		return nil, n.Errorf("OpenCL passes local memory as an argument").WithHint("write {local: float32, size: 256} among args")
	}
	v := r.number(n)
	return &v, nil
}

func (r *reader) attributes(n *yamlfile.Node) (a attributes, err error) {
	f, err := n.Fields(Keys["attributes"]...)
	if err != nil {
		return a, err
	}
	for key, v := range f {
		if opencl := key == "begin"; opencl == r.file.cuda() {
			return a, v.Errorf("launches under %s have no %s", r.file.Interface, key)
		}
	}
	err = cmp.Or(
		yamlfile.Optional(f["begin"], r.dimensions, &a.begin),
		yamlfile.Optional(f["cluster"], r.dimensions, &a.cluster),
		yamlfile.Optional(f["cooperative"], (*yamlfile.Node).Bool, &a.cooperative),
		yamlfile.Optional(f["carveout"], r.numberAt, &a.carveout),
	)
	return a, err
}

// sequence reads the launches; without a list of them there is one.
func (r *reader) sequence(root, n *yamlfile.Node, common launch) (err error) {
	defer throw.Catch(&err)
	if n == nil {
		r.file.launches = []launch{common}
		return common.complete(root)
	}
	items := throw.Get(n.List())
	if len(items) == 0 {
		return n.Errorf("the sequence has no launches")
	}
	for _, item := range items {
		f := fields(item, "launch")
		var repeat *number
		if f["repeat"] != nil {
			v := r.number(f["repeat"])
			repeat = &v
		}
		r.repeated = repeat != nil
		l, err := r.launch(f, common)
		r.repeated = false
		throw.If(cmp.Or(err, l.complete(item)))
		l.repeat = repeat
		r.file.launches = append(r.file.launches, l)
	}
	return nil
}

// expect reads what the results are compared with. What a reference kernel does not say is as in the file.
func (r *reader) expect(n *yamlfile.Node, common launch) (err error) {
	defer throw.Catch(&err)
	if n == nil {
		return nil
	}
	e := &expect{node: n}
	r.file.expect = e
	if n.Get("kernel") == nil {
		r.expectedFiles(n, e)
		return nil
	}
	f := fields(n, "expect")
	l, err := r.launch(f, common)
	throw.If(cmp.Or(err, l.complete(n)))
	e.launch, e.program = &l, r.file.program
	if f["source"] != nil {
		e.program = r.source(f["source"])
		e.program.options, e.program.include, e.program.compiler = r.file.program.options, r.file.program.include, r.file.program.compiler
		l.globals = nil
		if e.program.kind.on != r.file.Interface {
			return f["source"].Errorf("it runs under %s, and the kernel under %s", e.program.kind.on, r.file.Interface)
		}
	}
	r.tolerance(f["tolerance"])
	r.results(f["results"])
	return nil
}

// results are the buffers to compare: those that are listed, or else those that the launches write, as far as is known.
func (r *reader) results(n *yamlfile.Node) {
	e := r.file.expect
	if n == nil {
		for _, b := range r.file.buffers {
			if b.restore && e.launch.passes(b) && slices.ContainsFunc(r.file.launches, func(l launch) bool { return l.passes(b) }) {
				e.results = append(e.results, b)
			}
		}
		if len(e.results) == 0 {
			panic(throw.Of(e.node.Errorf("no buffer is passed to both the kernel and its reference, so that there is nothing to compare")))
		}
		return
	}
	items := throw.Get(n.Strings())
	for _, item := range items {
		b := r.file.buffer(item, item.Text)
		if !e.launch.passes(b) {
			panic(throw.Of(item.Errorf("the reference has no argument %s", b.name)))
		}
		e.results = append(e.results, b)
	}
}

// passes reports whether a launch has a buffer, or a variable.
func (l launch) passes(b *buffer) bool {
	return slices.Contains(l.globals, b) || slices.ContainsFunc(l.args, func(a arg) bool { return a.passes(b) })
}

func (a arg) passes(b *buffer) bool {
	return a.buffer == b || slices.ContainsFunc(a.parts, func(a arg) bool { return a.passes(b) })
}

// allDescribed refuses pointers to buffers that are described nowhere.
func (r *reader) allDescribed() (err error) {
	defer throw.Catch(&err)
	all := slices.Clone(r.file.launches)
	if e := r.file.expect; e != nil && e.launch != nil {
		all = append(all, *e.launch)
	}
	for _, l := range all {
		r.described(l.args)
	}
	return nil
}

// expectedFiles reads the files that hold the results, by buffer.
func (r *reader) expectedFiles(n *yamlfile.Node, e *expect) {
	entries := throw.Get(n.Pairs())
	for _, entry := range entries {
		switch key := entry.Key.Text; {
		case key == "tolerance":
			r.tolerance(entry.Value)
			continue
		case slices.Contains(Keys["expect"], key):
			panic(throw.Of(entry.Key.Errorf("%s belongs to a reference kernel, and none is named", key)))
		}
		b := r.file.buffer(entry.Key, entry.Key.Text)
		path := throw.Get(entry.Value.String())
		if !strings.HasSuffix(path, datafile.Suffix) {
			panic(throw.Of(entry.Value.Errorf("expected a file *%s, found %q", datafile.Suffix, path)))
		}
		e.results, e.files = append(e.results, b), append(e.files, entry.Value)
	}
	if len(e.results) == 0 {
		panic(throw.Of(n.Errorf("neither a reference kernel nor a file of results is named")))
	}
}

func (r *reader) tolerance(n *yamlfile.Node) {
	into := &r.file.expect.tolerance
	throw.If(yamlfile.Optional(n, (*yamlfile.Node).Float, into))
	if *into < 0 || *into > 1 {
		panic(throw.Of(n.Errorf("the tolerance is %g, and must be between 0 and 1", *into)))
	}
}

// program reads what is built, and how.
func (r *reader) program(f map[string]*yamlfile.Node) (err error) {
	defer throw.Catch(&err)
	if f["source"] == nil {
		r.file.Interface = samples.CUDA
		return nil
	}
	p := r.source(f["source"])
	for _, key := range []string{"define", "options", "compiler", "include"} {
		if n := f[key]; n != nil && p.kind.image {
			return n.Errorf("%s is for a compiler, and %s is compiled already", key, p.path)
		}
	}
	var words []string
	if n := f["options"]; n != nil {
		items := throw.Get(n.Strings())
		words = p.takeOptions(items)
	}
	defines := definitions(f["define"])
	p.options = strings.Join(append(words, defines...), " ")
	throw.If(yamlfile.Optional(f["compiler"], p.chosen, &p.compiler))
	if n := f["include"]; n != nil {
		dirs := throw.Get(n.Strings())
		p.include = append(dirs, p.include...)
	}
	r.file.program, r.file.Interface = p, p.kind.on
	return nil
}

// chosen reads the choice of a compiler.
func (p program) chosen(n *yamlfile.Node) (string, error) {
	text, err := n.String()
	switch {
	case err != nil:
		return "", err
	case p.kind.on != samples.CUDA:
		return "", n.Errorf("OpenCL C is compiled by the driver")
	case !slices.Contains(Compilers, text):
		return "", notAmong(n, "compiler of CUDA C", Compilers)
	}
	return text, nil
}

// definitions are the options that define macros.
func definitions(n *yamlfile.Node) (words []string) {
	if n == nil {
		return nil
	}
	entries := throw.Get(n.Pairs())
	for _, e := range entries {
		word := "-D" + e.Key.Text
		if e.Value.Kind != yamlfile.Null {
			text := throw.Get(e.Value.String())
			word += "=" + text
		}
		if len(strings.Fields(word)) != 1 {
			panic(throw.Of(e.Key.Errorf("a macro with blanks cannot be passed to the compiler").WithHint("define it in the source")))
		}
		if !macros.MatchString(word) {
			panic(throw.Of(e.Key.Errorf("%s cannot be passed to the compiler as a macro: it has a name, no quotes, and none of $ ` and \\", word[2:]).WithHint("define it in the source")))
		}
		words = append(words, word)
	}
	return words
}

func (r *reader) source(n *yamlfile.Node) program {
	path := throw.Get(n.String())
	ext := strings.ToLower(filepath.Ext(path))
	kind, ok := kinds[ext]
	if !ok {
		known := slices.Sorted(maps.Keys(kinds))
		e := n.Errorf("%q is none of the sources that can be measured: %s", path, strings.Join(known, ", "))
		if what, ok := unsupportedKinds[ext]; ok {
			e = n.Errorf("%s is not supported yet", what)
		}
		throw.If(e)
		return program{}
	}
	return program{node: n, path: path, kind: kind}
}

// Load reads a launch file.
func Load(path string) (*File, error) { return yamlfile.Load(path, Parse) }
