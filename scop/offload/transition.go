package offload

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// transition is what an iteration of a sweep does to the one value that it carries to the next, where that is a multiple of it and an addend: so is what several iterations do. (What several
// values would take, a matrix for each part, costs more than it gains in recurrences of second order.)
type transition struct {
	state         string
	own           []string // all variables that an iteration sets
	dtype         expr.DType
	factor, added expr.Expr // nil for 0
}

// multiple is a multiple of the value and an addend; nil for 0.
type multiple struct{ factor, rest expr.Expr }

// transition is what a sweep does to the value that it carries; nil where that is something else.
func (x *sweep) transition() *transition {
	l := &transition{}
	for _, s := range x.statements() {
		if v, ok := s.LHS.(expr.Var); ok && !slices.Contains(l.own, v.Name) {
			l.own = append(l.own, v.Name)
		}
	}
	if len(l.own) == 0 {
		return nil
	}
	l.dtype = x.k.Array(l.own[0]).DType
	now := map[string]multiple{}
	for _, s := range x.statements() {
		if len(s.Predicates) > 0 || !x.reads(l, s, now) {
			return nil
		}
		v, ok := s.LHS.(expr.Var)
		if !ok {
			if !slices.Contains(x.stores, s) {
				return nil
			}
			continue
		}
		c, ok := l.multiple(s.RHS, now)
		if t, err := x.k.TypeOf(s.RHS); !ok || err != nil || t != l.dtype {
			return nil
		}
		now[v.Name] = c
	}
	if large[l.dtype] == 0 || !slices.Contains(l.own, l.state) || x.needed(l) {
		return nil
	}
	l.factor, l.added = now[l.state].factor, now[l.state].rest
	return l
}

// reads notes that a statement reads the value, and reports that all else that it reads is the same for whoever makes the iteration.
func (x *sweep) reads(l *transition, s *kernel.Stmt, now map[string]multiple) bool {
	same := true
	expr.Walk(s.RHS, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Access:
			stored := slices.ContainsFunc(x.statements(), func(o *kernel.Stmt) bool { return o.Target() == e.Array })
			same = same && x.k.Array(e.Array).Space != kernel.Private && (x.takes(s, e) || !stored)
		case expr.Var:
			a := x.k.Array(e.Name)
			if _, set := now[e.Name]; !set && a != nil && !a.IsValue {
				same = same && l.state == ""
				l.state, now[e.Name] = e.Name, multiple{factor: cexpr.Float(1, a.DType)}
			}
		}
		return true
	})
	return same
}

// needed reports that a variable which is not the value is read behind the loop, or before.
func (x *sweep) needed(l *transition) bool {
	return slices.ContainsFunc(l.own, func(name string) bool {
		return name != l.state && slices.ContainsFunc(slices.Concat(x.k.Statements[:x.first], x.k.Statements[x.end:]), func(s *kernel.Stmt) bool { return x.k.ReadsFrom(s, name) })
	})
}

// multiple is an expression as a multiple of the value, with what is known of variables.
func (l *transition) multiple(e expr.Expr, now map[string]multiple) (c multiple, ok bool) {
	free := true
	plain := expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if v, ok := e.(expr.Var); ok {
			if c, set := now[v.Name]; set {
				free = free && c.factor == nil
				return c.rest
			}
		}
		return e
	})
	if free {
		return multiple{rest: plain}, true
	}
	if v, ok := e.(expr.Var); ok {
		return now[v.Name], true
	}
	x, ok := e.(*expr.Op)
	if !ok {
		return c, false
	}
	for i, arg := range x.Args {
		next, ok := l.multiple(arg, now)
		switch {
		case !ok:
			return c, false
		case i == 0:
			if c = next; x.Kind == expr.Neg {
				c = c.negative()
			}
		case x.Kind == expr.Add:
			c = multiple{plus(c.factor, next.factor), plus(c.rest, next.rest)}
		case x.Kind == expr.Sub:
			next = next.negative()
			c = multiple{plus(c.factor, next.factor), plus(c.rest, next.rest)}
		case x.Kind == expr.Mul && next.factor == nil:
			c = c.by(next.rest)
		case x.Kind == expr.Mul && c.factor == nil:
			c = next.by(c.rest)
		case x.Kind == expr.Div && next.factor == nil: // one division, whose rounding is nobody's
			c = c.by(expr.Binary(expr.Div, cexpr.Float(1, l.dtype), next.rest))
		default:
			return c, false
		}
	}
	return c, x.Kind == expr.Neg || len(x.Args) > 1
}

func (c multiple) by(a expr.Expr) multiple {
	if c.rest != nil {
		c.rest = times(a, c.rest)
	}
	if x, ok := c.factor.(expr.Float); ok && x.Value == 1 {
		c.factor = a
	} else if c.factor != nil {
		c.factor = times(a, c.factor)
	}
	return c
}

func (c multiple) negative() multiple {
	for _, e := range []*expr.Expr{&c.factor, &c.rest} {
		if *e != nil {
			*e = &expr.Op{Kind: expr.Neg, Args: []expr.Expr{*e}}
		}
	}
	return c
}

// plus is a sum, of which nil is 0.
func plus(a, b expr.Expr) expr.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return expr.Binary(expr.Add, a, b)
}
