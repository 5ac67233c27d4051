// Package cpp is a C preprocessor: from the text of a file to tokens with their places.
//
// The lexer (lexer.go) cuts a text into tokens. The reader (read.go) takes them one by one, follows directives (directive.go,
// condition.go) and replaces macros (macro.go). A token that comes from a macro stands where the macro is used, so that places are those
// of the text that people look at; the tokens of arguments keep their own. Work is limited, as texts may come from strangers.
package cpp

import (
	"context"
	"fmt"
	"slices"

	"gpuperf/internal/source"
)

// Kind is a kind of token.
type Kind uint8

// The kinds of tokens.
const (
	End Kind = iota
	Name
	Number
	Char
	String
	Symbol
	Pragma // a #pragma: Text is what follows the word, Args are its tokens with macros replaced
	newline
	stray // a character that begins no token
)

// Pos is a place in a file.
type Pos struct {
	File string
	source.Pos
}

// Token is a token after preprocessing.
type Token struct {
	Kind Kind
	// Spaced: white space stands before it.
	Spaced bool
	final  bool // a name that is not replaced any more
	// Of is the macro without parameters that the token comes from; "" for those of the text.
	Of   string
	Text string
	At   Pos
	Args []Token
}

// Is reports whether the token is that symbol or name.
func (t Token) Is(text string) bool { return t.Text == text && (t.Kind == Symbol || t.Kind == Name) }

// Error is a fault of the text, at a place.
type Error struct {
	At   Pos
	Text string
	// Missing: a header is not found.
	Missing bool
	// Flags are definitions, NAME or NAME=VALUE, under which an #error is left out; nil where none are found.
	Flags []string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.At.File, e.At.Line, e.At.Column, e.Text)
}

// Config says what a text may refer to.
type Config struct {
	// Open finds the text of a header that the file from includes, and the name that it has; ok is false if there is none.
	Open func(name string, quoted bool, from string) (file, text string, ok bool)
	// Define is a text of directives that comes first.
	Define string
	// Before are files, as Open takes their names, that are read before the text. One that includes the text has it in that place.
	Before []string
	// LeftOut gets the functions that stand in branches which are left out, behind one of the words Kernels, with definitions under which they are read.
	LeftOut map[string][]string
	Kernels []string
	// Words are those of the language. One that a text defines, as the headers of compilers do, stays what it is.
	Words []string
	// Lacking are names that the text uses and does not have. Those that seem to be defined in branches which are left out, as macros, types or functions, get
	// definitions under which these are read.
	Lacking map[string][]string
	// Large: a macro that makes too much of one use stays there, as NAME();, and is no fault: nobody asks for what it would declare.
	Large bool
	// Sought is a word that is looked for in what conditions leave out.
	Sought string
}

// Limits of what is read, far above what people write.
const (
	maxTokens    = 1_000_000 // that come out
	maxExpanded  = 2_000_000 // that macros make
	maxLarge     = 100_000   // that one use of a macro makes, where it may stay
	maxDepth     = 200       // files and conditions within each other, macros in arguments of macros
	maxCondition = 10_000    // tokens of a condition
)

// Run preprocesses a text. Faults are *Error. The last token is of the kind End.
func Run(ctx context.Context, cfg Config, file, text string) (tokens []Token, err error) {
	tokens, _, err = Find(ctx, cfg, file, text)
	return tokens, err
}

// Find is Run, and the names that conditions of the text test and nothing defines, where they leave out the word that is sought.
func Find(ctx context.Context, cfg Config, file, text string) (tokens []Token, tests []string, err error) {
	r := &reader{ctx: ctx, cfg: cfg, macros: map[string]*macro{}, once: map[string]bool{}, main: file}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		case stopped:
			err = e.error
		default:
			panic(e)
		}
	}()
	r.enter("<predefined>", cfg.Define)
	for t := r.expanded(); t.Kind != End; t = r.expanded() {
		r.fail(t, "the predefined macros have a token %q", t.Text)
	}
	r.enter(file, text)
	for _, name := range slices.Backward(cfg.Before) { // of those that are entered the last one is read first
		if found, text, ok := cfg.Open(name, true, file); ok {
			r.enter(found, text)
		}
	}
	tokens = make([]Token, 0, len(text)/4)
	for {
		r.out = len(tokens)
		t, large := r.step()
		if large {
			tokens = tokens[:r.use.out]
			for _, text := range []string{r.use.of.Text, "(", ")", ";"} {
				tokens = append(tokens, Token{Kind: Symbol, Text: text, At: r.use.of.At})
			}
			tokens[r.use.out].Kind = Name
			continue
		}
		tokens = append(tokens, t)
		if t.Kind == End {
			return tokens, r.tests, nil
		}
		if len(tokens) > maxTokens {
			r.fail(t, "the preprocessed text has more than %d tokens", maxTokens)
		}
		if len(tokens)%4096 == 0 {
			r.check()
		}
	}
}

// Lex cuts a text into tokens, without preprocessing. The last token is of the kind End.
func Lex(file, text string) (out []Token) {
	l := newLexer(file, text)
	for {
		t := l.next()
		if t.Kind == newline {
			continue
		}
		out = append(out, t)
		if t.Kind == End {
			return out
		}
	}
}

// stopped carries the error of the context out of the recursion.
type stopped struct{ error }

func (r *reader) check() {
	if r.ctx.Err() != nil {
		panic(stopped{context.Cause(r.ctx)})
	}
}

func (r *reader) fail(at Token, format string, args ...any) {
	panic(&Error{At: at.At, Text: fmt.Sprintf(format, args...)})
}
