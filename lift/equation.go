package lift

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// Template is one side of a rewrite rule: an expression with variables. The name of a variable determines its kind:
//
//	f g h           functions
//	xs ys zs z      terms
//	n m s t u v     sizes
//	d k w i         whole numbers
//	p q             index functions
//	N M             on the right: the length of xs, and of its elements
//
// In a pattern, a variable under a binder matches only terms that do not refer to the bound variable; f(x, y), applied to
// bound variables, matches terms that refer to no others (Miller's patterns, so that there is at most one match).
type Template struct {
	text string
	node *node
	pat  *pattern // nil: it cannot be matched
}

// Bindings are the values of the variables of templates.
type Bindings struct {
	Terms   map[string]*Term
	Funs    map[string]*Term
	Sizes   map[string]Size
	Ints    map[string]int
	Indexes map[string]*IndexFun
}

// The variables of templates for functions and for terms.
var (
	functionVariables = []string{"f", "g", "h"}
	termVariables     = []string{"xs", "ys", "zs", "z"}
)

// pattern is a template compiled for matching.
type pattern struct {
	meta   string // a variable
	locals []int  // of an application f(x, y): the numbers of the bound variables
	local  int    // a bound variable: its number, plus one
	op     Op
	sizes  []*node
	ints   []*node
	index  string
	fn     *pattern // the function of op
	binds  []int    // of fn: the numbers of the variables it binds; nil for a variable f
	kids   []*pattern
}

// NewTemplate parses a template. With matched it is the left side of a rule, which Match can use.
func NewTemplate(text string, matched bool) (t *Template, err error) {
	e, err := newElaborator(text)
	if err != nil {
		return nil, err
	}
	defer throw.Catch(&err)
	t = &Template{text: text, node: e.expr()}
	if e.Tok().Kind != lex.End {
		e.expected("the end", "")
	}
	if matched {
		c := &compiler{parser: e.parser}
		t.pat = c.value(t.node, nil)
	}
	return t, nil
}

// String is the template as it was written.
func (t *Template) String() string { return t.text }

// compiler turns the left side of a rule into a pattern, as the elaborator turns an expression into a term.
type compiler struct {
	*parser
	count int
}

// shape is the meaning of an expression on a left side: a pattern, or a function that returns one.
type shape struct {
	pat  *pattern
	fn   func(args []*pattern) *pattern
	meta string // the name, where fn is a variable for a function
}

type shapes struct {
	outer *shapes
	name  string
	pat   *pattern
}

func (c *compiler) value(n *node, env *shapes) *pattern {
	s := c.shape(n, env)
	if s.pat == nil {
		c.FailAt(n.at, "a pattern matches values, but this is a function")
	}
	return s.pat
}

func (c *compiler) shape(n *node, env *shapes) shape {
	switch n.kind {
	case nodeName:
		for s := env; s != nil; s = s.outer {
			if s.name == n.text {
				return shape{pat: s.pat}
			}
		}
		switch {
		case slices.Contains(termVariables, n.text):
			return shape{pat: &pattern{meta: n.text}}
		case slices.Contains(functionVariables, n.text):
			return shape{meta: n.text, fn: func(args []*pattern) *pattern { return c.applied(n, args) }}
		case patterns[n.text] != nil:
			return c.operator(n, nil, env)
		}
	case nodeApply:
		head := n.kids[0]
		if head.kind == nodeName && patterns[head.text] != nil {
			return c.operator(head, n.kids[1:], env)
		}
		args := lists.Map(n.kids[1:], func(k *node) *pattern { return c.value(k, env) })
		return shape{pat: c.fun(head, env)(args)}
	case nodeDollar:
		return shape{pat: c.fun(n.kids[0], env)([]*pattern{c.value(n.kids[1], env)})}
	case nodeCompose:
		f, g := c.fun(n.kids[0], env), c.fun(n.kids[1], env)
		return shape{fn: func(args []*pattern) *pattern { return f([]*pattern{g(args)}) }}
	case nodeFun:
		return shape{fn: func(args []*pattern) *pattern {
			inner := env
			for i, p := range n.params {
				inner = &shapes{inner, p.names[0], args[i]}
			}
			return c.value(n.kids[0], inner)
		}}
	}
	c.FailAt(n.at, "no pattern matches this")
	return shape{}
}

func (c *compiler) fun(n *node, env *shapes) func([]*pattern) *pattern {
	s := c.shape(n, env)
	if s.fn == nil {
		c.FailAt(n.at, "a function is expected")
	}
	return s.fn
}

// applied is f(x, y) in a pattern: the arguments are bound variables.
func (c *compiler) applied(n *node, args []*pattern) *pattern {
	p := &pattern{meta: n.text}
	for _, a := range args {
		if a.local == 0 {
			c.FailAt(n.at, "%s is applied to something other than a bound variable", n.text)
		}
		p.locals = append(p.locals, a.local-1)
	}
	return p
}

func (c *compiler) operator(head *node, written []*node, env *shapes) shape {
	p := pattern{op: *patterns[head.text]}
	r := rows[p.op]
	var list []*pattern
	complete := false
	for _, a := range r.args {
		switch {
		case a == argData && len(written) == 0:
			continue
		case a == argList:
			for _, w := range written {
				list = append(list, c.value(w, env))
			}
			complete, written = len(written) > 0, nil
			continue
		case len(written) == 0:
			c.FailAt(head.at, "an argument of %s is missing", head.text)
		}
		w := written[0]
		written = written[1:]
		switch a {
		case argFun:
			c.binder(&p, w, env)
		case argSize:
			p.sizes = append(p.sizes, w)
		case argDim, argInt, argMode:
			p.ints = append(p.ints, w)
		case argIndex:
			p.index = w.text
		case argTerm:
			p.kids = append(p.kids, c.value(w, env))
		case argData:
			list = append(list, c.value(w, env))
			complete = true
		}
	}
	if !slices.Contains(r.args, argData) && !slices.Contains(r.args, argList) {
		complete = true
	}
	finish := func(data []*pattern) *pattern {
		q := p
		q.kids = append(slices.Clone(p.kids), data...)
		return &q
	}
	if complete {
		return shape{pat: finish(list)}
	}
	return shape{fn: finish}
}

// binder reads the function of a pattern, which binds variables unless it is one itself.
func (c *compiler) binder(p *pattern, n *node, env *shapes) {
	s := c.shape(n, env)
	if s.meta != "" {
		p.fn = &pattern{meta: s.meta}
		return
	}
	arity := 1
	if Reductions.Has(p.op) {
		arity = 2
	}
	var locals []*pattern
	for range arity {
		c.count++
		locals = append(locals, &pattern{local: c.count})
		p.binds = append(p.binds, c.count-1)
	}
	if s.fn == nil {
		c.FailAt(n.at, "a function is expected")
	}
	p.fn = s.fn(locals)
}

// matcher binds the variables of a pattern.
type matcher struct {
	b      *Bindings
	locals []int // the numbers of the bound variables, outermost first
	types  []*Type
}

// Match matches a term with the template. The bindings refer to the same outer variables as the term.
func (t *Template) Match(term *Term) (*Bindings, bool) {
	if t.pat == nil || t.pat.op != 0 && t.pat.op != term.Op {
		return nil, false
	}
	m := &matcher{b: &Bindings{Terms: map[string]*Term{}, Funs: map[string]*Term{}, Sizes: map[string]Size{}, Ints: map[string]int{}, Indexes: map[string]*IndexFun{}}}
	if !m.match(t.pat, term) {
		return nil, false
	}
	return m.b, true
}

// outside moves a term out of the binders; ok is false if it refers to a bound variable.
func (m *matcher) outside(t *Term) (*Term, bool) {
	for i := range m.locals {
		if Uses(t, i) {
			return nil, false
		}
	}
	return Shift(t, -len(m.locals)), true
}

func bind[T comparable](table map[string]T, name string, v T) bool {
	if old, ok := table[name]; ok {
		return old == v
	}
	table[name] = v
	return true
}

// bindAll matches sizes or whole numbers with the numbers and variables of a pattern.
func bindAll[T comparable](table map[string]T, wanted []*node, values []T, text func(T) string) bool {
	for i, n := range wanted {
		if n.kind == nodeNumber && text(values[i]) != n.text || n.kind != nodeNumber && !bind(table, n.text, values[i]) {
			return false
		}
	}
	return true
}

func (m *matcher) match(p *pattern, t *Term) bool {
	switch {
	case p.local > 0:
		return t.Op == Var && t.Ints[0] < len(m.locals) && m.locals[len(m.locals)-1-t.Ints[0]] == p.local-1
	case p.meta != "" && p.locals != nil:
		return m.applied(p, t)
	case p.meta != "":
		x, ok := m.outside(t)
		return ok && bind(m.b.Terms, p.meta, x)
	case p.op != t.Op || len(p.sizes) != len(t.Sizes) || len(p.ints) != len(t.Ints):
		return false
	}
	kids := t.Kids
	if p.fn != nil {
		kids = kids[1:]
	}
	if len(kids) != len(p.kids) {
		return false
	}
	if !bindAll(m.b.Sizes, p.sizes, t.Sizes, Size.String) || !bindAll(m.b.Ints, p.ints, t.Ints, strconv.Itoa) ||
		p.index != "" && !bind(m.b.Indexes, p.index, t.Index) {
		return false
	}
	for i, k := range p.kids {
		if !m.match(k, kids[i]) {
			return false
		}
	}
	switch {
	case p.fn == nil:
		return true
	case p.binds == nil:
		f, ok := m.outside(t.Kids[0])
		return ok && bind(m.b.Funs, p.fn.meta, f)
	case len(p.binds) != len(t.Kids[0].Type.Elems):
		return false
	}
	m.locals = append(m.locals, p.binds...)
	m.types = append(m.types, t.Kids[0].Type.Elems...)
	ok := m.match(p.fn, t.Kids[0].Body())
	m.locals = m.locals[:len(m.locals)-len(p.binds)]
	m.types = m.types[:len(m.types)-len(p.binds)]
	return ok
}

// applied binds f to the function of the variables it is applied to.
func (m *matcher) applied(p *pattern, t *Term) bool {
	used := make([]bool, len(m.locals))
	var params []*Type
	for _, l := range p.locals {
		at := slices.Index(m.locals, l)
		if at < 0 {
			return false
		}
		used[at] = true
		params = append(params, m.types[at])
	}
	for i, u := range used {
		if !u && Uses(t, len(m.locals)-1-i) {
			return false
		}
	}
	all := Make(Lambda, Attr{Params: slices.Clone(m.types)}, t)
	f := Fn(params, func(xs ...*Term) *Term {
		args := make([]*Term, len(m.types))
		for i := range args {
			args[i] = Hole(m.types[i]) // not used
		}
		for i, l := range p.locals {
			args[slices.Index(m.locals, l)] = xs[i]
		}
		return all.Apply(args...)
	})
	return f.err == nil && bind(m.b.Funs, p.meta, f)
}

// Build is the template with its variables replaced by their values.
func (t *Template) Build(b *Bindings) (r *Term) {
	e := &elaborator{parser: &parser{Cursor: lex.Cursor{Text: t.text}}, meta: b}
	var err error
	defer func() {
		if fault, ok := err.(*source.Error); ok {
			r = bad(errors.New(fault.Msg))
		}
	}()
	defer throw.Catch(&err)
	var env *scope
	for name, x := range b.Terms {
		env = env.with(name, value{term: x})
	}
	for name, f := range b.Funs {
		env = env.with(name, value{fn: &function{name, func(at int, args []value) *Term {
			list := lists.Map(args, func(a value) *Term { return e.term(at, a, nil) })
			return e.checked(at, f.ApplyOnce(list...))
		}}})
	}
	return e.term(t.node.at, e.elab(t.node, env), nil)
}

// ApplyOnce is Apply, with a Let for every argument that computes something and would otherwise be computed more than once.
func (f *Term) ApplyOnce(args ...*Term) *Term {
	if f.err != nil || f.Op != Lambda || len(args) != len(f.Params) {
		return f.Apply(args...)
	}
	for i, a := range args {
		if a.err != nil || !a.ops.Has(Fun) || f.Kids[0].uses(len(args)-1-i) <= 1 {
			continue
		}
		return Of(Let, Fn1(a.Type, func(x *Term) *Term {
			rest := slices.Clone(args)
			rest[i] = x
			return f.ApplyOnce(rest...)
		}), a)
	}
	return f.Apply(args...)
}

// uses counts how often the variable i is evaluated: 0, 1, or 2 for more than once.
func (t *Term) uses(i int) int {
	if t.open <= i {
		return 0
	}
	if t.Op == Var {
		if t.Ints[0] == i {
			return 1
		}
		return 0
	}
	sum := 0
	for j, k := range t.Kids {
		n := 0
		if j == 0 && t.Op.HasFun() && k.Op == Lambda {
			if n = k.Kids[0].uses(i + len(k.Params)); n > 0 && t.Op != Let {
				n = 2
			}
		} else {
			n = k.uses(i)
		}
		if sum += n; sum > 1 {
			return 2
		}
	}
	return sum
}

// metaSize replaces the size variables of a template.
func (b *Bindings) metaSize(s Size) (Size, error) {
	by := map[string]Size{}
	xs := b.Terms["xs"]
	for _, sym := range s.Symbols() {
		size, ok := b.Sizes[sym]
		k, isInt := b.Ints[sym]
		switch {
		case ok:
		case isInt:
			size = Nat(int64(k))
		case sym == "N" && xs != nil && xs.Type.Kind == ArrayType:
			size = xs.Type.Len
		case sym == "M" && xs != nil && xs.Type.Kind == ArrayType && xs.Type.Elem.Kind == ArrayType:
			size = xs.Type.Elem.Len
		default:
			return s, fmt.Errorf("%s has no value", sym)
		}
		by[sym] = size
	}
	return s.Subst(by)
}
