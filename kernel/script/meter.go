package script

import (
	"slices"

	"go.starlark.net/syntax"

	"gpuperf/internal/source"
)

// Starlark counts steps, but one step can do any amount of work: "x" * 10**9, list(range(10**12)), a list that holds
// itself twice a hundred times over and is then printed. So before a file is resolved, its operations are rewritten
// to pass their operands through builtins that charge the operands' weight (weight.go) to the run's budget. Names of
// these builtins are no identifiers: a script can neither call nor shadow them.
const (
	chargeName  = "charge()" // charge()(x) is x
	timesName   = "*"        // *(x, y)
	percentName = "%"
	dotName     = "." // .(x, "name"): an attribute whose method charges when it is called
)

// cheapMethods take constant time in their receiver.
var cheapMethods = []string{"append", "get", "pop", "add", "setdefault", "startswith", "endswith", "update", "extend"}

// growingMethods can return more than they are given; their attribute goes through dotName, which knows how much.
var growingMethods = []string{"replace", "format", "join"}

func meterFile(filename, text string, f *syntax.File) error {
	m := &meter{filename: filename, text: text}
	m.stmts(f.Stmts)
	if m.err != nil {
		return m.err
	}
	return nil
}

type meter struct {
	filename, text string
	err            *source.Error
}

func (m *meter) stmts(list []syntax.Stmt) {
	for _, s := range list {
		m.stmt(s)
	}
}

func (m *meter) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		m.assign(s)
	case *syntax.DefStmt:
		m.params(s.Params)
		m.stmts(s.Body)
	case *syntax.ExprStmt:
		s.X = m.expr(s.X)
	case *syntax.ForStmt:
		m.target(s.Vars)
		s.X = m.expr(s.X)
		m.stmts(s.Body)
	case *syntax.WhileStmt:
		s.Cond = m.expr(s.Cond)
		m.stmts(s.Body)
	case *syntax.IfStmt:
		s.Cond = m.expr(s.Cond)
		m.stmts(s.True)
		m.stmts(s.False)
	case *syntax.LoadStmt:
		m.fail(s.Load, "load is not available: a kernel script is one file", "")
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = m.expr(s.Result)
		}
	}
}

// assign meters x op= y. What x grows by is at most the weight of y, but for * and %, which become x = x op y; that
// would evaluate the parts of a[i] twice, so there the script has to say it.
func (m *meter) assign(s *syntax.AssignStmt) {
	m.target(s.LHS)
	s.RHS = m.expr(s.RHS)
	name, growing := map[syntax.Token]string{syntax.STAR_EQ: timesName, syntax.PERCENT_EQ: percentName}[s.Op]
	switch {
	case s.Op == syntax.EQ:
	case !growing:
		s.RHS = charged(s.RHS)
	default:
		id, ok := s.LHS.(*syntax.Ident)
		if !ok {
			m.fail(s.OpPos, "augmented assignment by "+s.Op.String()+" needs a plain name on its left", "write x[i] = x[i] "+name+" y")
			return
		}
		s.RHS = call(name, s.OpPos, &syntax.Ident{NamePos: id.NamePos, Name: id.Name}, s.RHS)
		s.Op = syntax.EQ
	}
}

func (m *meter) fail(pos syntax.Position, msg, hint string) {
	if m.err != nil {
		return
	}
	m.err = source.At(m.filename, m.text, place(pos), "%s", msg)
	m.err.Hint = hint
}

// target meters the operands in what is assigned to: x[i], not x.
func (m *meter) target(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		m.target(e.X)
	case *syntax.ListExpr:
		m.targets(e.List)
	case *syntax.TupleExpr:
		m.targets(e.List)
	case *syntax.IndexExpr:
		e.X, e.Y = m.expr(e.X), m.expr(e.Y)
	case *syntax.DotExpr:
		e.X = m.expr(e.X)
	}
}

func (m *meter) targets(list []syntax.Expr) {
	for _, e := range list {
		m.target(e)
	}
}

// params meters default values.
func (m *meter) params(list []syntax.Expr) {
	for _, p := range list {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = m.expr(b.Y)
		}
	}
}

func (m *meter) exprs(list []syntax.Expr) {
	for i, e := range list {
		list[i] = m.expr(e)
	}
}

// optional meters an expression that may be absent.
func (m *meter) optional(e syntax.Expr) syntax.Expr {
	if e == nil {
		return nil
	}
	return m.expr(e)
}

func (m *meter) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		e.X = m.expr(e.X)
	case *syntax.CallExpr:
		m.call(e)
	case *syntax.DotExpr:
		e.X = m.expr(e.X)
		return dot(e)
	case *syntax.IndexExpr:
		e.X, e.Y = m.expr(e.X), m.expr(e.Y)
	case *syntax.SliceExpr:
		e.X = charged(m.expr(e.X))
		e.Lo, e.Hi, e.Step = m.optional(e.Lo), m.optional(e.Hi), m.optional(e.Step)
	case *syntax.ListExpr:
		m.exprs(e.List)
	case *syntax.TupleExpr:
		// weighed when it is made, for it may become a key, whose hash visits all of it
		m.exprs(e.List)
		return charged(e)
	case *syntax.DictExpr:
		m.exprs(e.List)
	case *syntax.DictEntry:
		e.Key, e.Value = m.expr(e.Key), m.expr(e.Value)
	case *syntax.UnaryExpr:
		e.X = m.optional(e.X)
	case *syntax.BinaryExpr:
		return m.binary(e)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = m.expr(e.Cond), m.expr(e.True), m.expr(e.False)
	case *syntax.LambdaExpr:
		m.params(e.Params)
		e.Body = m.expr(e.Body)
	case *syntax.Comprehension:
		e.Body = m.expr(e.Body)
		for _, c := range e.Clauses {
			switch c := c.(type) {
			case *syntax.ForClause:
				m.target(c.Vars)
				c.X = m.expr(c.X)
			case *syntax.IfClause:
				c.Cond = m.expr(c.Cond)
			}
		}
	}
	return e
}

func (m *meter) call(e *syntax.CallExpr) {
	if f, ok := e.Fn.(*syntax.DotExpr); ok && !slices.Contains(growingMethods, f.Name.Name) {
		f.X = m.expr(f.X)
		if !slices.Contains(cheapMethods, f.Name.Name) {
			f.X = charged(f.X)
		}
	} else {
		e.Fn = m.expr(e.Fn)
	}
	for i, a := range e.Args {
		switch a := a.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ { // name=value
				a.Y = charged(m.expr(a.Y))
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				a.X = charged(m.expr(a.X))
				continue
			}
		}
		e.Args[i] = charged(m.expr(a))
	}
}

func (m *meter) binary(e *syntax.BinaryExpr) syntax.Expr {
	e.X, e.Y = m.expr(e.X), m.expr(e.Y)
	switch e.Op {
	case syntax.AND, syntax.OR:
	case syntax.STAR:
		return call(timesName, e.OpPos, e.X, e.Y)
	case syntax.PERCENT:
		return call(percentName, e.OpPos, e.X, e.Y)
	default:
		e.X, e.Y = charged(e.X), charged(e.Y)
	}
	return e
}

// charged wraps e, unless what it weighs is plain.
func charged(e syntax.Expr) syntax.Expr {
	switch x := e.(type) {
	case *syntax.Literal, *syntax.LambdaExpr:
		return e
	case *syntax.CallExpr:
		if id, ok := x.Fn.(*syntax.Ident); ok && id.Name == chargeName {
			return e
		}
	}
	return call(chargeName, syntax.Start(e), e)
}

func dot(e *syntax.DotExpr) syntax.Expr {
	if id, ok := e.X.(*syntax.Ident); ok && id.Name == "lp" {
		return e
	}
	name := &syntax.Literal{Token: syntax.STRING, TokenPos: e.NamePos, Raw: e.Name.Name, Value: e.Name.Name}
	return call(dotName, e.Dot, e.X, name)
}

func call(name string, pos syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: pos, Name: name}, Lparen: pos, Args: args, Rparen: pos}
}

// checkNesting rejects a text whose brackets would nest deeper than the parser's stack is safe for.
func checkNesting(filename, text string) error {
	const most = 200
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case '(', '[', '{':
			if depth++; depth > most {
				return source.New(filename, text, i, "brackets nest more than %d deep", most)
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		case '"', '\'':
			i = skipString(text, i)
		}
	}
	return nil
}

// skipString returns the index of the last byte of the string literal that opens at i.
func skipString(text string, i int) int {
	quote := text[i : i+1]
	if i+2 < len(text) && text[i+1] == text[i] && text[i+2] == text[i] {
		quote = text[i : i+3]
	}
	for j := i + len(quote); j < len(text); j++ {
		switch {
		case text[j] == '\\':
			j++
		case j+len(quote) <= len(text) && text[j:j+len(quote)] == quote:
			return j + len(quote) - 1
		case text[j] == '\n' && len(quote) == 1:
			return j // an unclosed string: the parser reports it
		}
	}
	return len(text)
}
