package cfront

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// maxDefined is the number of macros that a hint proposes.
const maxDefined = 12

// defining proposes the macros that define a name, and others that the text needs as well: types, of OpenCL C those of the whole file, which is read, and what
// has a name in capitals around the cursor.
func (p *cursor) defining(name string, isOne bool) []string {
	s := p.around()
	is := func(i int, texts ...string) bool { return i >= 0 && i < len(p.tokens) && oneOf(p.tokens[i], texts...) }
	named := func(i int) bool {
		return i >= 0 && i < len(p.tokens) && p.tokens[i].Kind == cpp.Name && statements[p.tokens[i].Text] == nil
	}
	declared, isType, qualifies, list := map[string]bool{}, map[string]bool{name: isOne}, map[string]bool{}, []string{name}
	first, end := 0, len(p.tokens)
	if p.lang.plusPlus {
		first, end = s.from, s.to
	}
	depth, open, declares := 0, 0, -1 // braces, brackets, and how many of these a declaration stands in
	for i := first; i < end; i++ {
		t, inside := p.tokens[i], s.from <= i && i < s.to
		depth, open = depth+map[string]int{"{": 1, "}": -1}[t.Text], open+map[string]int{"(": 1, "[": 1, ")": -1, "]": -1}[t.Text]
		if t.Is(";") {
			declares = -1
		}
		if !named(i) || p.means(t.Text) || is(i-1, ".", "->", "::", "struct", "union") {
			continue
		}
		upper, after := t.Text == strings.ToUpper(t.Text), i+1
		begins := i == 0 || is(i-1, "(", ",", ";", "{", "}") || named(i-1) && (p.means(p.tokens[i-1].Text) || qualifies[p.tokens[i-1].Text])
		switch {
		case begins && (named(after) && !is(after+1, "{") || (depth == 0 || !upper && !is(i-1, "(", ",")) && is(after, "*") && (named(after+1) && is(after+2, "=", ";", ",", ")", "[") || is(after+1, "__restrict__", "restrict", "__restrict"))):
			isType[t.Text] = true
			name, next := p.tokens[after].Text, after+1
			if is(next, "*") {
				next++
			}
			if name == "void" || slices.Contains(basic, name) || p.lang.types[name] != nil || named(after) && !slices.Contains(keywords, name) && p.lang.spaces[name] == "" && named(next) && p.file.known(name) || depth == 0 && upper && p.tokens[after].At.Line > t.At.Line { // it stands before the type, or alone in its line
				qualifies[t.Text] = true
			}
			list = append(list, t.Text)
		case is(i-1, "(") && is(after, ")") && is(after+1, "(") && !named(i-2): // (T)(a, b)
			isType[t.Text] = true
			list = append(list, t.Text)
		case is(i-1, ",") && is(after, ",", ";", "=", "[") && declares == open:
			declared[t.Text] = true
		case named(i-1) || is(i-1, "}") || is(i-1, "*", "&") && named(i-2) && (!upper || p.types(i-2) || isType[p.tokens[i-2].Text]):
			if declared[t.Text] = true; named(i-1) || p.types(max(i-2, 0)) {
				declares = open
			}
		case upper && inside && !is(after, "("):
			list = append(list, t.Text)
			qualifies[t.Text] = qualifies[t.Text] || is(i-1, ";", "{", "}") && is(after, "}") // it stands for statements
		}
	}
	return p.proposed(name, list, declared, isType, qualifies)
}

// proposed are the flags that define names: a type where one stands, nothing where a qualifier does, and else a value.
func (p *cursor) proposed(name string, list []string, declared, isType, qualifies map[string]bool) []string {
	var flags []string
	values := map[string]string{}
	for i, n := range list { // of a name that ## makes, as of CONC(float, LANES), the macro in it
		if macro := p.file.lanesIn(n); isType[n] && macro != "" {
			list[i], values[macro], declared[n] = macro, "4", false
			if n == name {
				name = macro
			}
		}
	}
	for _, n := range slices.Clone(list) { // a vector's name may be glued of that of its lanes
		base := strings.TrimSuffix(n, lanes.FindString(n))
		if isType[n] && base != n && !slices.Contains(list, base) && p.file.Mentions(base) {
			list, isType[base] = append(list, base), true
		}
	}
	for _, n := range list {
		flag := "-D " + n + "="
		switch {
		case values[n] != "":
			flag += values[n]
		case qualifies[n]:
		case isType[n]:
			flag += proposedType(n) + lanes.FindString(n)
		case warpName.MatchString(n):
			flag += "32"
		default:
			flag += "…"
		}
		if (n == name || !declared[n]) && !slices.Contains(flags, flag) && len(flags) < maxDefined {
			flags = append(flags, flag)
		}
	}
	return flags
}

// evaluated are the words of C++ for what a compiler computes.
var evaluated = []string{"constexpr", "consteval", "constinit"}

// lanesIn is the macro that says how many lanes a vector has whose type ## made, as of floatLANES; "" for other names.
func (f *File) lanesIn(name string) string {
	at := strings.IndexFunc(name, unicode.IsUpper)
	if at <= 0 || f.lang.types[name[:at]+"4"] == nil || f.Mentions(name) || !f.Mentions(name[at:]) {
		return ""
	}
	return name[at:]
}

// types reports that a token is the name of a type, or stands behind one in a declaration.
func (p *cursor) types(i int) bool {
	text := p.tokens[i].Text
	return slices.Contains(basic, text) || p.lang.types[text] != nil || text == "const" || strings.HasPrefix(text, "__")
}

// means reports that a name is one of the language or of the file.
func (p *cursor) means(name string) bool {
	_, space := p.lang.spaces[name]
	return space || p.file.known(name) || slices.Contains(keywords, name) || slices.Contains(basic, name) ||
		slices.Contains(p.lang.kernels, name) || slices.Contains(p.lang.ignored, name) || strings.HasPrefix(name, "__") || p.lang.plusPlus && slices.Contains(evaluated, name)
}

// Mentions reports that a text of the file has a name in it. Others are made by ##.
func (f *File) Mentions(name string) bool {
	whole := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for _, text := range f.texts {
		if strings.Contains(text, name) && whole.MatchString(text) {
			return true
		}
	}
	return false
}

// proposedType is what a type may be that a program defines, by its name: an integer where that tells it.
func proposedType(name string) string {
	if integerName.MatchString(strings.ToLower(name)) {
		return "int"
	}
	return "float"
}

var integerName = regexp.MustCompile(`(^|_)(u?ints?|idx|index|size|dims?|counts?|len|length|offset|id|int(8|16|32|64))([0-9]|_|$)`)

// warpName finds names of how many work-items a warp has.
var warpName = regexp.MustCompile(`(?i)warp_?size$`)

// lanes is how many the name of a vector ends with.
var lanes = regexp.MustCompile("(2|3|4|8|16)$")

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
