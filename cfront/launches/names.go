package launches

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront/cpp"
)

// definition is what gives a name a value, from a token on.
type definition struct {
	at    int
	value span // empty: it is not plain
	// declared: it is the declaration.
	declared bool
	kind     string // dim3, or the word before the name
	constant bool
	given    bool // a function, or a stream, gives it a value
}

// named is a name in a function.
type named struct {
	name string
	in   *function
}

// definitions are those of a name in a function, in the order of the text; those of a member under "grid.x".
func (h *host) definitions(name string, in *function) []definition {
	key := named{name, in}
	out, found := h.defined[key]
	if !found {
		out = h.definitionsIn(name, in)
		h.defined[key] = out
	}
	return out
}

func (h *host) definitionsIn(name string, in *function) (out []definition) {
	first, member, _ := strings.Cut(name, ".")
	for i := in.body.from; i < in.body.to; i++ {
		if in == h.file && h.close[i] > i && (h.tokens[i].Is("(") || h.tokens[i].Is("{") && h.within(i+1) != h.file) { // what is declared there is of a function
			i = h.close[i]
			continue
		}
		if h.tokens[i].Kind != cpp.Name || h.tokens[i].Text != first || h.is(i-1, ".") || h.is(i-1, "->") || h.is(i-1, "::") {
			continue
		}
		after := i + 1
		if member != "" {
			if !(h.is(after, ".") || h.is(after, "->")) || !h.is(after+1, member) {
				continue
			}
			after += 2
		}
		if d, ok := h.definition(i, after); ok {
			out = append(out, d)
		}
	}
	return out
}

// definition is what stands behind a name at a token.
func (h *host) definition(name, after int) (d definition, ok bool) {
	d = definition{at: name}
	types := h.declares(name)
	d.declared, d.kind = types, h.kind(name)
	d.constant = h.isConstant(name)
	end := h.end(after)
	switch t := h.tokens[after]; {
	case t.Is("="):
		d.value = span{after + 1, end}
		return d, true
	case types && (t.Is("(") || t.Is("{")) && h.close[after] > 0:
		d.value = span{after, h.close[after] + 1}
		return d, true
	case types && (t.Is(";") || t.Is(",") || t.Is("[")):
		return d, true
	case t.Is("++"), t.Is("--"), strings.HasSuffix(t.Text, "=") && len(t.Text) > 1 && t.Kind == cpp.Symbol && !slices.Contains([]string{"==", "!=", "<=", ">="}, t.Text):
		return d, true
	case h.is(name-1, "++"), h.is(name-1, "--"):
		return d, true
	case h.is(name-1, "&") && (h.is(name-2, "(") || h.is(name-2, ",")), h.is(name-1, ">>") && h.tokens[max(name-2, 0)].Kind == cpp.Name:
		d.given = true
		return d, true
	}
	return d, false
}

// statement is the token that the statement around a token begins with.
func (h *host) statement(at int) int {
	i := at
	for depth := 0; i > 0; i-- {
		t := h.tokens[i-1]
		switch {
		case t.Is(")"), t.Is("]"):
			depth++
		case (t.Is("(") || t.Is("[")) && depth > 0:
			depth--
		case depth == 0 && (t.Is(";") || t.Is("{") || t.Is("}") || t.Is("(")):
			return i
		}
	}
	return i
}

// conditional reports whether the statement around a token is that of a branch or a loop.
func (h *host) conditional(at int) bool {
	first := h.tokens[h.statement(at)]
	return control[first.Text] || first.Is("else") || first.Is("do")
}

// kind is the type that the declaration of a name begins with, without qualifiers.
func (h *host) kind(name int) string {
	i := h.statement(name)
	for h.is(i, "const") || h.is(i, "static") || h.is(i, "constexpr") || h.is(i, "unsigned") || h.is(i, "volatile") || h.is(i, "inline") || h.is(i, "std") || h.is(i, "cl") || h.is(i, "::") {
		i++
	}
	if i < name && h.tokens[i].Kind == cpp.Name {
		return h.tokens[i].Text
	}
	return ""
}

// declares reports whether a name is one of a declaration.
func (h *host) declares(name int) bool {
	i := h.statement(name)
	first := h.tokens[i]
	if i == name || first.Kind != cpp.Name || control[first.Text] || first.Is("else") || first.Is("case") || first.Is("delete") || first.Is("goto") {
		return false
	}
	switch next := h.tokens[i+1]; {
	case next.Is("<"): // a template, or a comparison
		if h.angle(i+1, name) == 0 {
			return false
		}
	case next.Kind != cpp.Name && !next.Is("*") && !next.Is("::") && !next.Is("&"):
		return false
	}
	for j := name - 1; j > i; j-- {
		switch t := h.tokens[j]; {
		case t.Is(","):
			return true
		case t.Kind != cpp.Name && !t.Is("*") && !t.Is("&") && !t.Is("::") && !t.Is("<") && !t.Is(">"):
			return false
		}
	}
	return true
}

func (h *host) isConstant(name int) bool {
	for i := h.statement(name); i < name; i++ {
		if h.is(i, "const") || h.is(i, "constexpr") {
			return true
		}
	}
	return false
}

// end is where an expression ends that begins at a token.
func (h *host) end(i int) int {
	for ; i < len(h.tokens); i++ {
		switch t := h.tokens[i]; {
		case h.close[i] > i:
			i = h.close[i]
		case t.Is(";"), t.Is(","), t.Is(")"), t.Is("}"):
			return i
		}
	}
	return i
}

// root is what expressions end in: a variable, a parameter of a function, a macro or a constant.
type root struct {
	name     string
	value    *Expr // as far as it is known; nil else
	constant bool
}

// maxFollowed bounds how far names and calls are followed.
const maxFollowed = 12

// name is what a name stands for where a launch is.
func (h *host) name(name string, in *function, at, depth int) *Expr {
	if depth > maxFollowed {
		return &Expr{root: &root{name: name}}
	}
	for _, f := range []*function{in, h.file} {
		all := h.definitions(name, f)
		if f == h.file && in != h.file {
			at = len(h.tokens)
		}
		var first *definition
		changed := false
		for i := range all {
			d := &all[i]
			switch {
			case d.at >= at && !h.loops(at, d.at):
			case first == nil || d.declared && h.encloses(d.at, at):
				first, changed = d, d.value.to == 0
			case (d.value.to > 0 && (!h.loops(at, d.at) || !mentions(h.tokens[d.value.from:d.value.to], name)) || d.given) && h.encloses(d.at, at) && d.at < at && !h.conditional(d.at):
				first, changed = d, d.given
			default:
				changed = true
			}
		}
		if first == nil {
			continue
		}
		var value *Expr
		if first.value.to > 0 {
			value = h.parse(first.value, f, first.at, depth+1)
		}
		if value != nil && !changed && !value.isConstant() { // it is made of others
			return value
		}
		v, known := value.Value()
		if changed && v == 0 { // that it begins with says nothing
			value = nil
		}
		return &Expr{root: &root{name, value, first.constant && !changed && known}}
	}
	if i := slices.Index(in.params, name); i >= 0 {
		r := &root{name: name}
		for _, c := range in.calls {
			if c.by == in || i >= len(c.args) {
				continue
			}
			if v := h.parse(c.args[i], c.by, c.at, depth+1); v != nil {
				if _, known := v.Value(); known {
					r.value = v
					break
				}
			}
		}
		return &Expr{root: r}
	}
	return &Expr{root: &root{name: name}}
}

// mentions reports whether a name is one of some tokens.
func mentions(tokens []cpp.Token, name string) bool {
	return slices.ContainsFunc(tokens, func(t cpp.Token) bool { return t.Text == name })
}

// encloses reports whether the block that a token stands in is around another token, or the same.
func (h *host) encloses(outer, inner int) bool {
	for i := outer; i >= 0 && i < len(h.tokens); i-- {
		if h.tokens[i].Is("{") && h.close[i] > outer {
			return h.close[i] > inner
		}
	}
	return true
}

// loops reports whether a token behind a launch is in a loop that the launch is in, too.
func (h *host) loops(launch, at int) bool {
	around, found := h.around[launch]
	if !found {
		around = h.loopsAround(launch)
		h.around[launch] = around
	}
	return slices.ContainsFunc(around, func(s span) bool { return s.from < at && at < s.to })
}

// loopsAround are the loops that a token is in.
func (h *host) loopsAround(at int) (out []span) {
	for i := at; i > 0; i-- {
		if !(h.is(i, "for") || h.is(i, "while")) || !h.is(i+1, "(") || h.close[i+1] == 0 {
			continue
		}
		head := h.close[i+1]
		end := h.end(head + 1)
		if h.is(head+1, "{") {
			end = h.close[head+1]
		}
		if end > at {
			out = append(out, span{i, end})
		}
	}
	return out
}

// typeOf is the declared type of a variable that is an argument; "" for other arguments.
func (h *host) typeOf(s span, in *function, at int) string {
	if s.to > s.from && h.is(s.from, "[") {
		return closureName(h, s.from)
	}
	if s.to != s.from+1 || h.tokens[s.from].Kind != cpp.Name {
		return ""
	}
	name := h.tokens[s.from].Text
	for _, f := range []*function{in, h.file} {
		if i := slices.Index(in.params, name); f != in && i >= 0 {
			return in.types[i]
		}
		for _, d := range h.definitions(name, f) {
			if !d.declared || d.at > at && f == in {
				continue
			}
			if d.kind == "auto" && h.is(d.value.from, "[") {
				return closureName(h, d.value.from)
			}
			var words []string
			for i := h.statement(d.at); i < d.at; i++ {
				if h.is(i, "=") || h.is(i, ",") { // of a name before it
					words = words[:1]
					for j := d.at - 1; h.is(j, "*"); j-- {
						words = append(words, "*")
					}
					break
				}
				words = append(words, h.typeIn(span{i, i + 1}, "", in.template))
			}
			return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
		}
	}
	return ""
}

// typeIn is the text of a declaration before a name, with what stands for parameters of a template.
func (h *host) typeIn(s span, name string, template map[string]string) string {
	var words []string
	for i := s.from; i < s.to && (name == "" || h.tokens[i].Text != name); i++ {
		if t := h.tokens[i]; !t.Is("static") && !t.Is("const") {
			words = append(words, cmp.Or(template[t.Text], t.Text))
		}
	}
	return strings.Join(words, " ")
}

// templateArgument is an argument of a template: a number where it is one, else its text.
func (l *Launch) templateArgument(s span) string {
	guessed := slices.ContainsFunc(l.host.tokens[s.from:s.to], func(t cpp.Token) bool { return l.in.guessed[t.Text] })
	if l.Guessed = l.Guessed || guessed; guessed && s.to == s.from+1 {
		if _, err := strconv.Atoi(l.in.template[l.host.tokens[s.from].Text]); err != nil {
			return "?"
		}
	}
	if e := l.expression(s); e != nil {
		if n, known := e.Value(); known {
			return (&Expr{number: n}).String()
		}
	}
	var words []string
	for _, t := range l.host.tokens[s.from:s.to] {
		words = append(words, cmp.Or(l.in.template[t.Text], t.Text))
	}
	if l.host.is(s.to, ">>") { // which closes two
		words = append(words, ">")
	}
	return strings.ReplaceAll(strings.Join(words, " "), " :: ", "::")
}

// extents are those of a dim3 or a number; nil where they are not known.
func (l *Launch) extents(s span) []*Expr { return l.host.extents(s, l.in, l.at, 0) }

func (h *host) extents(s span, in *function, at, depth int) []*Expr {
	if depth > maxFollowed || s.to <= s.from {
		return nil
	}
	open := s.from
	for h.is(open, "cl") || h.is(open, "::") {
		open++
	}
	if extents[h.tokens[open].Text] {
		open++
	}
	if (h.is(open, "(") && open > s.from || h.is(open, "{")) && h.close[open] == s.to-1 {
		return h.all(h.list(open), in, at, depth)
	}
	if h.is(s.from, "&") { // of one axis
		s.from++
	}
	if s.to == s.from+1 && h.tokens[s.from].Kind == cpp.Name && h.tokens[s.from].Of == "" {
		if out, is := h.elements(h.tokens[s.from].Text, in, at, depth); is {
			return out
		}
		if out, is := h.triple(h.tokens[s.from].Text, in, at, depth); is {
			return out
		}
	}
	return h.all(h.items(s), in, at, depth)
}

// extents are the types of runtimes that hold extents along axes.
var extents = map[string]bool{"dim3": true, "NDRange": true}

// triple is a variable of such a type, or one whose value is one.
func (h *host) triple(name string, in *function, at, depth int) (out []*Expr, is bool) {
	for _, f := range []*function{in, h.file} {
		for _, d := range h.definitions(name, f) {
			if d.at > at && f == in || !extents[d.kind] && !(d.kind == "auto" && h.is(d.value.from, "dim3")) {
				continue
			}
			is = true
			switch {
			case d.value.to == 0:
				out = []*Expr{{number: 1}, {number: 1}, {number: 1}}
			case h.is(d.value.from, "(") || h.is(d.value.from, "{"):
				out = h.all(h.list(d.value.from), f, d.at, depth+1)
			default:
				out = h.extents(d.value, f, d.at, depth+1)
			}
		}
		for i, axis := range []string{"x", "y", "z"} {
			for _, d := range h.definitions(name+"."+axis, f) {
				if is && d.at < at && d.value.to > 0 && i < len(out) {
					out[i] = h.parse(d.value, f, d.at, depth+1)
				}
			}
		}
		if is {
			break
		}
	}
	if slices.Contains(out, nil) {
		return nil, is
	}
	return out, is
}

// elements are those of an array before a token, by its declaration or by an assignment to each; is tells an array from others.
func (h *host) elements(name string, in *function, at, depth int) (out []*Expr, is bool) {
	for i := in.body.from; i < min(at, in.body.to); i++ {
		if h.tokens[i].Text != name || !h.is(i+1, "[") {
			continue
		}
		end := h.close[i+1] + 1
		switch n, err := strconv.Atoi(h.tokens[i+2].Text); {
		case h.is(end, "=") && h.is(end+1, "{"):
			out, is = h.all(h.list(end+1), in, i, depth), true
		case err == nil && n < 3 && h.is(end, "=") && !h.declares(i):
			for len(out) <= n {
				out = append(out, nil)
			}
			out[n], is = h.parse(span{end + 1, h.end(end)}, in, i, depth+1), true
		}
	}
	if slices.Contains(out, nil) {
		return nil, is
	}
	return out, is
}

func (h *host) all(list []span, in *function, at, depth int) (out []*Expr) {
	for _, s := range list {
		e := h.parse(s, in, at, depth+1)
		if e == nil {
			return nil
		}
		out = append(out, e)
	}
	return out
}

// ClosurePrefix begins the names of the structures that stand for closures of the host.
const ClosurePrefix = "closure_"

// closureName is the name of the structure for the closure that opens at a token; "" where none does.
func closureName(h *host, open int) string {
	after := h.close[open] + 1
	if !h.is(open, "[") || !h.is(after, "__device__") && !h.is(after, "__host__") {
		return ""
	}
	at := h.tokens[open].At
	return fmt.Sprintf("%s%d_%d", ClosurePrefix, at.Line, at.Column)
}
