package kernel

import (
	"slices"
	"strconv"
	"strings"
)

// Instructions is what a text of instructions says, before names are resolved.
type Instructions struct {
	Statements []*Stmt
	Rules      []*Rule
	// Temps are the temporaries that `<type> name = ...` declares. Their DType may be "" (to be inferred), their Shape nil
	// where the name is indexed.
	Temps []*Array

	text string
	more []stmtNotes // beside Statements
}

// stmtNotes is what the text says of a statement that Stmt has no place for, as Make resolves it.
type stmtNotes struct {
	at         int      // offset of the statement
	ids        bool     // the ID was written, not made up
	prefix     string   // id_prefix
	exactDeps  bool     // dep=*...: no automatic dependencies
	exactNames bool     // inames=...: not those that the expressions use
	within     []string // inames of enclosing for blocks
	guards     []guard  // enclosing if blocks
	pair       bool     // this statement and the next were written as one, with two targets
}

// guard is the condition of an if block: its statements must not change what it reads.
type guard struct {
	at   int
	cond Expr
}

// ParseInstructions reads statements, one a line, and substitution rules:
//
//	c[i, j] = sum(k, a$aLD[i, k]*b[k, j]) {id=mm, dep=init:fetch*, if=i < n}
//	<> t = 2*x[i]                  a temporary of inferred type; <float32> t = ... of the given one
//	v, at = argmax(i, x[i], i)     the greatest value, and the index of the first that has it; also argmin
//	f(x) := x**2 + 1               a substitution rule
//	for i, j ... end               statements within the loops i and j
//	if i > 0 ... elif i == 0 ... else ... end
//	with {dep=init} ... end        attributes for several statements
//	... lbarrier {id=b, dep=u}     also gbarrier and nop
//
// Attributes are id, id_prefix, dep, inames, if, tags, nosync and priority. Lists are separated by colons. dep takes
// wildcards, and a leading * keeps automatic dependencies away ("dep=*a:b"; "dep=*" alone is every statement). inames
// replaces the inames found in the expressions, inames=+i:j adds to them. nosync takes wildcards too, with @local,
// @global or @any behind each, or nosync@local=... for all. Two targets are two statements, v = max(i, x[i]) and
// at = argmax(i, x[i], i), which RealizeReduction computes in one loop: the first has the id as written, the second one
// ending in _index, and what depends on the first depends on both. Of what Loopy's instructions have, these lack calls of
// other kernels, several targets of other calls (a, b = f(..)), conflict groups and atomic updates. Errors are
// *source.Error.
func ParseInstructions(text string) (ins *Instructions, err error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	defer p.recover(&err)
	ins = &Instructions{text: text}
	b := blockParser{p, ins}
	b.block(context{}, "")
	if p.tok().kind != tokEnd {
		p.fail("unexpected %s", p.describe())
	}
	return ins, nil
}

type blockParser struct {
	*parser
	out *Instructions
}

// context is what the enclosing blocks say of a statement.
type context struct {
	inames []string
	guards []guard
	attrs  []attribute
}

// attribute is key=value of a statement; value is raw text, or for if an expression.
type attribute struct {
	key, value string
	conds      []Expr
	at         int
}

// block reads statements up to a word that ends a block (end, elif, else), which it leaves, or the end of the text.
// opener names the block for the error message.
func (b blockParser) block(c context, opener string) {
	defer b.nest("blocks")()
	for {
		b.skipLines()
		t := b.tok()
		switch {
		case t.kind == tokEnd:
			if opener != "" {
				b.failHint(t.at, "close it by a line with end", "%s block is not closed", opener)
			}
			return
		case t.kind == tokName && (t.text == "end" || t.text == "elif" || t.text == "else"):
			if opener == "" {
				b.fail("%s without a block that it belongs to", t.text)
			}
			return
		case t.kind == tokName && t.text == "for":
			b.forBlock(c)
		case t.kind == tokName && t.text == "if":
			b.ifBlock(c)
		case t.kind == tokName && t.text == "with":
			b.next()
			inner := c
			inner.attrs = append(slices.Clone(c.attrs), b.attributes()...)
			for _, a := range inner.attrs {
				if a.key == "id" {
					b.failHint(a.at, "use id_prefix", "id in a with block would name several statements alike")
				}
			}
			b.endOfLine()
			b.block(inner, "with")
			b.end()
		default:
			b.statement(c)
			b.endOfLine()
		}
	}
}

func (b blockParser) end() {
	b.expect("end")
	b.endOfLine()
}

func (b blockParser) endOfLine() {
	if k := b.tok().kind; k != tokLine && k != tokEnd {
		b.fail("unexpected %s after the end of the instruction", b.describe())
	}
}

func (b blockParser) forBlock(c context) {
	b.next()
	inner := c
	inner.inames = slices.Clone(c.inames)
	for {
		at := b.tok().at
		n := b.name("an iname")
		if slices.Contains(inner.inames, n) {
			b.failHint(at, "", "for block opens %s a second time", n)
		}
		inner.inames = append(inner.inames, n)
		if !b.accept(",") {
			break
		}
	}
	b.endOfLine()
	b.block(inner, "for")
	b.end()
}

// ifBlock reads if, elif and else branches. Each branch holds under its own condition and the negations of those before.
func (b blockParser) ifBlock(c context) {
	var not []guard
	for {
		inner := c
		inner.guards = append(slices.Clone(c.guards), not...)
		at := b.tok().at
		if word := b.tok().text; word == "else" {
			b.next()
			b.endOfLine()
			b.block(inner, word)
			b.end()
			return
		}
		b.next()
		cond := b.expr(precCond)
		inner.guards = append(inner.guards, guard{at, cond})
		not = append(not, guard{at, &Op{Not, []Expr{cond}}})
		b.endOfLine()
		b.block(inner, "if")
		if b.is("end") {
			b.end()
			return
		}
	}
}

func (b blockParser) statement(c context) {
	s := &Stmt{}
	var second *Stmt // of two targets
	notes := stmtNotes{at: b.tok().at, within: c.inames, guards: c.guards}
	if b.accept("...") {
		t := b.tok()
		kind, ok := map[string]StmtKind{"lbarrier": LocalBarrier, "gbarrier": GlobalBarrier, "nop": Nop}[t.text]
		if !ok {
			b.fail("expected lbarrier, gbarrier or nop, found %s", b.describe())
		}
		b.next()
		s.Kind = kind
	} else {
		var temps [2]*Array
		var at [2]int
		s.LHS, temps[0], at[0] = b.target()
		if temps[0] == nil && b.accept(":=") {
			b.rule(s.LHS, at[0])
			return
		}
		b.checkTarget(s.LHS, at[0])
		comma := b.tok().at
		if b.accept(",") {
			second = &Stmt{}
			second.LHS, temps[1], at[1] = b.target()
			b.checkTarget(second.LHS, at[1])
		}
		b.expect("=")
		s.RHS = b.expr(precCond)
		if second != nil {
			b.twoTargets(s, second, comma)
		}
		for i, t := range temps {
			if t != nil {
				b.declare(t, at[i])
			}
		}
	}
	attrs := c.attrs
	if b.is("{") {
		attrs = append(slices.Clone(attrs), b.attributes()...)
	}
	for _, a := range attrs {
		b.apply(a, s, &notes)
	}
	notes.pair = second != nil
	b.out.Statements = append(b.out.Statements, s)
	b.out.more = append(b.out.more, notes)
	if second == nil {
		return
	}
	other := *s
	other.LHS, other.RHS, other.ID = second.LHS, second.RHS, ""
	notes.pair = false
	if s.ID != "" {
		notes.ids, notes.prefix = false, s.ID+"_index"
	}
	b.out.Statements = append(b.out.Statements, &other)
	b.out.more = append(b.out.more, notes)
}

// target reads what is assigned to, and the temporary that <type> before it declares.
func (b blockParser) target() (lhs Expr, temp *Array, at int) {
	if b.accept("<") {
		temp = &Array{}
		if !b.is(">") {
			at := b.tok().at
			dtype := b.name("an element type")
			if !DType(dtype).Known() {
				b.failHint(at, knownDTypes, "unknown element type %q", dtype)
			}
			temp.DType = DType(dtype)
		}
		b.expect(">")
	}
	at = b.tok().at
	lhs = b.expr(precCompare + 1)
	if temp == nil {
		return lhs, nil, at
	}
	switch x := lhs.(type) {
	case Var:
		temp.Name, temp.Shape = x.Name, []Expr{}
	case *Access:
		temp.Name = x.Array
		if x.Index == nil {
			temp.Shape = []Expr{}
		}
	default:
		b.checkTarget(lhs, at)
	}
	return lhs, temp, at
}

func (b blockParser) checkTarget(lhs Expr, at int) {
	switch lhs.(type) {
	case Var, *Access:
	default:
		b.failHint(at, "assign to a variable or to an array element", "cannot assign to %s", lhs)
	}
}

// twoTargets makes v, at = argmax(k, e, f) two statements, of which the first computes max(k, e).
func (b blockParser) twoTargets(s, second *Stmt, comma int) {
	r, ok := s.RHS.(*Reduce)
	if !ok || r.Index == nil {
		b.failHint(comma, "write one assignment a line", "several values are assigned at once, which only argmax and argmin give")
	}
	used := []Expr{r}
	for _, lhs := range []Expr{s.LHS, second.LHS} {
		used = append(used, Children(lhs)...)
	}
	for _, name := range []string{target(s), target(second)} {
		if target(s) == target(second) || slices.ContainsFunc(used, func(e Expr) bool { return mentions(e, name) }) {
			b.failHint(comma, "assign to temporaries first", "the two targets must differ, and %s must not be used by the statement that assigns to it", name)
		}
	}
	second.RHS = r
	s.RHS = &Reduce{Kind: r.Kind[len("arg"):], Inames: r.Inames, Body: r.Body}
}

func (b blockParser) declare(t *Array, at int) {
	for _, old := range b.out.Temps {
		if old.Name == t.Name {
			b.failHint(at, "declare it once, and assign without <> afterwards", "temporary %s is declared twice", t.Name)
		}
	}
	b.out.Temps = append(b.out.Temps, t)
}

func (b blockParser) rule(head Expr, at int) {
	r := &Rule{}
	switch x := head.(type) {
	case Var:
		r.Name = x.Name
	case *Call:
		r.Name = x.Func
		for _, a := range x.Args {
			v, ok := a.(Var)
			if !ok || slices.Contains(r.Args, v.Name) {
				b.failHint(at, "the arguments of a rule are distinct names", "bad argument %s of rule %s", a, r.Name)
			}
			r.Args = append(r.Args, v.Name)
		}
	default:
		b.failHint(at, "write name(x, y) := expression", "%s cannot head a substitution rule", head)
	}
	for _, old := range b.out.Rules {
		if old.Name == r.Name {
			b.failHint(at, "", "rule %s is defined twice", r.Name)
		}
	}
	r.Body = b.expr(precCond)
	b.out.Rules = append(b.out.Rules, r)
}

// attributes reads {key=value, ...}.
func (b blockParser) attributes() []attribute {
	b.expect("{")
	var list []attribute
	for !b.accept("}") {
		if len(list) > 0 {
			b.expect(",")
		}
		a := attribute{at: b.tok().at}
		if b.is("if") { // a keyword elsewhere
			b.next()
			a.key = "if"
		} else {
			a.key = b.name("an attribute")
		}
		if b.accept("@") {
			a.key += "@" + b.name("an address space")
		}
		b.expect("=")
		if a.key == "if" {
			a.conds = []Expr{b.expr(precCond)}
			for b.accept(":") {
				a.conds = append(a.conds, b.expr(precCond))
			}
		} else {
			from := b.tok().at
			for !b.is(",") && !b.is("}") {
				if b.tok().kind == tokEnd {
					b.fail("attributes are not closed by }")
				}
				b.next()
			}
			a.value = strings.TrimSpace(b.text[from:b.tok().at])
		}
		list = append(list, a)
	}
	return list
}

// apply sets an attribute on the statement.
func (b blockParser) apply(a attribute, s *Stmt, notes *stmtNotes) {
	list := strings.FieldsFunc(a.value, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' || r == '\n' || r == '\r' })
	names := func(what string) {
		for _, n := range list {
			if !isName(n) {
				b.failHint(a.at, "separate them by colons", "%q is no %s", n, what)
			}
		}
	}
	switch a.key {
	case "id", "id_prefix":
		if len(list) != 1 {
			b.failHint(a.at, "", "%s takes one name", a.key)
		}
		names("statement id")
		if a.key == "id" {
			s.ID, notes.ids = list[0], true
		} else {
			notes.prefix = list[0]
		}
	case "dep":
		for i, n := range list {
			if i == 0 && strings.HasPrefix(n, "*") && !strings.HasPrefix(n, "**") {
				notes.exactDeps = true
				if n = n[1:]; n == "" {
					if len(list) > 1 {
						continue
					}
					n = "*"
				}
			}
			s.Deps = append(s.Deps, n)
		}
	case "inames":
		notes.exactNames = !strings.HasPrefix(a.value, "+")
		if !notes.exactNames && len(list) > 0 {
			if list[0] = list[0][1:]; list[0] == "" {
				list = list[1:]
			}
		}
		names("iname")
		if notes.exactNames {
			s.Inames = nil
		}
		s.Inames = append(s.Inames, list...)
	case "if":
		s.Predicates = append(s.Predicates, a.conds...)
	case "tags":
		names("tag")
		s.Tags = append(s.Tags, list...)
	case "nosync", "nosync@any", "nosync@local", "nosync@global":
		_, all, _ := strings.Cut(a.key, "@")
		for _, n := range list {
			id, space, found := strings.Cut(n, "@")
			if !found {
				space = all
			}
			switch space {
			case "", "any":
			case "local", "global":
				id += "@" + space
			default:
				b.failHint(a.at, "write @local, @global or @any", "%q is no scope of nosync", space)
			}
			s.NoSync = append(s.NoSync, id)
		}
	case "priority":
		n, err := strconv.Atoi(a.value)
		if err != nil {
			b.failHint(a.at, "greater runs first", "priority %q is no integer", a.value)
		}
		s.Priority = n
	default:
		b.failHint(a.at, "attributes are id, id_prefix, dep, inames, if, tags, nosync and priority", "unknown attribute %q", a.key)
	}
}
