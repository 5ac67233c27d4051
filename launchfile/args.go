package launchfile

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/device/datafile"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
)

// argument reads one kind of argument.
type argument struct {
	key  string // that says what it is
	read func(r *reader, f map[string]*yamlfile.Node, a *arg) error
}

func arguments() []argument {
	return []argument{
		{"buffer", (*reader).buffer},
		{"pointer", (*reader).pointer},
		{"local", (*reader).local},
		{"hex", (*reader).bits},
		{"struct", (*reader).structure},
	}
}

func (r *reader) args(n *yamlfile.Node) (_ []arg, err error) {
	defer throw.Catch(&err)
	items := throw.Get(n.List())
	out := make([]arg, len(items))
	for i, item := range items {
		out[i] = r.arg(item)
		if n := item.Get("offset"); n != nil && r.depth == 0 && !r.file.cuda() {
			return nil, n.Errorf("OpenCL takes arguments one by one, without offsets")
		}
	}
	return out, nil
}

func (r *reader) arg(n *yamlfile.Node) (a arg) {
	entries := throw.Get(n.Pairs())
	for _, e := range entries {
		if what, ok := unsupported["argument"][e.Key.Text]; ok {
			panic(throw.Of(e.Key.Errorf("%s is not supported", what)))
		}
	}
	a.node = n
	for _, kind := range arguments() {
		if n.Get(kind.key) == nil {
			continue
		}
		f := throw.Get(n.Fields(Keys[kind.key]...))
		throw.If(cmp.Or(yamlfile.Optional(f["offset"], r.numberAt, &a.offset), kind.read(r, f, &a)))
		return a
	}
	f, err := n.Fields(append([]string{"offset"}, Scalars...)...)
	delete(f, "offset")
	if err != nil || len(f) != 1 {
		panic(throw.Of(n.Errorf("expected a buffer, a pointer, local memory, a structure, bytes or one number").
			WithHint("write {buffer: x, dtype: float32, size: n}, {int32: n} or {local: float32, size: 256}")))
	}
	for dtype, v := range f {
		a.kind, a.dtype = device.Scalar, dtype
		a.value = r.number(v)
	}
	throw.If(yamlfile.Optional(n.Get("offset"), r.numberAt, &a.offset))
	return a
}

// numberAt is number, for what may be missing.
func (r *reader) numberAt(n *yamlfile.Node) (_ *number, err error) {
	defer throw.Catch(&err)
	v := r.number(n)
	return &v, nil
}

func (r *reader) local(f map[string]*yamlfile.Node, a *arg) (err error) {
	defer throw.Catch(&err)
	a.kind = device.Local
	switch {
	case r.file.cuda():
		return f["local"].Errorf("CUDA passes no shared memory as an argument").WithHint("give its bytes as shared")
	case r.depth > 0:
		return f["local"].Errorf("local memory is no part of a structure")
	case f["size"] == nil:
		return a.node.Errorf("local memory has no size")
	}
	a.dtype = throw.Get(dtype(f["local"]))
	a.value = r.number(f["size"])
	return nil
}

// bits reads raw bytes.
func (r *reader) bits(f map[string]*yamlfile.Node, a *arg) error {
	text, err := f["hex"].String()
	if err != nil {
		return err
	}
	a.kind = device.Raw
	a.bits, err = hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil || len(a.bits) == 0 {
		return f["hex"].Errorf("expected bytes in hexadecimal digits, found %q", text).WithHint(`write two digits a byte, in quotes: "0000803f"`)
	}
	return nil
}

func (r *reader) structure(f map[string]*yamlfile.Node, a *arg) (err error) {
	a.kind = device.Struct
	r.depth++
	a.parts, err = r.args(f["struct"])
	r.depth--
	if err == nil && len(a.parts) == 0 {
		err = f["struct"].Errorf("the structure is empty")
	}
	return err
}

func dtype(n *yamlfile.Node) (string, error) {
	text, err := n.String()
	if err == nil && device.DTypeSize(text) == 0 {
		err = notAmong(n, "type of elements", append(slices.Clone(Scalars), "float16"))
	}
	return text, err
}

// place reads where in a buffer an argument points to.
func (r *reader) place(f map[string]*yamlfile.Node, a *arg) error {
	switch n := cmp.Or(f["at"], f["pointer"], f["buffer"]); {
	case f["at"] != nil && !r.file.cuda():
		return n.Errorf("OpenCL passes whole buffers").WithHint("pass the buffer and a number as two arguments")
	case r.depth > 0 && !r.file.cuda():
		return n.Errorf("a structure holds no pointers under OpenCL").WithHint("pass the buffer as an argument of its own")
	}
	return yamlfile.Optional(f["at"], r.numberAt, &a.at)
}

// pointer reads an argument that points to a buffer which is described elsewhere, before or after it.
func (r *reader) pointer(f map[string]*yamlfile.Node, a *arg) error {
	name, err := f["pointer"].String()
	if err != nil {
		return err
	}
	a.kind, a.buffer = device.Buffer, r.named(name)
	if a.buffer.global {
		return f["pointer"].Errorf("%s is a variable of the module, and no buffer", name)
	}
	return r.place(f, a)
}

// named is the buffer of a name, which may not have been described yet.
func (r *reader) named(name string) *buffer {
	at := slices.IndexFunc(r.file.buffers, func(o *buffer) bool { return o.name == name })
	if at < 0 {
		at = len(r.file.buffers)
		r.file.buffers = append(r.file.buffers, &buffer{name: name})
	}
	return r.file.buffers[at]
}

// described refuses a pointer to a buffer that is described nowhere.
func (r *reader) described(args []arg) {
	var known []string
	for _, b := range r.file.buffers {
		if b.node != nil && !b.global {
			known = append(known, b.name)
		}
	}
	for _, a := range args {
		r.described(a.parts)
		if a.buffer != nil && a.buffer.node == nil {
			panic(throw.Of(a.node.Errorf("there is no buffer %q", a.buffer.name).WithHint("%s", source.Suggest(a.buffer.name, known))))
		}
	}
}

// buffer reads an argument that is a buffer. The first of a name describes it; further ones are the same memory.
func (r *reader) buffer(f map[string]*yamlfile.Node, a *arg) error {
	name, err := f["buffer"].String()
	if err != nil {
		return err
	}
	b := r.named(name)
	a.kind, a.buffer = device.Buffer, b
	if err := r.place(f, a); err != nil {
		return err
	}
	again := !slices.ContainsFunc(Keys["global"], func(key string) bool { return f[key] != nil })
	switch {
	case b.global:
		return f["buffer"].Errorf("%s is a variable of the module, and no buffer", name)
	case b.node == nil:
		return r.describe(a.node, f, b)
	case !again:
		return a.node.Errorf("the buffer %s is described twice", name).WithHint("write {buffer: %s} for the same memory again", name)
	}
	return nil
}

// describe reads what a buffer or a variable is made of.
func (r *reader) describe(n *yamlfile.Node, f map[string]*yamlfile.Node, b *buffer) error {
	what := "buffer"
	if b.global {
		what = "variable"
	}
	b.node, b.fill, b.restore, b.data, b.stated = n, "random", r.restore, f["data"], f["fill"] != nil
	switch {
	case f["size"] != nil && f["bytes"] != nil:
		return f["bytes"].Errorf("the %s has both a size and a number of bytes", what)
	case f["bytes"] != nil && f["dtype"] == nil:
		b.dtype = "uint8"
	case f["bytes"] != nil:
		return f["bytes"].Errorf("a %s of a type has a size in elements", what).WithHint("write size in place of bytes")
	case f["size"] == nil && f["data"] == nil:
		return n.Errorf("the %s %s has no size", what, b.name)
	case f["fill"] != nil && f["data"] != nil:
		return f["fill"].Errorf("the %s has both data and something to fill it with", what)
	case f["data_at"] != nil && f["data"] == nil:
		return f["data_at"].Errorf("the %s has no data", what).WithHint("name the file of its data: {data: FILE, data_at: 0}")
	case f["data_at"] != nil && f["size"] == nil && f["bytes"] == nil:
		return f["data_at"].Errorf("the data are a part of the %s, whose size nothing says", what).WithHint("write its bytes, or its dtype and size")
	}
	err := cmp.Or(
		yamlfile.Optional(f["dtype"], dtype, &b.dtype),
		yamlfile.Optional(cmp.Or(f["size"], f["bytes"]), r.numberAt, &b.size),
		yamlfile.Optional(f["fill"], fill, &b.fill),
		yamlfile.Optional(f["data_at"], r.numberAt, &b.dataAt),
		yamlfile.Optional(f["restore"], (*yamlfile.Node).Bool, &b.restore),
		yamlfile.Optional(f["memory"], memory, &b.memory),
	)
	if b.data != nil && err == nil {
		_, err = b.data.String()
	}
	if err == nil && b.dtype == "" && (b.data == nil || !strings.HasSuffix(b.data.Text, datafile.Suffix)) {
		err = n.Errorf("the %s %s has no dtype", what, b.name)
	}
	return err
}

// memory reads where a buffer lies.
func memory(n *yamlfile.Node) (device.Memory, error) {
	text, err := n.String()
	if err == nil && !slices.Contains(device.Memories, text) {
		err = notAmong(n, "memory of a buffer", device.Memories)
	}
	return device.Memory(text), err
}

// globals reads the variables of the module that are set.
func (r *reader) globals(n *yamlfile.Node) (list []*buffer, err error) {
	if !r.file.cuda() {
		return nil, n.Errorf("OpenCL sets no variables of a program").WithHint("pass a buffer as an argument")
	}
	entries, err := n.Pairs()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		b := r.named(e.Key.Text)
		if b.node != nil {
			return nil, e.Key.Errorf("%s is described twice", b.name)
		}
		b.global = true
		f, err := e.Value.Fields(Keys["global"]...)
		if err := cmp.Or(err, r.describe(e.Value, f, b)); err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// fills are the ways to fill a buffer.
var fills = map[string]func(a *device.Arg){
	"random": func(*device.Arg) {},
	"zeros":  func(a *device.Arg) { a.Sequence = &device.Sequence{} },
	"iota":   func(a *device.Arg) { a.Sequence = &device.Sequence{Mul: 1} },
	// Zeros, in place of what nobody knows.
	"unknown": func(a *device.Arg) { a.Sequence, a.Unknown = &device.Sequence{}, true },
}

// Fills are the names of the ways to fill a buffer.
var Fills = []string{"random", "zeros", "iota", "unknown"}

func fill(n *yamlfile.Node) (string, error) {
	text, err := n.String()
	if err == nil && fills[text] == nil {
		err = notAmong(n, "way to fill a buffer", Fills)
	}
	return text, err
}
