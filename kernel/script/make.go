package script

import (
	"errors"
	"strings"

	"go.starlark.net/starlark"

	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// constructors are the functions that make kernels and the declarations of their arguments.
var constructors = []function{
	{
		name: "make_kernel",
		params: `domains, instructions, args|kernel_data=["..."], assumptions=, name=, seq_dependencies=False, functions=[], ` +
			"lang_version=, target=, silenced_warnings=",
		do: makeKernel,
	},
	{
		name: "GlobalArg", params: `name, dtype=, shape=, dim_tags=, offset=0, strides=, order="C", address_space=lp.AddressSpace.GLOBAL`,
		do: array(declaration{space: kernel.Global}),
	},
	{
		name: "ConstantArg", params: `name, dtype=, shape=, dim_tags=, offset=0, strides=, order="C"`,
		do: array(declaration{space: kernel.Global, constant: true}),
	},
	{
		name: "ValueArg", params: "name, dtype=",
		do: array(declaration{value: true}),
	},
	{
		name: "TemporaryVariable", params: `name, dtype=, shape=(), address_space=lp.auto, dim_tags=, offset=0, strides=, order="C"`,
		do: array(declaration{temporary: true}),
	},
}

// declaration is what an argument constructor returns: one array per name.
type declaration struct {
	arrays    []*kernel.Array
	layout    string // applied when the kernel knows the shape
	space     kernel.Space
	constant  bool
	value     bool
	temporary bool
}

func (d *declaration) String() string {
	return d.Type() + " " + lists.Join(d.arrays, ", ", func(a *kernel.Array) string { return a.Name })
}

func (d *declaration) Type() string {
	switch {
	case d.value:
		return "ValueArg"
	case d.temporary:
		return "TemporaryVariable"
	case d.constant:
		return "ConstantArg"
	}
	return "GlobalArg"
}
func (d *declaration) Freeze()               {}
func (d *declaration) Truth() starlark.Bool  { return true }
func (d *declaration) Hash() (uint32, error) { return starlark.String(d.String()).Hash() }

// array is the function behind the constructors of arguments.
func array(kind declaration) func(c *invocation) (starlark.Value, error) {
	return func(c *invocation) (starlark.Value, error) {
		d := kind
		if c.has("address_space") {
			space := kernel.Space(strings.ToLower(c.text("address_space")))
			if space == "auto" && d.temporary {
				space = kernel.Auto
			}
			switch space {
			case kernel.Global, kernel.Local, kernel.Private, kernel.Auto:
			default:
				c.fail("address_space", "lp.AddressSpace has GLOBAL, LOCAL and PRIVATE; lp.auto finds out", "unknown address space %q", space)
			}
			if !d.temporary && space != kernel.Global {
				c.fail("address_space", "use lp.TemporaryVariable for local and private arrays", "an argument lives in global memory, not in %s", space)
			}
			d.space = space
		}
		shape := c.exprs("shape")
		if d.temporary && shape == nil && !c.has("shape") {
			shape = []expr.Expr{} // a scalar, as in Loopy
		}
		order := strings.ToUpper(c.text("order"))
		d.layout = strings.Join(c.names("dim_tags"), ",")
		if order != "" && order != "C" && order != "F" {
			c.fail("order", `"C" makes the last axis contiguous, "F" the first`, "unknown order %q", order)
		}
		axes := c.strides(shape)
		if d.layout != "" && order != "" || axes != nil && d.layout+order != "" {
			c.fail("", "give one of them", "dim_tags, order and strides all set the layout")
		}
		if order == "F" {
			d.layout = order
		}
		var offset expr.Expr
		if c.has("offset") {
			offset = c.expr("offset", c.args["offset"])
			if offset == (expr.Int{}) {
				offset = nil
			}
		}
		dtype := expr.DType(c.text("dtype"))
		if dtype != "" && !dtype.Known() {
			c.fail("dtype", dtypeHint, "unknown element type %q", dtype)
		}
		for _, name := range c.names("name") {
			d.arrays = append(d.arrays, &kernel.Array{
				Name: name, DType: dtype, Space: d.space, Shape: shape, Axes: axes, Offset: offset, IsValue: d.value, Constant: d.constant,
			})
		}
		if len(d.arrays) == 0 {
			c.fail("name", "", "the name is empty")
		}
		return &d, nil
	}
}

// exprs is a list of expressions: one, several in a string with commas between them, or a list; nil where it is left out.
func (c *invocation) exprs(name string) []expr.Expr {
	if !c.has(name) {
		return nil
	}
	out := []expr.Expr{}
	switch v := c.args[name].(type) {
	case starlark.String:
		parts := lex.Split(string(v), ",", "()[]")
		if last := len(parts) - 1; strings.TrimSpace(parts[last]) == "" { // as in "n,"
			parts = parts[:last]
		}
		for _, part := range parts {
			out = append(out, c.expr(name, starlark.String(part)))
		}
	case starlark.Iterable:
		for x := range starlark.Elements(v) {
			out = append(out, c.expr(name, x))
		}
	default:
		out = append(out, c.expr(name, v))
	}
	return out
}

func (c *invocation) strides(shape []expr.Expr) []kernel.Axis {
	list := c.exprs("strides")
	if list == nil {
		return nil
	}
	if shape != nil && len(list) != len(shape) {
		c.fail("strides", "", "%d strides for %d axes", len(list), len(shape))
	}
	axes := make([]kernel.Axis, len(list))
	for i, e := range list {
		axes[i] = kernel.Axis{Nest: len(list) - 1 - i, Stride: e}
	}
	return axes
}

// makeKernel is lp.make_kernel.
func makeKernel(c *invocation) (starlark.Value, error) {
	spec := kernel.Spec{
		Name:         c.text("name"),
		Domains:      c.strings("domains"),
		Instructions: strings.Join(c.strings("instructions"), "\n"),
		Assumptions:  c.text("assumptions"),
		Functions:    c.userFunctions("functions"),
	}
	declared := c.declarations(&spec)
	if _, err := kernel.ParseInstructions(spec.Instructions); err != nil {
		return nil, c.asArgError(err, "instructions")
	}
	k, err := kernel.Make(spec)
	if err != nil {
		return nil, c.makeError(err, spec)
	}
	c.place(k)
	for _, d := range declared {
		for _, a := range d.arrays {
			if d.layout == "" {
				continue
			}
			if k, err = transform.TagDataAxes(k, a.Name, d.layout); err != nil {
				return nil, c.asArgError(err, "args")
			}
		}
	}
	if c.flag("seq_dependencies") {
		for i := 1; i < len(k.Statements); i++ {
			if k, err = transform.AddDependency(k, "id:"+k.Statements[i].ID, k.Statements[i-1].ID); err != nil {
				return nil, c.asArgError(err, "seq_dependencies")
			}
		}
	}
	return &kernelValue{k}, nil
}

// declarations enters args into the specification.
func (c *invocation) declarations(spec *kernel.Spec) []*declaration {
	if !c.has("args") {
		return nil
	}
	spec.Complete = true
	var out []*declaration
	enter := func(v starlark.Value) {
		switch v := v.(type) {
		case *declaration:
			out = append(out, v)
			if v.temporary {
				spec.Temps = append(spec.Temps, v.arrays...)
			} else {
				spec.Args = append(spec.Args, v.arrays...)
			}
			return
		case starlark.String:
			if v == "..." {
				spec.Complete = false
				return
			}
		}
		c.fail("args", `args are lp.GlobalArg(...), lp.ValueArg(...), lp.TemporaryVariable(...) and "..." for the rest`, "unexpected %s", describe(v))
	}
	switch v := c.args["args"].(type) {
	case *declaration, starlark.String:
		enter(v)
	case starlark.Iterable:
		for x := range starlark.Elements(v) {
			enter(x)
		}
	default:
		enter(v)
	}
	return out
}

// makeError finds the argument of make_kernel whose text an error shows a line of.
func (c *invocation) makeError(err error, spec kernel.Spec) error {
	var e *source.Error
	if !errors.As(err, &e) || e.Line == "" {
		return c.asArgError(err, "")
	}
	shows := func(text string) bool {
		lines := strings.Split(text, "\n")
		return e.Pos.Line >= 1 && e.Pos.Line <= len(lines) && strings.TrimSuffix(lines[e.Pos.Line-1], "\r") == e.Line
	}
	if shows(spec.Instructions) {
		return c.asArgError(err, "instructions")
	}
	before := 0 // lines of the domains before this one, as a list of strings is joined
	for _, d := range spec.Domains {
		if shows(d) {
			out := c.asArgError(err, "domains")
			out.within.Line += before
			return out
		}
		before += 1 + strings.Count(d, "\n")
	}
	if shows(spec.Assumptions) {
		return c.asArgError(err, "assumptions")
	}
	return c.asArgError(err, "")
}

// place gives the statements of a new kernel their places in the file: where the text of the instructions stands there as it is, and else where the argument begins
// that makes it, as many lines further as the text has before the statement, if it is a literal with a format.
func (c *invocation) place(k *kernel.Kernel) {
	known, _ := c.thread.Local(placesKey).(*places)
	if known == nil || c.thread.CallStackDepth() < 2 {
		return
	}
	from := c.thread.CallFrame(1).Pos
	in := known.of(from.Filename())
	if in == nil || in.calls[place(from)] == nil {
		return
	}
	text := argument(in.calls[place(from)], "instructions", c.name)
	for _, s := range k.Statements {
		at, ok := source.Pos{}, text != nil
		if ok {
			if at, ok = in.intoText(text, s.At.Pos); !ok {
				at, ok = nearText(text, s.At.Pos), true
			}
		}
		if s.At = (kernel.Place{}); ok {
			s.At = kernel.Place{File: in.file, Pos: at}
		}
	}
}
