package kernel

import (
	"slices"

	"gpuperf/internal/lex"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// Instructions are the contents of a text of instructions, before names are resolved.
type Instructions struct {
	Statements []*Stmt
	Rules      []*Rule
	// Temps are the temporaries that `<type> name = ...` declares. Their DType may be "" (to be inferred), their Shape nil
	// where the name is indexed.
	Temps []*Array

	text string
	more []stmtNotes // one per statement
}

// stmtNotes is what the text says about a statement and Make resolves, so that Stmt has no field for it.
type stmtNotes struct {
	at         int            // offset of the statement
	prefix     string         // id_prefix
	exactDeps  bool           // dep=*...: no automatic dependencies
	exactNames bool           // inames=...: not those that the expressions use
	within     []string       // inames of enclosing for blocks
	guards     []guard        // enclosing if blocks
	places     map[string]int // offsets of the IDs and wildcards in dep and nosync
	pair       bool           // this statement and the next were written as one, with two targets
}

// guard is the condition of an if block. The statements of the block must not change what it reads.
type guard struct {
	at   int
	cond expr.Expr
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
// A number such as 0.1 takes the type of what it meets, and is float32 where it meets no other number of floating-point type;
// 0.1f is float32, 0.1d is float64. An integer takes the type of what it meets too, if that has at least 32 bits and
// holds it; another type is written cast(int64, 5).
//
// Attributes are id, id_prefix, dep, inames, if, tags, nosync, priority, mem_kind (local or global, of an lbarrier) and atomic. Lists are separated by colons. dep takes
// wildcards, and a leading * suppresses automatic dependencies ("dep=*a:b"; "dep=*" alone is every statement). inames
// replaces the inames found in the expressions, inames=+i:j adds to them. nosync takes wildcards too, each
// followed by @local, @global or @any, or nosync@local=... for all. Two targets are two statements, v = max(i, x[i]) and
// at = argmax(i, x[i], i), which RealizeReduction computes in one loop: the first has the id as written, the second one
// ending in _index, and what depends on the first depends on both. An update h[i] = h[i] + x {atomic} is one step, in which
// no other work-item changes the element. Unlike Loopy's instructions, these have no calls of other kernels, no several
// targets of other calls (a, b = f(..)), no conflict groups and no other atomic operations. Errors are *source.Error.
func ParseInstructions(text string) (ins *Instructions, err error) {
	p, err := expr.NewParser(text)
	if err != nil {
		return nil, err
	}
	defer throw.Catch(&err)
	ins = &Instructions{text: text}
	b := blockParser{p, ins}
	b.block(context{}, "")
	if p.Tok().Kind != lex.End {
		p.Fail("unexpected %s", p.Describe())
	}
	return ins, nil
}

type blockParser struct {
	*expr.Parser
	out *Instructions
}

// context is what the enclosing blocks say about a statement.
type context struct {
	inames []string
	guards []guard
	attrs  []attribute
}

// block reads statements up to a word that ends a block (end, elif, else), which it leaves, or the end of the text.
// opener names the block for the error message.
func (b blockParser) block(c context, opener string) {
	defer b.Nest(expr.MaxDepth, "blocks")()
	for {
		b.SkipLines()
		t := b.Tok()
		switch {
		case t.Kind == lex.End:
			if opener != "" {
				b.FailHint(t.At, "close it with a line that says end", "%s block is not closed", opener)
			}
			return
		case t.Kind == lex.Name && (t.Text == "end" || t.Text == "elif" || t.Text == "else"):
			if opener == "" {
				b.Fail("%s outside a block", t.Text)
			}
			return
		case t.Kind == lex.Name && t.Text == "for":
			b.forBlock(c)
		case t.Kind == lex.Name && t.Text == "if":
			b.ifBlock(c)
		case t.Kind == lex.Name && t.Text == "with":
			b.Next()
			inner := c
			inner.attrs = append(slices.Clone(c.attrs), b.attributes()...)
			for _, a := range inner.attrs {
				if a.key == "id" {
					b.FailHint(a.at, "use id_prefix", "id in a with block would give several statements one id")
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
	b.Expect("end")
	b.endOfLine()
}

func (b blockParser) endOfLine() {
	if k := b.Tok().Kind; k != lex.Line && k != lex.End {
		b.Fail("unexpected %s after the end of the instruction", b.Describe())
	}
}

func (b blockParser) forBlock(c context) {
	b.Next()
	inner := c
	inner.inames = slices.Clone(c.inames)
	for {
		at := b.Tok().At
		n := b.Name("an iname")
		if slices.Contains(inner.inames, n) {
			b.FailHint(at, "", "for block opens %s a second time", n)
		}
		inner.inames = append(inner.inames, n)
		if !b.Accept(",") {
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
		at := b.Tok().At
		if word := b.Tok().Text; word == "else" {
			b.Next()
			b.endOfLine()
			b.block(inner, word)
			b.end()
			return
		}
		b.Next()
		cond := b.Expression()
		inner.guards = append(inner.guards, guard{at, cond})
		not = append(not, guard{at, expr.Negate(cond)})
		b.endOfLine()
		b.block(inner, "if")
		if b.Is("end") {
			b.end()
			return
		}
	}
}

func (b blockParser) statement(c context) {
	s := &Stmt{}
	var second *Stmt // of two targets
	notes := stmtNotes{at: b.Tok().At, within: c.inames, guards: c.guards, places: map[string]int{}}
	if b.Accept("...") {
		t := b.Tok()
		kind, ok := map[string]StmtKind{"lbarrier": LocalBarrier, "gbarrier": GlobalBarrier, "nop": Nop}[t.Text]
		if !ok {
			b.Fail("expected lbarrier, gbarrier or nop, found %s", b.Describe())
		}
		b.Next()
		s.Kind = kind
	} else {
		var temps [2]*Array
		var at [2]int
		s.LHS, temps[0], at[0] = b.target()
		if temps[0] == nil && b.Accept(":=") {
			b.rule(s.LHS, at[0])
			return
		}
		b.checkTarget(s.LHS, at[0])
		comma := b.Tok().At
		if b.Accept(",") {
			second = &Stmt{}
			second.LHS, temps[1], at[1] = b.target()
			b.checkTarget(second.LHS, at[1])
		}
		b.Expect("=")
		s.RHS = b.Expression()
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
	if b.Is("{") {
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
		notes.prefix = s.ID + "_index"
	}
	b.out.Statements = append(b.out.Statements, &other)
	b.out.more = append(b.out.more, notes)
}

// target reads what is assigned to, and the temporary that <type> before it declares.
func (b blockParser) target() (lhs expr.Expr, temp *Array, at int) {
	if b.Accept("<") {
		temp = &Array{}
		if !b.Is(">") {
			at := b.Tok().At
			dtype := b.Name("an element type")
			if !expr.DType(dtype).Known() {
				b.FailHint(at, expr.KnownDTypes, "unknown element type %q", dtype)
			}
			temp.DType = expr.DType(dtype)
		}
		b.Expect(">")
	}
	at = b.Tok().At
	lhs = b.Operand()
	if temp == nil {
		return lhs, nil, at
	}
	switch x := lhs.(type) {
	case expr.Var:
		temp.Name, temp.Shape = x.Name, []expr.Expr{}
	case *expr.Access:
		temp.Name = x.Array
		if x.Index == nil {
			temp.Shape = []expr.Expr{}
		}
	default:
		b.checkTarget(lhs, at)
	}
	return lhs, temp, at
}

func (b blockParser) checkTarget(lhs expr.Expr, at int) {
	switch lhs.(type) {
	case expr.Var, *expr.Access:
	default:
		b.FailHint(at, "assign to a variable or to an array element", "cannot assign to %s", lhs)
	}
}

// twoTargets makes v, at = argmax(k, e, f) two statements, of which the first computes max(k, e).
func (b blockParser) twoTargets(s, second *Stmt, comma int) {
	r, ok := s.RHS.(*expr.Reduce)
	if !ok || r.Index == nil {
		b.FailHint(comma, "write one assignment a line", "several values are assigned at once, which only argmax and argmin return")
	}
	used := []expr.Expr{r}
	for _, lhs := range []expr.Expr{s.LHS, second.LHS} {
		used = append(used, expr.Children(lhs)...)
	}
	for _, name := range []string{s.Target(), second.Target()} {
		if s.Target() == second.Target() || slices.ContainsFunc(used, func(e expr.Expr) bool { return expr.Mentions(e, name) }) {
			b.FailHint(comma, "assign to temporaries first", "the two targets must differ, and %s must not be used by the statement that assigns to it", name)
		}
	}
	second.RHS = r
	s.RHS = &expr.Reduce{Kind: r.Kind[len("arg"):], Inames: r.Inames, Body: r.Body}
}

func (b blockParser) declare(t *Array, at int) {
	for _, old := range b.out.Temps {
		if old.Name == t.Name {
			b.FailHint(at, "declare it once, and assign without <> afterwards", "temporary %s is declared twice", t.Name)
		}
	}
	b.out.Temps = append(b.out.Temps, t)
}

func (b blockParser) rule(head expr.Expr, at int) {
	r := &Rule{}
	switch x := head.(type) {
	case expr.Var:
		r.Name = x.Name
	case *expr.Call:
		r.Name = x.Func
		for _, a := range x.Args {
			v, ok := a.(expr.Var)
			if !ok || slices.Contains(r.Args, v.Name) {
				b.FailHint(at, "the arguments of a rule are distinct names", "bad argument %s of rule %s", a, r.Name)
			}
			r.Args = append(r.Args, v.Name)
		}
	default:
		b.FailHint(at, "write name(x, y) := expression", "%s cannot head a substitution rule", head)
	}
	for _, old := range b.out.Rules {
		if old.Name == r.Name {
			b.FailHint(at, "", "rule %s is defined twice", r.Name)
		}
	}
	r.Body = b.Expression()
	b.out.Rules = append(b.out.Rules, r)
}
