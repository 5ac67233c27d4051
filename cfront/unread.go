package cfront

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/cfront/strung"
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
	if Malformed(err) {
		panic(fault{err: err})
	}
	if p.i = start; p.within != nil {
		p.within.unread++
	}
	p.skip()
	p.leaveOut(start)
	return &Other{Pos: at, What: source.Message(err), Unread: true, Body: p.mayDo(start, at)}
}

// leaveOut notes the names that a statement which is not read seems to declare, those that a type stands before.
func (p *parser) leaveOut(start int) {
	declares := p.tokens[start].Kind == cpp.Name // up to a value, or between commas
	for i := start + 1; i < p.i-1; i++ {
		name, before, after := p.tokens[i], p.tokens[i-1], p.tokens[i+1]
		declares = (declares || before.Is(",")) && (before.Kind == cpp.Name || oneOf(before, "*", "&", "<", ">", "::", ",") || before.Kind == cpp.Number)
		if declares && name.Kind == cpp.Name && (before.Kind == cpp.Name && !before.Is("return") || oneOf(before, "*", "&", ">")) && oneOf(after, "[", "=", ";", ",", "(") {
			if p.file.leftOut == nil {
				p.file.leftOut = map[string]int{}
			}
			p.file.leftOut[name.Text] = name.At.Line
		}
	}
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

// malformed is an error of a text that no compiler accepts. It is never left out, as what is only not read here may be.
type malformed struct{ at *source.Error }

func (e *malformed) Error() string { return e.at.Error() }
func (e *malformed) Unwrap() error { return e.at }

// Malformed reports that an error of a function is one of a text that no compiler accepts.
func Malformed(err error) bool {
	var e *malformed
	return errors.As(err, &e)
}

// misplaced reports that no grammar of C or C++ has the current token here, whatever stands around it.
func (p *cursor) misplaced(wanted string) bool {
	t, after := p.tok(), p.tokens[max(p.i-1, 0)]
	ends := oneOf(t, ";", ")", "]", "}") || t.Kind == cpp.End
	controls := statements[t.Text] != nil || t.Is("else")
	operand := t.Kind == cpp.Name && !p.mayBeMacro(t) || t.Kind == cpp.Number || t.Kind == cpp.String
	ended := oneOf(after, ")", "]", "}", "++", "--") || after.Kind == cpp.Name || after.Kind == cpp.Number
	switch wanted {
	case afterParameter:
		return ends || ended && (operand || t.Is("{")) && !p.mayBeMacro(after)
	case anExpression:
		return (ends || oneOf(t, infix...)) && !oneOf(after, "...", "operator") || t.Is(":") && !after.Is("?") || controls
	case `";"`, `":"`:
		return ended && (operand || ends || t.Is("#"))
	case `"("`:
		return ends || oneOf(after, "if", "for", "while", "switch")
	case `")"`, `"]"`, `"}"`, `"," or ")"`, `"," or "}"`:
		return ends
	case "the name of a member":
		return ends || t.Kind == cpp.Number
	case "a name":
		return t.Kind == cpp.Number
	}
	return false
}

// mayBeMacro reports that a name may be of a macro of a header that is not found.
func (p *cursor) mayBeMacro(t cpp.Token) bool {
	return len(p.file.absent) > 0 && t.Text == strings.ToUpper(t.Text)
}

func oneOf(t cpp.Token, texts ...string) bool { return slices.ContainsFunc(texts, t.Is) }

// anExpression and afterParameter are how messages name what should stand.
const anExpression, afterParameter = "an expression", `"," or ")" after a parameter`

// infix are operators that begin no expression.
var infix = strings.Fields("= += -= *= /= %= &= |= ^= <<= >>= , / % == != <= >= | ^ || ? . -> #")

// unknown refuses a name that nothing declares.
func (p *cursor) unknown(t cpp.Token, format string) {
	if line := p.file.leftOut[t.Text]; line > 0 {
		p.fail(Pos(t.At), "%s is declared in line %d, which is not read", t.Text, line)
	}
	macro, begins := loopMacro(p, t)
	if begins {
		t, format = macro, "%s is no macro that is known"
	}
	hint, absent := "", p.file.Absent(t.Text)
	var flags []string
	if !p.lang.hosted && !begins {
		flags = prefixed("-D ", p.file.leaving()[t.Text])
	}
	switch upper := t.Text == strings.ToUpper(t.Text); {
	case begins:
		flags = []string{"-D '" + t.Text + "(i, n)=" + strideLoop + "'"}
		hint = flags[0] + " defines it as such macros often are"
	case len(flags) > 0:
		hint = strings.Join(flags, " ") + " has it read where it stands under conditions"
	case !p.lang.hosted && (absent == "" || upper):
		flags = p.defining(t.Text, strings.Contains(format, "type"))
		hint = strings.Join(flags, " ") + " " + map[bool]string{true: "defines it", false: "define them"}[len(flags) == 1] + ", where that is left to the build"
	}
	if absent != "" && !p.lang.hosted {
		hint = strings.TrimPrefix(hint+"; "+absent, "; ")
	}
	if line, is := strings.CutPrefix(t.Text, strung.HolePrefix); is {
		hint = "the program puts a text in at line " + line + ": " + hint
	}
	err := p.file.Errorf(Pos(t.At), format, t.Text).WithHint("%s", hint)
	err.Flags, err.Lacks = flags, t.Text
	if !p.lang.hosted && !p.lang.plusPlus && absent == "" && !p.peek(1).Is("(") { // nothing else can declare it
		panic(fault{err: &malformed{err}})
	}
	panic(fault{err: err})
}

// around are the tokens of the declaration of the file that the cursor stands in. Where those of the text end is found once.
func (p *cursor) around() (s struct{ from, to int }) {
	depth, start := 0, 0
	ends := p.file.ends
	if n := len(ends); n > 0 {
		i, _ := slices.BinarySearch(ends, p.i+1)
		if i > 0 {
			s.from = ends[i-1]
		}
		if i < n {
			s.to = ends[i]
			return s
		}
		start = ends[n-1]
	}
	for i, t := range p.tokens[start:] {
		switch {
		case t.Is("{"):
			depth++
		case t.Is("}"):
			depth--
		}
		if s.to = start + i + 1; depth == 0 && (t.Is(";") || t.Is("}")) {
			p.file.ends = append(p.file.ends, s.to)
			if start+i >= p.i {
				return s
			}
			s.from = s.to
		}
	}
	return s
}
