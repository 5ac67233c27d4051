package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// function is one function of the lp module: a row of the tables in make.go, function.go and transforms.go. What it does and what its
// arguments mean stands in internal/command/reference/lp.yaml.
type function struct {
	name string
	// params are separated by commas; "name=" and "name=default" are optional, "a|b" has two names, "**rest" collects the remaining keyword
	// arguments. A default is for people to read: what it stands for is up to do.
	params string
	// blame is the parameter that an error of do points at by default.
	blame string
	do    func(c *invocation) (starlark.Value, error)

	parsed []Param
}

// Param is a parameter of a function.
type Param struct {
	Names    []string // Loopy's name may be the second
	Default  string   // as a script writes it
	Optional bool
	Rest     bool // collects the remaining keyword arguments
}

// Function is the signature of a function of the lp module.
type Function struct {
	Name   string
	Params []Param
}

// Functions lists the functions of the lp module: those that make kernels, and the transformations, in the order of the tables.
func Functions() []Function {
	var all []Function
	for _, rows := range [][]function{constructors, functionConstructors, tuners, transformations} {
		for _, f := range rows {
			all = append(all, Function{f.name, functions[f.name].parsed})
		}
	}
	return all
}

// functions of the module, by name.
var functions = map[string]*function{}

func register(rows []function) {
	for i := range rows {
		f := &rows[i]
		for text := range strings.SplitSeq(f.params, ",") {
			text = strings.TrimSpace(text)
			p := Param{}
			text, p.Default, p.Optional = strings.Cut(text, "=")
			if p.Optional && p.Default == "" {
				p.Default = "None"
			}
			text, p.Rest = strings.CutPrefix(text, "**")
			p.Names = strings.Split(text, "|")
			f.parsed = append(f.parsed, p)
		}
		functions[f.name] = f
	}
}

// find returns the index of a parameter and its names; the index is -1 for a keyword argument that **rest collects.
func (f *function) find(name string) (int, []string) {
	for i, p := range f.parsed {
		if slices.Contains(p.Names, name) {
			return i, p.Names
		}
	}
	return -1, []string{name}
}

// invocation is a call of one of the functions, with its arguments bound to parameters. Its accessors throw an
// *argError, which invoke returns.
type invocation struct {
	*function
	thread *starlark.Thread
	args   map[string]starlark.Value // by the first name of the parameter
	rest   []starlark.Tuple
}

func (f *function) builtin() *starlark.Builtin {
	return starlark.NewBuiltin(f.name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		enter(thread)
		c := &invocation{function: f, thread: thread, args: map[string]starlark.Value{}}
		return c.invoke(args, kwargs)
	})
}

func (c *invocation) invoke(args starlark.Tuple, kwargs []starlark.Tuple) (result starlark.Value, err error) {
	defer throw.Catch(&err)
	c.bind(args, kwargs)
	result, err = c.do(c)
	if err != nil {
		return nil, c.asArgError(err, c.blame)
	}
	return result, nil
}

func (c *invocation) bind(args starlark.Tuple, kwargs []starlark.Tuple) {
	for i, v := range args {
		if i >= len(c.parsed) || c.parsed[i].Rest {
			c.fail("", c.usage(), "takes at most %d positional arguments, %d given", i, len(args))
		}
		c.args[c.parsed[i].Names[0]] = v
	}
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		at := slices.IndexFunc(c.parsed, func(p Param) bool { return p.Rest || slices.Contains(p.Names, name) })
		switch {
		case at < 0:
			c.fail(name, c.usage(), "unexpected keyword argument %s", name)
		case c.parsed[at].Rest:
			c.rest = append(c.rest, kv)
		case c.args[c.parsed[at].Names[0]] != nil:
			c.fail(name, c.usage(), "argument %s is given twice", name)
		default:
			c.args[c.parsed[at].Names[0]] = kv[1]
		}
	}
	for _, p := range c.parsed {
		if !p.Optional && !p.Rest && c.args[p.Names[0]] == nil {
			c.fail("", c.usage(), "argument %s is missing", p.Names[0])
		}
	}
}

func (c *invocation) usage() string {
	var params []string
	for _, p := range c.parsed {
		name := p.Names[0]
		switch {
		case p.Optional:
			name += "=..."
		case p.Rest:
			name = "**" + name
		}
		params = append(params, name)
	}
	return "usage: lp." + c.name + "(" + strings.Join(params, ", ") + ")"
}

func (c *invocation) fail(arg, hint, format string, args ...any) {
	panic(throw.Of(&argError{function: c.name, arg: arg, msg: fmt.Sprintf(format, args...), hint: hint}))
}

// asArgError attributes an error of package kernel to an argument; a *source.Error also has a position in its text.
func (c *invocation) asArgError(err error, arg string) *argError {
	var already *argError
	if errors.As(err, &already) {
		return already
	}
	e := &argError{function: c.name, arg: arg, msg: err.Error()}
	if k, ok := c.args["knl"].(*kernelValue); ok {
		e.msg = strings.TrimPrefix(e.msg, "kernel "+k.Name+": ") // the position already identifies it
	}
	var s *source.Error
	if errors.As(err, &s) {
		e.msg, e.hint, e.within, e.line = s.Msg, s.Hint, s.Pos, s.Line
	}
	return e
}

// check fails the call with err, if it is not nil, and blames the argument.
func (c *invocation) check(err error, arg string) {
	if err != nil {
		panic(throw.Of(c.asArgError(err, arg)))
	}
}

// has reports whether an argument is given and not None.
func (c *invocation) has(name string) bool {
	v := c.args[name]
	return v != nil && v != starlark.None
}

func (c *invocation) kernel() *kernel.Kernel {
	v, ok := c.args["knl"].(*kernelValue)
	if !ok {
		c.fail("knl", "", "expected a kernel, found %s", describe(c.args["knl"]))
	}
	return v.Kernel
}

func describe(v starlark.Value) string {
	if v == nil {
		return "nothing"
	}
	text := v.String()
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return v.Type() + " " + text
}

// text returns a string argument, "" if it is omitted.
func (c *invocation) text(name string) string {
	if !c.has(name) {
		return ""
	}
	s, ok := starlark.AsString(c.args[name])
	if !ok {
		c.fail(name, "", "%s must be a string, found %s", name, describe(c.args[name]))
	}
	c.limit(name, s)
	return s
}

// limit fails the call if the text of an argument is too long.
func (c *invocation) limit(name string, text ...string) {
	size := lists.Sum(text, func(s string) int { return len(s) })
	if size > maxText {
		c.fail(name, "", "%s is %d bytes long, the limit is %d", name, size, maxText)
	}
}

// integer returns an integer argument, 0 if it is omitted.
func (c *invocation) integer(name string) int64 {
	if !c.has(name) {
		return 0
	}
	i, ok := c.args[name].(starlark.Int)
	n, fits := i.Int64()
	if !ok || !fits {
		c.fail(name, "", "%s must be an integer, found %s", name, describe(c.args[name]))
	}
	return n
}

func (c *invocation) flag(name string) bool {
	return c.has(name) && bool(c.args[name].Truth())
}

// names returns a list of names, given as a comma-separated string or a list of strings; nil if it is omitted.
func (c *invocation) names(name string) []string {
	if !c.has(name) {
		return nil
	}
	out := []string{}
	for _, s := range c.strings(name) {
		for n := range strings.SplitSeq(s, ",") {
			if n = strings.TrimSpace(n); n != "" {
				out = append(out, n)
			}
		}
	}
	return out
}

// strings returns an argument that is a string or a list of strings.
func (c *invocation) strings(name string) []string {
	if s, ok := starlark.AsString(c.args[name]); ok {
		c.limit(name, s)
		return []string{s}
	}
	list, ok := c.args[name].(starlark.Iterable)
	if !ok {
		c.fail(name, "", "%s must be a string or a list of strings, found %s", name, describe(c.args[name]))
	}
	var out []string
	for x := range starlark.Elements(list) {
		s, ok := starlark.AsString(x)
		if !ok {
			c.fail(name, "", "%s must be a list of strings, found %s in it", name, describe(x))
		}
		out = append(out, s)
	}
	c.limit(name, out...)
	return out
}

// pair is one entry of a mapping argument.
type pair struct{ key, value string }

// pairs returns a mapping, given as "i:l.0, j:g.1", as a dict, or as a list of such strings or of pairs. The value None
// becomes "".
func (c *invocation) pairs(name string) []pair {
	var out []pair
	text := func(v starlark.Value) string {
		if v == starlark.None {
			return ""
		}
		s, ok := starlark.AsString(v)
		if !ok {
			c.fail(name, "", "%s is to map names to strings, found %s in it", name, describe(v))
		}
		return s
	}
	split := func(s string) {
		for item := range strings.SplitSeq(s, ",") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			key, value, ok := strings.Cut(item, ":")
			if !ok {
				c.fail(name, `write "name:value, name:value" or a dict`, "%s: no colon in %q", name, item)
			}
			out = append(out, pair{strings.TrimSpace(key), strings.TrimSpace(value)})
		}
	}
	switch v := c.args[name].(type) {
	case starlark.String:
		split(string(v))
	case *starlark.Dict:
		for _, kv := range v.Items() {
			out = append(out, pair{text(kv[0]), text(kv[1])})
		}
	case starlark.Iterable:
		for x := range starlark.Elements(v) {
			if t, ok := x.(starlark.Tuple); ok && len(t) == 2 {
				out = append(out, pair{text(t[0]), text(t[1])})
			} else {
				split(text(x))
			}
		}
	default:
		c.fail(name, `write "name:value, name:value" or a dict`, "%s is no mapping: %s", name, describe(v))
	}
	return out
}

// dtypes maps names of arrays to element types: a dict, or text in which several names may share a type,
// "a, b: float32, c: float64".
func (c *invocation) dtypes(name string) map[string]expr.DType {
	var list []pair
	if text, ok := c.args[name].(starlark.String); ok {
		var waiting []string
		for item := range strings.SplitSeq(string(text), ",") {
			key, value, typed := strings.Cut(item, ":")
			waiting = append(waiting, strings.TrimSpace(key))
			if typed {
				for _, key := range waiting {
					list = append(list, pair{key, strings.TrimSpace(value)})
				}
				waiting = nil
			}
		}
		if len(waiting) > 0 {
			c.fail(name, `write "a, b: float32" or a dict`, "no element type for %s", strings.Join(waiting, ", "))
		}
	} else {
		list = c.pairs(name)
	}
	out := map[string]expr.DType{}
	for _, p := range list {
		t := expr.DType(p.value)
		if !t.Known() {
			c.fail(name, dtypeHint, "unknown element type %q of %s", p.value, p.key)
		}
		out[p.key] = t
	}
	return out
}

const dtypeHint = `element types are written "float32", "float64", "int32", "int64", ..., or lp.float32`

// expr converts an integer, or a string with an expression in the kernel's parameters.
func (c *invocation) expr(name string, v starlark.Value) expr.Expr {
	switch v := v.(type) {
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return expr.Int{Value: n}
		}
	case starlark.String:
		c.limit(name, string(v))
		e, err := expr.Parse(string(v))
		c.check(err, name)
		return e
	}
	c.fail(name, "", "%s: expected an integer or an expression in quotes, found %s", name, describe(v))
	return nil
}

// module is a value with fixed attributes.
type module struct {
	name  string
	attrs starlark.StringDict
}

func (m *module) String() string        { return "<module " + m.name + ">" }
func (m *module) Type() string          { return "module" }
func (m *module) Freeze()               {}
func (m *module) Truth() starlark.Bool  { return true }
func (m *module) Hash() (uint32, error) { return starlark.String(m.name).Hash() }
func (m *module) AttrNames() []string   { return m.attrs.Keys() }

// Attr returns nil, nil for an unknown name: Starlark then suggests the nearest of AttrNames.
func (m *module) Attr(name string) (starlark.Value, error) { return m.attrs[name], nil }

var lpModule = newModule()

func newModule() *module {
	register(constructors)
	register(functionConstructors)
	register(tuners)
	register(transformations)
	m := &module{"lp", starlark.StringDict{
		"AddressSpace": &module{"lp.AddressSpace", starlark.StringDict{
			"GLOBAL": starlark.String(kernel.Global), "LOCAL": starlark.String(kernel.Local), "PRIVATE": starlark.String(kernel.Private),
		}},
		"auto": starlark.None,
	}}
	for _, t := range slices.Concat(expr.Scalars, vectorTypes(expr.Scalars)) {
		m.attrs[string(t)] = starlark.String(t)
	}
	for name, f := range functions {
		m.attrs[name] = f.builtin()
	}
	return m
}

// kernelValue is a kernel in a script.
type kernelValue struct{ *kernel.Kernel }

func (k *kernelValue) String() string        { return "kernel " + strconv.Quote(k.Name) }
func (k *kernelValue) Type() string          { return "kernel" }
func (k *kernelValue) Freeze()               {}
func (k *kernelValue) Truth() starlark.Bool  { return true }
func (k *kernelValue) Hash() (uint32, error) { return starlark.String(k.Name).Hash() }
