package cpp

import "context"

// reader takes tokens from files and macros, which stand on a stack.
type reader struct {
	ctx    context.Context
	cfg    Config
	macros map[string]*macro
	lists  []list // tokens of macros and arguments, the current one last
	files  []*input
	made   int             // tokens that macros made
	use    topUse          // the macro of the text whose replacement is read
	out    int             // tokens that came out
	nested int             // arguments in arguments
	once   map[string]bool // headers that say #pragma once
	asking bool            // a condition is read, in which defined asks for macros
	trials int             // of definitions that are proposed
	main   string          // the name of the text
	tests  []string        // what conditions test that leave out the word which is sought
}

// list are tokens that are read before others. The macro that they come from is not replaced in them.
type list struct {
	tokens []Token
	of     *macro
	// bottom: no token is read from what is below.
	bottom bool
}

// topUse is where the text uses a macro, with how many tokens had come out by then, and macros had made.
type topUse struct {
	of        Token
	out, made int
}

// tooLarge leaves the recursion where one use of a macro makes too much.
type tooLarge struct{}

// step is the next token with macros replaced, or that a macro makes too much, of which nothing is left then.
func (r *reader) step() (t Token, large bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, large = e.(tooLarge); !large {
				panic(e)
			}
			for len(r.lists) > 0 {
				r.pop()
			}
			r.nested = 0
		}
	}()
	return r.expanded(), false
}

// input is an open file.
type input struct {
	*lexer
	fresh      bool // the next token begins a line
	conditions []condition
}

func (r *reader) enter(file, text string) {
	if len(r.files) >= maxDepth {
		r.fail(Token{At: r.files[len(r.files)-1].here()}, "headers include each other %d deep, as where a header includes itself without end", maxDepth)
	}
	r.files = append(r.files, &input{lexer: newLexer(file, text), fresh: true})
}

// raw is the next token before macros are replaced. It follows directives.
func (r *reader) raw() Token {
	for len(r.lists) > 0 {
		top := &r.lists[len(r.lists)-1]
		if len(top.tokens) > 0 {
			t := top.tokens[0]
			top.tokens = top.tokens[1:]
			return t
		}
		if top.bottom {
			return Token{}
		}
		r.pop()
	}
	for len(r.files) > 0 {
		in := r.files[len(r.files)-1]
		t := in.next()
		switch {
		case t.Kind == newline:
			in.fresh = true
		case t.Kind == End:
			if n := len(in.conditions); n > 0 {
				r.fail(in.conditions[n-1].at, "#if without #endif")
			}
			if len(r.files) == 1 {
				r.files = nil
				return t
			}
			r.files = r.files[:len(r.files)-1]
		case in.fresh && t.Is("#"):
			if p, ok := r.directive(in); ok {
				return p
			}
		default:
			in.fresh = false
			return t
		}
	}
	return Token{}
}

func (r *reader) pop() {
	if m := r.lists[len(r.lists)-1].of; m != nil {
		m.busy--
	}
	r.lists = r.lists[:len(r.lists)-1]
}

// back puts a token in front of what is read next.
func (r *reader) back(t Token) { r.lists = append(r.lists, list{tokens: []Token{t}}) }

// expanded is the next token with macros replaced.
func (r *reader) expanded() Token {
	for {
		t := r.raw()
		if t.Kind != Name || t.final {
			if t.Kind == stray {
				r.fail(t, "a character %q that C does not have here", t.Text)
			}
			return t
		}
		if r.asking && (t.Is("defined") || t.Is("__has_include")) {
			return r.answer(t)
		}
		m := r.macros[t.Text]
		if m == nil {
			if own := ownMacros[t.Text]; own != nil {
				return own(r, t)
			}
			return t
		}
		if m.busy > 0 {
			t.final = true
			return t
		}
		if !r.replace(t, m) {
			return t
		}
	}
}

// all replaces the macros of a list of tokens alone.
func (r *reader) all(tokens []Token) (out []Token) {
	if r.nested++; r.nested > maxDepth {
		r.fail(tokens[0], "macros are used in arguments of macros more than %d deep", maxDepth)
	}
	r.lists = append(r.lists, list{tokens: tokens, bottom: true})
	for t := r.expanded(); t.Kind != End; t = r.expanded() {
		out = append(out, t)
	}
	r.pop()
	r.nested--
	return out
}
