package lift

import (
	"slices"
	"strconv"
	"strings"

	"gpuperf/kernel/expr"
)

// Binding strengths of the notation, weakest first. The parser and the printer share them.
const (
	precApply   = iota // f $ x
	precCompose        // f o g
	precSum
	precProduct
	precAtom
)

var operatorPrec = map[string]int{"+": precSum, "-": precSum, "*": precProduct, "/": precProduct}

// printer writes terms. Variables get names by the number of binders around them.
type printer struct {
	b     strings.Builder
	names []string // of the bound variables, outermost first
	taken map[string]bool
}

// String is the term as programs write it, on one line. Variables bound outside it are written #0, #1.
func (t *Term) String() string {
	if t.err != nil {
		return "error: " + t.err.Error()
	}
	p := printer{taken: map[string]bool{}}
	for _, f := range UserFuns(t) {
		p.taken[f.Name] = true
	}
	p.term(t, precApply)
	return p.b.String()
}

// String is the program in its text form, which parses back.
func (p *Program) String() string {
	w := p.printer()
	b := &w.b
	if p.Name != "" {
		b.WriteString("program " + p.Name + "\n")
	}
	if len(p.Sizes) > 0 {
		b.WriteString("size " + strings.Join(p.Sizes, ", ") + "\n")
	}
	for _, a := range p.Assumed {
		b.WriteString("assume " + a.String() + "\n")
	}
	for _, f := range p.Funs {
		b.WriteString(f.String() + "\n")
	}
	b.WriteString("fun(" + joinParams(p.Inputs) + " =>\n    ")
	w.term(p.Body, precApply)
	b.WriteString(")\n")
	return b.String()
}

// BodyText is the body of the program alone, on one line.
func (p *Program) BodyText() string {
	w := p.printer()
	w.term(p.Body, precApply)
	return w.b.String()
}

// printer writes terms under the inputs of the program.
func (p *Program) printer() *printer {
	w := &printer{taken: map[string]bool{}}
	for _, f := range p.Funs {
		w.taken[f.Name] = true
	}
	for _, s := range p.Sizes {
		w.taken[s] = true
	}
	for _, in := range p.Inputs {
		w.taken[in.Name] = true
		w.names = append(w.names, in.Name)
	}
	return w
}

// fresh is a name for the next variable.
func (p *printer) fresh() string {
	for i := len(p.names); ; i++ {
		name := "x" + strconv.Itoa(i)
		if !p.taken[name] {
			return name
		}
	}
}

// bind names n variables while write runs.
func (p *printer) bind(n int, write func(names []string)) {
	before := p.names
	// A full slice, so that siblings do not share what they append to.
	p.names = slices.Clone(p.names)
	for range n {
		p.names = append(p.names, p.fresh())
	}
	write(p.names[len(before):])
	p.names = before
}

func (p *printer) open(weak bool) func() {
	if !weak {
		return func() {}
	}
	p.b.WriteByte('(')
	return func() { p.b.WriteByte(')') }
}

func (p *printer) term(t *Term, least int) {
	b := &p.b
	switch t.Op {
	case Var:
		if i := t.Ints[0]; i < len(p.names) {
			b.WriteString(p.names[len(p.names)-1-i])
		} else {
			b.WriteString("#" + strconv.Itoa(i-len(p.names)))
		}
	case Free:
		b.WriteByte('?')
	case Literal:
		b.WriteString(t.Lit.String())
	case Lambda, Fun:
		p.function(t, least)
	case Call:
		p.call(t, least)
	case Let:
		b.WriteString("let(")
		p.bind(1, func(names []string) {
			b.WriteString(names[0] + " = ")
			inner := p.names
			p.names = inner[:len(inner)-1]
			p.term(t.Kids[1], precApply)
			p.names = inner
			b.WriteString(", ")
			p.term(t.Kids[0].Body(), precApply)
		})
		b.WriteByte(')')
	default:
		p.pattern(t, least)
	}
}

// String is the literal as programs write it: 1.0f is a float32, 1.0 a float64, 1 an int32.
func (l Lit) String() string {
	if l.Width != 0 {
		return "vec(" + strconv.Itoa(l.Width) + ", " + Lit{DType: l.DType, Text: l.Text}.String() + ")"
	}
	text := l.Text
	if l.DType.IsFloat() && !strings.ContainsAny(text, ".eEIN") {
		text += ".0"
	}
	switch l.DType {
	case expr.Float32:
		return text + "f"
	case expr.Float64, expr.Int32:
		return text
	}
	return string(l.DType) + "(" + text + ")"
}

func (p *printer) call(t *Term, least int) {
	name := t.Kids[0].User.Name
	args := t.Kids[1:]
	if prec, ok := operatorPrec[name]; ok && len(args) == 2 && t.Kids[0].User.IsBuiltin() {
		defer p.open(prec < least)()
		p.term(args[0], prec)
		p.b.WriteString(" " + name + " ")
		p.term(args[1], prec+1)
		return
	}
	p.b.WriteString(name + "(")
	p.list(args)
	p.b.WriteByte(')')
}

func (p *printer) list(args []*Term) {
	for i, a := range args {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.term(a, precApply)
	}
}

// chained reports whether a term applies a pattern to one array, so that it can be part of a composition.
func chained(t *Term) bool {
	args := rows[t.Op].args
	return len(args) > 0 && args[len(args)-1] == argData
}

// pattern writes a pattern applied to its operands: as f o g $ x, where it works on one array.
func (p *printer) pattern(t *Term, least int) {
	if !chained(t) {
		p.b.WriteString(t.Op.String() + "(")
		p.arguments(t)
		p.b.WriteByte(')')
		return
	}
	base := t.Arg()
	if !chained(base) {
		atomic := base.Op == Var || base.Op == Free
		if name := t.name(); atomic && least > precApply || base.Op == Var && (t.Op == Get || t.Op == At) {
			p.b.WriteString(name + "(")
			if p.arguments(t) {
				p.b.WriteString(", ")
			}
			p.term(base, precApply)
			p.b.WriteByte(')')
			return
		}
	}
	defer p.open(least > precApply)()
	base = p.chain(t)
	p.b.WriteString(" $ ")
	p.term(base, precApply)
}

// chain writes a composition of patterns, and returns what it is applied to.
func (p *printer) chain(t *Term) *Term {
	for first := t; chained(t); t = t.Arg() {
		if t != first {
			p.b.WriteString(" o ")
		}
		p.partial(t)
	}
	return t
}

// name is the pattern's name in programs; a gather by a stride has its own.
func (t *Term) name() string {
	if t.Op == Gather && t.Index.Kind == IndexStride {
		return "reorderStride"
	}
	return t.Op.String()
}

// partial writes a pattern without the array that it works on.
func (p *printer) partial(t *Term) {
	p.b.WriteString(t.name())
	if len(rows[t.Op].args) > 1 {
		p.b.WriteByte('(')
		p.arguments(t)
		p.b.WriteByte(')')
	}
}

// arguments writes the arguments of a pattern without the array that it works on, and reports whether there are any.
func (p *printer) arguments(t *Term) bool {
	kids, sizes, ints := t.Kids, t.Sizes, t.Ints
	any := false
	for _, a := range rows[t.Op].args {
		if a == argData {
			continue
		}
		if any {
			p.b.WriteString(", ")
		}
		any = true
		switch a {
		case argFun:
			p.function(kids[0], precApply)
			kids = kids[1:]
		case argTerm:
			p.term(kids[0], precApply)
			kids = kids[1:]
		case argList:
			p.list(kids)
		case argSize:
			p.b.WriteString(sizes[0].String())
			sizes = sizes[1:]
		case argDim, argInt:
			p.b.WriteString(strconv.Itoa(ints[0]))
			ints = ints[1:]
		case argMode:
			p.b.WriteString(PadMode(ints[0]).String())
			ints = ints[1:]
		case argIndex:
			if t.name() == "reorderStride" {
				p.b.WriteString(t.Index.Arg.String())
			} else {
				p.b.WriteString(t.Index.String())
			}
		}
	}
	return any
}

// function writes a function: a name, a composition of patterns, or a lambda.
func (p *printer) function(f *Term, least int) {
	if f.Op == Fun {
		p.b.WriteString(f.User.Name)
		return
	}
	if g := f.Uncurried(); g != nil {
		p.b.WriteString(g.Name)
		return
	}
	if f.Op == Lambda && len(f.Params) == 1 && f.composes() {
		defer p.open(least > precCompose)()
		p.bind(1, func([]string) { p.chain(f.Kids[0]) })
		return
	}
	p.b.WriteString("fun(")
	p.bind(len(f.Params), func(names []string) {
		p.b.WriteString(strings.Join(names, ", ") + " => ")
		p.term(f.Kids[0], precApply)
	})
	p.b.WriteByte(')')
}

// Uncurried returns the user function that the lambda calls with the components of its tuple parameter; nil for other lambdas.
func (f *Term) Uncurried() *UserFun {
	if f.Op != Lambda || len(f.Params) != 1 || f.Params[0].Kind != TupleType {
		return nil
	}
	body := f.Kids[0]
	if body.Op != Call || len(body.Kids)-1 != len(f.Params[0].Elems) {
		return nil
	}
	for i, a := range body.Kids[1:] {
		if a.Op != Get || a.Ints[0] != i || a.Kids[0].Op != Var || a.Kids[0].Ints[0] != 0 {
			return nil
		}
	}
	return body.Kids[0].User
}

// composes reports whether the lambda can be written as a composition: its body is a chain of patterns that ends in its
// parameter, which does not occur elsewhere.
func (f *Term) composes() bool {
	t := f.Kids[0]
	if !chained(t) {
		return false
	}
	for chained(t) {
		for _, k := range t.Kids[:len(t.Kids)-1] {
			if Uses(k, 0) {
				return false
			}
		}
		t = t.Arg()
	}
	return t.Op == Var && t.Ints[0] == 0
}

// Uses reports whether t refers to the variable whose de Bruijn index outside t is i.
func Uses(t *Term, i int) bool {
	if t.open <= i {
		return false
	}
	if t.Op == Var {
		return t.Ints[0] == i
	}
	if t.Op == Lambda {
		i += len(t.Params)
	}
	return slices.ContainsFunc(t.Kids, func(k *Term) bool { return Uses(k, i) })
}
