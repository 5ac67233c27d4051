package lift

import (
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
)

// value is the meaning of an expression: a term, a number that has no type yet, or a function.
type value struct {
	term *Term
	num  string
	fn   *function
}

// function is the meaning of an expression that is a function. Functions are applied while a program is read; only the
// functions of patterns stay.
type function struct {
	name  string
	apply func(at int, args []value) *Term
}

// scope is a chain of names.
type scope struct {
	outer *scope
	name  string
	value value
}

func (s *scope) with(name string, v value) *scope { return &scope{s, name, v} }

func (s *scope) find(name string) (value, bool) {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s.value, true
		}
	}
	return value{}, false
}

// elaborator turns expressions into terms.
type elaborator struct {
	*parser
	sizes map[string]bool
	funs  map[string]*Term
	steps int
	meta  *Bindings // of a template that is built
}

// MaxText is the largest text of a program, in bytes.
const MaxText = 1 << 18

// Limits of a program: expressions elaborated, and nodes of a term.
const (
	maxSteps = 1 << 18
	maxSize  = 1 << 15
)

// checked returns the term, or fails at its position in the text.
func (e *elaborator) checked(at int, t *Term) *Term {
	if t.err != nil {
		e.rejected(at, t.err)
	}
	if t.size > maxSize {
		e.FailHint(at, tooLong, "the term has more than %d nodes", maxSize)
	}
	return t
}

func (e *elaborator) elab(n *node, env *scope) value {
	if e.steps++; e.steps > maxSteps {
		e.FailHint(n.at, tooLong, "the program has more than %d expressions", maxSteps)
	}
	switch n.kind {
	case nodeNumber:
		if strings.HasSuffix(n.text, "f") { // it has a type
			return value{term: e.term(n.at, value{num: n.text}, nil)}
		}
		return value{num: n.text}
	case nodeName:
		return e.named(n, env)
	case nodeInfix:
		return e.infixCall(n, env)
	case nodeApply:
		return e.apply(n, env)
	case nodeDollar:
		f := e.function(n.kids[0], env)
		return value{term: f.apply(n.kids[0].at, []value{e.elab(n.kids[1], env)})}
	case nodeCompose:
		f, g := e.function(n.kids[0], env), e.function(n.kids[1], env)
		return value{fn: &function{f.name + " o " + g.name, func(_ int, args []value) *Term {
			return f.apply(n.kids[0].at, []value{{term: g.apply(n.kids[1].at, args)}})
		}}}
	case nodeFun:
		return value{fn: e.closure(n, env)}
	case nodeLet:
		v := e.elab(n.kids[0], env)
		if v.fn != nil { // a name for a function, as for a macro
			return e.elab(n.kids[1], env.with(n.text, v))
		}
		x := e.term(n.kids[0].at, v, nil)
		return value{term: e.checked(n.at, Of(Let, Fn1(x.Type, func(y *Term) *Term {
			return e.term(n.kids[1].at, e.elab(n.kids[1], env.with(n.text, value{term: y})), nil)
		}), x))}
	}
	e.FailHint(n.at, `texts stand in index("…"), and after c in a def`, "a text is no value")
	return value{}
}

// term converts a value to a term. A number without a type has the type want, or without one the type that its form implies.
func (e *elaborator) term(at int, v value, want *Type) *Term {
	switch {
	case v.term != nil:
		return v.term
	case v.fn != nil:
		e.FailHint(at, "apply it with $ or brackets", "%s is a function, but a value is expected", v.fn.name)
	}
	text, width := strings.TrimSuffix(v.num, "f"), 0
	d := expr.Int32
	switch {
	case strings.HasSuffix(v.num, "f"):
		d = expr.Float32
	case want != nil && (want.Kind == ScalarType || want.Kind == VectorType) && (want.DType.IsFloat() || !strings.ContainsAny(v.num, ".eE")):
		d, width = want.DType, want.Width
	case strings.ContainsAny(v.num, ".eE"):
		d = expr.Float64
	}
	t := e.checked(at, Number(d, strings.TrimSuffix(text, ".")))
	if width != 0 {
		t = e.checked(at, Splat(width, t))
	}
	return t
}

func (e *elaborator) function(n *node, env *scope) *function {
	v := e.elab(n, env)
	if v.fn == nil {
		found := "a number"
		if v.term != nil {
			found = "a value of type " + v.term.Type.String()
		}
		e.FailHint(n.at, "write fun(x => …), a pattern without its array, or the name of a function", "a function is expected, but this is %s", found)
	}
	return v.fn
}

func (e *elaborator) named(n *node, env *scope) value {
	if v, ok := env.find(n.text); ok {
		return v
	}
	if f := e.funs[n.text]; f != nil {
		return value{fn: &function{n.text, func(at int, args []value) *Term { return e.call(at, f, args) }}}
	}
	if builtins[n.text] != nil || n.text == "id" {
		return value{fn: &function{n.text, func(at int, args []value) *Term { return e.builtin(at, n.text, args) }}}
	}
	if patterns[n.text] != nil {
		return e.pattern(n, nil, env)
	}
	if e.sizes[n.text] {
		e.FailHint(n.at, "nat("+n.text+") is the size as an int32", "%s is a size, but a value is expected", n.text)
	}
	e.FailHint(n.at, e.suggest(n.text, env), "unknown name %s", n.text)
	return value{}
}

func (e *elaborator) infixCall(n *node, env *scope) value {
	if builtins[n.text] == nil {
		e.FailHint(n.at, "write x*x, or a def: its expressions have ** and pow", "%s is allowed only in sizes", n.text)
	}
	return value{term: e.builtin(n.at, n.text, []value{e.elab(n.kids[0], env), e.elab(n.kids[1], env)})}
}

// call applies a declared function, to its arguments or to a tuple of them.
func (e *elaborator) call(at int, f *Term, args []value) *Term {
	list := make([]*Term, len(args))
	for i, a := range args {
		var want *Type
		if len(args) == len(f.User.Params) {
			want = f.User.Params[i].Type
		}
		list[i] = e.term(at, a, want)
	}
	return e.checked(at, f.Apply(list...))
}

// builtin applies a builtin function at the type of its arguments.
func (e *elaborator) builtin(at int, name string, args []value) *Term {
	var typ *Type
	for _, a := range args {
		if a.term != nil && typ == nil {
			typ = a.term.Type
		}
	}
	list := lists.Map(args, func(a value) *Term { return e.term(at, a, typ) })
	if len(list) == 0 {
		e.FailHint(at, Usage(name), "%s is applied to nothing", name)
	}
	typ = list[0].Type
	if name == "id" {
		return e.checked(at, e.checked(at, ID(typ)).Apply(list...))
	}
	if len(list) == 1 && builtins[name].params == 2 && typ.Kind == TupleType {
		typ = typ.Elems[0]
	}
	if typ.Kind != ScalarType {
		hint := "map it over the array"
		if typ.Kind == VectorType {
			hint = "write mapVec(" + name + ", …)"
		}
		e.FailHint(at, hint, "%s works on scalars, not on %s", name, typ)
	}
	f, err := Builtin(name, typ.DType)
	if err != nil {
		e.FailHint(at, Usage(name), "%v", err)
	}
	return e.checked(at, f.Apply(list...))
}

// closure is the meaning of a fun.
func (e *elaborator) closure(n *node, env *scope) *function {
	return &function{"this fun", func(at int, args []value) *Term {
		if len(args) != len(n.params) {
			e.FailHint(n.at, "a pattern gives its function one value, reductions and scans two; fun((a, b) => …) takes a tuple apart", "this fun has %d parameters, but is given %d arguments", len(n.params), len(args))
		}
		inner := env
		for i, p := range n.params {
			x := e.term(at, args[i], p.typ)
			if p.typ != nil && x.Type != p.typ {
				e.FailHint(p.at, "leave the type away, and it is that of the argument", "parameter %s is given %s, not %s", strings.Join(p.names, ", "), x.Type, p.typ)
			}
			if !p.tuple {
				inner = inner.with(p.names[0], value{term: x})
				continue
			}
			if x.Type.Kind != TupleType || len(x.Type.Elems) != len(p.names) {
				e.FailHint(p.at, "write fun(x => …) for a value that is no tuple, or a name for each component of one", "a tuple of %d is expected, but this is %s", len(p.names), x.Type)
			}
			for j, name := range p.names {
				inner = inner.with(name, value{term: e.checked(p.at, GetOf(j, x))})
			}
		}
		return e.term(n.kids[0].at, e.elab(n.kids[0], inner), nil)
	}}
}

func (e *elaborator) apply(n *node, env *scope) value {
	head := n.kids[0]
	if head.kind == nodeName {
		if _, bound := env.find(head.text); !bound {
			switch {
			case e.funs[head.text] != nil:
			case patterns[head.text] != nil:
				return e.pattern(head, n.kids[1:], env)
			case head.text == "vec":
				return value{term: e.vec(n, env)}
			case expr.DType(head.text).Known() && len(n.kids) == 2:
				v := e.elab(n.kids[1], env)
				if v.num == "" {
					e.FailHint(n.kids[1].at, "a def converts: def f(x: int32): float32 = cast(float32, x)", "%s(…) is a number of that type, and this is no number", head.text)
				}
				return value{term: e.checked(n.at, Number(expr.DType(head.text), strings.TrimSuffix(v.num, ".")))}
			}
		}
	}
	f := e.function(head, env)
	args := make([]value, len(n.kids)-1)
	for i, k := range n.kids[1:] {
		if args[i] = e.elab(k, env); args[i].fn != nil {
			e.FailHint(k.at, "apply it with $ or brackets", "%s is a function, but a value is expected", args[i].fn.name)
		}
	}
	return value{term: f.apply(n.at, args)}
}

// vec reads vec(4, 0.0f).
func (e *elaborator) vec(n *node, env *scope) *Term {
	if len(n.kids) != 3 {
		e.FailHint(n.at, "write vec(4, 0.0f)", "vec takes a width and a number")
	}
	return e.checked(n.at, Splat(e.intArg(n.kids[1]), e.term(n.kids[2].at, e.elab(n.kids[2], env), nil)))
}

func (e *elaborator) intArg(n *node) int {
	if e.meta != nil && n.kind == nodeName {
		if k, ok := e.meta.Ints[n.text]; ok {
			return k
		}
	}
	k, err := strconv.Atoi(n.text)
	if n.kind != nodeNumber || err != nil {
		e.FailHint(n.at, "write digits: neither a size nor a computed value can stand here", "a whole number is expected")
	}
	return k
}

// pattern reads a pattern with the given arguments; without its array it is a function.
func (e *elaborator) pattern(head *node, written []*node, env *scope) value {
	op := *patterns[head.text]
	shape := rows[op].args
	d := draftPattern{e: e, op: op, at: head.at}
	for i, a := range shape {
		switch {
		case a == argList:
			for _, n := range written {
				d.data = append(d.data, e.elab(n, env))
			}
			written = nil
		case a == argData:
			if len(written) > 0 {
				d.data = []value{e.elab(written[0], env)}
				written = written[1:]
			}
		case a == argDim && !e.isDim(written):
			d.Ints = append(d.Ints, 0)
		case len(written) == 0:
			e.FailHint(head.at, Usage(head.text), "argument %d of %s is missing", i+1, head.text)
		default:
			d.argument(a, head, written[0], env)
			written = written[1:]
		}
	}
	if len(written) > 0 {
		e.FailHint(written[0].at, Usage(head.text), "%s has too many arguments", head.text)
	}
	last := shape[len(shape)-1]
	if last != argData && last != argList || len(d.data) > 0 && d.data[0].fn == nil {
		return value{term: d.make(head.at, d.data)}
	}
	if len(d.data) == 1 && Moves.Has(op) { // toLocal(f) is toLocal o f
		f := d.data[0].fn
		return value{fn: &function{head.text, func(at int, args []value) *Term {
			return d.make(head.at, []value{{term: f.apply(at, args)}})
		}}}
	}
	if len(d.data) > 0 {
		e.FailHint(head.at, Usage(head.text), "%s works on a value, but is given the function %s", head.text, d.data[0].fn.name)
	}
	return value{fn: &function{head.text, func(_ int, args []value) *Term { return d.make(head.at, args) }}}
}

// isDim reports whether the first argument is a dimension, which is optional.
func (e *elaborator) isDim(written []*node) bool {
	if len(written) == 0 || e.meta == nil || written[0].kind != nodeName {
		return len(written) > 0 && written[0].kind == nodeNumber
	}
	_, ok := e.meta.Ints[written[0].text]
	return ok
}

// draftPattern is a pattern whose array is not known yet.
type draftPattern struct {
	Attr
	e    *elaborator
	op   Op
	at   int
	fn   *function
	fnAt int
	vals []value // of arguments that are values
	data []value
}

func (d *draftPattern) argument(a argKind, head, n *node, env *scope) {
	e := d.e
	switch a {
	case argFun:
		d.fn, d.fnAt = e.function(n, env), n.at
	case argTerm:
		d.vals = append(d.vals, e.elab(n, env))
	case argSize:
		d.Sizes = append(d.Sizes, e.declared(n, e.size(n)))
	case argDim, argInt:
		d.Ints = append(d.Ints, e.intArg(n))
	case argMode:
		mode := slices.Index(padModes, n.text)
		if n.kind != nodeName || mode < 0 {
			e.FailHint(n.at, Usage(head.text), "the mode is one of %s", strings.Join(padModes, ", "))
		}
		d.Ints = append(d.Ints, mode)
	case argIndex:
		if head.text == "reorderStride" {
			d.Index = StrideIndex(e.declared(n, e.size(n)))
			return
		}
		d.Index = e.index(n)
	}
}

// declared rejects symbols that the program has not declared.
func (e *elaborator) declared(n *node, s Size) Size {
	if e.meta != nil {
		r, err := e.meta.metaSize(s)
		if err != nil {
			e.rejected(n.at, err)
		}
		return r
	}
	for _, sym := range s.Symbols() {
		if !e.sizes[sym] {
			e.FailHint(n.at, "add a line before it: size "+sym, "size symbol %s is not declared", sym)
		}
	}
	return s
}

// index reads an index function.
func (e *elaborator) index(n *node) *IndexFun {
	name, args := n.text, []*node(nil)
	if n.kind == nodeApply && n.kids[0].kind == nodeName {
		name, args = n.kids[0].text, n.kids[1:]
	}
	if e.meta != nil && e.meta.Indexes[name] != nil {
		return e.meta.Indexes[name]
	}
	switch {
	case name == "reverse" && len(args) == 0 && n.kind == nodeName:
		return ReverseIndex()
	case name == "stride" && len(args) == 1:
		return StrideIndex(e.declared(n, e.size(args[0])))
	case name == "shift" && len(args) == 1:
		return ShiftIndex(e.declared(n, e.size(args[0])))
	case name == "index" && len(args) == 1 && args[0].kind == nodeString:
		x, err := expr.Parse(args[0].text)
		if err != nil {
			e.inText(args[0].at+1, args[0].text, err)
		}
		f, err := ExprIndex(x)
		if err != nil {
			e.FailHint(args[0].at, "an index is made of i, n, size symbols and whole numbers by + - * // % and comparisons in if(…, …, …)", "%v", err)
		}
		for _, sym := range f.symbols() {
			e.declared(n, Sym(sym))
		}
		return f
	}
	e.FailHint(n.at, `such as gather(reverse), gather(stride(4)) or gather(index("(i + 1) % n"))`, `the index function is reverse, stride(s), shift(k) or index("…")`)
	return nil
}

// make applies the pattern to its array.
func (d *draftPattern) make(at int, data []value) *Term {
	e, r := d.e, &rows[d.op]
	kids := lists.Map(data, func(v value) *Term { return e.term(at, v, nil) })
	if r.kids > 0 && len(kids) > 1 {
		e.FailHint(at, Usage(r.name), "%s works on one value, not on %d", r.name, len(kids))
	}
	var before []*Term
	for i, v := range d.vals {
		var want *Type
		if n := len(kids); n > 0 && kids[n-1].Type.Kind == ArrayType {
			want = kids[n-1].Type.Elem
		}
		if d.op == At || i > 0 {
			want = Int32
		}
		before = append(before, e.term(at, v, want))
	}
	kids = append(before, kids...)
	if d.fn == nil {
		return e.checked(at, Make(d.op, d.Attr, kids...))
	}
	kids = append([]*Term{nil}, kids...)
	shape := &draft{op: d.op, Attr: d.Attr, kids: kids}
	if len(kids) < 2 && d.op != Generate {
		e.FailHint(at, Usage(r.name), "%s is applied to nothing", r.name)
	}
	params := r.params(shape)
	if shape.err != nil {
		e.rejected(at, shape.err)
	}
	kids[0] = e.checked(d.fnAt, Fn(params, func(xs ...*Term) *Term {
		args := lists.Map(xs, func(x *Term) value { return value{term: x} })
		return d.fn.apply(d.fnAt, args)
	}))
	return e.checked(at, Make(d.op, d.Attr, kids...))
}
