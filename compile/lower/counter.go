package lower

import "gpuperf/cfront"

// counter is how a loop counts: a variable begins with a value, and each iteration changes it once as long as it compares with an end.
type counter struct {
	v     *cfront.Var
	op    string // of the comparison, the variable on the left
	end   cfront.Expr
	step  string // + or -, or another operation
	by    cfront.Expr
	cond  *cfront.Binary
	bytes int64 // of what a pointer points to; 1 of a number
	once  bool  // the first iteration is not tested for
	late  bool  // the first test sees the variable changed already
	quiet bool  // iterations write no memory
}

// counts finds how a loop counts; nil where it does not. Where the text changes the variable does not matter, as long as each iteration does so.
func (l *lowering) counts(x *loop) *counter {
	cond, ok := x.Cond.(*cfront.Binary)
	if !ok { // the counter alone: until it is 0
		if x.Cond == nil || x.Cond.Type() == "" || !x.Cond.Type().IsInteger() {
			return nil
		}
		cond = cfront.Operation(x.Pos, "!=", x.Cond, cfront.Zero(x.Pos))
	}
	for _, c := range []*counter{{op: cond.Op, end: cond.Y}, {op: mirrored[cond.Op], end: cond.X}} {
		side := cond.X
		if side == c.end {
			side = cond.Y
		}
		side, c.end = byItself(side, c.end)
		v, step := counterOf(side)
		if v == nil || l.learnt.memory[v] || c.op == "" {
			continue
		}
		c.v, c.cond, c.once, c.bytes = v, cond, x.once, 1
		if len(v.Dims) == 1 && v.Pointer {
			c.bytes = sizeOf(v.DType, v.Record, false)
		} else if len(v.Dims) > 0 || !v.DType.IsInteger() {
			continue
		}
		c.late = step != nil && !step.After
		if step == nil {
			step, c.late = l.stepIn(x, v), x.once
		}
		if step != nil && c.bytes > 0 && l.steps(x, c, step) {
			c.quiet = l.quiet(x.Body)
			return c
		}
	}
	return nil
}

// byItself is a comparison of a counter and a number with an end, as one of the counter with an end that is so much less.
func byItself(side, end cfront.Expr) (counter, to cfront.Expr) {
	b, ok := side.(*cfront.Binary)
	if !ok || b.Op != "+" && b.Op != "-" || !isLiteral(b.Y) || !b.Type().IsSigned() {
		return side, end
	}
	return b.X, cfront.Operation(b.Pos, map[string]string{"+": "-", "-": "+"}[b.Op], end, b.Y)
}

// mirrored are comparisons with their sides exchanged.
var mirrored = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}

// counterOf is the variable that an expression is, perhaps converted, and the change of it that the expression makes.
func counterOf(e cfront.Expr) (*cfront.Var, *cfront.Assign) {
	if c, ok := e.(*cfront.Cast); ok && c.DType.IsInteger() {
		e = c.X
	}
	switch x := e.(type) {
	case *cfront.Ref:
		return x.Var, nil
	case *cfront.Assign:
		if to, ok := x.To.(*cfront.Ref); ok {
			return to.Var, x
		}
	}
	return nil, nil
}

// steps completes a counter by its change, and reports whether nothing else changes it, or what it is compared with.
func (l *lowering) steps(x *loop, c *counter, step *cfront.Assign) bool {
	c.step, c.by = step.Op, step.Value
	if step.Op == "" { // i = i + 1
		b, ok := step.Value.(*cfront.Binary)
		if !ok || !isVar(b.X, c.v) {
			return false
		}
		c.step, c.by = b.Op, b.Y
	}
	changed := l.assignedBut(step, x.Body, &cfront.Do{X: x.Step}, &cfront.Do{X: x.Cond})
	if changed[c.v] {
		return false
	}
	changed[c.v] = true // by the step
	return !names(c.end, changed) && !names(c.by, changed)
}

// stepIn is the change of a variable that each iteration of a loop makes behind its test; nil where there is none, or not in each.
func (l *lowering) stepIn(x *loop, v *cfront.Var) (found *cfront.Assign) {
	var look func(e cfront.Expr)
	look = func(e cfront.Expr) {
		switch a := e.(type) {
		case nil:
			return
		case *cfront.Select:
			look(a.If)
			return
		case *cfront.Binary:
			if a.Op == "&&" || a.Op == "||" {
				look(a.X)
				return
			}
		case *cfront.Assign:
			if to, ok := a.To.(*cfront.Ref); ok && to.Var == v {
				found = a
			}
		}
		for _, o := range cfront.Operands(e) {
			look(o)
		}
	}
	look(x.Step)
	if found != nil || l.contains(x.Body, func(j *cfront.Jump, inner bool) bool { return j.What == "continue" && !inner }) {
		return found
	}
	for _, s := range flat(x.Body) {
		switch s := s.(type) {
		case *cfront.Do:
			look(s.X)
		case *cfront.Declare:
			for _, d := range s.Vars {
				look(d.Init)
			}
		}
	}
	return found
}

// flat are the statements of a block, and of blocks in it.
func flat(s cfront.Stmt) (all []cfront.Stmt) {
	b, ok := s.(*cfront.Block)
	if !ok {
		return []cfront.Stmt{s}
	}
	for _, inner := range b.Items {
		all = append(all, flat(inner)...)
	}
	return all
}

// quiet reports whether a statement writes variables alone that are no memory.
func (l *lowering) quiet(s cfront.Stmt) bool {
	for one := range cfront.Statements(s) {
		if l.file.Assembly(one) != nil {
			return false
		}
	}
	for e := range cfront.Everywhere(s) {
		switch x := e.(type) {
		case *cfront.Assign:
			if v := cfront.Whole(x.To); v == nil || v.Pointer || v.Class != cfront.Local && v.Class != cfront.Param || v.Space == cfront.LocalSpace {
				return false
			}
		case *cfront.Call:
			if f, known := cfront.IntrinsicOf(x.Func); !known || f.Kind != cfront.Math && f.Kind != cfront.Load {
				return false
			}
		case *cfront.Make, *cfront.Unknown:
			return false
		}
	}
	return true
}

// names reports whether an expression has one of the variables in it.
func names(e cfront.Expr, list map[*cfront.Var]bool) bool {
	return cfront.Any(e, func(e cfront.Expr) bool {
		r, ok := e.(*cfront.Ref)
		return ok && list[r.Var]
	})
}

// isVar reports whether an expression is a variable, perhaps converted.
func isVar(e cfront.Expr, v *cfront.Var) bool {
	if c, ok := e.(*cfront.Cast); ok && c.DType.IsInteger() {
		e = c.X
	}
	r, ok := e.(*cfront.Ref)
	return ok && r.Var == v
}

// assigned are the variables that statements, or what they call, may change.
func (l *lowering) assigned(list ...cfront.Stmt) map[*cfront.Var]bool {
	return l.assignedBut(nil, list...)
}

// assignedBut is assigned but for an assignment.
func (l *lowering) assignedBut(except *cfront.Assign, list ...cfront.Stmt) map[*cfront.Var]bool {
	all := map[*cfront.Var]bool{}
	var walk func(s cfront.Stmt)
	walk = func(s cfront.Stmt) {
		if a := l.file.Assembly(s); a != nil {
			for _, e := range a.Out {
				l.change(e, all)
			}
			return
		}
		stmts, exprs := cfront.Inside(s)
		for _, e := range exprs {
			for e := range cfront.All(e) {
				if e != cfront.Expr(except) {
					l.alters(e, all)
				}
			}
		}
		if d, ok := s.(*cfront.Declare); ok {
			for _, v := range d.Vars {
				all[v] = true
			}
		}
		for _, inner := range stmts {
			walk(inner)
		}
	}
	for _, s := range list {
		if s != nil {
			walk(s)
		}
	}
	return all
}

// alters adds the variables that an expression, without its operands, may change.
func (l *lowering) alters(e cfront.Expr, all map[*cfront.Var]bool) {
	switch x := e.(type) {
	case *cfront.Assign:
		l.change(x.To, all)
	case *cfront.Address:
		l.change(x.X, all)
	case *cfront.Call:
		l.changeTo(x.Args, all)
	}
}

// changeTo adds the variables that may be changed through pointers, or are records that are handed on.
func (l *lowering) changeTo(list []cfront.Expr, all map[*cfront.Var]bool) {
	for _, e := range list {
		if e.PointsTo() != "" || e.Record() != nil {
			l.change(e, all)
		}
	}
}

// change adds the variables that an assignment to an expression changes.
func (l *lowering) change(e cfront.Expr, all map[*cfront.Var]bool) {
	switch x := e.(type) {
	case *cfront.Ref:
		all[x.Var] = true
		if s, ok := l.env[key{x.Var, 0}]; ok && s.p != nil && s.p.v != nil { // through a pointer to a variable
			all[s.p.v] = true
		}
	case *cfront.Index:
		l.change(x.Of, all)
	case *cfront.Lane:
		l.change(x.X, all)
	case *cfront.Member:
		l.change(x.X, all)
	case *cfront.Cast:
		l.change(x.X, all)
	case *cfront.Address:
		l.change(x.X, all)
	case *cfront.Binary: // of a pointer, and a number
		l.changeTo([]cfront.Expr{x.X, x.Y}, all)
	}
}
