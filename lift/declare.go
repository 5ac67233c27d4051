package lift

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Parse reads a program. Errors are *source.Error, with the place in the text.
func Parse(text string) (p *Program, err error) {
	e, err := newElaborator(text)
	if err != nil {
		return nil, err
	}
	defer throw.Catch(&err)
	return e.program(), nil
}

func newElaborator(text string) (*elaborator, error) {
	c, err := language.NewCursor(text)
	if err != nil {
		return nil, err
	}
	return &elaborator{parser: &parser{Cursor: c}, sizes: map[string]bool{}, funs: map[string]*Term{}}, nil
}

// program reads declarations and the fun that ends a program.
func (e *elaborator) program() *Program {
	p := &Program{}
	var funs []*UserFun
	for {
		t := e.Tok()
		switch {
		case e.Accept("program"):
			if p.Name != "" {
				e.FailHint(t.At, "take this line away: a file holds one program", "the program is named %s already", p.Name)
			}
			p.Name = e.name("the name of the program", "write program NAME")
		case e.Accept("size"):
			for more := true; more; more = e.Accept(",") {
				at := e.Tok().At
				name := e.variable(map[string]bool{})
				if e.sizes[name] {
					e.FailHint(at, "take one of the two away", "size %s is declared twice", name)
				}
				e.sizes[name] = true
				p.Sizes = append(p.Sizes, name)
			}
		case e.Accept("assume"):
			for more := true; more; more = e.Accept(",") {
				p.Assumed = need(p.Assumed, e.assumption())
			}
		case e.Is("def"):
			f := e.def()
			if e.funs[f.Name] != nil {
				e.FailHint(t.At, "give one of the two another name", "function %s is defined twice", f.Name)
			}
			e.funs[f.Name] = FunOf(f)
			funs = append(funs, f)
		case e.Is("fun"):
			n := e.fun()
			if e.Tok().Kind != lex.End {
				e.expected("the end", "a program ends with its fun: other declarations stand before it")
			}
			f, names := e.typedFun(n)
			q, err := NewProgram(p.Name, p.Sizes, names, f)
			if err == nil {
				q.Assumed, q.Funs = p.Assumed, funs
				q, err = q.WithBody(q.Body)
			}
			if err != nil {
				e.rejected(n.at, err)
			}
			return q
		default:
			e.FailHint(t.At, "a program has lines size, assume and def, and ends with fun(xs: [float32]n => …)", "expected a declaration, found %s", orEnd(t))
		}
	}
}

func orEnd(t lex.Token) string {
	if t.Kind == lex.End {
		return "the end"
	}
	return strconv.Quote(t.Text)
}

// assumption reads 4 | n or n >= 3.
func (e *elaborator) assumption() Assumption {
	n := e.infix(precSum)
	a := e.declared(n, e.size(n))
	var r Assumption
	switch at := e.Tok().At; {
	case e.Accept("|"):
		n := e.infix(precSum)
		r = Assumption{Kind: Divides, A: e.declared(n, e.size(n)), B: a}
	case e.Accept(">="):
		n := e.infix(precSum)
		r = Assumption{Kind: AtLeast, A: a, B: e.declared(n, e.size(n))}
	default:
		e.FailHint(at, "write 4 | n, or n >= 3", "expected | or >=")
	}
	if r.Refuted() {
		e.FailHint(n.at, "sizes are at least 1; an assumption is what they may be, such as 4 | n or n >= 3", "%s never holds", r)
	}
	return r
}

// typedFun elaborates a fun whose parameters have types, as a lambda.
func (e *elaborator) typedFun(n *node) (*Term, []string) {
	var names []string
	var params []*Type
	for _, p := range n.params {
		if p.typ == nil || p.tuple {
			e.FailHint(p.at, "write "+append(p.names, "xs")[0]+": [float32]n", "an input has a name and a type")
		}
		e.declaredType(p.at, p.typ)
		if hasBool(p.typ) {
			e.FailHint(p.at, "truth values are stored as int32", "input %s is %s: inputs must be numbers", p.names[0], p.typ)
		}
		for _, a := range ofLengths(nil, p.typ) {
			if a.Refuted() {
				e.FailHint(p.at, "lengths are whole numbers of at least 1", "input %s is %s: %s never holds", p.names[0], p.typ, a)
			}
		}
		if e.funs[p.names[0]] != nil || e.sizes[p.names[0]] || builtins[p.names[0]] != nil {
			e.FailHint(p.at, "give the input another name", "%s is declared already", p.names[0])
		}
		names = append(names, p.names[0])
		params = append(params, p.typ)
	}
	f := Fn(params, func(xs ...*Term) *Term {
		args := lists.Map(xs, func(x *Term) value { return value{term: x} })
		return e.closure(n, nil).apply(n.at, args)
	})
	return e.checked(n.at, f), names
}

// hasBool reports whether a value of the type contains truth values.
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

// declarations are the words that lines outside of expressions begin with.
var declarations = map[string]bool{"program": true, "size": true, "assume": true, "def": true, "fun": true}

// defForm is the hint for a def.
const defForm = "write def f(x: float32, k: int32): float32 = 2*x"

// def reads the declaration of a user function. Expressions are those of the kernel IR; each ends at the end of its line, or
// with the bracket that is open there.
func (e *elaborator) def() *UserFun {
	e.I++
	at := e.Tok().At
	f := UserFun{Name: e.variable(map[string]bool{})}
	if builtins[f.Name] != nil {
		e.FailHint(at, "builtin functions are "+strings.Join(Builtins(), " "), "%s is a builtin function", f.Name)
	}
	if expr.IsFunction(f.Name) {
		e.FailHint(at, "choose another name", "%s is a function of OpenCL C", f.Name)
	}
	e.expect("(", defForm)
	seen := map[string]bool{}
	for !e.Accept(")") {
		if len(f.Params) > 0 {
			e.expect(",", defForm)
		}
		name := e.variable(seen)
		e.expect(":", defForm)
		f.Params = append(f.Params, Param{name, e.typ()})
	}
	e.expect(":", defForm)
	f.Result = e.typ()
	if e.Is("=") {
		f.Defs = e.kernelExprs(Components(f.Result))
	}
	for {
		switch {
		case e.Accept("where"):
			b := Binding{Name: e.name("the name of a value", "a value of a def is named by a line such as: where y = 2*x")}
			if !e.Is("=") {
				e.expected("=", "a value of a def is named by a line such as: where y = 2*x")
			}
			b.Expr = e.kernelExprs(nil)[0]
			f.Lets = append(f.Lets, b)
		case e.Accept("c"):
			if e.Tok().Kind != lex.String {
				e.expected("the body in OpenCL C, in quotes", `write c "return 2*x;"`)
			}
			f.Body = e.Tok().Text
			e.I++
		case e.Accept("ops"):
			e.ops(&f)
		case e.Accept("associative"):
			f.Associative = true
		case e.Accept("commutative"):
			f.Commutative = true
		case e.Accept("neutral"):
			n := e.infix(precSum)
			f.Neutral = e.term(n.at, e.elab(n, nil), f.Result)
		default:
			u, err := NewUserFun(f)
			if err != nil {
				e.rejected(at, err)
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
	line, _, _ := strings.Cut(e.Text[e.Tok().At:], "\n")
	end := e.Tok().At + len(line)
	for any := false; e.Tok().Kind == lex.Name && e.Tok().At < end || !any; any = true {
		at := e.Tok().At
		name := e.name("the name of an operation", "write ops float32 add 1 mul 1")
		if e.Accept(":") {
			name += ":" + e.name("the name of a function", "write ops float32 func:sqrt 1")
		}
		if !strings.HasPrefix(name, "func:") && !slices.Contains(kernel.OpCounts, name) {
			e.FailHint(at, "operations are "+strings.Join(kernel.OpCounts, " ")+" func:NAME", "unknown operation %s", name)
		}
		f.Counts[d][name] = int64(e.int("write ops float32 add 1 mul 1"))
	}
}

// kernelExprs reads the text after = up to the end of its line outside brackets as expressions of the kernel IR, with
// commas between them. types says how many there are; nil: one.
func (e *elaborator) kernelExprs(types []*Type) []expr.Expr {
	e.I++
	var list []expr.Expr
	depth, start := 0, e.I
	end := func() {
		if e.I == start || declarations[e.Tokens[start].Text] {
			e.I = start
			e.FailHint(e.Tok().At, "write an expression of kernels (perf help lp), such as: def f(x: float32): float32 = 2*x", "%s", e.Missing("a value"))
		}
		from := e.Tokens[start].At
		last := e.Tokens[e.I-1]
		text := e.Text[from : last.At+len(last.Text)]
		x, err := expr.Parse(text)
		if err != nil {
			e.inText(from, text, err)
		}
		list = append(list, expr.Rewrite(x, expr.Extremes)) // no reduction may stand here
	}
	for {
		t := e.Tok()
		switch {
		case t.Kind == lex.End || depth == 0 && e.I > start && strings.Contains(e.Text[e.Tokens[e.I-1].At:t.At], "\n"):
			end()
			return list
		case t.Kind == lex.Symbol && (t.Text == "(" || t.Text == "["):
			depth++
		case t.Kind == lex.Symbol && (t.Text == ")" || t.Text == "]"):
			depth--
		case t.Kind == lex.Symbol && t.Text == "," && depth == 0 && len(types) > 1:
			end()
			e.I++
			start = e.I
			continue
		}
		e.I++
	}
}

// kernelForms is the hint for expressions of kernels.
const kernelForms = "perf help lp says what expressions of kernels are made of"

// inText reports an error of another parser in a part of the program that begins at an offset.
func (e *elaborator) inText(from int, text string, err error) {
	var place *source.Error
	if errors.As(err, &place) {
		e.FailHint(from+place.Pos.Offset(text), cmp.Or(place.Hint, kernelForms), "%s", place.Msg)
	}
	e.FailHint(from, kernelForms, "%v", err)
}
