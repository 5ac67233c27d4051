package cfront

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/cfront/constraints"
	"gpuperf/cfront/cpp"
	"gpuperf/cfront/launches"
	"gpuperf/internal/source"
)

// parser reads tokens as trees. Of kernel languages the declarations of the file are read first (external.go), and the body of a function when a
// kernel needs it, as that of a template is for each of its instances (function.go); of C each body is read in its place.
type parser struct {
	lookup
	declared []*callable // functions, in the order of the text
	defined  []*callable // those whose bodies are read
	queue    []*callable // functions whose bodies are to be read
	one      bool        // one function is wanted
	copies   int         // instances of templates
	holed    bool        // parameters of templates stand for themselves
	drafts   []*draft    // templates of kernels
	opaque   bool        // statements that are not read are left out
	argTypes []string    // types of arguments, from which those of a template follow
	callees  map[string]*callable
	// functions are those that stand as values.
	functions map[Expr]*overloads
	// instanceNames are those of functions that are instances.
	instanceNames map[string]bool
}

// lookup knows what names mean where the cursor stands.
type lookup struct {
	cursor
	global *scope
	scope  *scope
	within *callable       // whose body is read
	lifted map[string]bool // class templates that have operators
	spaces map[string]bool // names of namespaces
	groups map[string]bool // names of the namespace of cooperative groups
	opened bool            // their names are known without it
}

// cursor is a place in the tokens.
type cursor struct {
	typer
	ctx    context.Context
	tokens []cpp.Token
	i      int
	split  bool // the first half of >> was read
	angle  int  // in template arguments, where > is no operator
	depth  int
	work   int
}

// typer makes expressions with the types that a language gives them, and refuses others.
type typer struct {
	file *File
	lang *dialect
}

// Limits of parsing, which recurses into the text, and reads a template again for each instance.
const (
	maxNesting = 1_000
	maxWork    = 3_000_000 // tokens that are read
	maxCopies  = 2_000     // instances of templates
)

// fault is an error on its way out of the recursion.
type fault struct {
	err   error
	final bool // the whole file is refused
}

// scope holds what names mean.
type scope struct {
	outer *scope
	class bool           // of the members of a record
	self  *ctype         // that record
	names map[string]any // *variable, *ctype, *Int, *overloads, *class
}

// variable is a variable with its type. One that is constant and has a known integer value has that.
type variable struct {
	v     *Var
	t     *ctype
	value *Int
	real  *Float // of a constant in floating point, which compilers compute
}

func (s *scope) set(name string, what any) {
	if s.names == nil {
		s.names = map[string]any{}
	}
	s.names[name] = what
}

func (s *scope) find(name string) any {
	for ; s != nil; s = s.outer {
		if x, ok := s.names[name]; ok {
			return x
		}
	}
	return nil
}

func parse(ctx context.Context, file, text, defines string, opt Options, check func() int) (f *File, err error) {
	lang := dialects[opt.Language]
	files := newFiles(file, text, opt, lang)
	for _, name := range opt.Before {
		if _, err := files.read(name); err != nil {
			return nil, source.Unreadable(name, err)
		}
	}
	f = &File{Name: file, Language: opt.Language, lang: lang, texts: files.texts, own: files.own, Summaries: map[string]string{}, leftOutKernels: map[string][]string{}, defined: map[string]Pos{}}
	if opt.Proposed {
		f.instance = opt.Instance
	}
	tokens, err := f.preprocess(ctx, files, defines, text)
	f.Folders = files.found
	check()
	if err != nil {
		return nil, files.explain(f, err)
	}
	if lang.hosted {
		tokens = f.marked(tokens)
	}
	if lang.plusPlus {
		for i, t := range tokens {
			if op, is := cpp.Words[t.Text]; is && t.Kind == cpp.Name {
				tokens[i].Kind, tokens[i].Text = cpp.Symbol, op
			}
		}
		f.Launches = launches.Find(tokens)
		tokens = constraints.Rewrite(withClosures(tokens))
	}
	if err := limited(tokens); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := &parser{argTypes: opt.Arguments, opaque: opt.Opaque && !lang.hosted, instanceNames: map[string]bool{}, callees: map[string]*callable{}, functions: map[Expr]*overloads{}, lookup: lookup{
		cursor: cursor{typer: typer{f, lang}, ctx: ctx, tokens: tokens}, global: &scope{}, lifted: map[string]bool{},
		spaces: map[string]bool{"std": true, "cuda": true}, groups: map[string]bool{groupSpace: true},
	}}
	maps.Copy(p.spaces, p.groups)
	p.global.outer = &scope{}
	p.scope = p.global
	f.known = func(text string) bool {
		name, _, _ := strings.Cut(text, "<")
		name = strings.TrimSpace(name[strings.LastIndexByte(name, ':')+1:])
		return strings.ContainsAny(name, " *") || p.global.find(name) != nil || lang.types[name] != nil || numbers[name] != nil || words[name] != nil
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case fault:
			f, err = nil, e.err
		default:
			panic(e)
		}
	}()
	p.run(opt.Instance, opt.Wanted)
	return f, nil
}

// withClosures is a text with structures for the closures that its host code passes to kernels, in place of nothing before its end.
func withClosures(tokens []cpp.Token) []cpp.Token {
	end := len(tokens)
	for end > 0 && tokens[end-1].Kind == cpp.End {
		end--
	}
	return slices.Insert(tokens, end, launches.Closures(tokens)...)
}

// explain is an error of the preprocessor with its line.
func (files *files) explain(f *File, err error) error {
	if files.refused != nil {
		return files.refused
	}
	var e *cpp.Error
	if !errors.As(err, &e) {
		return err
	}
	out := f.Errorf(Pos(e.At), "%s", e.Text)
	if e.Missing {
		return out.WithHint(missingHeader)
	}
	if len(e.Flags) > 0 {
		for i, flag := range e.Flags {
			if !strings.Contains(flag, "=") {
				e.Flags[i] += f.usedAs(flag)
			}
		}
		out.Flags = prefixed("-D ", e.Flags)
		return out.WithHint("%s defines what it asks for", strings.Join(out.Flags, " "))
	}
	return out
}

// limited refuses tokens that would take too deep a recursion.
func limited(tokens []cpp.Token) error {
	m := meter{ctx: context.Background()}
	for _, t := range tokens {
		if err := m.take(t.Text); err != nil {
			return err
		}
	}
	return nil
}

// fail leaves the parser with an error at a place.
func (p *typer) fail(at Pos, format string, args ...any) {
	panic(fault{err: p.file.Errorf(at, format, args...)})
}

func (p *typer) failHint(at Pos, hint, format string, args ...any) {
	panic(fault{err: p.file.Errorf(at, format, args...).WithHint("%s", hint)})
}

// attempt runs f, and tells its error.
func (p *lookup) attempt(f func()) (err error) {
	saved := *p
	defer func() {
		if e := recover(); e != nil {
			x, ok := e.(fault)
			if !ok || x.final {
				panic(e)
			}
			p.i, p.scope, p.within, p.depth, p.angle, p.split = saved.i, saved.scope, saved.within, saved.depth, saved.angle, saved.split
			err = x.err
		}
	}()
	f()
	return nil
}

// nest enters a construct that may contain itself.
func (p *cursor) nest() func() {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.here(), "more than %d constructs are in each other", maxNesting)
	}
	return func() { p.depth-- }
}

// tok is the current token.
func (p *cursor) tok() cpp.Token {
	t := p.tokens[p.i]
	if p.split {
		t.Text = ">"
	}
	return t
}

// peek is the n-th token after the current one.
func (p *cursor) peek(n int) cpp.Token { return p.tokens[min(p.i+n, len(p.tokens)-1)] }

func (p *cursor) here() Pos { return Pos(p.tok().At) }

func (p *cursor) is(text string) bool {
	t := p.tok()
	return t.Text == text && (t.Kind == cpp.Symbol || t.Kind == cpp.Name)
}

// next passes the current token, and returns it.
func (p *cursor) next() cpp.Token {
	t := p.tok()
	p.split = false
	if p.work++; p.work%4096 == 0 && p.ctx.Err() != nil {
		panic(fault{context.Cause(p.ctx), true})
	}
	if p.work > maxWork {
		panic(fault{p.file.Errorf(Pos(t.At), "reading the instances of templates takes more than %d steps", maxWork), true})
	}
	if p.i < len(p.tokens)-1 {
		p.i++
	}
	return t
}

func (p *cursor) accept(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

func (p *cursor) expect(text string) {
	if !p.accept(text) {
		p.unexpected(fmt.Sprintf("%q", text))
	}
}

// closeAngle passes a >, which may be the first half of >>.
func (p *cursor) closeAngle() {
	if p.is(">>") {
		p.split = true
		return
	}
	p.expect(">")
}

func (p *cursor) unexpected(wanted string) {
	t := p.tok()
	err := p.file.Errorf(p.here(), "%q stands where %s should stand", t.Text, wanted)
	switch t.Kind {
	case cpp.End:
		err = p.file.Errorf(p.here(), "the text ends where %s should stand", wanted)
	case cpp.Pragma:
		err = p.file.Errorf(p.here(), "#pragma %s stands where %s should stand", t.Text, wanted)
	}
	if p.misplaced(wanted) {
		panic(fault{err: &malformed{err}})
	}
	panic(fault{err: err})
}

// name passes a name that is no keyword.
func (p *cursor) name() cpp.Token {
	if p.tok().Kind != cpp.Name || slices.Contains(keywords, p.tok().Text) {
		p.unexpected("a name")
	}
	return p.next()
}

// keywords are words that are no names of variables.
var keywords = strings.Fields(`break case const continue default do double else enum extern float for goto if int long restrict return short
	signed sizeof static struct switch typedef union unsigned void while`)

// at moves the parser to a token, in a scope, runs f there, and comes back.
func (p *lookup) at(i int, s *scope, f func()) {
	saved, scope, split, angle, depth := p.i, p.scope, p.split, p.angle, p.depth
	p.i, p.scope, p.split, p.angle = i, s, false, 0
	f()
	p.i, p.scope, p.split, p.angle, p.depth = saved, scope, split, angle, depth
}

// pass passes tokens up to the end of what the bracket at the current token opens. Without an end nothing behind it can be told.
func (p *cursor) pass() {
	var open []cpp.Token
	for {
		t := p.next()
		switch last := len(open) - 1; {
		case oneOf(t, "(", "[", "{"):
			open = append(open, t)
		case !closes(t):
		case open[last].Is("{") && oneOf(t, ")", "]"):
			panic(fault{p.file.Errorf(Pos(t.At), "%q closes no bracket", t.Text), true})
		case closing[open[last].Text] != t.Text:
			panic(fault{p.file.Errorf(Pos(open[last].At), "the bracket is not closed"), true})
		case last == 0:
			return
		default:
			open = open[:last]
		}
	}
}

func closes(t cpp.Token) bool { return t.Kind == cpp.End || oneOf(t, ")", "]", "}") }

// closing are brackets by those that they close.
var closing = map[string]string{"(": ")", "[": "]", "{": "}"}
