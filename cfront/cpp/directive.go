package cpp

import (
	"slices"
	"strings"

	"gpuperf/internal/nameset"
)

// condition is an open #if.
type condition struct {
	at       Token
	taken    bool     // a branch of it was read
	last     bool     // #else came
	branches []branch // up to the current one
}

// undefined are the names that a condition tests and nothing defines.
func (r *reader) undefined(c *condition) (names []string) {
	for _, b := range c.branches {
		for _, t := range b.args {
			if t.Kind == Name && t.Text != "defined" && r.macros[t.Text] == nil {
				names = nameset.Add(names, t.Text)
			}
		}
	}
	return names
}

// directive follows a line that begins with #. A pragma is a token.
func (r *reader) directive(in *input) (Token, bool) {
	line := in.rest()
	if len(line) == 0 {
		return Token{}, false
	}
	word, args := line[0], line[1:]
	switch word.Text {
	case "define":
		r.define(word, args)
	case "undef":
		if len(args) > 0 {
			delete(r.macros, args[0].Text)
		}
	case "include", "include_next", "import":
		r.include(in, word, args)
	case "if", "ifdef", "ifndef":
		if len(in.conditions) >= maxDepth {
			r.fail(word, "conditions stand in each other more than %d deep", maxDepth)
		}
		holds := r.holds(word, args)
		in.conditions = append(in.conditions, condition{at: word, taken: holds, branches: []branch{{word, args}}})
		if !holds {
			r.skip(in)
		}
	case "elif", "else", "elifdef", "elifndef":
		if len(in.conditions) == 0 || in.conditions[len(in.conditions)-1].last {
			r.fail(word, "#%s without #if", word.Text)
		}
		c := &in.conditions[len(in.conditions)-1]
		c.last, c.branches = word.Text == "else", append(c.branches, branch{word, args})
		r.skip(in) // the branch before was read
	case "endif":
		if len(in.conditions) == 0 {
			r.fail(word, "#endif without #if")
		}
		in.conditions = in.conditions[:len(in.conditions)-1]
	case "error":
		panic(&Error{At: word.At, Text: "#error " + text(args), Flags: r.propose(func(p *proposal) bool {
			for i := len(in.conditions) - 1; i >= 0; i-- {
				if p.avoid(&in.conditions[i]) {
					return true
				}
			}
			return false
		})})
	case "pragma":
		if len(args) == 1 && args[0].Is("once") {
			r.once[in.file] = true
			return Token{}, false
		}
		return Token{Kind: Pragma, At: word.At, Text: text(args), Args: r.all(args)}, true
	case "warning", "line", "ident":
	default:
		if word.Kind != Number { // # 1 "file" of other preprocessors
			r.fail(word, "#%s is no directive that is known", word.Text)
		}
	}
	return Token{}, false
}

// rest lists the tokens up to the end of the line.
func (in *input) rest() (out []Token) {
	for {
		t := in.next()
		if t.Kind == newline || t.Kind == End {
			in.fresh = true
			return out
		}
		out = append(out, t)
	}
}

// text is how tokens are written.
func text(tokens []Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.Spaced {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// skip passes a branch that is left out, up to one that is read or the end of the condition.
func (r *reader) skip(in *input) {
	var nested []condition
	var before Token
	for {
		t := in.next()
		if r.seems(before, t) {
			r.leaveOutName(in, nested, before.Text)
		}
		before = t
		switch {
		case t.Kind == End:
			r.fail(in.conditions[len(in.conditions)-1].at, "#if without #endif")
		case t.Kind == newline:
			in.fresh = true
			continue
		case !in.fresh || !t.Is("#"):
			if in.fresh = false; t.Kind == Name && slices.Contains(r.cfg.Kernels, t.Text) {
				r.leaveOut(in, nested)
			}
			if t.Kind == Name && t.Text == r.cfg.Sought && in.file == r.main {
				r.tests = nameset.Add(r.tests, r.undefined(&in.conditions[len(in.conditions)-1])...)
			}
			continue
		}
		line := in.rest()
		if len(line) == 0 {
			continue
		}
		c := &in.conditions[len(in.conditions)-1]
		switch word := line[0]; word.Text {
		case "define":
			if len(line) > 1 {
				r.leaveOutName(in, nested, line[1].Text)
			}
		case "if", "ifdef", "ifndef":
			nested = append(nested, condition{branches: []branch{{word, line[1:]}}})
		case "elif", "else", "elifdef", "elifndef":
			if n := len(nested); n > 0 {
				nested[n-1].branches = append(nested[n-1].branches, branch{word, line[1:]})
				break
			}
			if c.last {
				r.fail(word, "#%s after #else", word.Text)
			}
			c.branches = append(c.branches, branch{word, line[1:]})
			c.last = word.Text == "else"
			if !c.taken && (c.last || r.holds(word, line[1:])) {
				c.taken = true
				return
			}
		case "endif":
			if len(nested) == 0 {
				in.conditions = in.conditions[:len(in.conditions)-1]
				return
			}
			nested = nested[:len(nested)-1]
		}
	}
}

// seems reports that one of the names that the text lacks may be defined where it stands before a token.
func (r *reader) seems(name, next Token) bool {
	return r.cfg.Lacking != nil && name.Kind == Name && (next.Is(";") || next.Is("(") || next.Is("{"))
}

// define enters a macro.
func (r *reader) define(word Token, args []Token) {
	if len(args) == 0 || args[0].Kind != Name || args[0].Text == "defined" {
		r.fail(word, "#define without a name")
	}
	m := &macro{name: args[0].Text}
	body := args[1:]
	if len(body) > 0 && body[0].Is("(") && !body[0].Spaced {
		m.function = true
		body = r.params(m, word, body[1:])
	}
	m.body = make([]Token, len(body))
	for i, t := range body {
		if t.Kind == stray {
			r.fail(t, "a character %q that C does not have here", t.Text)
		}
		t.At = Pos{} // it stands where the macro is used
		m.body[i] = t
	}
	if slices.Contains(r.cfg.Words, m.name) {
		return
	}
	m.fallback = len(body) > 0 && !m.function && r.asked(m.name)
	r.macros[m.name] = m
}

// asked reports that a condition which is open asks whether a name is not defined.
func (r *reader) asked(name string) bool {
	return slices.ContainsFunc(r.files[len(r.files)-1].conditions, func(c condition) bool {
		b := c.branches[len(c.branches)-1]
		return (b.word.Is("ifndef") || len(b.args) > 1 && b.args[0].Is("!") && b.args[1].Is("defined")) &&
			slices.ContainsFunc(b.args, func(t Token) bool { return t.Is(name) })
	})
}

// params reads the parameters of a function-like macro, and returns what follows them.
func (r *reader) params(m *macro, word Token, args []Token) []Token {
	for i := range args {
		t := args[i]
		switch {
		case t.Is(")"):
			return args[i+1:]
		case t.Is(",") && i > 0:
		case t.Is("..."):
			if m.variadic = true; i == 0 || args[i-1].Is(",") {
				m.params = append(m.params, "__VA_ARGS__")
			}
		case t.Kind == Name && !slices.Contains(m.params, t.Text):
			m.params = append(m.params, t.Text)
		default:
			r.fail(t, "the parameters of the macro %s are no list of names", m.name)
		}
	}
	r.fail(word, "the parameters of the macro %s have no end", m.name)
	return nil
}

// include reads a header.
func (r *reader) include(in *input, word Token, args []Token) {
	if len(args) > 0 && args[0].Kind == Name {
		args = r.all(args)
	}
	var name string
	quoted := false
	switch {
	case len(args) > 0 && args[0].Kind == String && len(args[0].Text) > 2:
		name, quoted = strings.Trim(args[0].Text, `"`), true
	case len(args) > 1 && args[0].Is("<"):
		end := slices.IndexFunc(args, func(t Token) bool { return t.Is(">") })
		if end < 0 {
			r.fail(word, "#include without the name of a header")
		}
		for _, t := range args[1:end] {
			name += t.Text
		}
	default:
		r.fail(word, "#include without the name of a header")
	}
	file, text, ok := r.cfg.Open(name, quoted, in.file)
	if !ok {
		panic(&Error{At: args[0].At, Text: "include file not found: " + name, Missing: true})
	}
	if bottom := r.files[0]; file == r.main && bottom.file == file && bottom.at == 0 && len(r.files) > 1 { // a file before it includes it: it is read here, and not once more
		r.files[0] = &input{lexer: newLexer(file, ""), fresh: true}
	}
	if !r.once[file] {
		r.enter(file, text)
	}
}
