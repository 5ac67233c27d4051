package launches

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront/cpp"
)

// parser reads an expression.
type parser struct {
	h     *host
	i, to int
	in    *function
	at    int // the token where names have their values
	depth int
	env   map[string]*Expr // parameters of a function that is followed
	macro bool
}

// parse is a text as an expression; nil where it is none that is known.
func (h *host) parse(s span, in *function, at, depth int) *Expr {
	return (&parser{h: h, i: s.from, to: s.to, in: in, at: at, depth: depth}).whole()
}

func (l *Launch) expression(s span) *Expr { return l.host.parse(s, l.in, l.at, 0) }

func (p *parser) whole() *Expr {
	if p.depth > maxFollowed || p.i >= p.to {
		return nil
	}
	e := p.choice()
	if p.i != p.to {
		return nil
	}
	return e
}

func (p *parser) tok() cpp.Token {
	if p.i >= p.to {
		return cpp.Token{}
	}
	return p.h.tokens[p.i]
}

func (p *parser) accept(text string) bool {
	if p.tok().Is(text) {
		p.i++
		return true
	}
	return false
}

// choice reads c ? a : b. Where it is not known which it is that which is known.
func (p *parser) choice() *Expr {
	start := p.i
	cond := p.binary(0)
	if !p.tok().Is("?") {
		for p.i < p.to && cond == nil && !p.tok().Is("?") { // such as a string that is compared
			if p.h.close[p.i] > p.i {
				p.i = p.h.close[p.i]
			}
			p.i++
		}
		if !p.tok().Is("?") {
			p.i = max(p.i, start)
			return cond
		}
	}
	p.i++
	colon := p.i
	for ; colon < p.to && !p.h.is(colon, ":"); colon++ {
		if p.h.close[colon] > colon {
			colon = p.h.close[colon]
		}
	}
	in := func(from, to int) *Expr {
		q := *p
		q.i, q.to = from, to
		return q.whole()
	}
	then, other := in(p.i, colon), in(min(colon+1, p.to), p.to)
	p.i = p.to
	if n, known := cond.Value(); known && n != 0 || other == nil {
		return then
	} else if known || then == nil {
		return other
	}
	return nil
}

// levels are the binary operators, from the weakest.
var levels = map[string]int{"==": 1, "!=": 1, "<": 2, ">": 2, "<=": 2, ">=": 2, "<<": 3, ">>": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5}

func (p *parser) binary(least int) *Expr {
	x := p.unary()
	for {
		op := p.tok()
		level := levels[op.Text]
		if op.Kind != cpp.Symbol || level == 0 || level < least {
			return x
		}
		p.i++
		x = operation(op.Text, x, p.binary(level+1))
	}
}

// operation is x op y; nil where one is not known.
func operation(op string, x, y *Expr) *Expr {
	if x == nil || y == nil {
		return nil
	}
	n, constant := y.Value()
	constant = constant && y.op == "" && y.root == nil
	switch op {
	case "<<", ">>":
		if !constant || n < 0 || n > 62 {
			return nil
		}
		y = &Expr{number: 1 << n}
		op = map[string]string{"<<": "*", ">>": "//"}[op]
	case "/":
		if !x.float && !y.float {
			op = "//"
		}
	}
	if x.real != 0 || y.real != 0 {
		return nil
	}
	out := &Expr{op: op, args: []*Expr{x, y}, float: x.float || y.float}
	if x.op == "" && x.root == nil && constant && op != "/" {
		if v, ok := out.Value(); ok {
			return &Expr{number: v, float: out.float}
		}
	}
	return out
}

func (p *parser) unary() *Expr {
	switch {
	case p.accept("-"):
		return operation("-", &Expr{}, p.unary())
	case p.accept("+"):
		return p.unary()
	case p.tok().Is("("):
		end := p.h.close[p.i]
		if end == 0 {
			return nil
		}
		if float, is := p.typeWords(p.i+1, end); is {
			p.i = end + 1
			return converted(p.unary(), float)
		}
		inner := p.inner(p.i)
		p.i = end + 1
		return p.behind(inner)
	}
	return p.behind(p.primary())
}

// behind passes what follows a value and makes it another one, which is not known.
func (p *parser) behind(e *Expr) *Expr {
	if p.tok().Is("[") || p.tok().Is("(") || p.tok().Is("->") || p.tok().Is(".") {
		return nil
	}
	return e
}

// inner is the expression in the brackets that open at a token.
func (p *parser) inner(open int) *Expr {
	q := *p
	q.i, q.to = open+1, p.h.close[open]
	return q.whole()
}

// typeWords reports whether tokens are a type of numbers, and whether that is in floating point.
func (p *parser) typeWords(from, to int) (float, is bool) {
	for i := from; i < to; i++ {
		t := p.h.tokens[i]
		if t.Kind != cpp.Name || bytes[t.Text] == 0 && t.Text != "const" && t.Text != "std" {
			if !t.Is("::") {
				return false, false
			}
		}
		float = float || t.Text == "float" || t.Text == "double"
	}
	return float, to > from
}

// bytes are the sizes of types of numbers.
var bytes = map[string]int64{
	"char": 1, "short": 2, "int": 4, "long": 8, "unsigned": 4, "signed": 4, "float": 4, "double": 8, "size_t": 8, "bool": 1, "half": 2, "__half": 2, "uint": 4,
	"int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "uchar": 1, "ushort": 2, "ulong": 8,
	"float2": 8, "float4": 16, "int2": 8, "int4": 16, "double2": 16, "uint4": 16, "ptrdiff_t": 8,
}

// sizeOf are the bytes of a type, as of unsigned long; 0 where it is not one of numbers, or a pointer.
func (p *parser) sizeOf(from, to int) (size int64) {
	if p.h.is(to-1, "*") && to > from+1 {
		return 8
	}
	if _, is := p.typeWords(from, to); !is {
		if t := p.in.template[p.h.tokens[from].Text]; to == from+1 {
			return bytes[t]
		}
		return 0
	}
	for _, t := range p.h.tokens[from:to] {
		switch n := bytes[t.Text]; {
		case t.Text == "long" || t.Text == "short":
			return n
		case n > 0:
			size = n
		}
	}
	return size
}

// converted is a value as an integer, or in floating point.
func converted(e *Expr, float bool) *Expr {
	if e == nil {
		return nil
	}
	out := *e
	if out.float = float; !float && out.op == "/" {
		out.op = "//"
	}
	if out.real != 0 && !float {
		out.number, out.real = int64(out.real), 0
	}
	return &out
}

func (p *parser) primary() *Expr {
	t := p.tok()
	if t.Of != "" && !p.macro {
		if e := p.constantMacro(t); e != nil {
			return e
		}
	}
	switch t.Kind {
	case cpp.Number:
		p.i++
		return literal(t.Text)
	case cpp.Name:
		return p.named()
	}
	p.i++
	return nil
}

// constantMacro is a macro that is a number, under its name.
func (p *parser) constantMacro(t cpp.Token) *Expr {
	end := p.i
	for end < p.to && p.h.tokens[end].Of == t.Of && p.h.tokens[end].At == t.At {
		end++
	}
	if end > p.i+1 && p.h.close[p.i] != end-1 {
		return nil
	}
	q := *p
	q.to, q.macro = end, true
	v := q.whole()
	if _, known := v.Value(); !known || v.float {
		return nil
	}
	p.i = end
	return &Expr{root: &root{t.Of, v, true}}
}

func literal(text string) *Expr {
	text = strings.ReplaceAll(strings.ToLower(text), "'", "")
	if n, err := strconv.ParseInt(strings.TrimRight(text, "ul"), 0, 64); err == nil {
		return &Expr{number: n}
	}
	x, err := strconv.ParseFloat(strings.TrimRight(text, "fl"), 64)
	if err != nil {
		return nil
	}
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return &Expr{number: int64(x), float: true}
	}
	return &Expr{real: x, float: true}
}

// named reads what begins with a name: a variable, a member, a conversion or a call.
func (p *parser) named() *Expr {
	for p.h.is(p.i+1, "::") {
		p.i += 2
	}
	name := p.tok().Text
	p.i++
	switch {
	case name == "static_cast" && p.tok().Is("<"):
		end := p.h.angle(p.i, p.to)
		if end == 0 || !p.h.is(end+1, "(") {
			return nil
		}
		float, is := p.typeWords(p.i+1, end)
		e := p.inner(end + 1)
		if p.i = p.h.close[end+1] + 1; !is {
			return nil
		}
		return converted(e, float)
	case p.tok().Is("<") && p.h.angle(p.i, p.to) > 0 && p.h.is(p.h.angle(p.i, p.to)+1, "("): // min<int>(a, b)
		p.i = p.h.angle(p.i, p.to) + 1
		return p.call(name)
	case p.tok().Is("("):
		return p.call(name)
	case p.tok().Is("{") && bytes[name] > 0:
		e := p.inner(p.i)
		p.i = p.h.close[p.i] + 1
		return converted(e, name == "float" || name == "double")
	case (p.tok().Is(".") || p.tok().Is("->")) && p.h.tokens[min(p.i+1, p.to-1)].Kind == cpp.Name:
		member := p.h.tokens[p.i+1].Text
		if p.i += 2; p.tok().Is("(") {
			return nil
		}
		return p.member(name, member)
	case name == "true", name == "false":
		return &Expr{number: map[bool]int64{true: 1}[name == "true"]}
	}
	if e, is := p.env[name]; is {
		return e
	}
	e := p.h.name(name, p.in, p.at, p.depth+1)
	if k := p.h.floating(name, p.in); k && e != nil {
		out := *e
		out.float = true
		return &out
	}
	return e
}

// floating reports whether a variable is declared in floating point.
func (h *host) floating(name string, in *function) bool {
	return slices.ContainsFunc(h.definitions(name, in), func(d definition) bool { return d.declared && (d.kind == "float" || d.kind == "double") })
}

// member is a member of a variable: an extent of a dim3, or a size of its own.
func (p *parser) member(name, member string) *Expr {
	axis := slices.Index([]string{"x", "y", "z"}, member)
	if out, is := p.h.triple(name, p.in, p.at, p.depth+1); is && axis >= 0 {
		if axis < len(out) {
			return out[axis]
		}
		return &Expr{number: 1}
	}
	e := p.h.name(name+"."+member, p.in, p.at, p.depth+1)
	if e != nil && e.root != nil {
		r := *e.root
		r.name = strings.ReplaceAll(r.name, ".", "_")
		return &Expr{root: &r}
	}
	return e
}

// call reads the arguments of a function, and is its value where that is known.
func (p *parser) call(name string) *Expr {
	open := p.i
	if p.h.close[open] == 0 {
		return nil
	}
	p.i = p.h.close[open] + 1
	if name == "sizeof" {
		if n := p.sizeOf(open+1, p.h.close[open]); n > 0 {
			return &Expr{number: n}
		}
		return nil
	}
	var args []*Expr
	for _, s := range p.h.list(open) {
		q := *p
		q.i, q.to = s.from, s.to
		e := q.whole()
		if e == nil {
			return nil
		}
		args = append(args, e)
	}
	switch {
	case bytes[name] > 0 && len(args) == 1:
		return converted(args[0], name == "float" || name == "double")
	case (name == "ceil" || name == "ceilf") && len(args) == 1:
		return rounded(args[0], "ceil")
	case (name == "floor" || name == "floorf") && len(args) == 1:
		return rounded(args[0], "//")
	case (name == "min" || name == "max") && len(args) == 2, (name == "fmin" || name == "fmax") && len(args) == 2:
		return &Expr{op: strings.TrimPrefix(name, "f"), args: args, float: args[0].float || args[1].float}
	}
	return p.inlined(name, args)
}

// rounded is a quotient that is rounded; other values are integers already.
func rounded(e *Expr, op string) *Expr {
	out := *e
	if out.op == "/" {
		out.op = op
	} else if out.real != 0 {
		return nil
	}
	return &out
}

// inlined is the value of a function of the file that does nothing but return it.
func (p *parser) inlined(name string, args []*Expr) *Expr {
	f := p.h.function(name)
	if f == nil || len(f.params) != len(args) || !p.h.is(f.body.from, "return") || !p.h.is(f.body.to-1, ";") {
		return nil
	}
	q := &parser{h: p.h, i: f.body.from + 1, to: f.body.to - 1, in: f, at: f.body.from, depth: p.depth + 1, env: map[string]*Expr{}}
	for i, n := range f.params {
		q.env[n] = args[i]
	}
	return q.whole()
}
