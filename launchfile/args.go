package launchfile

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/yamlfile"
)

// fills are the ways to fill a buffer.
var fills = map[string]func(a *device.Arg){
	"random": func(*device.Arg) {},
	"zeros":  func(a *device.Arg) { a.Sequence = &device.Sequence{} },
	"iota":   func(a *device.Arg) { a.Sequence = &device.Sequence{Mul: 1} },
}

// Fills are the names of the ways to fill a buffer.
var Fills = []string{"random", "zeros", "iota"}

func (r *reader) args(n *yamlfile.Node) ([]arg, error) {
	items, err := n.List()
	if err != nil {
		return nil, err
	}
	out := make([]arg, len(items))
	for i, item := range items {
		if out[i], err = r.arg(item); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *reader) arg(n *yamlfile.Node) (arg, error) {
	entries, err := n.Pairs()
	if err != nil {
		return arg{}, err
	}
	for _, e := range entries {
		if what, ok := later["argument"][e.Key.Text]; ok {
			return arg{}, e.Key.Errorf("%s is not supported yet", what)
		}
	}
	switch {
	case n.Get("buffer") != nil:
		b, err := r.buffer(n)
		return arg{node: n, buffer: b}, err
	case n.Get("local") != nil:
		return r.local(n)
	case len(entries) == 1 && slices.Contains(Scalars, entries[0].Key.Text):
		v, err := r.number(entries[0].Value)
		return arg{node: n, dtype: entries[0].Key.Text, value: v}, err
	}
	return arg{}, n.Errorf("expected a buffer, local memory or one number").WithHint("write {buffer: x, dtype: float32, size: n}, {int32: n} or {local: float32, size: 256}")
}

func (r *reader) local(n *yamlfile.Node) (arg, error) {
	f, err := fields(n, "local")
	if err != nil {
		return arg{}, err
	}
	a := arg{node: n, local: true}
	switch {
	case r.file.cuda():
		return a, f["local"].Errorf("CUDA passes no shared memory as an argument").WithHint("give its bytes as shared")
	case f["size"] == nil:
		return a, n.Errorf("local memory has no size")
	}
	if a.dtype, err = dtype(f["local"]); err == nil {
		a.value, err = r.number(f["size"])
	}
	return a, err
}

func dtype(n *yamlfile.Node) (string, error) {
	text, err := n.String()
	if err == nil && device.DTypeSize(text) == 0 {
		err = notAmong(n, "type of elements", append(slices.Clone(Scalars), "float16"))
	}
	return text, err
}

// buffer reads an argument that is a buffer. The first of a name describes it; further ones are the same memory.
func (r *reader) buffer(n *yamlfile.Node) (*buffer, error) {
	f, err := fields(n, "buffer")
	if err != nil {
		return nil, err
	}
	b := &buffer{node: n, fill: "random", restore: r.restore, data: f["data"]}
	if b.name, err = f["buffer"].String(); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(r.file.buffers, func(o *buffer) bool { return o.name == b.name })
	switch {
	case at >= 0 && len(f) > 1:
		return nil, n.Errorf("the buffer %s is described twice", b.name).WithHint("write {buffer: %s} for the same memory again", b.name)
	case at >= 0:
		return r.file.buffers[at], nil
	case f["size"] != nil && f["bytes"] != nil:
		return nil, f["bytes"].Errorf("the buffer has both a size and a number of bytes")
	case f["bytes"] != nil && f["dtype"] == nil:
		b.dtype = "uint8"
	case f["bytes"] != nil:
		return nil, f["bytes"].Errorf("a buffer of a type has a size in elements").WithHint("write size in place of bytes")
	case f["size"] == nil && f["data"] == nil:
		return nil, n.Errorf("the buffer %s has no size", b.name)
	case f["fill"] != nil && f["data"] != nil:
		return nil, f["fill"].Errorf("the buffer has both data and something to fill it with")
	}
	err = cmp.Or(
		optional(f["dtype"], dtype, &b.dtype),
		optional(cmp.Or(f["size"], f["bytes"]), func(n *yamlfile.Node) (*number, error) { v, err := r.number(n); return &v, err }, &b.size),
		optional(f["fill"], fill, &b.fill),
		optional(f["restore"], (*yamlfile.Node).Bool, &b.restore),
	)
	if b.data != nil && err == nil {
		_, err = b.data.String()
	}
	if err != nil {
		return nil, err
	}
	if b.dtype == "" && (b.data == nil || !strings.HasSuffix(b.data.Text, npySuffix)) {
		return nil, n.Errorf("the buffer %s has no dtype", b.name)
	}
	r.file.buffers = append(r.file.buffers, b)
	return b, nil
}

func fill(n *yamlfile.Node) (string, error) {
	text, err := n.String()
	if err == nil && fills[text] == nil {
		err = notAmong(n, "way to fill a buffer", Fills)
	}
	return text, err
}
