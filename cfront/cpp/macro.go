package cpp

import (
	"slices"
	"strconv"
	"strings"
)

// macro is a definition.
type macro struct {
	name     string
	function bool
	fallback bool // it is defined where nothing else defines it
	params   []string
	variadic bool // the last parameter takes all further arguments
	body     []Token
	busy     int // how often its replacement is being read: it is not replaced in that
}

// ownMacros are those that the preprocessor has itself (C11, 6.10.8 and 6.10.9).
var ownMacros map[string]func(*reader, Token) Token

func init() {
	ownMacros = map[string]func(*reader, Token) Token{
		"__LINE__": func(_ *reader, t Token) Token {
			return Token{Kind: Number, Text: strconv.Itoa(t.At.Line), At: t.At, Spaced: t.Spaced}
		},
		"__FILE__": func(_ *reader, t Token) Token {
			return Token{Kind: String, Text: strconv.Quote(t.At.File), At: t.At, Spaced: t.Spaced}
		},
		"_Pragma": (*reader).pragma,
	}
}

// pragma reads _Pragma("text"), which is #pragma text.
func (r *reader) pragma(word Token) Token {
	args, ok := r.arguments(word, &macro{name: word.Text, params: []string{"text"}})
	if !ok || len(args[0]) != 1 || args[0][0].Kind != String {
		r.fail(word, "_Pragma is followed by a string in brackets")
	}
	text, err := strconv.Unquote(args[0][0].Text)
	if err != nil {
		r.fail(args[0][0], "the string of _Pragma is not read")
	}
	var tokens []Token
	for _, t := range Lex(word.At.File, text) {
		if t.At = word.At; t.Kind != End {
			tokens = append(tokens, t)
		}
	}
	return Token{Kind: Pragma, At: word.At, Text: text, Args: tokens}
}

// replace puts the replacement of a macro in front of what is read; false where a function-like macro has no arguments.
func (r *reader) replace(use Token, m *macro) bool {
	if !slices.ContainsFunc(r.lists, func(l list) bool { return l.bottom || len(l.tokens) > 0 }) {
		r.use = topUse{use, r.out, r.made}
	}
	body := m.body
	if m.function {
		args, ok := r.arguments(use, m)
		if !ok {
			return false
		}
		body = r.substitute(use, m, args)
	} else {
		body = r.paste(slices.Clone(body))
	}
	r.grown(use, len(body))
	for i := range body {
		if body[i].At.Line == 0 { // of the macro, not of an argument
			body[i].At = use.At
		}
		if body[i].Of = use.Of; use.Of == "" && !m.function {
			body[i].Of = m.name
		}
	}
	if len(body) > 0 {
		body[0].Spaced = use.Spaced
	}
	m.busy++
	r.lists = append(r.lists, list{tokens: body, of: m})
	return true
}

// grown counts the tokens that macros make.
func (r *reader) grown(at Token, n int) {
	before := r.made
	if r.cfg.Large && r.made-r.use.made > maxLarge {
		panic(tooLarge{})
	}
	if r.made += n + 1; r.made > maxExpanded {
		r.fail(at, "macros make more than %d tokens", maxExpanded)
	}
	if before>>12 != r.made>>12 {
		r.check()
	}
}

// arguments reads the arguments of a function-like macro.
func (r *reader) arguments(use Token, m *macro) (args [][]Token, ok bool) {
	t := r.raw()
	if !t.Is("(") {
		if t.Kind != End {
			r.back(t)
		}
		return nil, false
	}
	depth := 0
	var arg []Token
	for {
		t := r.raw()
		switch {
		case t.Kind == End:
			r.fail(use, "the arguments of the macro %s have no end", m.name)
		case t.Is(")") && depth == 0:
			if args = append(args, arg); len(m.params) == 0 && len(args) == 1 && len(arg) == 0 {
				args = nil
			}
			if m.variadic && len(args) == len(m.params)-1 {
				args = append(args, nil)
			}
			if len(args) != len(m.params) {
				r.fail(use, "the macro %s has %d parameters, and here are %d arguments", m.name, len(m.params), len(args))
			}
			return args, true
		case t.Is(",") && depth == 0 && !(m.variadic && len(args) == len(m.params)-1):
			args, arg = append(args, arg), nil
			continue
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		if t.Kind == Name && r.macros[t.Text] != nil && r.macros[t.Text].busy > 0 {
			t.final = true
		}
		r.grown(use, 1)
		arg = append(arg, t)
	}
}

// substitute puts arguments in the place of parameters (C11, 6.10.3.1 to 6.10.3.3).
func (r *reader) substitute(use Token, m *macro, args [][]Token) []Token {
	var out []Token
	replaced := make([][]Token, len(args))
	known := make([]bool, len(args))
	for i, t := range m.body {
		if t.Is("#") && i+1 < len(m.body) && m.param(m.body[i+1]) >= 0 {
			continue
		}
		p := m.param(t)
		switch {
		case p < 0:
			out = append(out, t)
			continue
		case i > 0 && m.body[i-1].Is("#"):
			out = append(out, Token{Kind: String, Text: quote(args[p]), Spaced: t.Spaced})
			continue
		}
		arg := args[p]
		if !(i > 0 && m.body[i-1].Is("##")) && !(i+1 < len(m.body) && m.body[i+1].Is("##")) {
			if !known[p] {
				if len(arg) > 0 {
					replaced[p] = r.all(arg)
				}
				known[p] = true
			}
			arg = replaced[p]
		} else if len(arg) == 0 {
			arg = []Token{{Kind: newline}} // a mark that pastes as nothing
		}
		r.grown(use, len(arg))
		at := len(out)
		out = append(out, arg...)
		if len(arg) > 0 {
			out[at].Spaced = t.Spaced
		}
	}
	return r.paste(out)
}

func (m *macro) param(t Token) int {
	if t.Kind != Name {
		return -1
	}
	return slices.Index(m.params, t.Text)
}

func quote(arg []Token) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, t := range arg {
		if i > 0 && t.Spaced {
			b.WriteByte(' ')
		}
		if t.Kind == String || t.Kind == Char {
			b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(t.Text))
		} else {
			b.WriteString(t.Text)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// paste joins the tokens around ##. It changes the list.
func (r *reader) paste(body []Token) []Token {
	out := body[:0]
	for i := 0; i < len(body); i++ {
		t := body[i]
		if !t.Is("##") || len(out) == 0 || i+1 == len(body) {
			out = append(out, t)
			continue
		}
		i++
		left := &out[len(out)-1]
		switch next := body[i]; {
		case next.Kind == newline && left.Is(","): // , ## __VA_ARGS__ without any
			out = out[:len(out)-1]
		case next.Kind == newline:
		case left.Kind == newline:
			*left = next
		case left.Is(","):
			out = append(out, next)
		default:
			text := left.Text + next.Text
			kind, n := scan(text)
			if n != len(text) {
				r.fail(*left, "%s and %s joined by ## are no token", left.Text, next.Text)
			}
			*left = Token{Kind: kind, Text: text, Spaced: left.Spaced, At: left.At}
		}
	}
	return slices.DeleteFunc(out, func(t Token) bool { return t.Kind == newline })
}
