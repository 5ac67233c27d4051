package cfront

import (
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/internal/source"
)

// readable reads a statement. One that is not read is left out, where that is asked for.
func (p *parser) readable() (s Stmt) {
	if !p.opaque {
		return p.statement()
	}
	start, at := p.i, p.here()
	err := p.attempt(func() { s = p.statement() })
	if err == nil {
		return s
	}
	p.i = start
	p.skip()
	return &Other{Pos: at, What: source.Message(err), Unread: true, Body: p.mayDo(start, at)}
}

// mayDo stands for what a text may do that is not read: change the variables that it names, and jump. A pointer stays where it points to, unless it is assigned to.
func (p *parser) mayDo(start int, at Pos) (body []Stmt) {
	for i := start; i < p.i; i++ {
		t := p.tokens[i]
		if t.Kind != cpp.Name {
			continue
		}
		if slices.Contains(jumps, t.Text) {
			body = append(body, &Jump{Pos: at, What: t.Text})
		}
		if v, is := p.scope.find(t.Text).(*variable); is {
			named := Expr(&Ref{v.t.typed(at), v.v})
			if !v.v.Pointer || assigns(p.tokens[i+1]) || i > start+1 && (assigns(p.tokens[i-1]) || p.tokens[i-1].Is("(") && written(p.tokens[i-2])) {
				named = &Address{X: named}
			}
			body = append(body, &Do{at, named})
		}
	}
	return body
}

// written reports that a constraint of assembly is that of an output.
func written(t cpp.Token) bool {
	return t.Kind == cpp.String && (strings.HasPrefix(t.Text, `"=`) || strings.HasPrefix(t.Text, `"+`))
}

// assigns reports that a token beside a pointer may be what changes it.
func assigns(t cpp.Token) bool {
	return slices.ContainsFunc([]string{"=", "+=", "-=", "++", "--", "&"}, t.Is)
}

var jumps = []string{"return", "goto", "break", "continue"}

// skip passes a statement.
func (p *cursor) skip() {
	switch {
	case p.is("{"):
		p.pass()
	case p.is("for"), p.is("while"), p.is("if"), p.is("switch"):
		branch := p.next().Text == "if"
		p.accept("constexpr")
		if p.is("(") {
			p.pass()
		}
		p.skip()
		if branch && p.accept("else") {
			p.skip()
		}
	case p.accept("do"):
		p.skip()
		p.passStatement()
	case p.tok().Kind == cpp.Pragma:
		p.next()
	default:
		p.passStatement()
	}
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
