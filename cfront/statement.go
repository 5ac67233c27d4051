package cfront

import (
	"regexp"
	"strings"

	"gpuperf/cfront/cpp"
)

// block reads statements in braces.
func (p *parser) block() *Block {
	defer p.nest()()
	b := &Block{Pos: p.here()}
	p.expect("{")
	p.scope = &scope{outer: p.scope}
	for !p.is("}") {
		if p.tok().Kind == cpp.End {
			p.fail(b.Pos, "the brace is not closed")
		}
		if s := p.readable(); s != nil {
			b.Items = append(b.Items, s)
		}
	}
	p.scope = p.scope.outer
	b.Last = p.here().Line
	p.next()
	if !p.lang.hosted {
		b.Items = repeated(b.Items)
	}
	return b
}

// statement reads a statement; nil for what is none, as a pragma that does not matter.
func (p *parser) statement() Stmt {
	defer p.nest()()
	at := p.here()
	t := p.tok()
	switch {
	case t.Kind == cpp.Pragma:
		return p.pragma()
	case p.is("{"):
		return p.block()
	case p.is(";"):
		p.next()
		return &Do{at, nil}
	case p.is("__extension__"):
		p.next()
		return p.statement()
	case p.is("__attribute__"), p.is("[") && p.peek(1).Is("["):
		s := &specifiers{}
		p.attributes(s)
		if s.unroll != 0 {
			return p.unrolled(s.unroll)
		}
		return p.statement()
	case t.Kind != cpp.Name && !p.is("::"):
		return p.expressionStatement()
	}
	if read := statements[t.Text]; read != nil {
		return read(p, at)
	}
	switch {
	case p.peek(1).Is(":") && !p.peek(2).Is(":"):
		p.next()
		p.next()
		return &Other{Pos: at, What: "a label", Label: t.Text, Body: p.body()}
	case p.is("asm"), p.is("__asm__"), p.is("__asm"):
		return p.assembly()
	case assertions[t.Text], p.is("__label__"):
		p.passStatement()
		return nil
	case p.lang.plusPlus && cppWords[t.Text] != "":
		p.fail(at, "%s", cppWords[t.Text])
	case p.startsType() && !p.converts():
		if p.is("extern") || p.is("typedef") || !p.is("using") {
			return p.local(at)
		}
	case p.lang.plusPlus && p.is("using"):
		p.using()
		return nil
	case p.lang.plusPlus && p.is("namespace") && p.peek(2).Is("="):
		p.namespace()
		return nil
	}
	return p.expressionStatement()
}

// cppWords are words of C++ that begin what is not read.
var cppWords = map[string]string{
	"try": "exceptions are not read", "throw": "exceptions are not read", "delete": "delete is not read", "template": "a template in a function is none",
}

// statements by the word that they begin with.
var statements map[string]func(*parser, Pos) Stmt

func init() {
	statements = map[string]func(*parser, Pos) Stmt{
		"if": (*parser).branch, "for": (*parser).forLoop, "while": (*parser).whileLoop, "do": (*parser).doLoop, "switch": (*parser).switches,
		"break": (*parser).jump, "continue": (*parser).jump, "return": (*parser).jump, "goto": (*parser).jump, "case": (*parser).label,
		"default": (*parser).label,
	}
}

// local reads a declaration in a block.
func (p *parser) local(at Pos) Stmt {
	vars := p.declaration(false)
	if len(vars) == 0 {
		return nil
	}
	return &Declare{Pos: at, Vars: vars}
}

// converts reports whether the type here begins an expression: float4(x), or T{}.
func (p *parser) converts() bool {
	if !p.lang.plusPlus {
		return false
	}
	found := false
	err := p.attempt(func() {
		p.at(p.i, p.scope, func() {
			if p.is("const") || p.is("auto") || p.is("static") || p.is("extern") {
				return
			}
			p.specifiers()
			n := 1
			for p.peek(n).Is("(") { // int((x) + 1)
				n++
			}
			found = p.is("(") && (!p.nested() || n > 1 && !p.peek(n).Is("*") && !p.peek(n).Is("&")) || p.is("{") || p.is("::")
		})
	})
	return err == nil && found
}

func (p *parser) expressionStatement() Stmt {
	at := p.here()
	v := p.value()
	p.expect(";")
	return &Do{at, v.e}
}

// passStatement passes tokens up to a semicolon.
func (p *cursor) passStatement() {
	for !p.accept(";") {
		if p.tok().Kind == cpp.End || p.is("}") {
			p.unexpected(`";"`)
		}
		if p.is("(") || p.is("{") || p.is("[") {
			body := p.is("{") && p.i > 0 && p.tokens[p.i-1].Is(")")
			if p.pass(); body && (p.is("}") || p.tok().Kind == cpp.Name) { // of a macro that begins a loop or a branch
				return
			}
			continue
		}
		p.next()
	}
}

// body is a statement that another one controls, as a list.
func (p *parser) body() []Stmt {
	if p.is("}") { // after a label
		return nil
	}
	if s := p.statement(); s != nil {
		return []Stmt{s}
	}
	return nil
}

// controlled is a statement that another one controls, in a scope of its own.
func (p *parser) controlled() Stmt {
	at := p.here()
	outer := p.scope
	p.scope = &scope{outer: outer}
	s := p.statement()
	p.scope = outer
	if s == nil {
		return &Do{at, nil}
	}
	return s
}

func (p *parser) condition() Expr {
	p.expect("(")
	at := p.here()
	if p.startsType() && !p.converts() {
		p.fail(at, "a declaration as a condition is not read")
	}
	v := p.value()
	p.expect(")")
	return v.e
}

// branch reads if and else. One whose condition must be constant is the part that is compiled. Else branches that are branches themselves are
// read one after the other, so that chains of them may be long.
func (p *parser) branch(at Pos) Stmt {
	var first Stmt
	end := &first
	for {
		p.next()
		constant := p.lang.plusPlus && p.accept("constexpr")
		out := &If{Pos: at}
		if out.Cond = p.condition(); constant {
			out.Cond = p.evaluated(value{out.Cond, number(out.Cond.Type())}).e
		}
		out.Then = p.controlled()
		chained := p.is("else") && p.peek(1).Is("if")
		if p.accept("else") && !chained {
			out.Else = p.controlled()
		}
		c, known := out.Cond.(*Int)
		switch {
		case !constant || !known:
			*end, end = out, &out.Else
		case c.Value != 0:
			*end, end = out.Then, new(Stmt)
		case !chained:
			*end = out.Else
		}
		if !chained {
			break
		}
		at = p.here()
	}
	if first == nil {
		return &Do{at, nil}
	}
	return first
}

func (p *parser) forLoop(at Pos) Stmt {
	p.next()
	p.expect("(")
	outer := p.scope
	p.scope = &scope{outer: outer}
	out := &For{Pos: at}
	switch init := p.here(); {
	case p.accept(";"):
	case p.startsType() && !p.converts():
		if colon := p.colon(); p.lang.plusPlus && colon > 0 {
			s := p.ranged(at, colon)
			p.scope = outer
			return s
		}
		if s := p.local(init); s != nil {
			out.Init = s
		}
	default:
		out.Init = &Do{init, p.value().e}
		p.expect(";")
	}
	if !p.is(";") {
		out.Cond = p.value().e
	}
	p.expect(";")
	if !p.is(")") {
		out.Step = p.value().e
	}
	p.expect(")")
	out.Body = p.controlled()
	p.scope = outer
	return out
}

func (p *parser) whileLoop(at Pos) Stmt {
	p.next()
	cond := p.condition()
	return &While{Pos: at, Cond: cond, Body: p.controlled()}
}

func (p *parser) doLoop(at Pos) Stmt {
	p.next()
	body := p.controlled()
	if !p.is("while") {
		p.unexpected(`"while"`)
	}
	p.next()
	cond := p.condition()
	p.expect(";")
	return &While{Pos: at, Cond: cond, Body: body, Do: true}
}

func (p *parser) label(at Pos) Stmt {
	if p.next().Text == "case" {
		p.constant("the value of a case")
		if p.accept("...") {
			p.constant("the last value of a case")
		}
	}
	p.expect(":")
	return &Other{Pos: at, What: "a label", Body: p.body()}
}

func (p *parser) jump(at Pos) Stmt {
	out := &Jump{Pos: at, What: p.next().Text}
	switch {
	case out.What == "goto" && p.is("*"):
		out.Value = p.value().e
	case out.What == "goto":
		out.Label = p.name().Text
	case out.What == "return" && !p.is(";"):
		v := p.returned()
		if p.within.result.form == voidForm && v.t != nil && v.t.form == numberForm {
			panic(fault{err: &malformed{p.file.Errorf(v.e.Place(), "%s returns nothing, and this is a number: a semicolon may lack after return", p.within.name)}})
		}
		if p.within.auto && p.within.result.form == otherForm && v.t != nil {
			alias := p.within.result.alias
			p.within.result = v.t.pointed().with(func(t *ctype) { t.alias = alias })
		}
		if out.Value = v.e; p.within.result.refers() {
			out.Value = p.reference(p.within.result, v)
		}
	}
	p.expect(";")
	return out
}

// returned is the value that a function returns.
func (p *parser) returned() value {
	if p.is("{") {
		return p.initializer(p.within.result)
	}
	return p.value()
}

// pragma reads #pragma unroll with the loop after it. Other pragmas do not matter.
func (p *parser) pragma() Stmt {
	t := p.next()
	args := t.Args
	if len(args) > 0 && args[0].Is("GCC") {
		args = args[1:]
	}
	if len(args) == 0 || !args[0].Is("unroll") && !args[0].Is("nounroll") {
		return nil
	}
	n := -1
	if args[0].Is("nounroll") {
		n = 1
	} else if len(args) > 1 {
		p.splice(args[1:], func() { n = int(max(1, min(p.constant("the number of iterations to unroll"), 1<<20))) })
	}
	return p.unrolled(n)
}

// unrolled is the statement after a pragma; a loop notes it.
func (p *parser) unrolled(n int) Stmt {
	if p.is("}") {
		return nil
	}
	s := p.statement()
	switch l := s.(type) {
	case *For:
		l.Unroll = n
	case *While:
		l.Unroll = n
	}
	return s
}

// assembly reads asm: an instruction by the first word of its text, which gives its outputs values that are not known. Its text is named.
func (p *parser) assembly() Stmt {
	at := p.here()
	start := p.i
	for p.tok().Kind == cpp.Name {
		p.next()
	}
	text, whole := "", ""
	for n := 1; p.is("(") && p.peek(n).Kind == cpp.String; n++ {
		whole += p.peek(n).Text
	}
	if p.is("(") && p.peek(1).Kind == cpp.String {
		text = strings.Trim(p.peek(1).Text, `"`)
		text = strings.TrimSpace(strings.NewReplacer("{", "", `\n`, "", `\t`, "").Replace(text))
		if word, _, cut := strings.Cut(text, " "); cut {
			text = word
		}
		text = strings.TrimSuffix(text, ";")
	}
	var out Stmt
	if s := p.asC(start); s != nil {
		return s
	}
	if p.lang.hosted || inMemory.MatchString(whole) || p.attempt(func() { out = p.instruction(at, text) }) != nil {
		p.i = start
		for p.tok().Kind == cpp.Name {
			p.next()
		}
		p.passStatement()
		return p.stands(&Other{Pos: at, What: strings.TrimSpace("inline assembly " + text), Body: p.mayDo(start, at)}, p.operandsAt(start))
	}
	return out
}

// inMemory finds instructions of PTX that access memory or wait, whose accesses are not known.
var inMemory = regexp.MustCompile(`\b(ldu?|st|cp|atom|red|tex|tld4|suld|sust|sured|bar|barrier|ldmatrix|stmatrix|mbarrier|wgmma|tcgen05|prefetchu?)\.`)

// AssemblyPrefix begins the names of calls that stand for inline assembly, before the first word of its text.
const AssemblyPrefix = "asm "

// instruction reads the operands of asm after that word, as a call whose value the first output gets; others get values that are computed by nothing.
func (p *parser) instruction(at Pos, text string) Stmt {
	a := p.operands()
	p.expect(";")
	call := &Call{typed{Pos: at, DType: intType.dtype}, AssemblyPrefix + text, a.In}
	if len(a.Out) == 0 {
		return p.stands(&Do{at, call}, a)
	}
	block := &Block{Pos: at, Last: at.Line}
	for i, to := range a.Out {
		from := &Call{typed{Pos: at, DType: to.Type()}, AssemblyPrefix, nil}
		if i == 0 {
			from.Func, from.Args = call.Func, call.Args
		}
		block.Items = append(block.Items, &Do{at, &Assign{typed: typed{Pos: at, DType: to.Type()}, To: to, Value: from}})
	}
	return p.stands(block, a)
}

// Assembly is inline assembly: its text, in which %0 is the first operand, and its operands, those that it writes first.
type Assembly struct {
	Text     string
	Out, In  []Expr
	Modifies []bool // of Out: it is read, too
}

// Assembly is the inline assembly that a statement stands for, or nil. Who does not know what its instructions do finds in the statement what they may do.
func (f *File) Assembly(s Stmt) *Assembly { return f.assembly[s] }

// stands keeps the assembly that a statement stands for.
func (p *parser) stands(s Stmt, a *Assembly) Stmt {
	if p.file.assembly == nil {
		p.file.assembly = map[Stmt]*Assembly{}
	}
	if a != nil {
		p.file.assembly[s] = a
	}
	return s
}

// operandsAt reads the operands of an asm from a token on once more, where they can be read.
func (p *parser) operandsAt(start int) (a *Assembly) {
	if p.lang.hosted {
		return nil
	}
	after := p.i
	_ = p.attempt(func() {
		p.i = start
		for p.tok().Kind == cpp.Name {
			p.next()
		}
		a = p.operands()
	})
	p.i = after
	return a
}

// operands reads the brackets of asm.
func (p *parser) operands() *Assembly {
	a := &Assembly{}
	p.expect("(")
	for p.tok().Kind == cpp.String {
		a.Text += strings.NewReplacer(`\n`, "\n", `\t`, " ").Replace(strings.Trim(p.next().Text, `"`))
	}
	for n := 0; p.is(":") || p.is("::"); n++ {
		if p.next().Text == "::" {
			n++
		}
		for n < 2 && p.tok().Kind == cpp.String {
			constraint := p.next().Text
			p.expect("(")
			e := p.value().e
			p.expect(")")
			p.accept(",")
			if n == 0 {
				a.Out, a.Modifies = append(a.Out, e), append(a.Modifies, strings.Contains(constraint, "+"))
			} else {
				a.In = append(a.In, e)
			}
		}
		for n >= 2 && !p.is(")") && !p.is(":") {
			p.next()
		}
	}
	p.expect(")")
	return a
}
