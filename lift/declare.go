package lift

import (
	"errors"
	"slices"
	"strings"

	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Parse reads a program. Errors are *source.Error, with the place in the text.
func Parse(text string) (p *Program, err error) {
	e, err := newElaborator(text)
	if err != nil {
		return nil, err
	}
	defer recoverError(&err)
	return e.program(), nil
}

func newElaborator(text string) (*elaborator, error) {
	toks, err := lex(text)
	if err != nil {
		return nil, err
	}
	return &elaborator{parser: &parser{text: text, toks: toks}, sizes: map[string]bool{}, funs: map[string]*Term{}}, nil
}

func recoverError(err *error) {
	switch r := recover().(type) {
	case nil:
	case *source.Error:
		*err = r
	default:
		panic(r)
	}
}

// program reads declarations and the fun that ends a program.
func (e *elaborator) program() *Program {
	p := &Program{}
	var funs []*UserFun
	for {
		t := e.tok()
		switch {
		case e.isName("program"):
			e.i++
			if p.Name != "" {
				e.failAt(t.at, "the program is named %s already", p.Name)
			}
			p.Name = e.name("the name of the program")
		case e.isName("size"):
			e.i++
			for more := true; more; more = e.accept(",") {
				at := e.tok().at
				name := e.variable(map[string]bool{})
				if e.sizes[name] {
					e.failAt(at, "size %s is declared twice", name)
				}
				e.sizes[name] = true
				p.Sizes = append(p.Sizes, name)
			}
		case e.isName("assume"):
			e.i++
			for more := true; more; more = e.accept(",") {
				p.Assumed = need(p.Assumed, e.assumption())
			}
		case e.isName("def"):
			f := e.def()
			if e.funs[f.Name] != nil {
				e.failAt(t.at, "function %s is defined twice", f.Name)
			}
			e.funs[f.Name] = FunOf(f)
			funs = append(funs, f)
		case e.isName("fun"):
			n := e.fun()
			if e.tok().kind != tokEnd {
				e.expected("the end")
			}
			f, names := e.typedFun(n)
			p.Funs = funs
			q, err := NewProgram(p.Name, p.Sizes, names, f)
			if err == nil {
				q.Assumed, q.Funs = p.Assumed, funs
				q, err = q.WithBody(q.Body)
			}
			if err != nil {
				e.failAt(n.at, "%v", err)
			}
			return q
		default:
			e.failHint(t.at, "a program has lines size, assume and def, and ends with fun(xs: [float32]n => …)", "expected a declaration, found %s", orEnd(t))
		}
	}
}

func orEnd(t token) string {
	if t.kind == tokEnd {
		return "the end"
	}
	return t.text
}

// assumption reads 4 | n or n >= 3.
func (e *elaborator) assumption() Assumption {
	n := e.infix(precSum)
	a := e.declared(n, e.size(n))
	var r Assumption
	switch at := e.tok().at; {
	case e.accept("|"):
		n := e.infix(precSum)
		r = Assumption{Kind: Divides, A: e.declared(n, e.size(n)), B: a}
	case e.accept(">="):
		n := e.infix(precSum)
		r = Assumption{Kind: AtLeast, A: a, B: e.declared(n, e.size(n))}
	default:
		e.failHint(at, "write 4 | n, or n >= 3", "expected | or >=")
	}
	if r.Refuted() {
		e.failAt(n.at, "%s never holds", r)
	}
	return r
}

// typedFun elaborates a fun whose parameters have types, as a lambda.
func (e *elaborator) typedFun(n *node) (*Term, []string) {
	var names []string
	var params []*Type
	for _, p := range n.params {
		if p.typ == nil || p.tuple {
			e.failHint(p.at, "write "+append(p.names, "xs")[0]+": [float32]n", "an input has a name and a type")
		}
		e.declaredType(p.at, p.typ)
		if hasBool(p.typ) {
			e.failHint(p.at, "truth values lie in memory as int32", "input %s is %s: inputs are of numbers", p.names[0], p.typ)
		}
		for _, a := range ofLengths(nil, p.typ) {
			if a.Refuted() {
				e.failHint(p.at, "lengths are whole numbers of at least 1", "input %s is %s: %s never holds", p.names[0], p.typ, a)
			}
		}
		if e.funs[p.names[0]] != nil || e.sizes[p.names[0]] || builtins[p.names[0]] != nil {
			e.failAt(p.at, "%s is declared already", p.names[0])
		}
		names = append(names, p.names[0])
		params = append(params, p.typ)
	}
	f := Fn(params, func(xs ...*Term) *Term {
		args := make([]value, len(xs))
		for i, x := range xs {
			args[i] = value{term: x}
		}
		return e.closure(n, nil).apply(n.at, args)
	})
	return e.checked(n.at, f), names
}

// hasBool reports whether a value of the type holds truth values.
func hasBool(t *Type) bool {
	_, elem := t.Shape()
	return elem.DType == expr.Bool || slices.ContainsFunc(elem.Elems, hasBool)
}

func (e *elaborator) declaredType(at int, t *Type) {
	lengths, elem := t.Shape()
	for _, s := range lengths {
		e.declared(&node{at: at}, s)
	}
	for _, c := range elem.Elems {
		e.declaredType(at, c)
	}
}

// def reads the declaration of a user function. Expressions are those of the kernel IR; each ends with its line, or with
// the bracket that is open at its end.
func (e *elaborator) def() *UserFun {
	e.i++
	at := e.tok().at
	f := UserFun{Name: e.variable(map[string]bool{})}
	if builtins[f.Name] != nil {
		e.failHint(at, "builtin functions are "+strings.Join(Builtins(), " "), "%s is a builtin function", f.Name)
	}
	if expr.IsFunction(f.Name) {
		e.failHint(at, "another name avoids the doubt", "%s is a function of OpenCL C", f.Name)
	}
	e.expect("(")
	seen := map[string]bool{}
	for !e.accept(")") {
		if len(f.Params) > 0 {
			e.expect(",")
		}
		name := e.variable(seen)
		e.expect(":")
		f.Params = append(f.Params, Param{name, e.typ()})
	}
	e.expect(":")
	f.Result = e.typ()
	if e.is("=") {
		f.Defs = e.kernelExprs(components(f.Result))
	}
	for {
		switch {
		case e.isName("where"):
			e.i++
			b := Binding{Name: e.name("the name of a value")}
			if !e.is("=") {
				e.expected("=")
			}
			b.Expr = e.kernelExprs(nil)[0]
			f.Lets = append(f.Lets, b)
		case e.isName("c"):
			e.i++
			if e.tok().kind != tokString {
				e.expected("the body in OpenCL C, in quotes")
			}
			f.Body = e.tok().text
			e.i++
		case e.isName("ops"):
			e.i++
			e.ops(&f)
		case e.isName("associative"):
			e.i++
			f.Associative = true
		case e.isName("commutative"):
			e.i++
			f.Commutative = true
		case e.isName("neutral"):
			e.i++
			n := e.infix(precSum)
			f.Neutral = e.term(n.at, e.elab(n, nil), f.Result)
		default:
			u, err := NewUserFun(f)
			if err != nil {
				e.failAt(at, "%v", err)
			}
			return u
		}
	}
}

// ops reads the operations of one call: ops float32 add 2 func:sqrt 1.
func (e *elaborator) ops(f *UserFun) {
	d := e.dtype()
	if f.Counts == nil {
		f.Counts = map[expr.DType]map[string]int64{}
	}
	if f.Counts[d] == nil {
		f.Counts[d] = map[string]int64{}
	}
	line := e.tok().line
	for any := false; e.tok().kind == tokName && e.tok().line == line || !any; any = true {
		at := e.tok().at
		name := e.name("the name of an operation")
		if e.accept(":") {
			name += ":" + e.name("the name of a function")
		}
		if !strings.HasPrefix(name, "func:") && !slices.Contains(kernel.OpCounts, name) {
			e.failHint(at, "operations are "+strings.Join(kernel.OpCounts, " ")+" func:NAME", "unknown operation %s", name)
		}
		f.Counts[d][name] = int64(e.int())
	}
}

// kernelExprs reads the text after = up to the end of its line outside brackets as expressions of the kernel IR, with
// commas between them. types says how many there are; nil: one.
func (e *elaborator) kernelExprs(types []*Type) []expr.Expr {
	e.i++
	var list []expr.Expr
	depth, start, line := 0, e.i, e.tok().line
	end := func() {
		if e.i == start {
			e.expected("an expression")
		}
		from := e.toks[start].at
		last := e.toks[e.i-1]
		text := e.text[from : last.at+len(last.text)]
		x, err := expr.Parse(text)
		if err != nil {
			e.inText(from, text, err)
		}
		list = append(list, x)
	}
	for {
		t := e.tok()
		switch {
		case t.kind == tokEnd || depth == 0 && t.line != line && e.i > start:
			end()
			return list
		case t.kind == tokSymbol && (t.text == "(" || t.text == "["):
			depth++
		case t.kind == tokSymbol && (t.text == ")" || t.text == "]"):
			depth--
		case t.kind == tokSymbol && t.text == "," && depth == 0 && len(types) > 1:
			end()
			e.i++
			start, line = e.i, e.tok().line
			continue
		}
		if depth == 0 {
			line = e.tok().line
		}
		e.i++
	}
}

// inText fails with an error of another parser about a part of the program, which begins at an offset.
func (e *elaborator) inText(from int, text string, err error) {
	var place *source.Error
	if errors.As(err, &place) {
		e.failAt(from+offsetIn(text, place.Pos), "%s", place.Msg)
	}
	e.failAt(from, "%v", err)
}

// offsetIn is the byte offset of a place in a text.
func offsetIn(text string, pos source.Pos) int {
	at := 0
	for line := 1; line < pos.Line; line++ {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return at
		}
		at += next + 1
	}
	for i := range text[at:] {
		if pos.Column <= 1 {
			return at + i
		}
		pos.Column--
	}
	return len(text)
}
