// Package launches finds in the host code of a file how it launches its kernels: kernel<<<grid, block, shared>>>(args) of CUDA C++, and by functions of runtimes
// (called.go).
//
// Host code is C++ that nothing else here reads. So it is followed as far as launches need it, from its tokens: functions with their parameters, and what
// numbers and dim3 variables hold where that is plain (names.go). Expressions (expression.go) are integers in sizes. What is not plain is a size, or not
// known.
package launches

import (
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
)

// Launch is a launch of a kernel.
type Launch struct {
	Kernel string // without namespaces and arguments of a template
	At     cpp.Pos
	// What Resolve finds. Template are the arguments of a template as the text has them, with constants in numbers; nil where the launch gives none.
	Template []string
	// Guessed: an argument of the template has a part of which nothing is known.
	Guessed bool
	// Grid and Block are the extents along the axes; nil where they are not known. With Items Grid counts work-items, not work-groups.
	Grid, Block []*Expr
	Items       bool
	// Apart: arguments are set by other calls, and those are known that stand before this one.
	Apart  bool
	Shared *Expr // nil without
	// Types are those of the arguments as the text declares them; "" where that is not plain.
	Types []string

	args, template, config []span
	templated              bool
	in                     *function
	host                   *host
	at                     int // the token
}

// span are tokens from one on and before another.
type span struct{ from, to int }

// function is a function of the host, or the file outside of them.
type function struct {
	name   string
	params []string
	types  []string // of params
	texts  []string // those as the text has them, with parameters of a template
	body   span
	calls  []call
	// template are the parameters of a template that it is: what stands for each, where nothing is known of them.
	template map[string]string
	guessed  map[string]bool // those of which nothing is known
}

// call is a call of a function of the file.
type call struct {
	by   *function
	at   int
	args []span
}

// host is the text of a file.
type host struct {
	tokens    []cpp.Token
	functions []*function
	byName    map[string]*function // the first of each name
	file      *function
	close     []int                  // for each bracket that opens the token where it closes, or 0
	instances map[string][]int       // where names stand before "<"
	defined   map[named][]definition // what has been looked for
	around    map[int][]span         // loops that tokens are in, as far as they were asked for
}

func newHost(tokens []cpp.Token) *host {
	h := &host{tokens: tokens, file: &function{body: span{0, len(tokens)}}, defined: map[named][]definition{}, around: map[int][]span{}}
	h.byName, h.instances = map[string]*function{}, map[string][]int{}
	h.match()
	h.split()
	return h
}

// match finds where brackets close, and where names stand before "<".
func (h *host) match() {
	h.close = make([]int, len(h.tokens))
	var open []int
	for i, t := range h.tokens {
		switch {
		case t.Kind == cpp.Name && h.is(i+1, "<"):
			h.instances[t.Text] = append(h.instances[t.Text], i)
		case t.Kind != cpp.Symbol:
		case t.Text == "(" || t.Text == "[" || t.Text == "{":
			open = append(open, i)
		case (t.Text == ")" || t.Text == "]" || t.Text == "}") && len(open) > 0:
			h.close[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
}

// split finds the functions: a name, parameters in brackets, and a body.
func (h *host) split() {
	for i := 2; i < len(h.tokens); i++ {
		if !h.is(i, "(") || h.tokens[i-1].Kind != cpp.Name || h.close[i] == 0 {
			continue
		}
		end := h.close[i] + 1
		for h.is(end, "const") || h.is(end, "noexcept") || h.is(end, "override") {
			end++
		}
		if !h.is(end, "{") || h.close[end] == 0 || control[h.tokens[i-1].Text] {
			continue
		}
		f := &function{name: h.tokens[i-1].Text, body: span{end + 1, h.close[end]}}
		f.template, f.guessed = h.templateOf(i - 1)
		for _, p := range h.list(i) {
			name := h.lastName(p)
			f.params, f.types, f.texts = append(f.params, name), append(f.types, h.typeIn(p, name, f.template)), append(f.texts, h.typeIn(p, name, nil))
		}
		h.functions = append(h.functions, f)
		if h.byName[f.name] == nil {
			h.byName[f.name] = f
		}
		i = h.close[end]
	}
	for _, by := range h.functions {
		for i := by.body.from; i+1 < by.body.to; i++ {
			f, open := h.function(h.tokens[i].Text), i+1
			if f != nil && h.is(open, "<") {
				open = h.angle(open, by.body.to) + 1
			}
			if f != nil && h.is(open, "(") {
				f.calls = append(f.calls, call{by, i, h.list(open)})
			}
		}
	}
	for _, f := range h.functions {
		given(h, f)
	}
}

// given tells the types that a template of the host is given by the closures which its callers pass.
func given(h *host, f *function) {
	for _, c := range f.calls {
		for i, s := range c.args {
			if i >= len(f.texts) || c.by == f || !f.guessed[strings.TrimRight(f.texts[i], " &")] {
				continue
			}
			if kind := h.typeOf(s, c.by, c.at); strings.HasPrefix(kind, ClosurePrefix) {
				name := strings.TrimRight(f.texts[i], " &")
				f.template[name], f.types[i] = kind, kind
				delete(f.guessed, name)
			}
		}
	}
}

// templateOf are the parameters of the template that a function with its name at a token is, and those of which nothing is known.
func (h *host) templateOf(name int) (out map[string]string, guessed map[string]bool) {
	start := name
	for start > 0 && !h.is(start-1, ";") && !h.is(start-1, "}") && !h.is(start-1, "{") {
		start--
	}
	if !h.is(start, "template") || !h.is(start+1, "<") {
		return nil, nil
	}
	out, guessed = map[string]string{}, map[string]bool{}
	end := h.angle(start+1, name)
	used := h.argumentsOf(name)
	for i, p := range h.items(span{start + 2, max(end, start+2)}) {
		if i < len(used) && used[i] != "" {
			out[h.lastName(p)] = used[i]
			continue
		}
		stands := "16"
		switch {
		case h.is(p.from, "typename"), h.is(p.from, "class"):
			stands = "float"
		case h.is(p.from, "bool"):
			stands = "true"
		}
		out[h.lastName(p)], guessed[h.lastName(p)] = stands, true
	}
	return out, guessed
}

// argumentsOf are the arguments that the file gives a template of functions with its name at a token: single names and numbers, "" for others and for what is a
// parameter there, too. Of several uses it is the one whose brackets have most in common with those of the function.
func (h *host) argumentsOf(name int) (out []string) {
	params := h.list(name + 1)
	best := -1
	for _, i := range h.instances[h.tokens[name].Text] {
		if i == name {
			continue
		}
		end := h.angle(i+1, len(h.tokens))
		if end == 0 || !h.is(end+1, "(") {
			continue
		}
		given := h.list(end + 1)
		same := h.alike(params, given)
		if h.is(h.statement(i), "template") && same < len(params) { // of another function of the name
			continue
		}
		if len(given) == len(params) && same > best {
			if list := h.plain(span{i + 2, end}, i); list != nil {
				best, out = same, list
			}
		}
	}
	return out
}

// alike is the number of parameters that begin with the same words in two lists.
func (h *host) alike(a, b []span) (n int) {
	for i := range min(len(a), len(b)) {
		x, y := h.tokens[a[i].from:a[i].to], h.tokens[b[i].from:b[i].to]
		k := 0
		for k < min(len(x), len(y)) && x[k].Text == y[k].Text {
			k++
		}
		if k >= len(x)-1 || k == len(y) { // all but the name
			n++
		}
	}
	return n
}

// plain are arguments of a template at a token that are single names and numbers, "" for others; nil without any.
func (h *host) plain(s span, at int) (out []string) {
	some := false
	for _, a := range h.items(s) {
		text := ""
		if first := h.tokens[a.from]; a.to == a.from+1 && !h.parameterAt(first.Text, at) {
			text, some = first.Text, true
		}
		out = append(out, text)
	}
	if !some {
		return nil
	}
	return out
}

// parameterAt reports whether a name is one of a template whose text is around a token.
func (h *host) parameterAt(name string, at int) bool {
	for _, f := range h.functions {
		if _, is := f.template[name]; is && f.body.from <= at && at < f.body.to {
			return true
		}
	}
	return false
}

// control are words that are followed by a bracket and a block.
var control = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true}

func (h *host) function(name string) *function { return h.byName[name] }

func (h *host) is(i int, text string) bool {
	return i >= 0 && i < len(h.tokens) && h.tokens[i].Is(text)
}

// list are the items of a list in brackets, which open at a token.
func (h *host) list(open int) (out []span) {
	end := h.close[open]
	if end == 0 || end == open+1 {
		return nil
	}
	return h.items(span{open + 1, end})
}

// items are the parts of a text between commas that stand in no brackets.
func (h *host) items(s span) (out []span) {
	from := s.from
	for i := s.from; i < s.to; i++ {
		switch t := h.tokens[i]; {
		case h.close[i] > i && h.close[i] < s.to:
			i = h.close[i]
		case t.Is("<") && h.angle(i, s.to) > 0:
			i = h.angle(i, s.to)
		case t.Is(","):
			out, from = append(out, span{from, i}), i+1
		}
	}
	return append(out, span{from, s.to})
}

// angle is where arguments of a template close that open at a token; 0 where these are none.
func (h *host) angle(open, end int) int {
	if h.tokens[open-1].Kind != cpp.Name {
		return 0
	}
	depth := 0
	for i := open; i < end; i++ {
		switch t := h.tokens[i]; {
		case t.Is("<"):
			depth++
		case t.Is(">"):
			depth--
		case t.Is(">>"):
			depth -= 2
		case t.Kind == cpp.Name, t.Kind == cpp.Number, t.Is(","), t.Is("*"), t.Is("::"), t.Is("&"):
		default:
			return 0
		}
		if depth <= 0 {
			return i
		}
	}
	return 0
}

// lastName is the name that a declaration ends with, before a default and brackets.
func (h *host) lastName(s span) (name string) {
	for i := s.from; i < s.to && !h.is(i, "=") && !h.is(i, "["); i++ {
		if h.tokens[i].Kind == cpp.Name {
			name = h.tokens[i].Text
		}
	}
	return name
}

// launch reads the launch whose <<< is at a token.
func (h *host) launch(at int) *Launch {
	end := at + 2
	for ; end+1 < len(h.tokens) && !(h.is(end, ">>") && h.is(end+1, ">")) && !h.is(end, ";"); end++ {
		if h.close[end] > end {
			end = h.close[end]
		}
	}
	if !h.is(end, ">>") || !h.is(end+2, "(") || h.close[end+2] == 0 {
		return nil
	}
	l := &Launch{host: h, at: at, in: h.within(at), args: h.list(end + 2)}
	name := at - 1
	if h.is(name, ">") || h.is(name, ">>") {
		depth := 0
		for ; name > 0; name-- {
			if h.is(name, ">") {
				depth++
			} else if h.is(name, ">>") {
				depth += 2
			} else if h.is(name, "<") {
				depth--
			}
			if depth == 0 {
				break
			}
		}
		l.templated, l.template = true, h.items(span{name + 1, at - 1})
		name--
	}
	if name < 0 || h.tokens[name].Kind != cpp.Name {
		return nil
	}
	l.Kernel, l.At = h.tokens[name].Text, h.tokens[name].At
	l.config = h.items(span{at + 2, end})
	return l
}

// Resolve follows what the launch is made of.
func (l *Launch) Resolve() {
	if l.templated && l.Template == nil {
		l.Template = []string{}
		for _, s := range l.template {
			l.Template = append(l.Template, l.templateArgument(s))
		}
	}
	for i, s := range l.config {
		switch i {
		case 0:
			l.Grid = l.extents(s)
		case 1:
			if l.Block = l.extents(s); slices.ContainsFunc(l.Block, isNone) { // a value from the beginning, which others follow
				l.Block = nil
			}
		case 2:
			l.Shared = l.expression(s)
			if n, known := l.Shared.Value(); known && n == 0 {
				l.Shared = nil
			}
		}
	}
	l.Types = nil
	for _, s := range l.args {
		l.Types = append(l.Types, l.host.typeOf(s, l.in, l.at))
	}
}

// isNone reports that an extent is known, and none.
func isNone(e *Expr) bool {
	n, known := e.Value()
	return known && n <= 0
}

// within is the function that a token is in.
func (h *host) within(at int) *function {
	for _, f := range h.functions {
		if f.body.from <= at && at < f.body.to {
			return f
		}
	}
	return h.file
}

// Arguments is the number of arguments.
func (l *Launch) Arguments() int { return len(l.args) }

// Packed reports that a pack stands for arguments, which are not known.
func (l *Launch) Packed() bool {
	return slices.ContainsFunc(l.args, func(s span) bool { return s.to > s.from && l.host.is(s.to-1, "...") })
}

// Argument is an argument as an integer.
func (l *Launch) Argument(i int) *Expr { return l.expression(l.args[i]) }
